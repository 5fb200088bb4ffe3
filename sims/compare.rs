//! `sim compare`: what records say of schemes, side by side.

use crate::args::{self, usage};
use crate::recorder::Format;
use crate::{list, report};
use anyhow::{Context, Result};
use comfy_table::{CellAlignment, Table, presets};
use idlab::names::nearest;
use idlab::record::{Number, Parameters, Records, Row};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

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

/// A file of records.
struct Source {
    /// Its path, without folder and ending where these say nothing.
    name: String,
    records: Records,
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
    refuse_unknown(args, &sources)?;
    let mut lines = lines(args, &sources);
    if !args.all && args.schemes.len() > 1 {
        lines.retain(|line| line.values.iter().flatten().count() > 1);
    }
    if lines.is_empty() {
        return Err(usage(
            "no measure is there for two of these schemes in one file: give --all to see those of each",
        ));
    }
    passed_over.iter().for_each(|note| args::say(note));
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

/// The files that `paths` name. Of a folder, those that are no records are passed over, with a
/// line on why.
fn sources(paths: &[PathBuf]) -> Result<(Vec<Source>, Vec<String>)> {
    let (mut sources, mut passed_over) = (Vec::new(), Vec::new());
    for path in paths {
        if !path.is_dir() {
            let name = path.with_extension("").display().to_string();
            let records = read(path)?;
            sources.push(Source { name, records });
            continue;
        }
        let shown = || path.display().to_string().escape_debug().to_string();
        let files = jsonl_files(path).with_context(|| format!("--records {}", shown()))?;
        if files.is_empty() {
            return Err(usage(format!(
                "--records {}: no .jsonl file in it or one folder below",
                shown()
            )));
        }
        for file in files {
            let inside = file.strip_prefix(path).unwrap_or(&file);
            let name = inside.with_extension("").display().to_string();
            match read(&file) {
                Ok(records) => sources.push(Source { name, records }),
                Err(error) => passed_over.push(format!("passed over: {error:#}")),
            }
        }
    }
    Ok((sources, passed_over))
}

fn read(path: &Path) -> Result<Records> {
    let shown = || path.display().to_string().escape_debug().to_string();
    let file = File::open(path).with_context(|| format!("{}: cannot be opened", shown()))?;
    Records::read_jsonl(BufReader::new(file)).with_context(shown)
}

/// `*.jsonl` and `*/*.jsonl`, in order.
fn jsonl_files(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let entries = |folder: &Path| -> std::io::Result<Vec<PathBuf>> {
        let found = std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path()));
        let mut found = found.collect::<std::io::Result<Vec<_>>>()?;
        found.sort();
        Ok(found)
    };
    let is_jsonl = |path: &PathBuf| path.extension().is_some_and(|end| end == "jsonl");
    let (folders, files): (Vec<_>, Vec<_>) =
        entries(folder)?.into_iter().partition(|path| path.is_dir());
    let mut found: Vec<_> = files.into_iter().filter(is_jsonl).collect();
    for folder in folders {
        found.extend(entries(&folder)?.into_iter().filter(is_jsonl));
    }
    Ok(found)
}

/// Schemes and measures that no file has.
fn refuse_unknown(args: &Args, sources: &[Source]) -> Result<()> {
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
        return Err(usage(format!("no record is of {}", each.join(", "))));
    }
    let measures: BTreeSet<&str> = rows().map(|row| &*row.measure).collect();
    match args.measure.iter().find(|name| unknown(&measures, name)) {
        Some(name) => Err(usage(format!(
            "--measure: no record has {name:?}{}",
            hint(name, &measures)
        ))),
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

fn table(args: &Args, sources: &[Source], lines: &[Line]) -> String {
    let mut table = Table::new();
    let headings = ["measure", "of"].map(str::to_owned).into_iter();
    table
        .load_style(presets::NOTHING)
        .set_header(headings.chain(args.schemes.iter().cloned()));
    for line in lines {
        let name = format!("{} [{}]", line.key.measure, line.key.unit);
        let of = about(line, lines, sources);
        let values = line
            .values
            .iter()
            .map(|value| value.map_or("-".to_owned(), show));
        table.add_row([name, of].into_iter().chain(values));
    }
    table
        .column_iter_mut()
        .skip(2)
        .for_each(|column| column.set_cell_alignment(CellAlignment::Right));
    report::print(&table)
}

/// Records, engine, and those parameters in which lines of this measure differ.
fn about(line: &Line, lines: &[Line], sources: &[Source]) -> String {
    let same = |other: &&Line| {
        let (a, b) = (&line.key, &other.key);
        (&a.measure, a.source, &a.engine, a.is_curve)
            == (&b.measure, b.source, &b.engine, b.is_curve)
    };
    let others: Vec<&Line> = lines.iter().filter(same).collect();
    let mut words = vec![sources[line.key.source].name.clone()];
    words.extend(Some(line.key.engine.clone()).filter(|engine| !engine.is_empty()));
    for (name, value) in &line.params {
        if others
            .iter()
            .any(|other| other.params.get(name) != Some(value))
        {
            let value = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            words.push(format!("{name}={value}"));
        }
    }
    words.extend(line.x.map(|x| format!("x={}", show(x))));
    words.join(" ")
}

/// A whole number with its thousands apart, others to four digits.
fn show(value: Number) -> String {
    match value {
        Number::Whole(value) => report::whole(value as f64),
        Number::Real(0.0) => "0".to_owned(),
        Number::Real(value) => match value.abs() {
            size if !(1e-4..1e15).contains(&size) => format!("{value:.3e}"),
            size if size >= 1000.0 => report::whole(value),
            size => {
                let decimals = (3.0 - size.log10().floor()).max(0.0) as usize;
                format!("{value:.decimals$}")
            }
        },
    }
}

/// One line on where the values are from, if that is not the same for all.
fn origin(lines: &[Line], sources: &[Source]) -> String {
    let used: BTreeSet<usize> = lines.iter().map(|line| line.key.source).collect();
    let runs = || used.iter().map(|at| &sources[*at].records.run);
    let commits: BTreeSet<String> = runs()
        .map(|run| match &*run.commit {
            "" => "unknown".to_owned(),
            commit => format!("{commit}{}", if run.dirty { " with changes" } else { "" }),
        })
        .collect();
    let hosts: BTreeSet<String> = runs()
        .map(|run| {
            format!(
                "{}, {} cores, {}",
                run.host.cpu, run.host.cores, run.host.os
            )
        })
        .collect();
    let words = |noun: &str, set: BTreeSet<String>| {
        let all: Vec<_> = set.into_iter().collect();
        match all.len() {
            1 => format!("one {noun}: {}", all.join("")),
            count => format!("{count} {noun}s: {}", all.join("; ")),
        }
    };
    let files = report::plural(used.len() as u64, "file");
    format!(
        "{files} of {}; {}",
        words("commit", commits),
        words("host", hosts)
    )
}

fn json_line(args: &Args, sources: &[Source], line: &Line) -> Value {
    let values = args.schemes.iter().zip(&line.values);
    let values: serde_json::Map<String, Value> = values
        .map(|(scheme, value)| (scheme.clone(), json!(value)))
        .collect();
    let source = &sources[line.key.source];
    json!({
        "measure": line.key.measure,
        "unit": line.key.unit,
        "records": source.name,
        "experiment": source.records.run.experiment,
        "engine": line.key.engine,
        "params": line.params,
        "x": line.x,
        "values": values,
    })
}

fn csv(args: &Args, sources: &[Source], lines: &[Line], out: &mut impl Write) -> Result<()> {
    let mut csv = csv::Writer::from_writer(out);
    let fixed = [
        "measure",
        "unit",
        "records",
        "experiment",
        "engine",
        "params",
        "x",
    ];
    csv.write_record(
        fixed
            .into_iter()
            .chain(args.schemes.iter().map(String::as_str)),
    )?;
    let optional = |value: Option<Number>| value.map(|value| value.to_string()).unwrap_or_default();
    for line in lines {
        let source = &sources[line.key.source];
        let fixed = [
            line.key.measure.clone(),
            line.key.unit.clone(),
            source.name.clone(),
            source.records.run.experiment.clone(),
            line.key.engine.clone(),
            line.key.params.clone(),
            optional(line.x),
        ];
        csv.write_record(
            fixed
                .into_iter()
                .chain(line.values.iter().copied().map(optional)),
        )?;
    }
    Ok(csv.flush()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_four_digits() {
        for (value, text) in [
            (Number::Whole(1_234_567), "1,234,567"),
            (Number::Real(0.0), "0"),
            (Number::Real(0.123_456), "0.1235"),
            (Number::Real(12.345_6), "12.35"),
            (Number::Real(1234.5), "1,234"),
            (Number::Real(2.5e-7), "2.500e-7"),
        ] {
            assert_eq!(show(value), text);
        }
    }
}
