//! The table that `sim shards --check` prints.

use super::SHOWN;
use crate::report;
use crate::tolerance::Tolerance;
use idlab::record::{Records, Row};
use serde_json::Value;

fn number(row: &Row, name: &str) -> f64 {
    let value = row.params.get(name).and_then(Value::as_f64);
    value.unwrap_or(f64::NAN)
}

fn shown(value: f64) -> String {
    match value {
        value if value.is_nan() => "-".to_owned(),
        value if value.fract() == 0.0 || value.abs() >= 1000.0 => report::whole(value),
        value if value.abs() >= 10.0 => report::two(value),
        value => report::four(value),
    }
}

/// One line a check, then what is to be said of some.
pub fn table(records: &Records) -> String {
    let mut notes = report::Notes::default();
    let lines: Vec<_> = records
        .rows
        .iter()
        .map(|row| {
            let note = row.params.get("note").and_then(Value::as_str);
            let mark = notes.mark(note);
            let (value, predicted) = (row.value.as_f64(), number(row, "predicted"));
            let tolerance = Tolerance {
                relative: number(row, "tolerance"),
                absolute: number(row, "tolerance_absolute"),
            };
            let judged = !row.params.contains_key(SHOWN);
            let most = tolerance.absolute.max(tolerance.relative * predicted.abs());
            let verdict = match (judged, tolerance.passes(value, predicted)) {
                (false, _) => "shown",
                (true, true) => "ok",
                (true, false) => "BEYOND",
            };
            vec![
                format!("{}  {}", row.engine, row.scheme),
                row.measure.clone(),
                shown(predicted),
                shown(value),
                shown(value - predicted),
                match most {
                    most if most < 1e-6 => "0".to_owned(),
                    most => shown(most),
                },
                verdict.to_owned(),
                mark,
            ]
        })
        .collect();
    let headings = [
        "section  case",
        "measure",
        "predicted",
        "simulated",
        "error",
        "tolerance",
        "",
        "note",
    ];
    notes.below(report::table(&headings, lines.into_iter()))
}
