//! `sim shards`: the hot shard that time-ordered ids make, and the price of each cure.

mod check;
mod settings;
mod table;

use crate::args::{self, usage};
use crate::input::{self, Input};
use crate::recorder::{self, OutputArgs, Recorder};
use crate::report;
use crate::writers::{FleetArgs, fleet_parameters};
use anyhow::{Context, Result};
use idlab::chart;
use idlab::dump;
use idlab::id::Key;
use idlab::measure::{DUPLICATE_IDS, Rows, SKIPPED_LINES, ShardsPlan, measure_shards_any};
use idlab::record::{Grid, Parameters, Row};
use idlab::shards::Setup;
use idlab::source::{AnySource, Source, SourceError};
use indicatif::ProgressBar;
use rayon::prelude::*;
use settings::{
    clients, inputs, keys, most_nodes, notes, refuse_more_tenants_than_rows, setup, stores,
};
use std::path::PathBuf;

/// Where writes concentrate in a range-sharded store, and what cures that
///
/// Sends ids to a store that splits, moves and merges its ranges by a system's rules, and measures the share of the hottest node and range in
/// windows of time, splits and moves, what the nodes could take, and what ordered reads cost.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Schemes, with parameters; `+` joins phases of one table
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = DEFAULT_SCHEMES, value_parser = args::item)]
    scheme: Vec<String>,
    /// A dump instead of schemes: one id a line in order of arrival; - is stdin
    #[arg(long, value_name = "FILE", conflicts_with = "scheme")]
    ids: Option<PathBuf>,
    /// Kind of the dump's ids: decimal, unsigned, uuid, ulid, ksuid or hex [default: told from the ids]
    #[arg(
        long = "as",
        value_name = "KIND",
        requires = "ids",
        conflicts_with = "scheme"
    )]
    kind: Option<String>,
    /// Store profiles [default: cockroach; with --shards, range_fixed]
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = args::item)]
    store: Vec<String>,
    /// What rows are sharded by (see `sim list keys`); `hash:1..32` is each of them
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = DEFAULT_KEYS, value_parser = args::item)]
    key: Vec<String>,
    /// Simulated time of the load, in whole seconds [default: 10min; with rows=N or a dump, as long as there are ids]
    #[arg(long = "for", value_name = "TIME", value_parser = args::duration_ns)]
    length: Option<u64>,
    /// Bytes of a row
    #[arg(long, value_name = "BYTES", default_value = "256", value_parser = args::size_bytes)]
    row: u32,
    /// Numbers of nodes
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "6", value_parser = args::positive, help_heading = "Store")]
    nodes: Vec<u64>,
    /// Copies of each range [default: the store's]
    #[arg(long, value_name = "N", value_parser = args::positive, help_heading = "Store")]
    replication: Option<u64>,
    /// Ranges at the start, of stores with a fixed number [default: 16]
    #[arg(long, value_name = "N", value_parser = args::positive, help_heading = "Store")]
    shards: Option<u64>,
    /// Writes a second that a node can take
    #[arg(long, value_name = "N", default_value = "10k", value_parser = args::positive, help_heading = "Store")]
    capacity: u64,
    /// Clients that each wait for their write before the next, instead of writes at --rate
    #[arg(long, value_name = "N", value_parser = args::positive, help_heading = "Store")]
    clients: Option<u64>,
    /// How long a node takes for each write
    #[arg(
        long,
        value_enum,
        value_name = "KIND",
        default_value = "exponential",
        requires = "clients",
        help_heading = "Store"
    )]
    service: ServiceArg,
    /// Compare the simulation with all that is known beforehand: predicted, simulated, error
    #[arg(long, conflicts_with_all = [
        "scheme", "ids", "kind", "store", "key", "length", "row", "nodes", "replication", "shards", "capacity", "clients", "service",
        "writers", "rate", "arrivals", "clock_sd", "delay",
    ], help_heading = "Check")]
    check: bool,
    /// Trials of each finder of split points [default: 200]
    #[arg(long, value_name = "N", requires = "check", value_parser = args::positive, help_heading = "Check")]
    trials: Option<u64>,
    #[command(flatten)]
    fleet: FleetArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// How long writes take in a closed loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum ServiceArg {
    /// Exponential times, their mean by --capacity
    Exponential,
    /// All the same time
    Fixed,
}

const DEFAULT_SCHEMES: &str = "ticket_block,snowflake,uuid_v4,uuid_v7,ulid,ksuid";
const DEFAULT_KEYS: &str = "range,hash:16,salt:16,tenant:zipf:1";
const DEFAULT_SECONDS: u64 = 600;
const DEFAULT_SHARDS: u64 = 16;

const EXAMPLES: &str = "Examples:
  sim shards --scheme uuid_v4,uuid_v7
  sim shards --store tikv,hbase_stepping,foundationdb --scheme uuid_v7,snowflake --nodes 9 --rate 10k --row 256B --for 1h
  sim shards --key salt:8,hash:16,tenant:zipf:1.2,id_mod:16,bit_reversed
  sim shards --scheme uuid_v4:rows=5M+uuid_v7:rows=5M     (a live table switches)
  sim shards --ids dump.txt --shards 16
  sim shards --check";

/// One stream of ids and the stores that it goes to.
struct Task {
    label: String,
    input: Input,
    plan: ShardsPlan,
    dump: Option<Found>,
}

/// What was found in a dump.
#[derive(Clone)]
struct Found {
    duplicates: u64,
    report: dump::Report,
}

pub fn run(args: Args) -> Result<()> {
    if args.check {
        return check::run(args.trials, &args.output);
    }
    let stores = stores(&args)?;
    let keys = keys(&args)?;
    let fleet = args.fleet.spec(args.output.seed)?;
    let (clients, capacity) = clients(&args, fleet.rate)?;
    let mut tasks = Vec::new();
    let inputs = inputs(&args, capacity)?;
    for note in notes(&stores, &keys, inputs.len()) {
        args::say(&note);
    }
    for (input, mut rows, seconds) in inputs {
        let label = input.label();
        let opened = input.open()?;
        let column = opened.stream.column;
        let dump = match opened.dump {
            Some((kind, report)) => {
                let (all, duplicates) = count(opened.stream.keys)
                    .map_err(usage)
                    .with_context(|| label.clone())?;
                rows = Some(all);
                let report = report
                    .lock()
                    .unwrap_or_else(|poisoned| poisoned.into_inner())
                    .clone();
                let mut text = input::describe(&label, kind, &report);
                if duplicates > 0 {
                    let ids = report::plural(duplicates, "id");
                    text += &format!("; {ids} were there already and count as rows");
                }
                args::say(&text);
                Some(Found { duplicates, report })
            }
            None => None,
        };
        for &store in &stores {
            let setups = args
                .nodes
                .iter()
                .flat_map(|&nodes| keys.iter().map(move |&key| (nodes, key)));
            let setups = setups.map(|(nodes, key)| setup(&args, store, nodes, key, column));
            tasks.push((
                Task {
                    label: label.clone(),
                    input: input.clone(),
                    dump: dump.clone(),
                    plan: ShardsPlan {
                        setups: setups.collect::<Result<_>>()?,
                        clients,
                        ids_per_s: fleet.rate,
                        capacity_per_s: args.capacity,
                        seconds,
                        seed: args.output.seed,
                    },
                },
                rows,
            ));
        }
    }
    for (task, rows) in &tasks {
        refuse_more_tenants_than_rows(&task.plan, *rows)?;
    }
    let threads = recorder::threads(&args.output, tasks.len(), 1 << 28, "a cluster")?;
    let total = tasks.iter().map(|(_, rows)| *rows).sum::<Option<u64>>();
    let mut recorder = Recorder::start("shards", &args.output, parameters(&args, &tasks))?;
    let bar = recorder::progress(total);
    let digest = recorder.digest().to_owned();
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()?;
    let found: Result<Vec<_>> = pool.install(|| {
        tasks
            .par_iter()
            .map(|(task, _)| load(task, &digest, &bar))
            .collect()
    });
    bar.finish_and_clear();
    for (rows, grid) in found?.into_iter().flatten() {
        // The pictures are of the largest clusters.
        let nodes = grid.params.get("nodes").and_then(serde_json::Value::as_u64);
        recorder.add(
            rows,
            Some(grid).filter(|_| nodes == Some(most_nodes(&args))),
        );
    }
    recorder.finish(chart::shards, table::table)
}

/// Ids of a dump, and how many of them were there already.
fn count(keys: AnySource) -> Result<(u64, u64), SourceError> {
    fn of<K: Key>(mut source: Box<dyn Source<K> + Send>) -> Result<(u64, u64), SourceError> {
        let mut ids: Vec<K> = Vec::new();
        source.fill(&mut ids, usize::MAX)?;
        let all = ids.len() as u64;
        ids.sort_unstable();
        ids.dedup();
        Ok((all, all - ids.len() as u64))
    }
    match keys {
        AnySource::Bytes8(keys) => of(keys),
        AnySource::Bytes16(keys) => of(keys),
        AnySource::Bytes20(keys) => of(keys),
    }
}

fn load(task: &Task, digest: &str, bar: &ProgressBar) -> Result<Vec<(Vec<Row>, Grid)>> {
    let opened = task.input.open()?;
    let rows = |setup: &Setup| {
        let params = Parameters::from([
            ("key".to_owned(), setup.key.to_string().into()),
            ("nodes".to_owned(), setup.nodes.into()),
        ]);
        Rows::new(digest, &task.label, setup.store.name, params)
    };
    let mut rows: Vec<_> = task.plan.setups.iter().map(rows).collect();
    let grids = measure_shards_any(opened.stream.keys, &task.plan, &mut rows, &|rows| {
        bar.inc(rows)
    });
    if let Some(found) = &task.dump {
        for rows in &mut rows {
            rows.total(&DUPLICATE_IDS, found.duplicates);
            for (reason, lines) in &found.report.skipped {
                let reason = [("reason", (*reason).into())];
                rows.push(&SKIPPED_LINES, None, (*lines).into(), &reason);
            }
        }
    }
    let grids = grids.map_err(usage).with_context(|| task.label.clone())?;
    Ok(rows.into_iter().map(Rows::into_rows).zip(grids).collect())
}

fn parameters(args: &Args, tasks: &[(Task, Option<u64>)]) -> Parameters {
    let mut params = Parameters::new();
    let mut inputs: Vec<String> = tasks.iter().map(|(task, _)| task.label.clone()).collect();
    inputs.dedup();
    let mut set = |name: &str, value: serde_json::Value| params.insert(name.to_owned(), value);
    set("input", inputs.into());
    if let Some((task, rows)) = tasks.first() {
        let mut stores: Vec<_> = tasks
            .iter()
            .map(|(task, _)| task.plan.setups[0].store.name)
            .collect();
        stores.sort_unstable();
        stores.dedup();
        set("store", stores.into());
        set("rows", (*rows).into());
        let seconds = Some(task.plan.seconds).filter(|&seconds| seconds < u64::MAX);
        set("seconds", seconds.into());
        set("replication", task.plan.setups[0].replication.into());
        set("shards", task.plan.setups[0].shards.into());
    }
    set("key", args.key.clone().into());
    set("row_bytes", args.row.into());
    set("nodes", args.nodes.clone().into());
    set("capacity_per_s", args.capacity.into());
    set("clients", args.clients.into());
    if args.clients.is_some() {
        set(
            "service",
            format!("{:?}", args.service).to_lowercase().into(),
        );
    }
    if args.ids.is_some() {
        set("as", args.kind.clone().into());
    }
    if let Ok(fleet) = args.fleet.spec(args.output.seed) {
        fleet_parameters(&fleet, &mut params);
    }
    params
}
