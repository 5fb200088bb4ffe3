//! What was found of all cases, as a table.

use super::outcome::Outcome;
use crate::report::{Notes, table as print, two};

const HEADINGS: [&str; 8] = [
    "case",
    "instructions\nper id, base",
    "\nhead",
    "change\n%",
    "time ratio\nhead/base",
    "at\nleast",
    "at\nmost",
    "verdict",
];

/// One line a case; notes below.
pub fn table(outcomes: &[Outcome]) -> String {
    let mut notes = Notes::default();
    let lines: Vec<_> = outcomes
        .iter()
        .map(|outcome| line(outcome, &mut notes))
        .collect();
    notes.below(print(&HEADINGS, lines.into_iter()))
}

fn line<'a>(outcome: &Outcome, notes: &mut Notes<'a>) -> Vec<String> {
    let counts = outcome.counts;
    let [base, head] = [0, 1].map(|side| counts.map_or(dash(), |counts| two(counts[side])));
    let change = counts.map_or(dash(), |[base, head]| change(head / base));
    let time = outcome.times.last();
    let ratio = |of: Option<f64>| match of {
        Some(ratio) if ratio.is_finite() => format!("{ratio:.3}"),
        _ => dash(),
    };
    let judgement = outcome.judgement;
    let mark = notes.mark(judgement.note);
    let verdict = format!("{} {mark}", judgement.verdict.name());
    vec![
        outcome.case.clone(),
        base,
        head,
        change,
        ratio(time.map(|time| time.median)),
        ratio(time.map(|time| time.low)),
        ratio(time.map(|time| time.high)),
        verdict.trim_end().to_owned(),
    ]
}

/// A ratio as what is more or less, in per cent.
pub fn change(ratio: f64) -> String {
    let text = format!("{:+.2}", (ratio - 1.0) * 100.0);
    if text == "-0.00" {
        "+0.00".to_owned()
    } else {
        text
    }
}

fn dash() -> String {
    "-".to_owned()
}
