//! `sim btree`: where inserts land in a B-tree, and what that costs.

use crate::args::{self, usage};
use crate::input::{DEFAULT_ROWS, FleetArgs, Input, Opened};
use crate::recorder::{self, OutputArgs, Recorder};
use crate::report;
use anyhow::{Context, Result};
use idlab::chart;
use idlab::dump::{self, KINDS};
use idlab::engine::{Engine, EngineOptions, Geometry};
use idlab::id::{Column, Key};
use idlab::measure::{Rows, SKIPPED_LINES, measure_tree};
use idlab::record::{Grid, Parameters, Records, Row};
use idlab::source::{AnySource, Source};
use idlab::store::Uniqueness;
use indicatif::ProgressBar;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Loads ids into a B-tree with an engine's page arithmetic and measures where
/// they land: right-edge share, splits, size, fill, write working set.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Schemes, with parameters; `+` joins phases of one table
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = DEFAULT_SCHEMES)]
    scheme: Vec<String>,
    /// Reference streams instead of schemes
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        conflicts_with = "scheme"
    )]
    stream: Vec<String>,
    /// A dump instead of schemes: one id a line in order of arrival; - is stdin
    #[arg(long, value_name = "FILE", conflicts_with_all = ["scheme", "stream"])]
    ids: Option<PathBuf>,
    /// Kind of the dump's ids: decimal, unsigned, uuid, ulid, ksuid or hex [default: told from the ids]
    #[arg(long = "as", value_name = "KIND", requires = "ids")]
    kind: Option<String>,
    /// Rows [default: 1M; of a dump, all]
    #[arg(short = 'n', long = "rows", value_name = "N", value_parser = args::positive)]
    rows: Option<u64>,
    /// Engine profiles
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        default_value = "postgres"
    )]
    engine: Vec<String>,
    /// Page size [default: the engine's]
    #[arg(long, value_name = "BYTES", value_parser = args::size_bytes, help_heading = "Engine")]
    page_bytes: Option<u32>,
    /// Leaf fill factor in percent [default: the engine's]
    #[arg(long, value_name = "PERCENT", help_heading = "Engine")]
    fill_factor: Option<u32>,
    /// Bytes of row beside the key, where the engine keeps it in the leaf
    #[arg(long, value_name = "BYTES", default_value = "0", value_parser = args::size_bytes, help_heading = "Engine")]
    payload_bytes: u32,
    /// Store ids as their text instead of binary
    #[arg(long, help_heading = "Engine")]
    text_keys: bool,
    #[command(flatten)]
    fleet: FleetArgs,
    #[command(flatten)]
    output: OutputArgs,
}

const DEFAULT_SCHEMES: &str = "auto_increment,ticket_block,snowflake,uuid_v4,uuid_v7,ulid,ksuid";

const EXAMPLES: &str = "Examples:
  sim btree --scheme uuid_v4,uuid_v7:tail=counter -n 10M --seed 7
  sim btree --scheme uuid_v4:rows=500k+uuid_v7:rows=500k     (a live table switches)
  sim btree --ids dump.txt --engine postgres,textbook
  psql -Atc 'select id from orders order by created_at' | sim btree --ids -";

/// One tree to be loaded.
struct Task {
    input: Input,
    label: String,
    engine: &'static Engine,
    rows: Option<u64>,
}

/// What one tree gave.
struct Outcome {
    rows: Vec<Row>,
    grid: Option<Grid>,
    notes: Vec<String>,
}

pub fn run(args: Args) -> Result<()> {
    let engines: Vec<_> = args
        .engine
        .iter()
        .map(|name| Engine::by_name(name).map_err(usage))
        .collect::<Result<_>>()?;
    let inputs = inputs(&args, engines.len())?;
    let mut tasks = Vec::new();
    for &engine in &engines {
        for (input, rows) in &inputs {
            tasks.push(Task {
                input: input.clone(),
                label: input.label(),
                engine,
                rows: *rows,
            });
        }
    }
    // Wrong names and sizes are told before any work is done; stdin is read only once.
    for task in tasks
        .iter()
        .filter(|task| !matches!(task.input, Input::Dump { .. }))
    {
        geometry(&args, task, &task.input.open()?)?;
    }
    let largest = inputs
        .iter()
        .filter_map(|(_, rows)| *rows)
        .max()
        .unwrap_or(0);
    let threads = recorder::threads(
        &args.output,
        recorder::tree_bytes(largest),
        &format!("a tree of {largest} rows"),
    )?;
    let mut recorder = Recorder::start("btree", &args.output, parameters(&args, &inputs))?;
    let total = inputs.iter().map(|(_, rows)| *rows).sum::<Option<u64>>();
    let bar = recorder::progress(total.map(|rows| rows * engines.len() as u64));
    let digest = recorder.digest().to_owned();
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()?;
    let outcomes: Result<Vec<Outcome>> = pool.install(|| {
        tasks
            .par_iter()
            .map(|task| load(&args, task, &digest, &bar))
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
                .filter(|_| std::ptr::eq(task.engine, engines[0])),
        );
    }
    notes.iter().for_each(|note| eprintln!("{note}"));
    recorder.finish(chart::btree, table)
}

fn inputs(args: &Args, engines: usize) -> Result<Vec<(Input, Option<u64>)>> {
    if let Some(path) = &args.ids {
        let kind = args.kind.as_deref().map(kind).transpose()?;
        let mut input = Input::Dump {
            path: path.clone(),
            kind,
            spool: None,
        };
        if engines > 1 {
            input.spool()?;
        }
        return Ok(vec![(input, args.rows)]);
    }
    if !args.stream.is_empty() {
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
    let fleet = args.fleet.spec(args.output.seed)?;
    let scheme = |text: &String| {
        let (input, rows) = Input::schemes(text, args.rows, &fleet)?;
        Ok((input, Some(rows)))
    };
    args.scheme.iter().map(scheme).collect()
}

fn kind(name: &str) -> Result<dump::Kind> {
    let found = KINDS.iter().find(|(known, _)| *known == name);
    found.map(|(_, kind)| *kind).ok_or_else(|| {
        let hint = idlab::scheme::nearest(name, KINDS.iter().map(|(known, _)| *known));
        usage(format!("--as {name}: unknown kind of id{hint}"))
    })
}

fn geometry(args: &Args, task: &Task, opened: &Opened) -> Result<Geometry> {
    let column = match (args.text_keys, opened.stream.text_chars) {
        (false, _) => opened.stream.column,
        (true, Some(chars)) => Column::Text(chars),
        (true, None) => {
            return Err(usage(format!(
                "--text-keys: {} has no text form that sorts as its ids do",
                task.label
            )));
        }
    };
    let options = EngineOptions {
        page_bytes: args.page_bytes,
        fill_factor_percent: args.fill_factor,
        payload_bytes: args.payload_bytes,
    };
    Geometry::new(task.engine, column, options).map_err(usage)
}

fn load(args: &Args, task: &Task, digest: &str, bar: &ProgressBar) -> Result<Outcome> {
    let opened = task.input.open()?;
    let geometry = geometry(args, task, &opened)?;
    let mut rows = Rows::new(digest, &task.label, task.engine.name, Parameters::new());
    let unique = if opened.dump.is_some() {
        Uniqueness::Checked
    } else {
        Uniqueness::Promised
    };
    let (grid, duplicates) = match opened.stream.keys {
        AnySource::Bytes8(source) => tree(source, task, geometry, unique, &mut rows, bar)?,
        AnySource::Bytes16(source) => tree(source, task, geometry, unique, &mut rows, bar)?,
        AnySource::Bytes20(source) => tree(source, task, geometry, unique, &mut rows, bar)?,
    };
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
        notes.push(describe(&task.label, kind, &report, duplicates));
    }
    Ok(Outcome {
        rows: rows.into_rows(),
        grid: Some(grid),
        notes,
    })
}

fn tree<K: Key>(
    mut source: Box<dyn Source<K>>,
    task: &Task,
    geometry: Geometry,
    unique: Uniqueness,
    rows: &mut Rows,
    bar: &ProgressBar,
) -> Result<(Grid, (u64, Option<u64>))> {
    let run = measure_tree(&mut *source, task.rows, geometry, unique, rows, |rows| {
        bar.inc(rows)
    })
    .with_context(|| task.label.clone())?;
    let row = rows.template();
    Ok((
        run.sample.grid(&row.run, &row.scheme, ""),
        (run.duplicates, run.first_duplicate),
    ))
}

/// What was read from a dump, in one line.
fn describe(
    label: &str,
    kind: dump::Kind,
    report: &dump::Report,
    duplicates: (u64, Option<u64>),
) -> String {
    let mut text = format!("{label}: {} {}", report.ids, dump::describe(kind, report));
    if !report.skipped.is_empty() {
        let lines: u64 = report.skipped.values().sum();
        let reasons: Vec<_> = report
            .skipped
            .iter()
            .map(|(reason, lines)| format!("{lines} {reason}"))
            .collect();
        text += &format!("; {lines} lines skipped ({})", reasons.join(", "));
        if let Some(first) = report.first_skipped {
            text += &format!(", the first of substance at line {first}");
        }
    }
    if let (duplicates @ 1.., Some(first)) = duplicates {
        text += &format!(
            "; {duplicates} ids were there already and were refused, the first is id number {first}"
        );
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
    set("text_keys", args.text_keys.into());
    if let Some((Input::Dump { .. }, _)) = inputs.first() {
        set("as", args.kind.clone().into());
    }
    if let Some((Input::Schemes { fleet, .. }, _)) = inputs.first() {
        set("writers", fleet.writers.into());
        set("rate", fleet.rate.into());
        set(
            "arrivals",
            format!("{:?}", fleet.arrivals).to_lowercase().into(),
        );
        set("clock_sd_ns", fleet.clock_sd_ns.into());
        set("delay_mean_ns", fleet.delay_mean_ns.into());
    }
    params
}

/// Columns of the table: heading, measure, row parameter, how to print it.
type Heading = (&'static str, &'static str, Option<u64>, fn(f64) -> String);

const COLUMNS: &[Heading] = &[
    (
        "at right\nedge %",
        "right_edge_share",
        None,
        report::percent,
    ),
    (
        "in last\nleaf %",
        "rightmost_leaf_share",
        None,
        report::percent,
    ),
    (
        "p99 leaves\nfrom edge",
        "edge_distance_leaves_p99",
        None,
        report::whole,
    ),
    (
        "splits per\n1k inserts",
        "splits_per_1000_inserts",
        None,
        report::two,
    ),
    ("leaves", "leaf_pages", None, report::whole),
    ("index\nMiB", "index_bytes", None, report::mib),
    ("leaf\nfill %", "fill_mean", None, report::percent),
    (
        "leaves written\nper 10k inserts",
        "working_set_leaves",
        Some(10_000),
        report::whole,
    ),
    (
        "leaves of\nnewest 100",
        "newest_100_leaves",
        None,
        report::whole,
    ),
];

fn table(records: &Records) -> String {
    let mut totals: BTreeMap<_, f64> = BTreeMap::new();
    let mut trees = Vec::new();
    for row in records.rows.iter().filter(|row| row.x.is_none()) {
        let tree = (row.engine.as_str(), row.scheme.as_str());
        if !trees.contains(&tree) {
            trees.push(tree);
        }
        let window = row.params.get("window").and_then(serde_json::Value::as_u64);
        totals.insert((tree, row.measure.as_str(), window), row.value.as_f64());
    }
    let several = trees.iter().any(|(engine, _)| *engine != trees[0].0);
    let headings: Vec<_> = [if several { "engine  scheme" } else { "scheme" }]
        .into_iter()
        .chain(COLUMNS.iter().map(|(heading, ..)| *heading))
        .collect();
    let lines = trees.into_iter().map(|tree @ (engine, scheme)| {
        let name = if several {
            format!("{engine}  {scheme}")
        } else {
            scheme.to_owned()
        };
        let cells = COLUMNS.iter().map(|(_, measure, window, print)| {
            totals
                .get(&(tree, *measure, *window))
                .map_or_else(|| "-".to_owned(), |value| print(*value))
        });
        std::iter::once(name).chain(cells).collect()
    });
    report::table(&headings, lines)
}
