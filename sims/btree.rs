//! `sim btree`: where inserts land in a B-tree, and what that costs.

mod purge;
mod settings;
mod table;

use crate::args::{self, refused, usage};
use crate::input::{DEFAULT_ROWS, Input, Opened};
use crate::recorder::{self, OutputArgs, Recorder};
use crate::report;
use crate::writers::{FleetArgs, fleet_parameters};
use anyhow::{Context, Result};
use idlab::chart;
use idlab::dump;
use idlab::engine::{EngineOptions, Profile};
use idlab::id::Column;
use idlab::measure::{Found, Plan, Rows, SKIPPED_LINES, Secondaries, measure_any};
use idlab::pool::{CachePlan, Commits, Policy};
use idlab::record::{Grid, Parameters, Row};
use idlab::store::{Design, Uniqueness, WithSecondaries};
use indicatif::ProgressBar;
use purge::PurgeArgs;
use rayon::prelude::*;
use std::path::PathBuf;
use std::sync::Mutex;

/// Where ids land in a B-tree, and what that costs
///
/// Loads ids into a tree that does an engine's page arithmetic on real keys, and measures the
/// share of inserts at the right edge, splits, size, fill and the write working set.
#[derive(clap::Args)]
#[command(allow_negative_numbers = true, after_help = EXAMPLES)]
pub struct Args {
    /// Schemes, with parameters; `+` joins phases of one table
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = args::USUAL_SCHEMES, value_parser = args::item)]
    scheme: Vec<String>,
    /// Reference streams instead of schemes
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        conflicts_with = "scheme", value_parser = args::item
    )]
    stream: Vec<String>,
    /// A dump instead of schemes: one id a line in order of arrival; - is stdin
    #[arg(long, value_name = "FILE", conflicts_with_all = ["scheme", "stream"])]
    ids: Option<PathBuf>,
    /// Kind of the dump's ids: decimal, unsigned, uuid, ulid, ksuid or hex [default: told from the ids]
    #[arg(long = "as", value_name = "KIND", requires = "ids", conflicts_with_all = ["scheme", "stream"])]
    kind: Option<String>,
    /// Rows, of a dump its first ids [default: 1M; of a dump, all]
    #[arg(short = 'n', long = "rows", value_name = "N", value_parser = args::positive)]
    rows: Option<u64>,
    /// Engine profiles
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        default_value = "postgres", value_parser = args::item
    )]
    engine: Vec<String>,
    /// Page size [default: the engine's]
    #[arg(long, value_name = "BYTES", value_parser = args::size_bytes, help_heading = "Engine")]
    page_bytes: Option<u32>,
    /// Leaf fill factor in percent [default: the engine's]
    #[arg(long, value_name = "PERCENT", value_parser = args::percent, help_heading = "Engine")]
    fill_factor: Option<u32>,
    /// Bytes of row beside the key, where the engine keeps it in the leaf
    #[arg(long, value_name = "BYTES", default_value = "0", value_parser = args::size_bytes, help_heading = "Engine")]
    payload_bytes: u32,
    /// Bytes of the column that holds the id, if it is wider than the id
    #[arg(long, value_name = "BYTES", value_parser = args::size_bytes, help_heading = "Engine", conflicts_with = "text_keys")]
    key_bytes: Option<u32>,
    /// Cache of this size in front of the pages, by the engine's own rules; pages read and written are measured [default: none]
    #[arg(long, value_name = "BYTES", value_parser = args::bytes, help_heading = "Cache")]
    cache: Option<u64>,
    /// Which page leaves the cache to make room
    #[arg(
        long,
        value_enum,
        value_name = "NAME",
        default_value = "engine",
        requires = "cache",
        conflicts_with = "keep_rows",
        help_heading = "Cache"
    )]
    cache_policy: PolicyArg,
    /// Measure the misses of every cache size, too (of a plain LRU cache), in one pass
    #[arg(long, help_heading = "Cache")]
    miss_curve: bool,
    /// Sort every so many rows by id before they are inserted [default: as they come]
    #[arg(long, value_name = "N", value_parser = args::positive)]
    sort_rows: Option<u64>,
    /// Further indexes on the table, each on a column of random 8-byte values; their pages compete for the cache
    #[arg(long, value_name = "N", default_value = "0", value_parser = args::count, help_heading = "Cache")]
    secondary: u64,
    /// Rows of a transaction, of LMDB and of caches that write at commits [default: 1000]
    #[arg(long, value_name = "N", value_parser = args::positive, help_heading = "Cache")]
    transaction_rows: Option<u64>,
    /// Rows from one checkpoint to the next, of PostgreSQL and of caches that write at checkpoints [default: no checkpoint]
    #[arg(long, value_name = "N", value_parser = args::positive, help_heading = "Engine")]
    checkpoint_rows: Option<u64>,
    /// Store ids as their text instead of binary
    #[arg(long, help_heading = "Engine")]
    text_keys: bool,
    #[command(flatten)]
    purge: PurgeArgs,
    #[command(flatten)]
    fleet: FleetArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// Which page leaves a cache.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum PolicyArg {
    /// By the engine's own rules; the least recently used one where these are not known
    Engine,
    /// The least recently used one
    Lru,
    /// By an operating system's lists of active and inactive pages
    TwoList,
}

const EXAMPLES: &str = "Examples:
  sim btree --scheme uuid_v4,uuid_v7:tail=counter -n 10M --seed 7
  sim btree --scheme uuid_v4:rows=500k+uuid_v7:rows=500k     (a live table switches)
  sim btree --ids dump.txt --engine postgres,textbook
  psql -Atc 'select id from orders order by created_at' | sim btree --ids -";

/// One tree to be loaded.
struct Task {
    label: String,
    plan: Plan,
    /// What to load, until it is.
    opened: Mutex<Option<Opened>>,
}

/// What one tree gave.
struct Outcome {
    rows: Vec<Row>,
    grid: Option<Grid>,
    notes: Vec<String>,
}

impl Args {
    fn transaction_rows(&self) -> u64 {
        self.transaction_rows.unwrap_or(1000)
    }
}

pub fn run(args: Args) -> Result<()> {
    let engines: Vec<Profile> = args
        .engine
        .iter()
        .map(|name| name.parse().map_err(usage))
        .collect::<Result<_>>()?;
    let names: Vec<_> = engines.iter().map(Profile::to_string).collect();
    args::distinct("--engine", &names)?;
    let inputs = inputs(&args, engines.len())?;
    let mut tasks = Vec::new();
    let mut largest = (0, String::new());
    for &engine in &engines {
        for (input, rows) in &inputs {
            let task = prepare(&args, input, *rows, engine)?;
            let rows = rows.unwrap_or(0);
            let bytes = recorder::tree_bytes(rows, task.1);
            if bytes > largest.0 {
                largest = (bytes, format!("a tree of {rows} rows of {}", task.0.label));
            }
            tasks.push(task.0);
        }
    }
    settings::refuse_unused(&args, &tasks)?;
    let threads = recorder::threads(&args.output, tasks.len(), largest.0, &largest.1)?;
    let mut recorder = Recorder::start("btree", &args.output, parameters(&args, &inputs))?;
    let total = tasks.iter().map(|task| task.plan.rows).sum::<Option<u64>>();
    let bar = recorder::progress(total);
    let digest = recorder.digest().to_owned();
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()?;
    let outcomes: Result<Vec<Outcome>> = pool.install(|| {
        tasks
            .par_iter()
            .map(|task| load(task, &digest, &bar))
            .collect()
    });
    bar.finish_and_clear();
    let mut notes = Vec::new();
    let mut pictured = Vec::new();
    for (task, outcome) in tasks.iter().zip(outcomes?) {
        // The picture is of the ids alone: once is enough for all engines.
        let grid = outcome.grid.filter(|_| !pictured.contains(&task.label));
        pictured.push(task.label.clone());
        recorder.add(outcome.rows, grid);
        notes.extend(
            outcome
                .notes
                .into_iter()
                .filter(|_| task.plan.design.profile.to_string() == names[0]),
        );
    }
    notes.iter().for_each(|note| args::say(note));
    recorder.finish(chart::btree, table::table)
}

fn inputs(args: &Args, engines: usize) -> Result<Vec<(Input, Option<u64>)>> {
    if let Some(path) = &args.ids {
        args.fleet.refuse_for("a dump")?;
        let mut input = Input::dump(path, args.kind.as_deref())?;
        if engines > 1 {
            input.spool()?;
        }
        return Ok(vec![(input, args.rows)]);
    }
    if !args.stream.is_empty() {
        args.fleet.refuse_for("a stream")?;
        args::distinct("--stream", &args.stream)?;
        let rows = args.rows.unwrap_or(DEFAULT_ROWS);
        let stream = |name: &String| {
            (
                Input::Stream {
                    name: name.clone(),
                    seed: args.output.seed,
                },
                Some(rows),
            )
        };
        return Ok(args.stream.iter().map(stream).collect());
    }
    args::distinct("--scheme", &args.scheme)?;
    let fleet = args.fleet.spec(args.output.seed)?;
    let scheme = |text: &String| {
        let (input, rows) = Input::schemes(text, args.rows, &fleet)?;
        Ok((input, Some(rows)))
    };
    args.scheme.iter().map(scheme).collect()
}

/// Opens an input and does its page arithmetic: wrong names, sizes and files
/// are told before any work is done. Returns the bytes of a key, too.
fn prepare(args: &Args, input: &Input, rows: Option<u64>, engine: Profile) -> Result<(Task, u32)> {
    let mut opened = input.open()?;
    let label = input.label();
    let stored = opened.stream.column;
    let column = match (args.text_keys, opened.stream.text_chars, args.key_bytes) {
        (false, _, None) => stored,
        (false, _, Some(wide)) if wide < stored.value_bytes() => {
            let least = stored.value_bytes();
            return Err(usage(format!(
                "--key-bytes {wide}: {label} has ids of {least} bytes, expected {least} or more"
            )));
        }
        (false, _, Some(wide)) => Column::Bytes(wide),
        (true, Some(chars), _) => Column::Text(chars),
        (true, None, _) => {
            return Err(usage(format!(
                "--text-keys: {label} has no text form that sorts as its ids do"
            )));
        }
    };
    let options = EngineOptions {
        page_bytes: args.page_bytes,
        fill_factor_percent: args.fill_factor,
        payload_bytes: args.payload_bytes,
    };
    let design = Design::new(engine, column, options).map_err(refused)?;
    let purge = args.purge.of(&design)?;
    let cache = args.cache.map(|bytes| CachePlan {
        policy: match args.cache_policy {
            PolicyArg::Engine => Policy::OfEngine,
            PolicyArg::Lru => Policy::Lru,
            PolicyArg::TwoList => Policy::TwoList,
        },
        ..CachePlan::new(bytes)
    });
    let commits = Commits {
        transaction_rows: args.transaction_rows(),
        checkpoint_rows: args.checkpoint_rows,
    };
    let secondaries = Secondaries {
        count: u32::try_from(args.secondary).unwrap_or(u32::MAX),
        seed: args.output.seed,
    };
    WithSecondaries::new((), &design, secondaries.count, 0).map_err(refused)?;
    if let Some(cache) = cache {
        cache.open(&design, commits).map_err(refused)?;
    }
    if opened.dump.is_none() {
        // The first id of a scheme tells whether its writers can issue any.
        let first = opened.stream.keys.skip(1);
        let hint = "simulated time starts 2026-01-01, clocks are off by --clock-sd";
        first.map_err(|error| usage(format!("{label}: {error} ({hint})")))?;
        opened = input.open()?;
    }
    if let Some(rows) = args.sort_rows {
        let rows = usize::try_from(rows).unwrap_or(usize::MAX);
        opened.stream.keys = opened.stream.keys.sorted(rows.min(1 << 30));
    }
    let plan = Plan {
        rows,
        design,
        uniqueness: match opened.dump {
            Some(_) => Uniqueness::Checked,
            None => Uniqueness::Promised,
        },
        transaction_rows: commits.transaction_rows,
        checkpoint_rows: commits.checkpoint_rows,
        cache,
        miss_curve: args.miss_curve,
        secondaries,
        purge,
    };
    let opened = Mutex::new(Some(opened));
    let task = Task {
        label,
        plan,
        opened,
    };
    Ok((task, stored.value_bytes()))
}

fn load(task: &Task, digest: &str, bar: &ProgressBar) -> Result<Outcome> {
    let opened = task
        .opened
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner())
        .take();
    let opened = opened.context("a task is done once")?;
    let engine = task.plan.design.profile.to_string();
    let mut rows = Rows::new(digest, &task.label, &engine, Parameters::new());
    let found = measure_any(opened.stream.keys, task.plan, &mut rows, &|rows| {
        bar.inc(rows)
    })
    .with_context(|| task.label.clone())?;
    let mut notes = Vec::new();
    if let Some((kind, report)) = opened.dump {
        let report = report
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
            .clone();
        for (reason, lines) in &report.skipped {
            rows.push(
                &SKIPPED_LINES,
                None,
                (*lines).into(),
                &[("reason", (*reason).into())],
            );
        }
        notes.push(describe(&task.label, kind, &report, &found));
    }
    Ok(Outcome {
        rows: rows.into_rows(),
        grid: Some(found.grid),
        notes,
    })
}

/// What was read from a dump, in one line.
fn describe(label: &str, kind: dump::Kind, report: &dump::Report, found: &Found) -> String {
    let mut text = crate::input::describe(label, kind, report);
    if let (duplicates @ 1.., Some(first)) = (found.duplicates, found.first_duplicate) {
        let ids = report::plural(duplicates, "id");
        text += &format!("; {ids} refused as duplicates, the first is number {first} of the ids");
    }
    text
}

fn parameters(args: &Args, inputs: &[(Input, Option<u64>)]) -> Parameters {
    let labels: Vec<_> = inputs.iter().map(|(input, _)| input.label()).collect();
    let rows: Vec<_> = inputs.iter().map(|(_, rows)| *rows).collect();
    let mut params = Parameters::new();
    let mut set = |name: &str, value: serde_json::Value| params.insert(name.to_owned(), value);
    set("input", labels.into());
    set(
        "rows",
        if rows.windows(2).all(|pair| pair[0] == pair[1]) {
            rows[0].into()
        } else {
            rows.into()
        },
    );
    set("engine", args.engine.clone().into());
    set("page_bytes", args.page_bytes.into());
    set("fill_factor", args.fill_factor.into());
    set("payload_bytes", args.payload_bytes.into());
    set("key_bytes", args.key_bytes.into());
    set("cache_bytes", args.cache.into());
    set("miss_curve", args.miss_curve.into());
    if args.cache_policy != PolicyArg::Engine {
        let policy = format!("{:?}", args.cache_policy).to_lowercase();
        set("cache_policy", policy.into());
    }
    set("sort_rows", args.sort_rows.into());
    set("secondary", args.secondary.into());
    set("transaction_rows", args.transaction_rows().into());
    set("text_keys", args.text_keys.into());
    set("checkpoint_rows", args.checkpoint_rows.into());
    if let Some(purge) = args.purge.purge() {
        set("keep_rows", purge.keep_rows.into());
        set("purge_every_rows", purge.every_rows.into());
    }
    if let Some((Input::Dump { .. }, _)) = inputs.first() {
        set("as", args.kind.clone().into());
    }
    if let Some((Input::Schemes { fleet, .. }, _)) = inputs.first() {
        fleet_parameters(fleet, &mut params);
    }
    params
}
