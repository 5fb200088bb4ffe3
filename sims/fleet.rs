//! `sim fleet`: what clocks and commits do to the order of ids, and to readers who page by it.

mod check;
pub mod scenario;
mod sweep;
mod table;
mod timeline;

use crate::args::{self, usage};
use crate::recorder::{self, OutputArgs, Recorder};
use crate::writers::{Defaults, FleetArgs, explain, fleet_parameters};
use anyhow::{Context, Result};
use idlab::chart;
use idlab::clock::{self, CLOCK_FORMS, CLOCK_KEYS, NS_PER_MS, NS_PER_S};
use idlab::fleet::{Clocks, FleetError, Latency};
use idlab::measure::{self, CheckFleet, FleetPlan, IdsOf, MeasureFleet, ReaderKind, Rows};
use idlab::record::{Parameters, Row};
use idlab::scheme::{self, Rollback, Spec};
use rayon::prelude::*;
use std::num::NonZeroU32;
use sweep::SweepArg;
use table::seconds;

/// What clocks and commits do to the order of ids, and to readers who page by it
///
/// Writers with imperfect clocks mint ids at random times; rows are seen when they are committed, not when their ids are minted. A reader who
/// asks for `id > last_seen` never gets a row that is committed after a larger id was read. A lag window makes it wait for late rows: it
/// reads only rows whose id (or `created_at`, where ids say no time) is at least the lag old.
#[derive(clap::Args)]
#[command(after_help = after_help())]
pub struct Args {
    /// Schemes, with parameters
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value_ifs = sweep::SCHEMES, default_value = DEFAULT_SCHEMES, value_parser = args::item)]
    scheme: Vec<String>,
    /// Simulated time in which ids are asked for; of a sweep: besides its step or pause [sweeps: 30s skew, 2s step, 1min pause]
    #[arg(long = "for", value_name = "TIME", default_value_ifs = sweep::LENGTHS, default_value = "10min", allow_hyphen_values = true, value_parser = args::duration_ns)]
    length: u64,
    /// Makes one thing worse and worse instead of one run a scheme
    #[arg(long, value_enum, conflicts_with_all = ["poll", "lag", "reader", "page", "timeline"])]
    sweep: Option<SweepArg>,
    /// Runs of each scheme, or of each size of a sweep, with the seeds from --seed on: means, between least and most [default: 1; sweeps: 5]
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = args::positive, conflicts_with = "timeline")]
    replicas: Option<u64>,
    /// Draws one minute row by row too: from so long after the start, or around the first step back, stop or refusal
    #[arg(long, value_name = "TIME", num_args = 0..=1, default_missing_value = "", value_parser = timeline::from)]
    timeline: Option<timeline::From>,
    #[command(flatten)]
    fleet: FleetArgs,
    /// Time between two polls; 0: a reader who never rests
    #[arg(long, value_name = "TIME", default_value = "1s", allow_hyphen_values = true, value_parser = args::duration_ns, help_heading = "Readers")]
    poll: u64,
    /// Lag windows, one reader each; 0: none [default: 0,10ms,100ms,1s,2s,10s, as far as they are shorter than the run]
    #[arg(long, value_name = "LIST", value_delimiter = ',', allow_hyphen_values = true, value_parser = args::duration_ns, help_heading = "Readers")]
    lag: Vec<u64>,
    /// Readers of other kinds: `cursor[:LAG]`, `tuple[:LAG]`, `vector[:LAG]`, `overlap:TIME`, `gap:TIMEOUT`, `xmin` (see `sim list readers`)
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = args::item, help_heading = "Readers")]
    reader: Vec<String>,
    /// Most rows that a poll of these returns [default: all there are]
    #[arg(long, value_name = "ROWS", allow_hyphen_values = true, value_parser = args::positive, help_heading = "Readers")]
    page: Option<u64>,
    #[command(flatten)]
    check: check::CheckArgs,
    /// Something that happened to others, run again, instead of a fleet of your own (see `sim list scenarios`), or all; exit code 1 if it comes out otherwise
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = args::item, help_heading = "Scenarios", conflicts_with_all = ["scheme", "length", "poll", "lag", "reader", "page", "replicas", "check", "sweep", "timeline"])]
    scenario: Vec<String>,
    #[command(flatten)]
    output: OutputArgs,
}

const DEFAULT_SCHEMES: &str = "auto_increment,ticket_block,snowflake,uuid_v4,uuid_v7,ksuid";

const EXAMPLES: &str = "Examples:
  sim fleet
  sim fleet --scheme snowflake,uuid_v7,ksuid,auto_increment --clock wan_pool --commit heavy --poll 1s --lag 0,2s,10s
  sim fleet --clock cron_sync --for 24h --rate 100 --rollback refuse,wait:5ms,hold,borrow,ignore
  sim fleet --scheme auto_increment,snowflake --reader overlap:2s,gap:3s,xmin,vector,tuple
  sim fleet --clock lan_chrony,at=60s:-1s --rollback refuse,wait,hold,ignore --scheme snowflake --timeline
  sim fleet --sweep skew
  sim fleet --sweep step --rollback refuse,hold
  sim fleet --sweep pause --leases ttl=15s,renew=5s
  sim fleet --leases ttl=30s,renew=10s --faults partitions,pauses,restarts
  sim fleet --clock ideal --commit exponential:10ms --poll 0
  sim fleet --scheme auto_increment:rtt_us=2000,ticket_block:size=50:prefetch=20:rtt_us=2000,odd_even:lag=100,stride
  sim fleet --clock lan_chrony,at=60s:-1s
  sim fleet --clock offset=laplace:150us,drift=normal:1ppm,correct=slew:64s,step=1/h:-2s
  sim fleet --clock-log /var/log/chrony/tracking.log
  sim fleet --check
  sim fleet --check faults --schedules 10k
  sim fleet --check planted --among 1G
  sim fleet --scenario leap_second";

/// The keys of --clock, then examples.
fn after_help() -> String {
    let keys = CLOCK_KEYS
        .iter()
        .map(|(key, form, about)| format!("  {key}={form}\n      {about}\n"));
    let keys: String = keys.collect();
    format!("Keys of --clock:\n{keys}{CLOCK_FORMS}\n\n{EXAMPLES}")
}

/// The clocks unless told otherwise.
const DEFAULT_CLOCK: &str = "lan_chrony";

/// Lag windows unless told otherwise.
const DEFAULT_LAGS_NS: [u64; 6] = [
    0,
    10 * NS_PER_MS,
    100 * NS_PER_MS,
    NS_PER_S,
    2 * NS_PER_S,
    10 * NS_PER_S,
];

/// Rows of a run are kept until it is measured.
const MOST_ROWS: u128 = 100_000_000;

/// Runs of a scheme.
const MOST_REPLICAS: u64 = 1000;

/// Bytes that a row takes, sorting included.
const ROW_BYTES: u64 = 100;

/// A scheme with what its writers do when their clocks go back.
struct Case {
    spec: Spec,
    plan: FleetPlan,
    /// The rollback, if one was asked for; `own`: the scheme's.
    label: Option<String>,
}

pub fn run(args: Args) -> Result<()> {
    args.check.refuse_without_check()?;
    if let Some(what) = args.check.check {
        return check::run(what, &args.check, &args.output);
    }
    if !args.scenario.is_empty() {
        args.fleet.refuse_for("--scenario")?;
        return scenario::run(&args.scenario, &args.output);
    }
    if let Some(kind) = args.sweep {
        return sweep::run(&args, kind);
    }
    let plan = plan(&args, args.output.seed)?;
    args::distinct("--scheme", &args.scheme)?;
    let rows = u128::from(plan.spec.rate) * u128::from(args.length) / u128::from(NS_PER_S);
    let found = format!("--rate {} for {}", plan.spec.rate, seconds(args.length));
    if rows == 0 {
        return Err(usage(format!(
            "{found}: expected at least one row; raise --rate or --for"
        )));
    }
    if rows > MOST_ROWS {
        return Err(usage(format!(
            "{found} are {rows} rows, expected at most {MOST_ROWS}: lower --rate or --for"
        )));
    }
    let cases = cases(&args, &plan)?;
    let bytes = rows as u64 * ROW_BYTES;
    let what = format!("a run of {rows} rows");
    let replicas = args.replicas.unwrap_or(1);
    let tasks: Vec<(&Case, u64)> = cases
        .iter()
        .flat_map(|case| (0..replicas).map(move |replica| (case, replica)))
        .collect();
    let threads = recorder::threads(&args.output, tasks.len(), bytes, &what)?;
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()?;
    let from_ns = pool.install(|| timeline::from_ns(args.timeline, &plan, &cases))?;
    let mut params = parameters(&args, &plan);
    params.extend(from_ns.map(|ns| ("timeline_ns".to_owned(), ns.into())));
    let mut recorder = Recorder::start("fleet", &args.output, params)?;
    let digest = recorder.digest().to_owned();
    let one = |&(case, replica): &(&Case, u64)| -> Result<Vec<Row>> {
        let mut plan = case.plan.clone();
        if replica > 0 {
            let seed = args.output.seed.wrapping_add(replica);
            let other = self::plan(&args, seed)?.spec;
            plan.spec.seed = seed;
            plan.spec.conduct.faults = other.conduct.faults;
        }
        let label = case.label.iter();
        let params = label.map(|label| ("rollback".to_owned(), label.clone().into()));
        let mut rows = Rows::new(&digest, &case.spec.to_string(), "", params.collect());
        let measure = MeasureFleet {
            plan: &plan,
            rows: &mut rows,
        };
        scheme::visit_keys(&case.spec, measure)?.with_context(|| case.spec.to_string())?;
        timeline::measure(case, from_ns, &mut rows)?;
        Ok(rows.into_rows())
    };
    let found: Result<Vec<_>> = pool.install(|| tasks.par_iter().map(one).collect());
    let mut found = found?.into_iter();
    for _ in &cases {
        let runs: Vec<_> = found.by_ref().take(replicas as usize).collect();
        recorder.add(measure::replicas(runs), None);
    }
    recorder.finish(chart::fleet, table::table)
}

/// Every scheme with every rollback that it can follow; once with its own rule if there is none.
fn cases(args: &Args, plan: &FleetPlan) -> Result<Vec<Case>> {
    let rollbacks = args.fleet.rollbacks()?;
    let mut cases = Vec::new();
    for text in &args.scheme {
        let spec: Spec = text.parse().map_err(usage)?;
        let mut try_rollback = |rollback: Option<Rollback>, label| -> Result<bool> {
            let mut plan = plan.clone();
            plan.spec.conduct.rollback = rollback;
            plan.spec.conduct.refuse = true;
            match scheme::visit_keys(&spec, CheckFleet(&plan)).map_err(usage)? {
                Err(FleetError::Rollback(_)) => return Ok(false),
                result => result.map_err(explain)?,
            }
            let spec = spec.clone();
            cases.push(Case { spec, plan, label });
            Ok(true)
        };
        let mut followed = false;
        for rollback in &rollbacks {
            followed |= try_rollback(Some(*rollback), Some(rollback.to_string()))?;
        }
        if !followed {
            let label = (!rollbacks.is_empty()).then(|| "own".to_owned());
            try_rollback(None, label)?;
        }
    }
    let mut ids = Vec::new();
    for case in &cases {
        ids.push(scheme::visit_keys(&case.spec, IdsOf).map_err(usage)?);
    }
    let gap = plan.readers.iter().find(|reader| reader.needs_dense());
    if let Some(reader) = gap
        && !ids.iter().any(|ids| ids.dense)
    {
        return Err(usage(format!(
            "--reader {reader}: none of the schemes is a sequence without holes; add one, such as auto_increment"
        )));
    }
    if args.timeline.is_some() && !ids.iter().any(|ids| ids.timed) {
        return Err(usage(
            "--timeline: none of the schemes says a time; add one, such as snowflake",
        ));
    }
    Ok(cases)
}

fn plan(args: &Args, seed: u64) -> Result<FleetPlan> {
    if args.replicas > Some(MOST_REPLICAS) {
        return Err(usage(format!(
            "--replicas: expected at most {MOST_REPLICAS}"
        )));
    }
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
    let lags_ns = match &*args.lag {
        [] => {
            let short = |lag: &&u64| **lag <= args.length;
            DEFAULT_LAGS_NS.iter().filter(short).copied().collect()
        }
        given => given.to_vec(),
    };
    let defaults = Defaults {
        rate: 1000,
        clocks: Clocks::Model(clock::clock(DEFAULT_CLOCK)?),
        latency: Latency::Light,
    };
    Ok(FleetPlan {
        spec: args.fleet.spec_or(seed, defaults, args.length)?,
        length_ns: args.length,
        poll_ns: args.poll,
        lags_ns,
        readers: readers(args)?,
        page_rows: match args.page.map(u32::try_from) {
            None => None,
            Some(Ok(rows)) => NonZeroU32::new(rows),
            Some(Err(_)) => return Err(usage("--page: expected less than 4G rows")),
        },
    })
}

fn readers(args: &Args) -> Result<Vec<ReaderKind>> {
    args::distinct("--reader", &args.reader)?;
    if args.page.is_some() && args.reader.is_empty() {
        return Err(usage("--page: give the --reader that asks for pages"));
    }
    let kinds = args.reader.iter().map(|text| {
        let kind: ReaderKind = text
            .parse()
            .map_err(|error| usage(format!("--reader: {error}")))?;
        match kind.window_ns() {
            Some(ns) if ns > args.length => Err(usage(format!(
                "--reader {text}: expected at most the run's {}; give a longer --for",
                seconds(args.length)
            ))),
            _ => Ok(kind),
        }
    });
    kinds.collect()
}

fn parameters(args: &Args, plan: &FleetPlan) -> Parameters {
    let mut params = Parameters::from([
        ("scheme".to_owned(), args.scheme.clone().into()),
        ("for_ns".to_owned(), args.length.into()),
        ("poll_ns".to_owned(), args.poll.into()),
        ("lag_ns".to_owned(), plan.lags_ns.clone().into()),
    ]);
    if let Some(replicas) = args.replicas {
        params.insert("replicas".to_owned(), replicas.into());
    }
    if !args.reader.is_empty() {
        params.insert("reader".to_owned(), args.reader.clone().into());
    }
    if let Some(faults) = &args.fleet.faults {
        params.insert("faults".to_owned(), faults.clone().into());
    }
    if let Some(rows) = args.page {
        params.insert("page_rows".to_owned(), rows.into());
    }
    fleet_parameters(&plan.spec, &mut params);
    // As typed: the name of a preset says more than its keys.
    if let (Clocks::Model(_), true) = (&plan.spec.clocks, args.fleet.clock_log.is_empty()) {
        let typed = args.fleet.clock.as_deref().unwrap_or(DEFAULT_CLOCK);
        params.insert("clock".to_owned(), typed.into());
    }
    if !args.fleet.rollback.is_empty() {
        params.insert("rollback".to_owned(), args.fleet.rollback.clone().into());
    }
    params
}
