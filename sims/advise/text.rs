//! What `sim advise` prints.

use super::warnings::warnings;
use crate::report;
use idlab::advise::{Advice, Asked, BYTES, Bound, Check, Criterion, READS, VISITS, Verdict};
use idlab::record::Measured;
use indicatif::HumanBytes;

/// The recommendation, its figures, the other options, and warnings.
pub fn text(asked: &Asked, advice: &Advice) -> String {
    let Some(first) = advice.verdicts.first() else {
        return String::new();
    };
    let mut parts = vec![headline(first)];
    parts.push(figures(first));
    parts.push(costs(asked, first, advice));
    parts.extend(also(advice));
    parts.extend(ruled_out(advice));
    let warnings: Vec<_> = warnings(asked, first)
        .into_iter()
        .map(|warning| format!("  - {warning}"))
        .collect();
    if !warnings.is_empty() {
        parts.push(format!("Look out:\n{}", warnings.join("\n")));
    }
    parts.join("\n\n")
}

fn headline(first: &Verdict) -> String {
    if first.fits() {
        return format!("Take {}", first.choice);
    }
    let relax: Vec<_> = first.unmet().map(relaxed).collect();
    format!(
        "None fits. The nearest is {}; to take it, relax {}",
        first.choice,
        relax.join(" and ")
    )
}

/// The flag to relax, with the figure that it would have to allow.
fn relaxed(check: &Check) -> String {
    format!("{} ({})", check.asked, figure(check))
}

/// The figure of a check with its bound.
fn figure(check: &Check) -> String {
    let show = |value| number(check.measured, value);
    let bound = match check.bound {
        Bound::AtMost(most) => format!("at most {}", show(most)),
        Bound::AtLeast(least) => format!("at least {}", show(least)),
    };
    format!(
        "{}: {}, needed {bound}",
        check.measured.name,
        show(check.value)
    )
}

/// A figure with its unit, to as many digits as it is worth.
fn number(measured: &Measured, value: f64) -> String {
    let digits = match measured.unit {
        "probability" if value == 0.0 => "0".to_owned(),
        "probability" if value < 0.001 => format!("{value:.1e}"),
        "probability" => format!("{value:.3}"),
        "share" => return format!("{} %", plain(value * 100.0)),
        _ => plain(value),
    };
    match measured.unit {
        "probability" => digits,
        unit => format!("{digits} {unit}"),
    }
}

/// Whole above a hundred, three digits below.
fn plain(value: f64) -> String {
    match value {
        _ if value >= 1e15 => format!("{value:.1e}"),
        _ if value >= 100.0 || value.fract() == 0.0 => report::whole(value),
        _ if value >= 10.0 => format!("{value:.1}"),
        _ if value >= 0.01 => format!("{value:.2}"),
        _ => format!("{value:.1e}"),
    }
}

fn figures(verdict: &Verdict) -> String {
    let lines = verdict.checks.iter().map(|check| {
        let (how, bound) = match check.bound {
            Bound::AtMost(most) => ("at most", most),
            Bound::AtLeast(least) => ("at least", least),
        };
        vec![
            format!("{:10}  {}", check.asked, check.measured.name),
            number(check.measured, check.value),
            format!("{how} {}", number(check.measured, bound)),
            if check.is_met() { "" } else { "NOT MET" }.to_owned(),
        ]
    });
    report::table(&["Asked for", "figure", "needed", ""], lines)
}

fn costs(asked: &Asked, verdict: &Verdict, advice: &Advice) -> String {
    let Some(cost) = &verdict.cost else {
        return "It costs: not tried, as it cannot issue these ids".to_owned();
    };
    let rows = asked.rows as f64;
    let index = HumanBytes((cost.index_bytes_per_row * rows) as u64);
    let mut lines = vec![
        format!(
            "index: {} bytes a row, {index} at {} rows",
            plain(cost.index_bytes_per_row),
            report::whole(rows)
        ),
        format!(
            "pages read an insert at that size through {}: {}{}",
            HumanBytes(asked.memory_bytes),
            plain(cost.reads_per_insert),
            closed_form(verdict, advice),
        ),
        format!(
            "reads a second at this rate: {}",
            report::whole(cost.reads_per_insert * asked.rate as f64)
        ),
    ];
    lines.extend(reader(verdict, advice));
    let scaled = format!(
        "(scaled from a load of {} rows)",
        report::whole(asked.effort.tree_rows as f64)
    );
    let lines: Vec<_> = lines.iter().map(|line| format!("  {line}")).collect();
    format!("It costs {scaled}:\n{}", lines.join("\n"))
}

/// The rows that are about this option's scheme.
fn total(verdict: &Verdict, advice: &Advice, measure: &str, param: (&str, &str)) -> Option<f64> {
    let scheme = verdict.choice.facts.spec.to_string();
    let row = advice.rows.iter().find(|row| {
        let of = row.params.get(param.0).and_then(|value| value.as_str());
        row.scheme == scheme && row.measure == measure && of == Some(param.1)
    });
    row.map(|row| row.value.as_f64())
}

fn closed_form(verdict: &Verdict, advice: &Advice) -> String {
    let found = total(verdict, advice, "reads_per_insert", ("by", "closed form"));
    found.map_or_else(String::new, |reads| {
        format!(" (closed form: {})", plain(reads))
    })
}

/// What a reader with a cursor loses.
fn reader(verdict: &Verdict, advice: &Advice) -> Option<String> {
    let run = ("run", "reader");
    let skipped = total(verdict, advice, "skipped_rows_share", run)?;
    let lag = total(verdict, advice, "smallest_lossless_lag_ms", run);
    let lag = lag.map_or_else(String::new, |ms| {
        format!(", none with a lag window of {} ms", plain(ms))
    });
    Some(format!(
        "rows that a reader with id > last_seen, once a second, never gets: {} %{lag}",
        plain(skipped * 100.0)
    ))
}

fn also(advice: &Advice) -> Option<String> {
    let others: Vec<_> = advice
        .verdicts
        .iter()
        .skip(1)
        .filter(|other| other.fits())
        .collect();
    if others.is_empty() {
        return None;
    }
    let lines = others.into_iter().map(|other| {
        let rank = other.rank.unwrap_or_default();
        let cost = other.cost.clone().unwrap_or_default();
        vec![
            format!("{rank}  {}", other.choice),
            plain(cost.reads_per_insert),
            plain(other.visits_per_id),
            plain(cost.index_bytes_per_row),
            other.parts.to_string(),
        ]
    });
    let headings = [
        "Also fits, next best first, equals of one rank",
        "pages read\nan insert",
        "visits\nan id",
        "index bytes\na row",
        "further\nparts",
    ];
    Some(format!(
        "{}\n Equal: pages read {}, visits {}, bytes {} of the least, and as many parts.",
        report::table(&headings, lines),
        tolerance(READS),
        tolerance(VISITS),
        tolerance(BYTES),
    ))
}

/// How far a figure may be above the least of its equals.
fn tolerance(criterion: Criterion) -> String {
    let Criterion {
        percent,
        hundredths,
        ..
    } = criterion;
    match hundredths {
        0 => format!("within {percent} %"),
        _ => format!("within {percent} % or 0.{hundredths:02}"),
    }
}

/// One line a scheme that does not fit in any way: its best option, and what ruled that out;
/// and the other options of the first one's scheme.
fn ruled_out(advice: &Advice) -> Option<String> {
    let scheme_of = |verdict: &Verdict| verdict.choice.facts.spec.to_string();
    let first = advice.verdicts.first().map(scheme_of);
    let fitting = advice.verdicts.iter().filter(|verdict| verdict.fits());
    let mut named: Vec<String> = fitting.map(scheme_of).collect();
    let mut lines = Vec::new();
    for verdict in advice
        .verdicts
        .iter()
        .skip(1)
        .filter(|verdict| !verdict.fits())
    {
        let scheme = scheme_of(verdict);
        if named.contains(&scheme) && first.as_ref() != Some(&scheme) {
            continue;
        }
        let why = match verdict.unmet().next() {
            Some(check) => format!("{} ({})", figure(check), check.asked),
            None => "cannot issue these ids".to_owned(),
        };
        lines.push(format!("{}\t{why}", verdict.choice));
        named.push(scheme);
    }
    if lines.is_empty() {
        return None;
    }
    let width = lines
        .iter()
        .filter_map(|line| line.split('\t').next())
        .map(|name| name.chars().count())
        .max()
        .unwrap_or(0);
    let lines: Vec<_> = lines
        .iter()
        .filter_map(|line| line.split_once('\t'))
        .map(|(name, why)| format!("  {name:width$}  {why}"))
        .collect();
    Some(format!("Ruled out by:\n{}", lines.join("\n")))
}
