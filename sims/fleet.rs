//! `sim fleet`: what clocks and commits do to the order of ids, and to readers who page by it.

use crate::args::{self, usage};
use crate::recorder::{self, OutputArgs, Recorder};
use crate::report;
use anyhow::{Context, Result};
use idlab::chart;
use idlab::clock::{CLOCK_FORMS, CLOCK_KEYS, ClockModel, NS_PER_S};
use idlab::fleet::{Arrivals, FleetError, FleetSpec, Latency};
use idlab::measure::{CheckFleet, FleetPlan, MeasureFleet, Rows};
use idlab::record::{Parameters, Records, Row};
use idlab::scheme::{self, Spec};
use rayon::prelude::*;

/// What clocks and commits do to the order of ids, and to readers who page by it
///
/// Writers with imperfect clocks mint ids at random times; rows are seen when they are committed, not when their ids are minted. A reader who
/// asks for `id > last_seen` never gets a row that is committed after a larger id was read. A lag window makes it wait for late rows: it
/// reads only rows whose id (or `created_at`, where ids say no time) is at least the lag old.
#[derive(clap::Args)]
#[command(after_help = after_help())]
pub struct Args {
    /// Schemes, with parameters
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = DEFAULT_SCHEMES, value_parser = args::item)]
    scheme: Vec<String>,
    /// Simulated time in which ids are asked for
    #[arg(long = "for", value_name = "TIME", default_value = "10min", allow_hyphen_values = true, value_parser = args::duration_ns)]
    length: u64,
    /// Writers, each with its own clock
    #[arg(long, visible_alias = "nodes", value_name = "N", default_value = "16", value_parser = args::positive, help_heading = "Writers")]
    writers: u64,
    /// Ids a second, all writers together, at random times
    #[arg(long, value_name = "IDS/S", default_value = "1k", value_parser = args::rate, help_heading = "Writers")]
    rate: u64,
    /// The writers' clocks: a name (see `sim list clocks`), key=value pairs (see below), or both, joined by commas
    #[arg(long, value_name = "CLOCK", default_value = "lan_chrony", value_parser = args::item, help_heading = "Writers")]
    clock: String,
    /// Time from minting an id until readers see its row: none, light, heavy, batch or exponential:TIME (see `sim list commits`)
    #[arg(long, value_name = "NAME", default_value = "light", value_parser = args::item, help_heading = "Writers")]
    commit: String,
    /// Time between two polls; 0: a reader who never rests
    #[arg(long, value_name = "TIME", default_value = "1s", allow_hyphen_values = true, value_parser = args::duration_ns, help_heading = "Readers")]
    poll: u64,
    /// Lag windows, one reader each; 0: none
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "0,10ms,100ms,1s,2s,10s", allow_hyphen_values = true, value_parser = args::duration_ns, help_heading = "Readers")]
    lag: Vec<u64>,
    #[command(flatten)]
    output: OutputArgs,
}

const DEFAULT_SCHEMES: &str = "auto_increment,ticket_block,snowflake,uuid_v4,uuid_v7,ksuid";

const EXAMPLES: &str = "Examples:
  sim fleet
  sim fleet --scheme snowflake,uuid_v7,ksuid,auto_increment --clock wan_pool --commit heavy --poll 1s --lag 0,2s,10s
  sim fleet --clock ideal --commit exponential:10ms --poll 0
  sim fleet --clock lan_chrony,at=60s:-1s
  sim fleet --clock offset=laplace:150us,drift=normal:1ppm,correct=slew:64s,step=1/h:-2s";

/// The keys of --clock, then examples.
fn after_help() -> String {
    let keys = CLOCK_KEYS
        .iter()
        .map(|(key, form, about)| format!("  {key}={form}\n      {about}\n"));
    let keys: String = keys.collect();
    format!("Keys of --clock:\n{keys}{CLOCK_FORMS}\n\n{EXAMPLES}")
}

/// Rows of a run are kept until it is measured.
const MOST_ROWS: u128 = 100_000_000;

/// Bytes that a row takes, sorting included.
const ROW_BYTES: u64 = 100;

pub fn run(args: Args) -> Result<()> {
    let plan = plan(&args)?;
    args::distinct("--scheme", &args.scheme)?;
    let specs = args.scheme.iter().map(|text| {
        let spec: Spec = text.parse().map_err(usage)?;
        scheme::visit(&spec, CheckFleet(&plan))
            .map_err(usage)?
            .map_err(refused)?;
        Ok(spec)
    });
    let specs: Vec<Spec> = specs.collect::<Result<_>>()?;
    let rows = u128::from(args.rate) * u128::from(args.length) / u128::from(NS_PER_S);
    if rows == 0 {
        return Err(usage(format!(
            "--rate {} for {}: expected at least one row; raise --rate or --for",
            args.rate,
            seconds(args.length)
        )));
    }
    if rows > MOST_ROWS {
        return Err(usage(format!(
            "--rate {} for {} are {rows} rows, expected at most {MOST_ROWS}: lower --rate or --for",
            args.rate,
            seconds(args.length)
        )));
    }
    let bytes = rows as u64 * ROW_BYTES;
    let what = format!("a run of {rows} rows");
    let threads = recorder::threads(&args.output, specs.len(), bytes, &what)?;
    let mut recorder = Recorder::start("fleet", &args.output, parameters(&args, &plan))?;
    let digest = recorder.digest().to_owned();
    let one = |spec: &Spec| -> Result<Vec<Row>> {
        let mut rows = Rows::new(&digest, &spec.to_string(), "", Parameters::new());
        let measure = MeasureFleet {
            plan: &plan,
            rows: &mut rows,
        };
        scheme::visit(spec, measure)?.with_context(|| spec.to_string())?;
        Ok(rows.into_rows())
    };
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()?;
    let found: Result<Vec<_>> = pool.install(|| specs.par_iter().map(one).collect());
    found?.into_iter().for_each(|rows| recorder.add(rows, None));
    recorder.finish(chart::fleet, table)
}

fn plan(args: &Args) -> Result<FleetPlan> {
    if args.length == 0 {
        return Err(usage("--for 0: expected some time, such as 10min"));
    }
    let lags: Vec<_> = args.lag.iter().map(|&lag| seconds(lag)).collect();
    args::distinct("--lag", &lags)?;
    let most = |flag: &str, value: u64| {
        if value <= args.length {
            return Ok(());
        }
        let text = format!(
            "{flag} {}: expected at most the run's {}; give a longer --for",
            seconds(value),
            seconds(args.length)
        );
        Err(usage(text))
    };
    most("--poll", args.poll)?;
    args.lag.iter().try_for_each(|&lag| most("--lag", lag))?;
    let writers = u32::try_from(args.writers).ok();
    let writers = writers.filter(|writers| *writers <= 1_000_000);
    let latency = match args.commit.strip_prefix("exponential:") {
        Some(mean) => Latency::Exponential {
            mean_ns: args::duration_ns(mean)
                .map_err(|error| usage(format!("--commit {}: {error}", args.commit)))?,
        },
        None => {
            Latency::named(&args.commit).map_err(|error| usage(format!("--commit: {error}")))?
        }
    };
    Ok(FleetPlan {
        spec: FleetSpec {
            writers: writers.ok_or_else(|| usage("--writers: expected at most 1M"))?,
            arrivals: Arrivals::Poisson,
            ..FleetSpec::single(args.rate, args.output.seed)
        },
        clock: ClockModel::parse(&args.clock)
            .map_err(|error| usage(format!("--clock: {error}")))?,
        latency,
        length_ns: args.length,
        poll_ns: args.poll,
        lags_ns: args.lag.clone(),
    })
}

/// A fleet that cannot begin, with the flag that is to blame and what to do.
fn refused(error: FleetError) -> anyhow::Error {
    match error {
        FleetError::Writer(_) => usage(format!("--writers: {error}")),
        FleetError::TooFast { .. } => {
            usage(format!("--rate: {error}; lower it or give more --writers"))
        }
        FleetError::InFlight { .. } => usage(format!("--commit: {error}; lower it or --rate")),
        FleetError::Stalled { .. } => usage(error),
    }
}

fn parameters(args: &Args, plan: &FleetPlan) -> Parameters {
    Parameters::from([
        ("scheme".to_owned(), args.scheme.clone().into()),
        ("for_ns".to_owned(), args.length.into()),
        ("writers".to_owned(), args.writers.into()),
        ("rate".to_owned(), args.rate.into()),
        ("clock".to_owned(), args.clock.clone().into()),
        ("commit".to_owned(), plan.latency.to_string().into()),
        ("poll_ns".to_owned(), args.poll.into()),
        ("lag_ns".to_owned(), args.lag.clone().into()),
    ])
}

/// A duration in seconds: `0.01 s`.
fn seconds(ns: u64) -> String {
    format!("{} s", ns as f64 / 1e9)
}

fn table(records: &Records) -> String {
    let mut schemes: Vec<&str> = Vec::new();
    let mut lags: Vec<u64> = Vec::new();
    for row in &records.rows {
        if !schemes.contains(&&*row.scheme) {
            schemes.push(&row.scheme);
        }
        if let Some(lag) = row.x.map(|x| x.as_f64() as u64)
            && !lags.contains(&lag)
        {
            lags.push(lag);
        }
    }
    let fixed = [
        "scheme",
        "rows",
        "dupli-\ncates",
        "late\n%",
        "moved\nrows",
        "k-\nsorted",
        "latency, ms\nmedian",
        "\n99 %",
        "\nmost",
    ];
    let lag_headings = lags.iter().enumerate().map(|(i, lag)| {
        let over = if i == 0 { "lost at lag" } else { "" };
        format!("{over}\n{}", seconds(*lag))
    });
    let headings: Vec<String> = fixed
        .map(str::to_owned)
        .into_iter()
        .chain(lag_headings)
        .collect();
    let headings: Vec<&str> = headings.iter().map(String::as_str).collect();
    let lines = schemes.iter().map(|scheme| {
        let found = |measure: &str, quantile: Option<&str>, lag: Option<u64>| {
            let matches = |row: &&Row| {
                row.scheme == **scheme
                    && row.measure == measure
                    && row.x.map(|x| x.as_f64() as u64) == lag
                    && row.params.get("quantile").and_then(|name| name.as_str()) == quantile
            };
            let row = records.rows.iter().find(matches);
            row.map(|row| row.value.as_f64())
        };
        let whole = |measure| found(measure, None, None).map(report::whole);
        let late = found("late_rows_share", None, None).map(report::percent);
        let latency = |quantile| found("effective_latency_ms", Some(quantile), None);
        let mut cells = vec![
            Some((*scheme).to_owned()),
            whole("fleet_rows"),
            whole("fleet_duplicate_ids"),
            late,
            whole("displacement_max_rows"),
            whole("k_sorted_rows"),
        ];
        cells.extend(["p50", "p99", "max"].map(|quantile| latency(quantile).map(report::two)));
        let count = found("fleet_rows", None, None).unwrap_or_default();
        let lost = |lag: &u64| {
            let share = found("skipped_rows_share", None, Some(*lag));
            share.map(|share| report::whole(share * count))
        };
        cells.extend(lags.iter().map(lost));
        cells
            .into_iter()
            .map(|cell| cell.unwrap_or_else(|| "-".to_owned()))
            .collect()
    });
    let notes = "late: committed after a larger id. moved: furthest from its place by id. k-sorted: most rows behind a larger id.\n\
                 latency: commit time less the id's time; a lag as long as the most of it loses nothing.\n\
                 lost: rows that a reader never gets, mean of readers out of step.";
    format!("{}\n\n{notes}", report::table(&headings, lines))
}
