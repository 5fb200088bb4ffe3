//! The lines as a table, JSON or CSV.

use super::files::Source;
use super::{Args, Line};
use crate::report;
use anyhow::Result;
use comfy_table::{CellAlignment, Table, presets};
use idlab::record::Number;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::Write;

pub fn table(args: &Args, sources: &[Source], lines: &[Line]) -> String {
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
pub fn origin(lines: &[Line], sources: &[Source]) -> String {
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

pub fn json_line(args: &Args, sources: &[Source], line: &Line) -> Value {
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

pub fn csv(args: &Args, sources: &[Source], lines: &[Line], out: &mut impl Write) -> Result<()> {
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
