//! `sim cliff`: at how many rows inserts begin to read pages.

use crate::args::{self, usage};
use crate::input::Input;
use crate::recorder::{self, OutputArgs, Recorder};
use crate::report;
use crate::writers::FleetArgs;
use anyhow::{Context, Result};
use idlab::chart;
use idlab::engine::{EngineError, EngineOptions, Profile};
use idlab::measure::{
    Cliff, CliffPlan, READS_BY_ROWS, ROWS_AT_READS, Rows, WORKING_SET_PAGES, check_cliff, cliff,
};
use idlab::record::{Number, Parameters, Records, Row};
use idlab::store::Design;
use rayon::prelude::*;

/// At how many rows inserts outgrow a cache
///
/// Simulates one load and tells from the distances between touches of a page what a table of up to
/// 10⁹ rows reads for an insert. For random ids a closed form stands beside it.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  sim cliff
  sim cliff --engine innodb --scheme uuid_v4,uuid_v7 --cache 1GiB --row 200B
  sim cliff --engine postgres,innodb,sqlite --cache 128MiB --secondary 2 -n 4M")]
pub struct Args {
    /// Schemes, with parameters
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = DEFAULT_SCHEMES, value_parser = args::item)]
    scheme: Vec<String>,
    /// Engine profiles
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        default_value = "postgres", value_parser = args::item
    )]
    engine: Vec<String>,
    /// Memory for pages
    #[arg(long, value_name = "BYTES", default_value = "1GiB", value_parser = args::bytes)]
    cache: u64,
    /// Bytes of a row's values, the id included [default: 100B]
    #[arg(long, value_name = "BYTES", value_parser = args::size_bytes)]
    row: Option<u32>,
    /// Further indexes, each on a column of random 8-byte values
    #[arg(long, value_name = "N", default_value = "0", value_parser = args::count)]
    secondary: u64,
    /// Pages read an insert that are looked for
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        default_value = "0.01,0.1,0.5"
    )]
    at: Vec<f64>,
    /// Rows to simulate
    #[arg(short = 'n', long = "rows", value_name = "N", default_value = "1M", value_parser = args::positive)]
    rows: u64,
    #[command(flatten)]
    fleet: FleetArgs,
    #[command(flatten)]
    output: OutputArgs,
}

const DEFAULT_SCHEMES: &str = "auto_increment,snowflake,uuid_v4,uuid_v7,ksuid";
/// A load must be larger than the working set of ids in order of time.
const LEAST_ROWS: u64 = 100_000;
/// The largest table that is told of.
const MOST_ROWS: f64 = 1e9;
/// The scheme whose ids are uniformly random.
const UNIFORM: &str = "uuid_v4";

struct Task {
    label: String,
    engine: Profile,
    plan: CliffPlan,
    input: Input,
}

impl Args {
    fn row_bytes(&self) -> u32 {
        self.row.unwrap_or(100)
    }
}

pub fn run(args: Args) -> Result<()> {
    if args.rows < LEAST_ROWS {
        return Err(usage(format!(
            "-n {}: too few rows to tell, expected 100k or more",
            args.rows
        )));
    }
    if let Some(at) = args.at.iter().find(|at| !(1e-3..=100.0).contains(*at)) {
        return Err(usage(format!(
            "--at {at}: expected 0.001 to 100 pages an insert"
        )));
    }
    args::distinct("--at", &args.at)?;
    let engines: Vec<Profile> = args
        .engine
        .iter()
        .map(|name| name.parse().map_err(usage))
        .collect::<Result<_>>()?;
    let names: Vec<_> = engines.iter().map(Profile::to_string).collect();
    args::distinct("--engine", &names)?;
    args::distinct("--scheme", &args.scheme)?;
    let mut tasks = Vec::new();
    for &engine in &engines {
        for scheme in &args.scheme {
            tasks.push(prepare(&args, scheme, engine)?);
        }
    }
    let of_rows = |task: &Task| {
        let design = &task.plan.design;
        design.holds_rows() || design.nbtree().is_some()
    };
    if args.row.is_some() && !tasks.iter().any(of_rows) {
        return Err(usage(format!(
            "--row: has no effect on {}: leave it out, or take an engine whose rows are modelled",
            names.join(", ")
        )));
    }
    let bytes = recorder::tree_bytes(args.rows, 20) * (1 + args.secondary);
    let threads = recorder::threads(&args.output, tasks.len(), bytes, "a table")?;
    let mut recorder = Recorder::start("cliff", &args.output, parameters(&args, &names))?;
    let bar = recorder::progress(Some(args.rows.saturating_mul(tasks.len() as u64)));
    let digest = recorder.digest().to_owned();
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()?;
    let found: Result<Vec<Vec<Row>>> = pool.install(|| {
        let rows = tasks.par_iter().map(|task| {
            let keys = task.input.open()?.stream.keys;
            let cliff = cliff(keys, task.plan, &|rows| bar.inc(rows))
                .with_context(|| task.label.clone())?;
            Ok(write(&args, task, &cliff, &digest))
        });
        rows.collect()
    });
    bar.finish_and_clear();
    found?.into_iter().for_each(|rows| recorder.add(rows, None));
    recorder.finish(chart::cliff, table)
}

fn prepare(args: &Args, scheme: &str, engine: Profile) -> Result<Task> {
    let fleet = args.fleet.spec(args.output.seed)?;
    let (input, _) = Input::schemes(scheme, Some(args.rows), &fleet)?;
    let column = input.open()?.stream.column;
    let id_bytes = column.value_bytes();
    let row_bytes = args.row_bytes();
    let Some(payload_bytes) = row_bytes.checked_sub(id_bytes) else {
        return Err(usage(format!(
            "--row {row_bytes}: an id of {scheme} alone has {id_bytes} bytes"
        )));
    };
    let options = EngineOptions {
        payload_bytes,
        ..EngineOptions::default()
    };
    let refused = |error: EngineError| match error.option {
        Some("payload_bytes") => usage(format!("--row: {error}")),
        _ => args::refused(error),
    };
    let mut design = Design::new(engine, column, options).map_err(refused)?;
    design.cache_bytes = Some(args.cache);
    let plan = CliffPlan {
        rows: args.rows,
        design,
        secondaries: u32::try_from(args.secondary).unwrap_or(u32::MAX),
        seed: args.output.seed,
    };
    check_cliff(&plan).map_err(refused)?;
    let pages = args.cache / u64::from(design.page_bytes());
    if !(16..=1 << 40).contains(&pages) {
        return Err(usage(format!(
            "--cache: {engine}: {} of {}, expected 16 or more",
            report::plural(pages, "page"),
            design.page_bytes()
        )));
    }
    Ok(Task {
        label: input.label(),
        engine,
        plan,
        input,
    })
}

fn write(args: &Args, task: &Task, cliff: &Cliff, digest: &str) -> Vec<Row> {
    let mut rows = Rows::new(
        digest,
        &task.label,
        &task.engine.to_string(),
        Parameters::new(),
    );
    let pages = args.cache as f64 / f64::from(task.plan.design.page_bytes());
    rows.total(&WORKING_SET_PAGES, cliff.working_set_pages());
    for &at in &args.at {
        let mut found = |rows_at: Option<f64>, by: &str| {
            if let Some(rows_at) = rows_at.filter(|&rows| rows <= MOST_ROWS) {
                let params = [("reads", at.into()), ("by", by.into())];
                rows.push(
                    &ROWS_AT_READS,
                    None,
                    (rows_at.round() as u64).into(),
                    &params,
                );
            }
        };
        found(cliff.rows_at(at, pages), "simulation");
        if task.label == UNIFORM && args.secondary == 0 && task.plan.design.trees() == 1 {
            found(Some(cliff.random_rows_at(at, pages)), "closed form");
        }
    }
    let mut at = 1e4;
    while at <= MOST_ROWS * 1.01 {
        let reads = cliff.reads_per_insert(at, pages);
        rows.point(
            &READS_BY_ROWS,
            (at.round() as u64).min(MOST_ROWS as u64),
            Number::Real(reads),
        );
        at *= 10f64.powf(1.0 / 16.0);
    }
    rows.into_rows()
}

fn parameters(args: &Args, engines: &[String]) -> Parameters {
    let mut params = Parameters::new();
    let mut set = |name: &str, value: serde_json::Value| params.insert(name.to_owned(), value);
    set("input", args.scheme.clone().into());
    set("engine", engines.into());
    set("cache_bytes", args.cache.into());
    set("row_bytes", args.row_bytes().into());
    set("secondary", args.secondary.into());
    set("at", args.at.clone().into());
    set("rows", args.rows.into());
    args.fleet.record(&mut params);
    params
}

/// One line a scheme and engine.
fn table(records: &Records) -> String {
    let at: Vec<f64> = records
        .run
        .params
        .get("at")
        .and_then(|at| at.as_array())
        .map(|at| at.iter().filter_map(serde_json::Value::as_f64).collect())
        .unwrap_or_default();
    let mut trees: Vec<(&str, &str)> = Vec::new();
    for row in &records.rows {
        let tree = (row.engine.as_str(), row.scheme.as_str());
        if !trees.contains(&tree) {
            trees.push(tree);
        }
    }
    let mut headings = vec!["engine  scheme".to_owned(), "working set\npages".to_owned()];
    headings.extend(at.iter().map(|at| format!("rows at {at}\nreads/insert")));
    headings.extend(at.iter().map(|at| format!("closed form\nat {at}")));
    let lines = trees.iter().map(|&(engine, scheme)| {
        let of = |measure: &str, reads: Option<f64>, by: &str| {
            let found = records.rows.iter().find(|row| {
                let param = |name: &str| row.params.get(name);
                row.engine == engine
                    && row.scheme == scheme
                    && row.measure == measure
                    && (reads.is_none()
                        || param("reads").and_then(serde_json::Value::as_f64) == reads
                            && param("by").and_then(serde_json::Value::as_str) == Some(by))
            });
            found.map(|row| row.value.as_f64())
        };
        let mut line = vec![format!("{engine}  {scheme}")];
        line.push(of(WORKING_SET_PAGES.name, None, "").map_or_else(|| "-".into(), report::whole));
        let cell = |at: f64, by: &str, none: &str| {
            let rows = of(ROWS_AT_READS.name, Some(at), by);
            rows.map_or_else(
                || none.to_owned(),
                |rows| match rows {
                    0.0 => "always".to_owned(),
                    rows => report::whole(rows),
                },
            )
        };
        line.extend(at.iter().map(|&at| cell(at, "simulation", "> 10⁹")));
        line.extend(at.iter().map(|&at| cell(at, "closed form", "-")));
        line
    });
    let headings: Vec<_> = headings.iter().map(String::as_str).collect();
    report::table(&headings, lines)
}
