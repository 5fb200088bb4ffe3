//! `sim verify`: predictions beside measurements of real engines.

mod innodb;
mod live;
mod lmdb;
mod postgres;
mod recorded;
mod redb;
mod sqlite;
mod table;
mod wiredtiger;

use crate::args::{self, usage};
use crate::recorder::{self, OutputArgs, Recorder};
use crate::tolerance;
use anyhow::{Context, Result, bail};
use idlab::chart::{Chart, ChartError};
use idlab::measure::{Plan, Rows, measure_any};
use idlab::record::{Measured, Number, Parameters};
use idlab::reference::Reference;
use idlab::source::Stream;
use idlab::store::{Design, Uniqueness};
use indicatif::ProgressBar;
use live::LiveArgs;
use rayon::prelude::*;
use recorded::{Case, Load, Recorded, Totals};
use std::collections::BTreeMap;

/// Predictions beside measurements of real engines
///
/// Loads the same keys as the engines got (results/reference/, or now with --live) and compares,
/// column by column. Ends with exit code 1 if an error is beyond the tolerance.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Engines [default: all that have recorded rows]
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = args::item)]
    engine: Vec<String>,
    #[command(flatten)]
    live: LiveArgs,
    #[command(flatten)]
    output: OutputArgs,
}

const EXAMPLES: &str = "Examples:
  sim verify
  sim verify --engine sqlite --format csv > errors.csv
  sim verify --live sqlite,redb,lmdb -n 200k --stream uuid4,seq8
  sim verify --live sqlite:unique --cache 64MiB --seed 7
  sim verify --live postgres,mariadb     (scripts/engines.sh up; built with --features servers)";

/// Every engine that is compared.
const ENGINES: &[&Recorded] = &[
    &postgres::RECORDED,
    &innodb::RECORDED,
    &sqlite::RECORDED,
    &lmdb::RECORDED,
    &redb::RECORDED,
    &wiredtiger::RECORDED,
];

/// A tree that an engine made.
struct Measurement {
    engine: &'static Recorded,
    load: Load,
    /// Where it comes from, for errors.
    place: String,
}

/// A measured load and what predicts it.
struct Task {
    engine: &'static Recorded,
    load: Load,
    /// Which of the cases.
    case: usize,
}

pub fn run(args: Args) -> Result<()> {
    match args.live.engines.is_empty() {
        true => verify_recorded(&args),
        false => verify_live(&args),
    }
}

fn verify_recorded(args: &Args) -> Result<()> {
    args::distinct("--engine", &args.engine)?;
    if args.output.seed != 1 {
        return Err(usage("--seed: the engines were loaded with seed 1"));
    }
    let engines = chosen(&args.engine)?;
    let names: Vec<_> = engines.iter().map(|engine| engine.engine).collect();
    let params = Parameters::from([("engine".to_owned(), names.into())]);
    let recorder = Recorder::start("verify", &args.output, params)?;
    verify(recorder, &args.output, recorded_loads(&engines)?)
}

fn verify_live(args: &Args) -> Result<()> {
    let mut plan = live::Plan::new(&args.live, args.output.seed)?;
    threads(&args.output, 1, plan.rows())?;
    let recorder = Recorder::start("verify_live", &args.output, plan.parameters())?;
    let (loads, failed) = plan.load();
    if let (true, Some(error)) = (loads.is_empty(), &failed) {
        bail!("{error:#}");
    }
    let verified = verify(recorder, &args.output, loads);
    match (failed, verified) {
        (None, verified) => verified,
        (Some(error), Ok(())) => Err(error),
        (Some(error), Err(also)) => bail!("{error:#}; {also:#}"),
    }
}

/// Predicts all loads, compares them and writes what comes out.
fn verify(mut recorder: Recorder, output: &OutputArgs, loads: Vec<Measurement>) -> Result<()> {
    let (tasks, cases) = tasks(loads)?;
    let most = cases.iter().map(|case| case.rows).max().unwrap_or(0);
    let threads = threads(output, cases.len(), most)?;
    let bar = recorder::progress(Some(cases.iter().map(|case| case.rows).sum()));
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()?;
    let predicted: Vec<Totals> = pool.install(|| {
        let predicted = cases
            .par_iter()
            .map(|case| predict(case, output.seed, &bar));
        predicted.collect::<Result<_>>()
    })?;
    bar.finish_and_clear();
    let (mut compared, mut beyond) = (0, 0);
    for task in &tasks {
        let (rows, wrong) = compare(task, &predicted[task.case], recorder.digest())?;
        beyond += wrong;
        let rows = rows.into_rows();
        compared += rows.len();
        recorder.add(rows, None);
    }
    if compared == 0 {
        bail!("nothing could be compared");
    }
    recorder.finish(|_| Ok::<Vec<Chart>, ChartError>(Vec::new()), table::table)?;
    tolerance::verdict(beyond, compared)
}

fn threads(output: &OutputArgs, cases: usize, rows: u64) -> Result<usize> {
    let bytes = recorder::tree_bytes(rows, 20);
    recorder::threads(output, cases, bytes, "the largest load")
}

fn chosen(names: &[String]) -> Result<Vec<&'static Recorded>> {
    let recorded = ENGINES.iter().copied();
    let recorded = recorded.filter(|engine| !engine.csv.is_empty());
    if names.is_empty() {
        return Ok(recorded.collect());
    }
    let find = |name: &String| {
        let found = recorded.clone().find(|engine| engine.engine == name);
        found.ok_or_else(|| {
            let known: Vec<_> = recorded.clone().map(|engine| engine.engine).collect();
            let hint = match live::names().any(|live| live == name) {
                true => format!(
                    ", expected {}; --live {name} loads it now",
                    known.join(", ")
                ),
                false => idlab::names::nearest(name, known.into_iter()),
            };
            usage(format!("--engine {name}: has no recorded rows{hint}"))
        })
    };
    names.iter().map(find).collect()
}

fn recorded_loads(engines: &[&'static Recorded]) -> Result<Vec<Measurement>> {
    let mut loads = Vec::new();
    for &engine in engines {
        let mut reader = csv::Reader::from_reader(engine.csv.as_bytes());
        for (line, load) in (2..).zip(reader.deserialize()) {
            let place = format!("{}:{line}", engine.file);
            let load = load.with_context(|| place.clone())?;
            loads.push(Measurement {
                engine,
                load,
                place,
            });
        }
    }
    Ok(loads)
}

/// What to predict: loads that ask for the same share a case.
fn tasks(loads: Vec<Measurement>) -> Result<(Vec<Task>, Vec<Case>)> {
    let (mut tasks, mut cases) = (Vec::new(), Vec::new());
    let mut known = BTreeMap::new();
    for Measurement {
        engine,
        load,
        place,
    } in loads
    {
        let case = (engine.case)(&load).context(place)?;
        let case = *known.entry(case.key()).or_insert_with(|| {
            cases.push(case);
            cases.len() - 1
        });
        tasks.push(Task { engine, load, case });
    }
    Ok((tasks, cases))
}

/// Loads the stream as the engine got it.
fn predict(case: &Case, seed: u64, bar: &ProgressBar) -> Result<Totals> {
    let stream: Stream = Reference::new(&case.stream, seed)?.into();
    let design = Design::new(case.profile, stream.column, case.options)?;
    let plan = Plan {
        rows: Some(case.rows),
        transaction_rows: case.transaction_rows,
        checkpoint_rows: case.checkpoint_rows,
        cache: case.cache,
        ..Plan::new(design, Uniqueness::Promised)
    };
    let mut found = Rows::new("", &case.stream, "", Parameters::new());
    measure_any(stream.keys, plan, &mut found, &|rows| bar.inc(rows))?;
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
        beyond += usize::from(!column.tolerance.passes(value, measured));
        let mut params: Vec<(&str, serde_json::Value)> = Vec::new();
        for name in engine.told {
            params.push((name, recorded::text(load, name).into()));
        }
        params.push(("measured", measured.into()));
        params.extend(column.tolerance.parameters());
        let predicted = Measured {
            name: column.name,
            unit: column.unit,
            about: "",
        };
        rows.push(&predicted, None, Number::Real(value), &params);
    }
    Ok((rows, beyond))
}
