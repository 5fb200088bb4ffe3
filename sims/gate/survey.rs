//! Which cases two sides have, and which of them are the same work.

use super::count;
use super::outcome::Outcome;
use super::side::Side;
use crate::args::{say, usage};
use anyhow::{Result, bail};
use idlab::gate::Judgement;
use idlab::names::nearest;

/// Which cases are compared.
#[derive(Default)]
pub struct Survey {
    /// The names of all, in order.
    pub order: Vec<String>,
    /// Cases that are the same work, with the checksum of [`count::IDS`] ids.
    pub same: Vec<(String, String)>,
    /// The others, which are judged already.
    pub others: Vec<Outcome>,
}

impl Survey {
    /// Asks both sides; `patterns` say which cases are wanted.
    pub fn of(base: &Side, head: &Side, patterns: &[String], seed: u64) -> Result<Self> {
        let mut base = base.start()?;
        let mut head = head.start()?;
        if !base.cases.iter().any(|case| head.cases.contains(case)) {
            let [base, head] = [&base, &head].map(|side| side.cases.join(", "));
            bail!(
                "base and head have no case in common, expected one at least: base has {base}; head has {head}"
            );
        }
        say_of_notes(&base.notes, &head.notes);
        let new = head.cases.iter().filter(|case| !base.cases.contains(case));
        let all: Vec<_> = base.cases.iter().chain(new).cloned().collect();
        let mut survey = Self {
            order: chosen(&all, patterns)?,
            ..Self::default()
        };
        for case in &survey.order {
            let judgement = match (base.cases.contains(case), head.cases.contains(case)) {
                (false, _) => Judgement::NEW,
                (_, false) => Judgement::GONE,
                (true, true) => {
                    let [before, now] = [
                        base.run(case, seed, count::IDS)?.0,
                        head.run(case, seed, count::IDS)?.0,
                    ];
                    if before == now {
                        survey.same.push((case.clone(), now));
                        continue;
                    }
                    Judgement::OTHER_WORK
                }
            };
            survey.others.push(Outcome::unmeasured(case, judgement));
        }
        Ok(survey)
    }
}

/// Those of `all` that a pattern names, in their order; all without a pattern.
pub fn chosen(all: &[String], patterns: &[String]) -> Result<Vec<String>> {
    let known = |pattern: &&String| all.iter().any(|case| matches(pattern, case));
    if let Some(pattern) = patterns.iter().find(|pattern| !known(pattern)) {
        let hint = nearest(pattern, all.iter().map(String::as_str));
        return Err(usage(format!("--case: no case {pattern:?}{hint}")));
    }
    let wanted = |case: &&String| {
        patterns.is_empty() || patterns.iter().any(|pattern| matches(pattern, case))
    };
    Ok(all.iter().filter(wanted).cloned().collect())
}

/// Whether `*` of the pattern can be replaced so that it is the name.
fn matches(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((before, after)) => name.strip_prefix(before).is_some_and(|rest| {
            let starts = rest.char_indices().map(|(at, _)| at).chain([rest.len()]);
            let mut rests = starts.map(|at| &rest[at..]);
            rests.any(|rest| matches(after, rest))
        }),
    }
}

/// Says which facts that both sides tell differ, but for the commit, which is to differ.
pub fn say_of_notes(base: &[(String, String)], head: &[(String, String)]) {
    for (name, before) in base.iter().filter(|(name, _)| name != "commit") {
        let now = head.iter().find(|(other, _)| other == name);
        if let Some((_, now)) = now.filter(|(_, now)| now != before) {
            say(&format!(
                "{name} differs: base {before}, head {now}; a difference may come of that alone"
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_part_of_a_name() {
        for (pattern, name, expected) in [
            ("a/b", "a/b", true),
            ("a", "a/b", false),
            ("*", "", true),
            ("a*", "a/b", true),
            ("*b", "a/b", true),
            ("*/*", "a/b", true),
            ("a*b*", "a/b", true),
            ("a*c", "a/b", false),
            ("é*", "éa", true),
            ("*a*a", "aba", true),
            ("*a*a", "ab", false),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn an_unknown_case_is_refused_with_the_nearest() {
        let all = ["uuid_v4/one", "uuid_v7/one", "ulid/one"].map(str::to_owned);
        let of = |patterns: &[&str]| {
            let patterns: Vec<_> = patterns.iter().map(|&text| text.to_owned()).collect();
            chosen(&all, &patterns).map_err(|error| error.to_string())
        };
        assert_eq!(of(&[]).unwrap().len(), 3);
        assert_eq!(
            of(&["ulid*", "uuid_v4/one"]).unwrap(),
            ["uuid_v4/one", "ulid/one"]
        );
        assert!(
            of(&["uuid_v6/one"])
                .unwrap_err()
                .contains("did you mean \"uuid_v")
        );
    }
}
