//! The budget for people.

use super::{NS_PER_YEAR, Question};
use crate::report;
use idlab::duration;
use idlab::layout::{Budget, date, time};
use std::fmt::Write;

/// Where tick 0 lies, the budget, and that of each trade.
pub fn budget(question: &Question) -> String {
    let base = &question.budget;
    let mut text = question.name.clone();
    match (base.tick_ns, base.epoch_ns) {
        (Some(tick_ns), Some(epoch_ns)) => {
            let (tick, epoch) = (duration::show(tick_ns), time(epoch_ns));
            let _ = write!(text, ": ticks of {tick} since {epoch} UTC");
        }
        (Some(tick_ns), None) => {
            let _ = write!(text, ": ticks of {}", duration::show(tick_ns));
        }
        _ => text += ": no clock",
    }
    let trades = base.trades();
    let lines = std::iter::once(base).chain(&trades).map(line);
    let headings = [
        "fields",
        "years",
        "until (UTC)",
        "nodes",
        "ids a tick",
        "ids/s a node",
        "ids/s in all",
    ];
    let _ = write!(text, "\n\n{}\n", report::table(&headings, lines));
    if !trades.is_empty() {
        text += "First as it is, then with one bit moved.\n";
    }
    if let Some(end_ns) = base.end_ns {
        let left = (end_ns - question.now_ns) as f64 / NS_PER_YEAR;
        let day = date(question.now_ns);
        let _ = match left {
            0.0.. => writeln!(text, "{} are left on {day}.", length(left)),
            _ => writeln!(text, "Used up {} before {day}.", length(-left)),
        };
    }
    text
}

fn line(budget: &Budget) -> Vec<String> {
    let or = |found: Option<String>, none: &str| found.unwrap_or_else(|| none.to_owned());
    let life = budget.life_ns().map(|ns| years(ns as f64 / NS_PER_YEAR));
    vec![
        budget.layout.to_string(),
        or(life, "-"),
        or(budget.end_ns.map(|ns| time(ns - 1)), "-"),
        or(budget.nodes.map(number), "any"),
        or(budget.ids_per_tick.map(number), "any"),
        or(budget.ids_per_second().map(real), "-"),
        or(budget.ids_per_second_of_all().map(real), "-"),
    ]
}

/// Years with the digits that matter.
pub fn years(years: f64) -> String {
    match years {
        ..0.1 => format!("{years:.2}"),
        ..10_000.0 => format!("{years:.1}"),
        _ => real(years),
    }
}

/// A length of time: in years, or in days if it is less than one.
pub fn length(in_years: f64) -> String {
    match in_years {
        ..1.0 => format!("{} days", years(in_years * 365.2425)),
        _ => format!("{} years", years(in_years)),
    }
}

/// A whole number, or the power of 2 that it is if it is long.
pub fn number(count: u128) -> String {
    match count {
        0..1_000_000_000_000 => report::whole(count as f64),
        u128::MAX => "2^128".to_owned(),
        count if count.is_power_of_two() => format!("2^{}", count.ilog2()),
        count => format!("{:.3e}", count as f64),
    }
}

/// A number of at least 1, rounded; with its power of 10 if it is long.
pub fn real(value: f64) -> String {
    match value {
        ..100.0 => report::two(value),
        ..1e12 => report::whole(value),
        _ => format!("{value:.3e}"),
    }
}

/// A probability to three digits.
pub fn probability(value: f64) -> String {
    match value {
        0.0 => "0".to_owned(),
        ..1e-3 => format!("{value:.2e}"),
        ..0.9995 => format!("{value:.3}"),
        1.0 => "1".to_owned(),
        _ => "above 0.999".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!(number(1024), "1,024");
        assert_eq!(number(1 << 48), "2^48");
        assert_eq!(number(u128::MAX), "2^128");
        assert_eq!(real(4_194_304_000.0), "4,194,304,000");
        assert_eq!(real(6.25), "6.25");
        assert_eq!(
            [years(0.051), years(69.73), years(8919.6)],
            ["0.05", "69.7", "8919.6"]
        );
        assert_eq!([length(0.01), length(1.91)], ["3.7 days", "1.9 years"]);
        let texts = [0.0, 2.646_942_9e-5, 0.3934693, 0.9996, 1.0].map(probability);
        assert_eq!(texts, ["0", "2.65e-5", "0.393", "above 0.999", "1"]);
    }
}
