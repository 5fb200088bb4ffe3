//! `sim compare`: what records say of schemes, side by side.

mod files;
mod print;

use crate::args::{self, usage};
use crate::recorder::Format;
use crate::{list, report};
use anyhow::Result;
use files::{Source, sources};
use idlab::names::nearest;
use idlab::record::{Number, Parameters, Row};
use print::{csv, json_line, origin, table};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufWriter, Write};
use std::path::PathBuf;

/// Put what records say of schemes side by side: a line a measure, a column a scheme
///
/// Totals; of curves without one the last point that most of the schemes have. Lines that only one of several schemes has are left out unless --all.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  sim compare uuid_v7 snowflake ticket_block
  sim compare uuid_v4 uuid_v7 --measure index_bytes,hot_node_share
  sim compare uuid_v4 uuid_v7 --records mine/btree.jsonl --format csv")]
pub struct Args {
    /// Schemes, as records call them
    #[arg(required = true, value_name = "SCHEME", value_parser = args::item)]
    schemes: Vec<String>,
    /// Files of records, or folders with such files in them or one below
    #[arg(
        long,
        value_name = "PATHS",
        value_delimiter = ',',
        default_value = "results"
    )]
    records: Vec<PathBuf>,
    /// Only these measures (see `sim list measures`)
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = args::item)]
    measure: Vec<String>,
    /// Lines that only one of the schemes has, too
    #[arg(long)]
    all: bool,
    /// What goes to stdout
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

/// What makes a line of the table.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    /// Place of the measure in the list of all.
    place: usize,
    measure: String,
    unit: String,
    /// Place of the file.
    source: usize,
    engine: String,
    /// Parameters as JSON, whose keys are in order.
    params: String,
    /// Whether the values are points of curves.
    is_curve: bool,
}

/// A line of the table.
struct Line {
    key: Key,
    params: Parameters,
    x: Option<Number>,
    /// A value a scheme.
    values: Vec<Option<Number>>,
}

pub fn run(args: &Args) -> Result<()> {
    args::distinct("SCHEME", &args.schemes)?;
    args::distinct("--measure", &args.measure)?;
    let (sources, passed_over) = sources(&args.records)?;
    refuse_unknown(args, &sources).map_err(|what| usage(what + &and_passed_over(&passed_over)))?;
    let mut lines = lines(args, &sources);
    if !args.all && args.schemes.len() > 1 {
        lines.retain(|line| line.values.iter().flatten().count() > 1);
    }
    if lines.is_empty() {
        return Err(usage(
            "no measure is there for two of these schemes in one file: give --all to see those of each",
        ));
    }
    for file in &passed_over {
        args::say(&format!("passed over: {file}"));
    }
    let mut stdout = BufWriter::new(std::io::stdout().lock());
    let origin = origin(&lines, &sources);
    match args.format {
        Format::Table => {
            let count = report::plural(lines.len() as u64, "line");
            writeln!(
                stdout,
                "{}\n\n{count}; {origin}",
                table(args, &sources, &lines)
            )?;
        }
        Format::Jsonl => {
            for line in &lines {
                writeln!(stdout, "{}", json_line(args, &sources, line))?;
            }
        }
        Format::Csv => csv(args, &sources, &lines, &mut stdout)?,
    }
    Ok(stdout.flush()?)
}

/// The files that could not be read, which may have what is missed.
fn and_passed_over(files: &[String]) -> String {
    match files {
        [] => String::new(),
        [file] => format!("; passed over {file}"),
        [file, others @ ..] => format!("; passed over {file}, and {} more", others.len()),
    }
}

/// Schemes and measures that no file has.
fn refuse_unknown(args: &Args, sources: &[Source]) -> Result<(), String> {
    let rows = || sources.iter().flat_map(|source| &source.records.rows);
    let schemes: BTreeSet<&str> = rows()
        .map(|row| &*row.scheme)
        .filter(|name| !name.is_empty())
        .collect();
    let unknown = |known: &BTreeSet<&str>, name: &String| !known.contains(name.as_str());
    let hint = |name: &str, known: &BTreeSet<&str>| match known.is_empty() {
        true => " (they have none at all)".to_owned(),
        false => nearest(name, known.iter().copied()),
    };
    let missing: Vec<_> = args
        .schemes
        .iter()
        .filter(|name| unknown(&schemes, name))
        .collect();
    if !missing.is_empty() {
        let each = missing
            .iter()
            .map(|name| format!("{name:?}{}", hint(name, &schemes)));
        let each: Vec<_> = each.collect();
        return Err(format!("no record is of {}", each.join(", ")));
    }
    let measures: BTreeSet<&str> = rows().map(|row| &*row.measure).collect();
    match args.measure.iter().find(|name| unknown(&measures, name)) {
        Some(name) => Err(format!(
            "--measure: no record has {name:?}{}",
            hint(name, &measures)
        )),
        None => Ok(()),
    }
}

/// Values at a position on an axis, or without one.
struct Point {
    x: Option<Number>,
    /// A value a scheme.
    values: Vec<Option<Number>>,
}

/// Points by line, then by the bits of their position.
type Found = BTreeMap<Key, BTreeMap<u64, Point>>;

fn lines(args: &Args, sources: &[Source]) -> Vec<Line> {
    let order: Vec<&str> = list::measures().map(|measured| measured.name).collect();
    let mut found = Found::new();
    for (at, source) in sources.iter().enumerate() {
        for row in &source.records.rows {
            let Some(column) = args.schemes.iter().position(|name| *name == row.scheme) else {
                continue;
            };
            if !args.measure.is_empty() && !args.measure.contains(&row.measure) {
                continue;
            }
            let place = order.iter().position(|name| *name == row.measure);
            let points = found
                .entry(key(row, place.unwrap_or(order.len()), at))
                .or_default();
            let none = || Point {
                x: row.x,
                values: vec![None; args.schemes.len()],
            };
            points.entry(bits(row.x)).or_insert_with(none).values[column] = Some(row.value);
        }
    }
    // The last point of a curve often is the total.
    let totals: BTreeSet<Key> = found.keys().filter(|key| !key.is_curve).cloned().collect();
    let is_told = |key: &Key| {
        let total = Key {
            is_curve: false,
            ..key.clone()
        };
        key.is_curve && totals.contains(&total)
    };
    found.retain(|key, _| !is_told(key));
    found
        .into_iter()
        .filter_map(|(key, points)| last(key, points))
        .collect()
}

fn key(row: &Row, place: usize, source: usize) -> Key {
    Key {
        place,
        measure: row.measure.clone(),
        unit: row.unit.clone(),
        source,
        engine: row.engine.clone(),
        params: json!(row.params).to_string(),
        is_curve: row.x.is_some(),
    }
}

/// Bits that are in the order of the numbers, which are not negative.
fn bits(x: Option<Number>) -> u64 {
    x.map_or(0, |x| x.as_f64().max(0.0).to_bits())
}

/// The last point that most of the schemes have.
fn last(key: Key, points: BTreeMap<u64, Point>) -> Option<Line> {
    // Of equal ones the last.
    let have = |point: &Point| point.values.iter().flatten().count();
    let Point { x, values } = points.into_values().max_by_key(have)?;
    let params = serde_json::from_str(&key.params).unwrap_or_default();
    Some(Line {
        key,
        params,
        x,
        values,
    })
}
