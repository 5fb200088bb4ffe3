//! `sim verify`: predictions beside measurements of real engines.

use crate::args::{self, usage};
use crate::recorder::{self, OutputArgs, Recorder};
use crate::report;
use anyhow::{Context, Result, bail};
use idlab::chart::{Chart, ChartError};
use idlab::engine::{EngineOptions, POSTGRES};
use idlab::measure::{Plan, Rows, measure_any};
use idlab::record::{Measured, Number, Parameters, Records, Row};
use idlab::reference::Reference;
use idlab::source::Stream;
use idlab::store::{Design, Uniqueness};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Predictions beside measurements of real engines
///
/// Loads the same keys as the engines got (results/reference/) and compares, column by column.
/// Ends with exit code 1 if an error is beyond the tolerance.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  sim verify\n  sim verify --engine postgres --format csv > errors.csv"
)]
pub struct Args {
    /// Engine profile; postgres is the one with recorded rows so far
    #[arg(long, value_name = "NAME", default_value = "postgres", value_parser = args::item)]
    engine: String,
    #[command(flatten)]
    output: OutputArgs,
}

const POSTGRESQL: &str = include_str!("../results/reference/postgresql.csv");

/// One column of the measurements (or a sum of several): how it is predicted from the totals of a load.
struct Column {
    name: &'static str,
    unit: &'static str,
    predict: fn(&Totals, &Load) -> f64,
    /// Largest error that passes, relative to the measured value.
    tolerance: f64,
}

/// The totals of a predicted load, by measure.
type Totals = BTreeMap<String, f64>;

/// A measured load, by column.
type Load = BTreeMap<String, String>;

const fn exact(
    name: &'static str,
    unit: &'static str,
    predict: fn(&Totals, &Load) -> f64,
) -> Column {
    Column {
        name,
        unit,
        predict,
        tolerance: 0.0,
    }
}

const COLUMNS: &[Column] = &[
    exact("tree_level", "levels", |totals, _| totals["tree_level"]),
    exact("leaf_pages", "pages", |totals, _| totals["leaf_pages"]),
    exact(
        "internal_pages",
        "pages",
        |totals, _| totals["internal_pages"],
    ),
    exact("index_bytes", "bytes", |totals, _| totals["index_bytes"]),
    exact("avg_leaf_density_pct", "%", density),
    exact("leaf_fragmentation_pct", "%", |totals, _| {
        hundredths(totals["fragmentation_share"])
    }),
    exact(
        "leaf_items_p05",
        "entries",
        |totals, _| totals["leaf_items_p05"],
    ),
    exact(
        "leaf_items_p50",
        "entries",
        |totals, _| totals["leaf_items_p50"],
    ),
    exact(
        "leaf_items_p95",
        "entries",
        |totals, _| totals["leaf_items_p95"],
    ),
    exact("idx_blks_read + idx_blks_hit", "accesses", accesses),
    exact(
        "wal_insert_leaf",
        "records",
        |totals, _| totals["wal_leaf_inserts"],
    ),
    exact(
        "wal_insert_upper",
        "records",
        |totals, _| totals["wal_upper_inserts"],
    ),
    exact("wal_split_l", "records", |totals, _| totals["left_splits"]),
    exact("wal_split_r", "records", |totals, _| {
        splits(totals) - totals["left_splits"]
    }),
    exact(
        "wal_newroot",
        "records",
        |totals, _| totals["wal_new_roots"],
    ),
    Column {
        name: "wal_btree_record_bytes",
        unit: "bytes",
        predict: |totals, _| totals["wal_record_bytes"],
        tolerance: 0.0001,
    },
    Column {
        name: "wal_btree_fpi_bytes",
        unit: "bytes",
        predict: |totals, _| totals["wal_fpi_bytes"],
        tolerance: 0.001,
    },
];

fn splits(totals: &Totals) -> f64 {
    totals["leaf_splits"] + totals["internal_splits"]
}

fn release_15(load: &Load) -> bool {
    load["version"].starts_with("15.")
}

/// Release 18 leaves out the pages that the load adds.
fn accesses(totals: &Totals, load: &Load) -> f64 {
    let new_pages = totals["leaf_pages"] + totals["internal_pages"];
    let left_out = if release_15(load) { 0.0 } else { new_pages };
    totals["page_accesses"] - left_out
}

/// A share in per cent with two decimals, as the engine prints it.
fn hundredths(share: f64) -> f64 {
    (share * 10_000.0).round() / 100.0
}

/// Release 15 counts a free line pointer of 4 bytes a page as used.
fn density(totals: &Totals, load: &Load) -> f64 {
    let free_pointer = if release_15(load) { 4.0 / 8152.0 } else { 0.0 };
    hundredths(totals["fill_mean"] + free_pointer)
}

pub fn run(args: Args) -> Result<()> {
    if args.engine != POSTGRES.name {
        return Err(usage(format!(
            "--engine {}: no recorded rows can be verified yet, expected {}",
            args.engine, POSTGRES.name
        )));
    }
    if args.output.seed != 1 {
        return Err(usage("--seed: the engines were loaded with seed 1"));
    }
    let mut reader = csv::Reader::from_reader(POSTGRESQL.as_bytes());
    let loads: Vec<Load> = reader
        .deserialize()
        .collect::<Result<_, _>>()
        .context("results/reference/postgresql.csv")?;
    let mut streams: Vec<(&str, u64, u64)> = Vec::new();
    for load in &loads {
        let stream = key(load)?;
        if !streams.contains(&stream) {
            streams.push(stream);
        }
    }
    let most = streams.iter().map(|(_, rows, _)| *rows).max().unwrap_or(0);
    let threads = recorder::threads(
        &args.output,
        streams.len(),
        recorder::tree_bytes(most, 20),
        "the largest load",
    )?;
    let params = Parameters::from([("engine".to_owned(), args.engine.clone().into())]);
    let mut recorder = Recorder::start("verify", &args.output, params)?;
    let bar = recorder::progress(Some(streams.iter().map(|(_, rows, _)| rows).sum()));
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()?;
    let predicted: Vec<Totals> = pool.install(|| {
        streams
            .par_iter()
            .map(|&stream| predict(stream, &bar))
            .collect::<Result<_>>()
    })?;
    bar.finish_and_clear();
    let mut beyond = 0;
    for load in &loads {
        let this = key(load)?;
        let at = streams.iter().position(|&stream| stream == this);
        let totals = &predicted[at.context("each load has a stream")?];
        let mut rows = Rows::new(
            recorder.digest(),
            &load["stream"],
            &args.engine,
            Parameters::new(),
        );
        for column in COLUMNS {
            let measured = measured(load, column.name)?;
            let value = (column.predict)(totals, load);
            beyond += usize::from(relative_error(value, measured) > column.tolerance);
            let predicted = Measured {
                name: column.name,
                unit: column.unit,
                about: "",
            };
            let told = [
                "version",
                "n_rows",
                "load_method",
                "checkpoint_every_rows",
                "shared_buffers_mib",
            ];
            let mut params: Vec<_> = told
                .iter()
                .map(|name| (*name, load[*name].clone().into()))
                .collect();
            params.push(("measured", measured.into()));
            params.push(("tolerance", column.tolerance.into()));
            rows.push(&predicted, None, Number::Real(value), &params);
        }
        recorder.add(rows.into_rows(), None);
    }
    recorder.finish(|_| Ok::<Vec<Chart>, ChartError>(Vec::new()), table)?;
    if beyond > 0 {
        bail!("{beyond} predictions are beyond their tolerance");
    }
    Ok(())
}

/// The number in a column, or the sum of several.
fn measured(load: &Load, columns: &str) -> Result<f64> {
    let number = |column: &str| {
        load[column]
            .parse::<f64>()
            .with_context(|| column.to_owned())
    };
    columns.split(" + ").map(number).sum()
}

/// How far a prediction is off, relative to the measured value; 0 if both are 0.
fn relative_error(predicted: f64, measured: f64) -> f64 {
    if predicted == measured {
        0.0
    } else {
        (predicted / measured - 1.0).abs()
    }
}

/// What decides a prediction: stream, rows, rows from one checkpoint to the next (0: none).
fn key(load: &Load) -> Result<(&str, u64, u64)> {
    Ok((
        &load["stream"],
        load["n_rows"].parse()?,
        load["checkpoint_every_rows"].parse()?,
    ))
}

/// Loads the stream as the engine got it.
fn predict(
    (name, rows, checkpoint): (&str, u64, u64),
    bar: &indicatif::ProgressBar,
) -> Result<Totals> {
    let stream: Stream = Reference::new(name, 1)?.into();
    let design = Design::new(&POSTGRES, stream.column, EngineOptions::default())?;
    let mut found = Rows::new("", name, POSTGRES.name, Parameters::new());
    let plan = Plan {
        rows: Some(rows),
        design,
        uniqueness: Uniqueness::Promised,
        checkpoint_rows: Some(checkpoint).filter(|&rows| rows > 0),
        cache: None,
        miss_curve: false,
    };
    measure_any(stream.keys, plan, &mut found, |rows| bar.inc(rows))?;
    let totals = found
        .into_rows()
        .into_iter()
        .filter(|row| row.x.is_none() && row.params.is_empty());
    Ok(totals
        .map(|row| (row.measure, row.value.as_f64()))
        .collect())
}

/// One line a column, then each prediction that is not exact.
fn table(records: &Records) -> String {
    let number = |row: &Row, name: &str| {
        row.params
            .get(name)
            .and_then(serde_json::Value::as_f64)
            .unwrap_or(f64::NAN)
    };
    let error = |row: &Row| relative_error(row.value.as_f64(), number(row, "measured"));
    let lines = COLUMNS.iter().map(|column| {
        let rows: Vec<_> = records
            .rows
            .iter()
            .filter(|row| row.measure == column.name)
            .collect();
        let exact = rows.iter().filter(|row| error(row) == 0.0).count();
        let worst = rows.iter().map(|row| error(row)).fold(0.0, f64::max);
        vec![
            column.name.to_owned(),
            rows.len().to_string(),
            exact.to_string(),
            format!("{:.4}", worst * 100.0),
            format!("{}", column.tolerance * 100.0),
        ]
    });
    let mut text = report::table(
        &["column", "loads", "exact", "worst\nerror %", "tolerance\n%"],
        lines,
    );
    for row in records.rows.iter().filter(|row| error(row) > 0.0) {
        let rows = row
            .params
            .get("n_rows")
            .and_then(serde_json::Value::as_str)
            .unwrap_or_default();
        let (measured, value) = (number(row, "measured"), row.value.as_f64());
        let _ = write!(
            text,
            "\n{} {rows} {}: measured {measured}, predicted {value}",
            row.scheme, row.measure
        );
    }
    text
}
