//! The table that `sim verify` prints.

use super::ENGINES;
use crate::report;
use crate::tolerance::relative_error;
use idlab::record::{Records, Row};
use serde_json::Value;
use std::fmt::Write;

/// Inexact rows that are listed one by one.
const LISTED: usize = 40;

fn number(row: &Row, name: &str) -> f64 {
    let value = row.params.get(name).and_then(Value::as_f64);
    value.unwrap_or(f64::NAN)
}

fn error(row: &Row) -> f64 {
    relative_error(row.value.as_f64(), number(row, "measured"))
}

fn absolute(row: &Row) -> f64 {
    (row.value.as_f64() - number(row, "measured")).abs()
}

/// One line a column, then the predictions that are off the most.
pub fn table(records: &Records) -> String {
    let columns = ENGINES
        .iter()
        .flat_map(|engine| engine.columns.iter().map(move |column| (engine, column)));
    let lines = columns.filter_map(|(engine, column)| {
        let rows: Vec<_> = records
            .rows
            .iter()
            .filter(|row| row.engine == engine.engine && row.measure == column.name)
            .collect();
        let worst = rows
            .iter()
            .filter(|row| absolute(row) > column.tolerance.absolute)
            .map(|row| error(row));
        let percent = column.tolerance.relative * 100.0;
        let tolerance = match column.tolerance.absolute {
            0.0 => percent.to_string(),
            absolute => format!("{percent} or {absolute}"),
        };
        (!rows.is_empty()).then(|| {
            vec![
                format!("{}  {}", engine.engine, column.name),
                rows.len().to_string(),
                rows.iter()
                    .filter(|row| error(row) == 0.0)
                    .count()
                    .to_string(),
                format!("{:.4}", worst.fold(0.0, f64::max) * 100.0),
                tolerance,
            ]
        })
    });
    let mut text = report::table(
        &[
            "engine  column",
            "loads",
            "exact",
            "worst\nerror %",
            "tolerance\n%",
        ],
        lines,
    );
    let apart = |row: &&Row| absolute(row) > number(row, "tolerance_absolute");
    let mut off: Vec<_> = records.rows.iter().filter(apart).collect();
    off.sort_by(|a, b| error(b).total_cmp(&error(a)));
    for row in off.iter().take(LISTED) {
        let told: Vec<_> = row
            .params
            .iter()
            .filter(|(name, _)| *name != "measured" && !name.starts_with("tolerance"))
            .filter_map(|(name, value)| Some(format!("{name} {}", value.as_str()?)))
            .collect();
        let _ = write!(
            text,
            "\n{} {} {}: measured {}, predicted {} ({})",
            row.engine,
            row.scheme,
            row.measure,
            number(row, "measured"),
            row.value,
            told.join(", ")
        );
    }
    if off.len() > LISTED {
        let _ = write!(
            text,
            "\n… and {} more that are not exact",
            off.len() - LISTED
        );
    }
    text
}
