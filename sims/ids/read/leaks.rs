//! What an outsider learns from a list of ids, for people.

use crate::ids::instant;
use crate::report::{self, whole};
use idlab::inspect::Estimate;
use idlab::inspect::leaks::{Conduct, Leaked, Method, NO_SECRET, Volume};

/// A table of what `leaked` has, and what is no secret.
pub fn section(leaked: &Leaked) -> String {
    let mut lines: Vec<[String; 2]> = Vec::new();
    let mut add = |what: &str, says: String| lines.push([what.to_owned(), says]);
    match &leaked.times {
        Some(times) => {
            add("made, to within", report::time(times.tick_ns as f64));
            add("earliest", instant(times.first));
            add("latest", instant(times.last));
        }
        None => add("made", "they do not tell when".to_owned()),
    }
    if let Some(workers) = leaked.workers {
        add("workers seen", whole(workers.seen as f64));
        let by = match workers.by {
            Method::EqualShares => "if shares are equal",
            Method::Chao1 => "at least, as shares differ (Chao1)",
        };
        add("workers", format!("{} {by}", range(workers.all)));
    }
    if let Some(issued) = leaked.issued {
        add(
            "given out so far",
            format!("{} (German tank)", range(issued)),
        );
    }
    let of = match leaked.of() {
        "all" => "",
        _ => " of each writer",
    };
    add(&format!("ids{of} from earliest to latest"), volume(leaked));
    if let Some(rate) = leaked.ids_per_s {
        add(&format!("ids{of} a second"), range(rate));
    }
    for guess in &leaked.guesses {
        let known = match leaked.times {
            Some(_) => format!(", its time known to {}", guess.known.0),
            None => String::new(),
        };
        let tries = match guess.tries {
            1 => "1 guess".to_owned(),
            tries => format!("{} guesses", whole(tries as f64)),
        };
        add(&format!("odds of {tries}{known}"), odds(guess.odds));
    }
    let width = lines.iter().map(|[what, _]| what.chars().count()).max();
    let width = width.unwrap_or(0);
    let lines = lines
        .iter()
        .map(|[what, says]| format!(" {what:width$}  {says}"));
    format!("{}\n{NO_SECRET}", lines.collect::<Vec<_>>().join("\n"))
}

fn volume(leaked: &Leaked) -> String {
    match (leaked.volume, leaked.conduct) {
        (Volume::Exact(ids), Conduct::Tickets) => {
            format!("{}, less numbers never given out", whole(ids as f64))
        }
        (Volume::Exact(ids), _) => whole(ids as f64),
        (Volume::Near(estimate), _) => range(estimate),
        (Volume::AtLeast(ids), conduct) => {
            let why = match conduct {
                Conduct::RunsOn => "counters may have gone round, or too few ids tell",
                _ => "the rate changes, and too few ids share a tick",
            };
            format!("{} or more: {why}", whole(ids as f64))
        }
        (Volume::Unknown, _) => "they do not tell".to_owned(),
    }
}

/// A value and its 95 % interval.
fn range(estimate: Estimate) -> String {
    let Estimate { value, low, high } = estimate;
    match (value.is_finite(), high.is_finite()) {
        _ if low == high => number(low),
        (true, true) => format!("{} ({} to {})", number(value), number(low), number(high)),
        (true, false) => format!("{} ({} or more)", number(value), number(low)),
        (false, _) => format!("{} or more", number(low)),
    }
}

/// Three digits of what is small, all of what is large.
fn number(value: f64) -> String {
    match value {
        0.0 => "0".to_owned(),
        ..0.1 => format!("{value:.2e}"),
        ..10.0 => {
            let text = format!("{value:.2}");
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        }
        _ => whole(value),
    }
}

fn odds(odds: f64) -> String {
    match odds {
        0.995.. => "near 1".to_owned(),
        0.001.. => format!("{odds:.3}"),
        0.0 => "0".to_owned(),
        _ => format!("{odds:.1e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use idlab::id::Number;
    use idlab::inspect::leaks::Leaks;
    use idlab::scheme::{Scheme, Spec, Visitor, visit};

    /// Ids of four workers, one in each of 1,000 milliseconds.
    struct Section;

    impl Visitor for Section {
        type Output = String;

        fn visit<S: Scheme>(self, scheme: S) -> String {
            let mut leaks = Leaks::new(scheme);
            let ids = (0..1000u64).map(|i| {
                let tick = 300_000_000_000 + i;
                Number(tick << 22 | (i % 4) << 12)
            });
            let keys: Vec<_> = ids
                .map(|Number(id)| id.to_string().parse::<S::Id>())
                .collect();
            let keys: Vec<_> = keys.into_iter().flatten().map(idlab::id::Id::key).collect();
            leaks.see(&keys);
            section(&leaks.finish())
        }
    }

    fn lines(scheme: &str) -> String {
        let spec: Spec = scheme.parse().unwrap();
        visit(&spec, Section).unwrap()
    }

    #[test]
    fn what_ids_tell_is_said_and_what_they_do_not() {
        let snowflake = lines("snowflake");
        for part in [
            "made, to within",
            "1.00 ms",
            "2020-05-07T07:02:54.657000Z",
            "workers seen",
            "4 if shares are equal",
            "never an authorisation token",
        ] {
            assert!(snowflake.contains(part), "{part}:\n{snowflake}");
        }
        let tickets = lines("auto_increment");
        assert!(
            tickets.contains("German tank") && tickets.contains("near 1"),
            "{tickets}"
        );
        assert!(tickets.contains("they do not tell when"), "{tickets}");
    }

    #[test]
    fn numbers_are_short() {
        let cases = [
            (0.0, "0"),
            (0.000_012, "1.20e-5"),
            (0.5, "0.5"),
            (4.0, "4"),
            (1234.5, "1,234"),
        ];
        for (value, text) in cases {
            assert_eq!(number(value), text);
        }
        assert_eq!(
            (odds(0.999), odds(0.25), odds(1e-9)),
            ("near 1".into(), "0.250".into(), "1.0e-9".into())
        );
        let open = Estimate {
            value: f64::INFINITY,
            low: 5.0,
            high: f64::INFINITY,
        };
        assert_eq!(range(open), "5 or more");
    }
}
