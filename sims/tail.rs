//! `sim tail`: the half-leaf cliff of UUIDv7.

use crate::args::{self, usage};
use crate::recorder::{self, OutputArgs, Recorder};
use crate::report;
use anyhow::{Context, Result};
use idlab::chart;
use idlab::engine::{EngineOptions, Profile};
use idlab::fleet::{FleetSpec, IntoStream};
use idlab::id::{Id, Uuid};
use idlab::measure::{
    FILL_MEAN, INDEX_BYTES, INTERNAL_SPLITS, LEAF_SPLITS, Plan, Rows, measure_any,
};
use idlab::record::{Parameters, Records, Row};
use idlab::scheme::{self, Spec};
use idlab::source::AnySource;
use idlab::store::{Design, Uniqueness};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Index size against ids per millisecond, by the tail of a UUIDv7
///
/// Loads UUIDv7s of one writer, exactly so many in each millisecond. Ids that are random within their millisecond are no longer sequential to a
/// B-tree once a millisecond fills half a leaf.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  sim tail\n  sim tail --per-ms 100,120,140,150 --tail random,counter -n 10M"
)]
pub struct Args {
    /// Ids in each millisecond
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = DEFAULT_PER_MS, value_parser = args::positive)]
    per_ms: Vec<u64>,
    /// Tails of the UUIDv7
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        default_value = "random,counter,fraction,monotonic", value_parser = args::item
    )]
    tail: Vec<String>,
    /// Rows
    #[arg(short = 'n', long = "rows", value_name = "N", default_value = "1M", value_parser = args::positive)]
    rows: u64,
    /// Engine profile
    #[arg(long, value_name = "NAME", default_value = "postgres", value_parser = args::item)]
    engine: String,
    #[command(flatten)]
    output: OutputArgs,
}

const DEFAULT_PER_MS: &str = "1,2,5,10,20,40,60,80,100,110,120,130,140,145,150,160,180,200,220,240,260,280,290,300,320,350,400,450,500,600,800,1000,1500,2000,3000";

pub fn run(args: Args) -> Result<()> {
    let engine: Profile = args.engine.parse().map_err(usage)?;
    args::distinct("--tail", &args.tail)?;
    args::distinct("--per-ms", &args.per_ms)?;
    let design = Design::new(engine, Uuid::COLUMN, EngineOptions::default()).map_err(usage)?;
    let plan = Plan {
        rows: Some(args.rows),
        ..Plan::new(design, Uniqueness::Promised)
    };
    let specs: Vec<Spec> = args
        .tail
        .iter()
        .map(|tail| format!("uuid_v7:tail={tail}").parse().map_err(usage))
        .collect::<Result<_>>()?;
    for (spec, per_ms) in specs
        .iter()
        .flat_map(|spec| args.per_ms.iter().map(move |per_ms| (spec, *per_ms)))
    {
        open(spec, per_ms, args.output.seed)?;
    }
    let what = format!("a tree of {} rows", args.rows);
    let threads = recorder::threads(
        &args.output,
        specs.len() * args.per_ms.len(),
        recorder::tree_bytes(args.rows, Uuid::COLUMN.value_bytes()),
        &what,
    )?;
    let params = Parameters::from([
        ("rows".to_owned(), args.rows.into()),
        ("per_ms".to_owned(), args.per_ms.clone().into()),
        ("tail".to_owned(), args.tail.clone().into()),
        ("engine".to_owned(), args.engine.clone().into()),
    ]);
    let mut recorder = Recorder::start("tail", &args.output, params)?;
    let bar = recorder::progress(Some(
        args.rows
            .saturating_mul((specs.len() * args.per_ms.len()) as u64),
    ));
    let digest = recorder.digest().to_owned();
    let tasks: Vec<_> = specs
        .iter()
        .flat_map(|spec| args.per_ms.iter().map(move |per_ms| (spec, *per_ms)))
        .collect();
    let one = |&(spec, per_ms): &(&Spec, u64)| -> Result<Vec<Row>> {
        let keys = open(spec, per_ms, args.output.seed)?;
        let template = || Rows::new(&digest, &spec.to_string(), &args.engine, Parameters::new());
        let mut all = template();
        measure_any(keys, plan, &mut all, &|rows| bar.inc(rows))
            .with_context(|| spec.to_string())?;
        let mut rows = template();
        for measured in [&INDEX_BYTES, &LEAF_SPLITS, &INTERNAL_SPLITS, &FILL_MEAN] {
            if let Some(value) = all.found(measured) {
                rows.point(measured, per_ms, value);
            }
        }
        Ok(rows.into_rows())
    };
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()?;
    let found: Result<Vec<_>> = pool.install(|| tasks.par_iter().map(one).collect());
    bar.finish_and_clear();
    found?.into_iter().for_each(|rows| recorder.add(rows, None));
    recorder.finish(chart::tail, table)
}

/// The ids of one writer with a perfect clock, exactly `per_ms` in each millisecond.
fn open(spec: &Spec, per_ms: u64, seed: u64) -> Result<AnySource> {
    if per_ms > 100_000 {
        return Err(usage(format!(
            "--per-ms {per_ms} is too many, expected at most 100k"
        )));
    }
    let fleet = FleetSpec::single(per_ms * 1000, seed);
    Ok(scheme::visit_keys(spec, IntoStream(fleet))
        .map_err(usage)?
        .map_err(|error| usage(format!("--per-ms {per_ms}: {error}")))?
        .keys)
}

fn table(records: &Records) -> String {
    let mut schemes: Vec<&str> = Vec::new();
    let mut points: Vec<u64> = Vec::new();
    let mut values = BTreeMap::new();
    for row in &records.rows {
        let per_ms = row.x.map_or(0, |x| x.as_f64() as u64);
        if !schemes.contains(&&*row.scheme) {
            schemes.push(&row.scheme);
        }
        if !points.contains(&per_ms) {
            points.push(per_ms);
        }
        values.insert((&*row.scheme, per_ms, &*row.measure), row.value.as_f64());
    }
    let names = schemes
        .iter()
        .map(|scheme| scheme.trim_start_matches("uuid_v7:tail="));
    let columns = names.flat_map(|tail| {
        [
            format!("{tail}\nsplits"),
            "\nMiB".to_owned(),
            "\nfill %".to_owned(),
        ]
    });
    let headings: Vec<_> = std::iter::once("ids\nper ms".to_owned())
        .chain(columns)
        .collect();
    let headings: Vec<_> = headings.iter().map(String::as_str).collect();
    let lines = points.into_iter().map(|per_ms| {
        let cells = schemes.iter().flat_map(|scheme| {
            let value = |measure| {
                values
                    .get(&(*scheme, per_ms, measure))
                    .copied()
                    .unwrap_or_default()
            };
            let splits = value(LEAF_SPLITS.name) + value(INTERNAL_SPLITS.name);
            let size = report::mib_2(value(INDEX_BYTES.name));
            [
                report::whole(splits),
                size,
                report::percent(value(FILL_MEAN.name)),
            ]
        });
        std::iter::once(report::whole(per_ms as f64))
            .chain(cells)
            .collect()
    });
    report::table(&headings, lines)
}
