//! The table of `sim fleet --scenario`.

use super::SCENARIOS;
use crate::report;
use idlab::record::{Records, Row};

/// Each scenario's story, then what was expected and what was found.
pub fn table(records: &Records) -> String {
    let played = SCENARIOS.iter().filter_map(|scenario| {
        let is = |row: &&Row| text(row, "scenario") == Some(scenario.name);
        let rows: Vec<&Row> = records.rows.iter().filter(is).collect();
        (!rows.is_empty()).then(|| {
            format!(
                "{}: {}\n  What to do: {}\n\n{}",
                scenario.name,
                scenario.happened,
                scenario.remedy,
                checks(&rows)
            )
        })
    });
    played.collect::<Vec<_>>().join("\n\n")
}

fn text<'a>(row: &'a Row, name: &str) -> Option<&'a str> {
    row.params.get(name)?.as_str()
}

fn checks(rows: &[&Row]) -> String {
    let mut table = comfy_table::Table::new();
    table.load_style(comfy_table::presets::NOTHING);
    table.set_header(["case", "number", "expected", "found", ""]);
    for row in rows {
        let bound = |name: &str| row.params.get(name).and_then(serde_json::Value::as_f64);
        let expected = match (bound("expected_least"), bound("expected_most")) {
            (Some(least), Some(most)) if least == most => number(least),
            (Some(least), Some(most)) => format!("{} to {}", number(least), number(most)),
            _ => "-".to_owned(),
        };
        let good = row
            .params
            .get("as_expected")
            .and_then(serde_json::Value::as_bool);
        let verdict = if good == Some(true) {
            "ok"
        } else {
            "NOT AS EXPECTED"
        };
        table.add_row([
            text(row, "case").unwrap_or_default().to_owned(),
            named(row),
            expected,
            number(row.value.as_f64()),
            verdict.to_owned(),
        ]);
    }
    for column in [2, 3] {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(comfy_table::CellAlignment::Right);
        }
    }
    report::print(&table)
}

/// A measure with what tells this row of it from others.
fn named(row: &Row) -> String {
    let said = ["cause", "quantile", "reader"];
    let said = said.iter().filter_map(|name| text(row, name));
    let lag = row.x.map(|ns| match ns.as_f64() {
        0.0 => "no lag".to_owned(),
        ns => format!("lag {} s", ns / 1e9),
    });
    let said: Vec<String> = said.map(str::to_owned).chain(lag).collect();
    match said.is_empty() {
        true => row.measure.clone(),
        false => format!("{} ({})", row.measure, said.join(", ")),
    }
}

/// As many digits as it takes to tell it from its neighbours.
fn number(value: f64) -> String {
    match value.abs() {
        _ if value.fract() == 0.0 => report::whole(value.max(0.0)),
        0.0..1.0 => report::four(value),
        1.0..100.0 => report::two(value),
        _ => report::whole(value),
    }
}
