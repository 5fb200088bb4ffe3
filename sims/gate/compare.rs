//! Two sides compared, case by case.

use super::count::{self, Counted};
use super::side::Side;
use super::time::{Effort, Timed, take};
use crate::args::{say, usage};
use crate::recorder::progress_of;
use anyhow::{Result, anyhow, bail};
use idlab::gate::{Bounds, Judgement};
use idlab::names::nearest;
use idlab::record::{Number, Parameters, Row};
use rayon::prelude::*;

/// The chance with which each limit of a ratio misses the true one.
pub const MISS: f64 = 0.001;

/// What is compared, and how.
pub struct Plan {
    pub base: Side,
    pub head: Side,
    pub seed: u64,
    pub effort: Effort,
    /// Whether instructions are counted only where times do not clear a case.
    pub spare_counts: bool,
    /// Programs that are counted at a time.
    pub threads: usize,
    /// Patterns of names; none: all cases.
    pub cases: Vec<String>,
}

/// What was found of a case.
pub struct Outcome {
    pub case: String,
    /// Instructions per id of base and head.
    pub counts: Option<[f64; 2]>,
    /// Limits of the ratio of times, with how many pairs they are of: the last is decisive.
    pub times: Vec<(Bounds, usize)>,
    pub judgement: Judgement,
}

impl Outcome {
    /// A case of which nothing was measured.
    pub fn unmeasured(case: &str, judgement: Judgement) -> Self {
        Self {
            case: case.to_owned(),
            counts: None,
            times: Vec::new(),
            judgement,
        }
    }

    /// It as numbers of the run `run`.
    pub fn rows(&self, run: &str) -> Vec<Row> {
        let row = |measure: &str, unit: &str, value, params: &[(&str, serde_json::Value)]| Row {
            run: run.to_owned(),
            scheme: self.case.clone(),
            engine: String::new(),
            params: params
                .iter()
                .map(|(name, value)| ((*name).to_owned(), value.clone()))
                .collect(),
            measure: measure.to_owned(),
            unit: unit.to_owned(),
            x: None,
            value,
            low: None,
            high: None,
            samples: 1,
        };
        let mut rows = Vec::new();
        for (side, count) in ["base", "head"]
            .into_iter()
            .zip(self.counts.iter().flatten())
        {
            let side = [("side", side.into())];
            let count = Number::Real(*count);
            rows.push(row("instructions_per_id", "instructions/id", count, &side));
        }
        let finite = |limit: f64| limit.is_finite().then_some(Number::Real(limit));
        for (round, (time, pairs)) in (1u64..).zip(&self.times) {
            let round = [("round", round.into())];
            rows.push(Row {
                low: finite(time.low),
                high: finite(time.high),
                samples: *pairs as u64,
                ..row("time_ratio", "head/base", Number::Real(time.median), &round)
            });
        }
        let Judgement { verdict, note } = self.judgement;
        let mut words = vec![("verdict", verdict.name().into())];
        words.extend(note.map(|note| ("note", note.into())));
        let code = u64::from(verdict.exit_code()).into();
        rows.push(row("verdict", "exit code", code, &words));
        rows
    }
}

impl Plan {
    /// Every parameter.
    pub fn parameters(&self) -> Parameters {
        let mut parameters = super::parameters(&self.cases, &self.head);
        parameters.extend([
            ("base".to_owned(), self.base.command.as_str().into()),
            ("launches".to_owned(), self.effort.launches.into()),
            ("pairs".to_owned(), self.effort.pairs.into()),
        ]);
        parameters
    }

    /// Counts, times and judges.
    pub fn compare(&self) -> Result<Vec<Outcome>> {
        say_of_one_core();
        let mut found = self.survey()?;
        let mut timed: Vec<_> = found
            .same
            .iter()
            .map(|(case, _)| Timed::new(case))
            .collect();
        self.time(0, &mut timed)?;
        let times: Vec<_> = timed.iter().map(bounds).collect();
        let mut again: Vec<_> = timed
            .iter()
            .zip(&times)
            .filter(|(case, time)| {
                !case.differs
                    && time
                        .as_ref()
                        .is_some_and(|time| Judgement::needs_fresh(time))
            })
            .map(|(case, _)| case.again())
            .collect();
        self.time(1, &mut again)?;
        let decisive = |case: &Timed| {
            again
                .iter()
                .find(|again| again.case == case.case)
                .unwrap_or(case)
                .clone()
        };
        let cleared =
            |case: &Timed| bounds(&decisive(case)).is_some_and(|time| Judgement::is_cleared(&time));
        let counted: Vec<_> = timed
            .iter()
            .map(|case| !case.differs && !(self.spare_counts && cleared(case)))
            .collect();
        let counts = self.counts(&found, &counted)?;
        for ((case, time), counts) in timed.iter().zip(times).zip(counts) {
            let fresh = again.iter().find(|again| again.case == case.case);
            let pairs = case.ratios.len();
            let differs = case.differs || fresh.is_some_and(|fresh| fresh.differs);
            let fresh = fresh.and_then(bounds);
            let Some(time) = time.filter(|_| !differs) else {
                found
                    .outcomes
                    .push(Outcome::unmeasured(&case.case, Judgement::OTHER_WORK));
                continue;
            };
            let change = counts.map(|[base, head]| head / base);
            found.outcomes.push(Outcome {
                case: case.case.clone(),
                counts,
                times: [Some(time), fresh]
                    .into_iter()
                    .flatten()
                    .map(|time| (time, pairs))
                    .collect(),
                judgement: Judgement::of(change, &time, fresh.as_ref()),
            });
        }
        let order = |outcome: &Outcome| found.order.iter().position(|case| *case == outcome.case);
        found.outcomes.sort_by_key(order);
        Ok(found.outcomes)
    }

    fn time(&self, round: u64, cases: &mut [Timed]) -> Result<()> {
        if cases.is_empty() {
            return Ok(());
        }
        let pairs = cases.len() as u64 * self.effort.launches * self.effort.pairs;
        let bar = progress_of(Some(pairs), "pairs");
        let sides = [&self.base, &self.head];
        take(sides, self.effort, (self.seed, round), cases, &bar)?;
        bar.finish_and_clear();
        Ok(())
    }

    /// Learns which cases the sides have, and whether they do the same work.
    fn survey(&self) -> Result<Survey> {
        let mut base = self.base.start()?;
        let mut head = self.head.start()?;
        if !base.cases.iter().any(|case| head.cases.contains(case)) {
            let [base, head] = [&base, &head].map(|side| side.cases.join(", "));
            bail!(
                "base and head have no case in common, expected one at least: base has {base}; head has {head}"
            );
        }
        say_of_notes(&base.notes, &head.notes);
        let only_head = head.cases.iter().filter(|case| !base.cases.contains(case));
        let all: Vec<_> = base.cases.iter().chain(only_head).cloned().collect();
        let mut survey = Survey::default();
        survey.order = chosen(&all, &self.cases)?;
        for case in survey.order.clone() {
            let judgement = match (base.cases.contains(&case), head.cases.contains(&case)) {
                (true, true) => {
                    let sums =
                        [&mut base, &mut head].map(|side| side.run(&case, self.seed, count::IDS));
                    let [base, head] = sums;
                    let (base, head) = (base?.0, head?.0);
                    if base == head {
                        survey.same.push((case, base));
                        continue;
                    }
                    Judgement::OTHER_WORK
                }
                (true, false) => Judgement::GONE,
                (false, _) => Judgement::NEW,
            };
            survey.outcomes.push(Outcome::unmeasured(&case, judgement));
        }
        Ok(survey)
    }

    /// Instructions per id of both sides, of each case that is to be counted.
    fn counts(&self, survey: &Survey, counted: &[bool]) -> Result<Vec<Option<[f64; 2]>>> {
        let mut counts = vec![None; counted.len()];
        let wanted = || (0..counted.len()).filter(|&at| counted[at]);
        if wanted().next().is_none() {
            return Ok(counts);
        }
        if count::valgrind().is_none() {
            say(
                "valgrind is not here: instructions are not counted, and what time alone cannot clear is undecided",
            );
            return Ok(counts);
        }
        let cases = wanted().map(|at| &survey.same[at]);
        let tasks: Vec<_> = cases
            .flat_map(|case| [(&self.base, case), (&self.head, case)])
            .collect();
        let found = count_all(&tasks, self.seed, self.threads)?;
        for (at, sides) in wanted().zip(found.chunks(2)) {
            if let [Some(base), Some(head)] = sides {
                counts[at] = Some([base.per_id, head.per_id]);
            }
        }
        Ok(counts)
    }
}

/// Which cases are compared.
#[derive(Default)]
struct Survey {
    /// Their names, in order.
    order: Vec<String>,
    /// Cases that are the same work, with its checksum.
    same: Vec<(String, String)>,
    /// The others, which are judged already.
    outcomes: Vec<Outcome>,
}

fn bounds(case: &Timed) -> Option<Bounds> {
    Bounds::of_median(case.ratios.clone(), MISS)
}

/// Counts cases with known checksums; none of a program that valgrind cannot run.
pub fn count_all(
    tasks: &[(&Side, &(String, String))],
    seed: u64,
    threads: usize,
) -> Result<Vec<Option<Counted>>> {
    let bar = progress_of(Some(tasks.len() as u64), "counts");
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()?;
    let counted: Vec<Result<Counted>> = pool.install(|| {
        let counted = tasks.par_iter().map(|(side, (case, _))| {
            let counted = count::count(side, case, seed);
            bar.inc(1);
            counted
        });
        counted.collect()
    });
    bar.finish_and_clear();
    let mut said = false;
    let mut found = Vec::new();
    for ((side, (case, checksum)), counted) in tasks.iter().zip(counted) {
        match counted {
            Ok(counted) if counted.checksum != *checksum => {
                return Err(anyhow!(
                    "{} ({}): {case}: checksum {} when counted and {checksum} when timed, expected the same",
                    side.name,
                    side.command,
                    counted.checksum
                ));
            }
            Ok(counted) => found.push(Some(counted)),
            Err(error) => {
                if !std::mem::replace(&mut said, true) {
                    say(&format!(
                        "instructions of {case} and perhaps more cannot be counted: {error:#}"
                    ));
                }
                found.push(None);
            }
        }
    }
    Ok(found)
}

/// Those of `all` that a pattern names, in their order.
pub fn chosen(all: &[String], patterns: &[String]) -> Result<Vec<String>> {
    if let Some(pattern) = patterns
        .iter()
        .find(|pattern| !all.iter().any(|case| matches(pattern, case)))
    {
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
            rest.char_indices()
                .map(|(at, _)| at)
                .chain([rest.len()])
                .any(|at| matches(after, &rest[at..]))
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

fn say_of_one_core() {
    if crate::recorder::cores() == 1 {
        say("one core: both workers share it, turn by turn");
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
