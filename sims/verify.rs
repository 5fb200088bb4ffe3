//! `sim verify`: predictions beside measurements of real engines.

mod innodb;
mod lmdb;
mod postgres;
mod recorded;
mod sqlite;
mod table;
mod wiredtiger;

use crate::args::{self, usage};
use crate::recorder::{self, OutputArgs, Recorder};
use anyhow::{Context, Result, bail};
use idlab::chart::{Chart, ChartError};
use idlab::measure::{Plan, Rows, measure_any};
use idlab::record::{Measured, Number, Parameters};
use idlab::reference::Reference;
use idlab::source::Stream;
use idlab::store::{Design, Uniqueness};
use indicatif::ProgressBar;
use rayon::prelude::*;
use recorded::{Case, Load, Recorded, Totals};
use std::collections::BTreeMap;

/// Predictions beside measurements of real engines
///
/// Loads the same keys as the engines got (results/reference/) and compares, column by column.
/// Ends with exit code 1 if an error is beyond the tolerance.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  sim verify\n  sim verify --engine sqlite --format csv > errors.csv"
)]
pub struct Args {
    /// Engines [default: all that have recorded rows]
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = args::item)]
    engine: Vec<String>,
    #[command(flatten)]
    output: OutputArgs,
}

/// Every engine with recorded loads.
const ENGINES: &[&Recorded] = &[
    &postgres::RECORDED,
    &innodb::RECORDED,
    &sqlite::RECORDED,
    &lmdb::RECORDED,
    &wiredtiger::RECORDED,
];

/// A measured load and what predicts it.
struct Task {
    engine: &'static Recorded,
    load: Load,
    /// Which of the cases.
    case: usize,
}

pub fn run(args: Args) -> Result<()> {
    args::distinct("--engine", &args.engine)?;
    if args.output.seed != 1 {
        return Err(usage("--seed: the engines were loaded with seed 1"));
    }
    let engines = chosen(&args.engine)?;
    let (tasks, cases) = tasks(&engines)?;
    let most = cases.iter().map(|case| case.rows).max().unwrap_or(0);
    let threads = recorder::threads(
        &args.output,
        cases.len(),
        recorder::tree_bytes(most, 20),
        "the largest load",
    )?;
    let names: Vec<_> = engines.iter().map(|engine| engine.engine).collect();
    let params = Parameters::from([("engine".to_owned(), names.into())]);
    let mut recorder = Recorder::start("verify", &args.output, params)?;
    let bar = recorder::progress(Some(cases.iter().map(|case| case.rows).sum()));
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()?;
    let predicted: Vec<Totals> = pool.install(|| {
        let predicted = cases.par_iter().map(|case| predict(case, &bar));
        predicted.collect::<Result<_>>()
    })?;
    bar.finish_and_clear();
    let mut beyond = 0;
    for task in &tasks {
        let (rows, wrong) = compare(task, &predicted[task.case], recorder.digest())?;
        beyond += wrong;
        recorder.add(rows.into_rows(), None);
    }
    recorder.finish(|_| Ok::<Vec<Chart>, ChartError>(Vec::new()), table::table)?;
    if beyond > 0 {
        bail!("{beyond} predictions are beyond their tolerance");
    }
    Ok(())
}

fn chosen(names: &[String]) -> Result<Vec<&'static Recorded>> {
    if names.is_empty() {
        return Ok(ENGINES.to_vec());
    }
    let known = || ENGINES.iter().map(|engine| engine.engine);
    let find = |name: &String| {
        let found = ENGINES.iter().find(|engine| engine.engine == name);
        found.copied().ok_or_else(|| {
            let hint = idlab::names::nearest(name, known().collect::<Vec<_>>().into_iter());
            usage(format!("--engine {name}: has no recorded rows{hint}"))
        })
    };
    names.iter().map(find).collect()
}

/// The recorded loads, and what to predict: loads that ask for the same share a case.
fn tasks(engines: &[&'static Recorded]) -> Result<(Vec<Task>, Vec<Case>)> {
    let (mut tasks, mut cases) = (Vec::new(), Vec::new());
    let mut known = BTreeMap::new();
    for &engine in engines {
        let mut reader = csv::Reader::from_reader(engine.csv.as_bytes());
        for (line, load) in (2..).zip(reader.deserialize()) {
            let context = || format!("{}:{line}", engine.file);
            let load: Load = load.with_context(context)?;
            let case = (engine.case)(&load).with_context(context)?;
            let case = *known.entry(case.key()).or_insert_with(|| {
                cases.push(case);
                cases.len() - 1
            });
            tasks.push(Task { engine, load, case });
        }
    }
    Ok((tasks, cases))
}

/// Loads the stream as the engine got it.
fn predict(case: &Case, bar: &ProgressBar) -> Result<Totals> {
    let stream: Stream = Reference::new(&case.stream, 1)?.into();
    let plan = Plan {
        rows: Some(case.rows),
        design: Design::new(case.profile, stream.column, case.options)?,
        uniqueness: Uniqueness::Promised,
        checkpoint_rows: case.checkpoint_rows,
        cache: case.cache,
        miss_curve: false,
        purge: None,
    };
    let mut found = Rows::new("", &case.stream, "", Parameters::new());
    measure_any(stream.keys, plan, &mut found, |rows| bar.inc(rows))?;
    let rows = found.into_rows().into_iter().filter(|row| row.x.is_none());
    let named = rows.filter_map(|row| {
        let part = |name: &str| row.params.get(name).and_then(serde_json::Value::as_str);
        let name = match (row.params.len(), part("tree"), part("of")) {
            (0, ..) => row.measure.clone(),
            (1, Some(tree), _) => format!("{tree}/{}", row.measure),
            (1, _, Some(of)) => format!("{}/{of}", row.measure),
            _ => return None,
        };
        Some((name, row.value.as_f64()))
    });
    Ok(Totals(named.collect()))
}

/// The rows of a load, and how many are beyond their tolerance.
fn compare(task: &Task, totals: &Totals, digest: &str) -> Result<(Rows, usize)> {
    let Task { engine, load, .. } = task;
    let stream = recorded::text(load, "stream");
    let mut rows = Rows::new(digest, stream, engine.engine, Parameters::new());
    let mut beyond = 0;
    for column in engine.columns {
        let measured = column.measured(load)?;
        let (Some(measured), Some(value)) = (measured, (column.predict)(totals, load)) else {
            continue;
        };
        beyond += usize::from(!column.passes(value, measured));
        let mut params: Vec<(&str, serde_json::Value)> = Vec::new();
        for name in engine.told {
            params.push((name, recorded::text(load, name).into()));
        }
        params.push(("measured", measured.into()));
        params.push(("tolerance", column.relative.into()));
        params.push(("tolerance_absolute", column.absolute.into()));
        let predicted = Measured {
            name: column.name,
            unit: column.unit,
            about: "",
        };
        rows.push(&predicted, None, Number::Real(value), &params);
    }
    Ok((rows, beyond))
}
