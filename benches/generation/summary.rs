//! The summary of records: each task once, ours against the fastest other crate.

use comfy_table::{CellAlignment, Table};
use idlab::record::{Records, Row};
use std::fs::File;
use std::io::BufReader;
use std::process::ExitCode;

/// Asks for it: `cargo bench --bench generation -- --summary results/generation.jsonl`.
pub const FLAG: &str = "--summary";

/// Prints the summary of a file of records.
pub fn print(file: &str) -> ExitCode {
    let records = File::open(file)
        .map_err(|error| error.to_string())
        .and_then(|file| {
            Records::read_jsonl(BufReader::new(file)).map_err(|error| error.to_string())
        });
    match records {
        Ok(records) => {
            println!("{}", summary(&records));
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {file}: {error}; expected records of cargo bench --bench generation");
            ExitCode::FAILURE
        }
    }
}

fn param<'a>(row: &'a Row, name: &str) -> &'a str {
    row.params
        .get(name)
        .and_then(|value| value.as_str())
        .unwrap_or_default()
}

/// What rows must share to be compared: the group, the scheme, the kind of clock, and whether
/// ids come in order.
fn task(row: &Row) -> [&str; 4] {
    [
        param(row, "group"),
        &row.scheme,
        param(row, "clock"),
        param(row, "order"),
    ]
}

fn summary(records: &Records) -> String {
    let times: Vec<&Row> = (records.rows.iter())
        .filter(|row| row.measure == "ns_per_id" && param(row, "group") != "threads")
        .filter(|row| param(row, "wrong").is_empty())
        .collect();
    let instructions = |of: &Row| {
        let same = |row: &&Row| {
            let params = ["group", "who", "call", "clock", "random"];
            row.measure == "instructions_per_id"
                && row.scheme == of.scheme
                && params
                    .iter()
                    .all(|name| param(row, name) == param(of, name))
        };
        records.rows.iter().find(same).map(|row| row.value.as_f64())
    };
    let fastest = |task_of: &Row, ours: bool| {
        let rows = times.iter().filter(|row| task(row) == task(task_of));
        rows.filter(|row| match ours {
            true => param(row, "who") == "idlab",
            false => !["idlab", "floor"].contains(&param(row, "who")),
        })
        .min_by(|a, b| a.value.as_f64().total_cmp(&b.value.as_f64()))
        .copied()
    };
    let mut table = Table::new();
    table.load_style(comfy_table::presets::NOTHING);
    table.set_header([
        "task",
        "clock",
        "order",
        "idlab",
        "ns/id",
        "instr/id",
        "fastest other",
        "ns/id",
        "instr/id",
        "x time",
        "x instr",
    ]);
    let mut known: Vec<[&str; 4]> = Vec::new();
    for row in &times {
        if known.contains(&task(row)) {
            continue;
        }
        known.push(task(row));
        let (Some(ours), Some(peer)) = (fastest(row, true), fastest(row, false)) else {
            continue;
        };
        let (counts, ns) = (
            [ours, peer].map(instructions),
            [ours, peer].map(|row| row.value.as_f64()),
        );
        let number =
            |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.1}"));
        let ratio = |ours: f64, peer: f64| format!("{:.2}", ours / peer);
        let [group, scheme, clock, order] = task(row);
        table.add_row([
            format!("{scheme}, {group}"),
            clock.to_owned(),
            order.to_owned(),
            param(ours, "call").to_owned(),
            format!("{:.2}", ns[0]),
            number(counts[0]),
            format!("{} {}", param(peer, "who"), param(peer, "call")),
            format!("{:.2}", ns[1]),
            number(counts[1]),
            ratio(ns[0], ns[1]),
            match counts {
                [Some(ours), Some(peer)] => ratio(ours, peer),
                _ => "-".to_owned(),
            },
        ]);
    }
    for right in [4, 5, 7, 8, 9, 10] {
        if let Some(column) = table.column_mut(right) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let mut floors = Table::new();
    floors.load_style(comfy_table::presets::NOTHING);
    floors.set_header(["parts of the work, one at a time", "clock", "ns"]);
    let parts = |row: &&&Row| param(row, "group") == "one" && param(row, "who") == "floor";
    for row in times.iter().filter(parts) {
        let ns = format!("{:.2}", row.value.as_f64());
        floors.add_row([param(row, "call"), param(row, "clock"), &ns]);
    }
    if let Some(column) = floors.column_mut(2) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    let lines = table.lines().chain([String::new()]).chain(floors.lines());
    let lines = lines.map(|line| line.trim_end().to_owned());
    lines.collect::<Vec<_>>().join("\n")
}
