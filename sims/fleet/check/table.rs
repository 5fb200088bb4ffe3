//! The table that `sim fleet --check` prints.

use crate::report;
use idlab::record::{Records, Row};
use serde_json::Value;

fn number(row: &Row, name: &str) -> f64 {
    let value = row.params.get(name).and_then(Value::as_f64);
    value.unwrap_or(f64::NAN)
}

/// Four digits that count.
fn shown(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_owned(),
        size if size >= 1000.0 => report::whole(value),
        size => {
            let digits = 3 - size.log10().floor() as i32;
            format!("{value:.*}", digits.clamp(0, 12) as usize)
        }
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
            let (simulated, theory) = (row.value.as_f64(), number(row, "theory"));
            let error = number(row, "standard_error");
            let holds = row.params.get("holds").and_then(Value::as_bool);
            let away = simulated - theory;
            let errors = match (error > 0.0, away == 0.0) {
                (true, _) => format!("{:+.1}", away / error),
                (false, true) => "0".to_owned(),
                (false, false) => shown(away),
            };
            vec![
                format!("{}  {}", row.engine, row.scheme),
                row.measure.clone(),
                shown(theory),
                shown(simulated),
                shown(number(row, "most")),
                errors,
                if holds == Some(true) { "ok" } else { "BEYOND" }.to_owned(),
                mark,
            ]
        })
        .collect();
    let headings = [
        "section  case",
        "measure",
        "theory",
        "simulated",
        "allowed\n±",
        "error,\nstd. errors",
        "verdict",
        "note",
    ];
    notes.below(report::table(&headings, lines.into_iter()))
}
