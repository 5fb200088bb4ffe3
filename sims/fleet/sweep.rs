//! Sweeps of `sim fleet`: skews, steps and pauses, each on a ladder of sizes.

use super::{Args, DEFAULT_SCHEMES};
use crate::args::{self, usage};
use crate::recorder::{self, Recorder};
use crate::report;
use crate::writers::{Defaults, explain, fleet_parameters};
use anyhow::{Context, Result};
use clap::ValueEnum;
use idlab::chart;
use idlab::clock::{self, NS_PER_MS, NS_PER_S};
use idlab::duration;
use idlab::fleet::number::{Holder, LeaseRule, NumberRule};
use idlab::fleet::{Clocks, FleetError, Latency};
use idlab::measure::{CheckFleet, FleetPlan, MeasureSweep, Rows, Sweep};
use idlab::record::{Measured, Parameters, Records, Row};
use idlab::scheme::{self, ROLLBACKS, Rollback, Scheme, Spec, Visitor};
use rayon::prelude::*;

/// What a sweep makes worse.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum SweepArg {
    /// The standard deviation of the writers' constant clock offsets, 1 us to 1 s
    Skew,
    /// One step back of each writer's clock, 1 ms to 10 s, by rollback
    Step,
    /// One pause of a writer that leases its number, 0.1 s to 2 min, by what holders do
    Pause,
}

impl SweepArg {
    fn sweep(self) -> Sweep {
        match self {
            SweepArg::Skew => Sweep::Skew,
            SweepArg::Step => Sweep::Step,
            SweepArg::Pause => Sweep::Pause,
        }
    }

    fn name(self) -> &'static str {
        match self {
            SweepArg::Skew => "skew",
            SweepArg::Step => "step",
            SweepArg::Pause => "pause",
        }
    }
}

/// Schemes where --scheme says nothing, and how long a run lasts without its step or pause.
pub(super) const STEP_SCHEMES: &str =
    "snowflake,snowflake:timestamp=39:worker=16:sequence=8:tick_ms=10";
pub(super) const PAUSE_SCHEMES: &str = "snowflake:worker=1:sequence=21";
pub(super) const LENGTHS: [(&str, &str, &str); 3] = [
    ("sweep", "skew", "30s"),
    ("sweep", "step", "2s"),
    ("sweep", "pause", "1min"),
];
pub(super) const SCHEMES: [(&str, &str, &str); 3] = [
    ("sweep", "skew", DEFAULT_SCHEMES),
    ("sweep", "step", STEP_SCHEMES),
    ("sweep", "pause", PAUSE_SCHEMES),
];

/// A scheme, and what else tells its runs from others.
struct Case {
    spec: Spec,
    params: Parameters,
    plan: FleetPlan,
}

/// Runs of each size.
const REPLICAS: u64 = 5;

pub(super) fn run(args: &Args, kind: SweepArg) -> Result<()> {
    args::distinct("--scheme", &args.scheme)?;
    let base = base(args, kind)?;
    let cases = cases(args, kind, &base)?;
    let sweep = kind.sweep();
    let ladder = sweep.ladder_ns();
    let replicas = args.replicas.unwrap_or(REPLICAS);
    let seeds = (0..replicas).map(|more| args.output.seed.wrapping_add(more));
    let tasks: Vec<(&Case, u64, u64)> = cases
        .iter()
        .flat_map(|case| ladder.iter().map(move |size_ns| (case, *size_ns)))
        .flat_map(|(case, size_ns)| seeds.clone().map(move |seed| (case, size_ns, seed)))
        .collect();
    let longest_ns = match sweep {
        Sweep::Skew => args.length,
        Sweep::Step => args.length + 2 * ladder.last().unwrap_or(&0),
        Sweep::Pause => args.length + ladder.last().unwrap_or(&0),
    };
    let rows = u128::from(base.spec.rate) * u128::from(longest_ns) / u128::from(NS_PER_S);
    let found = format!(
        "--rate {} for {}",
        base.spec.rate,
        duration::show(longest_ns)
    );
    if rows == 0 || rows > super::MOST_ROWS {
        return Err(usage(format!(
            "{found} are {rows} rows, expected 1 to {}: change --rate or --for",
            super::MOST_ROWS
        )));
    }
    let what = format!("a run of {rows} rows");
    let bytes = rows as u64 * super::ROW_BYTES;
    let threads = recorder::threads(&args.output, tasks.len(), bytes, &what)?;
    let mut recorder = Recorder::start("fleet", &args.output, parameters(args, kind, &base))?;
    let digest = recorder.digest().to_owned();
    let bar = recorder::progress(Some(tasks.len() as u64));
    let one = |&(case, size_ns, seed): &(&Case, u64, u64)| {
        let plan = sweep.plan(&case.plan, size_ns, seed);
        let measure = MeasureSweep { sweep, plan: &plan };
        let found = scheme::visit_keys(&case.spec, measure)?.with_context(|| case.spec.to_string());
        bar.inc(1);
        found
    };
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()?;
    let found: Result<Vec<_>> = pool.install(|| tasks.par_iter().map(one).collect());
    bar.finish_and_clear();
    let (found, replicas) = (found?, replicas as usize);
    for (tasks, found) in tasks.chunks(replicas).zip(found.chunks(replicas)) {
        if let Some((case, size_ns, _)) = tasks.first() {
            let scheme = case.spec.to_string();
            let mut rows = Rows::new(&digest, &scheme, "", case.params.clone());
            write(&mut rows, *size_ns, found);
            recorder.add(rows.into_rows(), None);
        }
    }
    recorder.finish(chart::fleet, table)
}

/// The mean of the replicas for each measure, between their least and most.
fn write(rows: &mut Rows, size_ns: u64, replicas: &[Vec<(&'static Measured, f64)>]) {
    for (measured, _) in replicas.first().into_iter().flatten() {
        let of = replicas.iter().flatten();
        let values = of.filter(|(known, _)| known.name == measured.name);
        let values: Vec<f64> = values.map(|(_, value)| *value).collect();
        rows.sample(measured, size_ns, &values);
    }
}

/// The fleet that is made worse.
fn base(args: &Args, kind: SweepArg) -> Result<FleetPlan> {
    if args.length == 0 {
        return Err(usage("--for 0: expected some time, such as 10s"));
    }
    let mut fleet = args.fleet.clone();
    let of_clock = [
        ("--clock", fleet.clock.is_some()),
        ("--clock-sd", fleet.clock_sd.is_some()),
        ("--clock-log", !fleet.clock_log.is_empty()),
    ];
    let ignored = [
        (
            "--rollback",
            kind == SweepArg::Skew && !fleet.rollback.is_empty(),
        ),
        ("--memory", fleet.memory.is_some()),
        ("--delay", kind != SweepArg::Skew && fleet.delay.is_some()),
        ("--commit", kind != SweepArg::Skew && fleet.commit.is_some()),
    ];
    if let Some((flag, _)) = ignored.iter().find(|(_, given)| *given) {
        return Err(usage(format!("{flag}: says nothing to this --sweep")));
    }
    if kind == SweepArg::Skew
        && let Some((flag, _)) = of_clock.iter().find(|(_, given)| *given)
    {
        return Err(usage(format!(
            "{flag}: --sweep skew sets the clocks itself"
        )));
    }
    if kind != SweepArg::Step && fleet.rollback.len() > 1 {
        return Err(usage(
            "--rollback: expected one; several at once are for --sweep step",
        ));
    }
    if kind == SweepArg::Pause && fleet.numbers.is_some() {
        return Err(usage("--numbers: --sweep pause has --leases instead"));
    }
    let (writers, rate, clocks) = match kind {
        SweepArg::Skew => (16, 1000, Clocks::Offset { sd_ns: 0 }),
        SweepArg::Step => (2, 2000, Clocks::Offset { sd_ns: 0 }),
        SweepArg::Pause => (3, 1000, Clocks::Model(clock::clock("lan_chrony")?)),
    };
    fleet.writers.get_or_insert(writers);
    let defaults = Defaults {
        rate,
        clocks,
        latency: Latency::None,
    };
    let mut spec = fleet.spec_or(args.output.seed, defaults, args.length)?;
    spec.conduct.refuse = true;
    if kind == SweepArg::Pause && fleet.leases.is_none() {
        spec.conduct.numbers = NumberRule::Lease(LeaseRule::default());
    }
    Ok(FleetPlan {
        spec,
        length_ns: args.length,
        poll_ns: 0,
        lags_ns: Vec::new(),
        readers: Vec::new(),
        page_rows: None,
    })
}

/// How many worker numbers a scheme has, if it has any.
struct Room;

impl Visitor for Room {
    type Output = Option<u64>;

    fn visit<S: Scheme>(self, scheme: S) -> Option<u64> {
        scheme.limits().writers
    }
}

/// Every scheme, with every rollback that it can follow or every kind of holder.
fn cases(args: &Args, kind: SweepArg, base: &FleetPlan) -> Result<Vec<Case>> {
    let specs: Result<Vec<Spec>> = args
        .scheme
        .iter()
        .map(|text| text.parse().map_err(usage))
        .collect();
    let mut variants: Vec<(Parameters, FleetPlan)> = Vec::new();
    let mut add = |name: &str, value: String, plan: FleetPlan| {
        let params = Parameters::from([(name.to_owned(), value.into())]);
        variants.push((params, plan));
    };
    match (kind, &base.spec.conduct.numbers) {
        (SweepArg::Step, _) => {
            for rollback in rollbacks(args)? {
                let mut plan = base.clone();
                plan.spec.conduct.rollback = Some(rollback);
                add("rollback", rollback.to_string(), plan);
            }
        }
        (SweepArg::Pause, NumberRule::Lease(rule)) => {
            let holders = [
                Holder::Background {
                    notice_ns: 500 * NS_PER_MS,
                },
                Holder::OwnClock {
                    guard_ns: 100 * NS_PER_MS,
                },
                Holder::KeyTime,
            ];
            for holder in holders {
                let given = std::mem::discriminant(&holder) == std::mem::discriminant(&rule.holder);
                let holder = if given { rule.holder } else { holder };
                let mut plan = base.clone();
                plan.spec.conduct.numbers = NumberRule::Lease(LeaseRule {
                    holder,
                    ..rule.clone()
                });
                add("holder", name(holder).to_owned(), plan);
            }
        }
        _ => variants.push((Parameters::new(), base.clone())),
    }
    let mut cases = Vec::new();
    for spec in specs? {
        if kind == SweepArg::Pause {
            let writers = u64::from(base.spec.writers);
            match scheme::visit_keys(&spec, Room).map_err(usage)? {
                Some(room) if room < writers => {}
                room => {
                    let room = room.map_or("no".to_owned(), |room| room.to_string());
                    return Err(usage(format!(
                        "{spec} has {room} worker numbers: --sweep pause needs some, but fewer than {writers} writers, so that a lost one is taken over; \
                         give it fewer bits, such as {PAUSE_SCHEMES}, or use more --writers"
                    )));
                }
            }
        }
        let before = cases.len();
        for (params, plan) in &variants {
            match scheme::visit_keys(&spec, CheckFleet(plan)).map_err(usage)? {
                Err(FleetError::Rollback(_)) if kind == SweepArg::Step => continue,
                result => result.map_err(explain)?,
            }
            cases.push(Case {
                spec: spec.clone(),
                params: params.clone(),
                plan: plan.clone(),
            });
        }
        if cases.len() == before {
            return Err(usage(format!(
                "{spec}: it can follow none of the rollbacks"
            )));
        }
    }
    Ok(cases)
}

fn name(holder: Holder) -> &'static str {
    match holder {
        Holder::Background { .. } => "background",
        Holder::OwnClock { .. } => "own_clock",
        Holder::KeyTime => "key_time",
    }
}

/// Those asked for; all there are if none is.
fn rollbacks(args: &Args) -> Result<Vec<Rollback>> {
    let given = args.fleet.rollbacks()?;
    if !given.is_empty() {
        return Ok(given);
    }
    let names = ROLLBACKS
        .iter()
        .filter_map(|(form, _)| form.split('[').next());
    names.map(|name| name.parse().map_err(usage)).collect()
}

fn parameters(args: &Args, kind: SweepArg, base: &FleetPlan) -> Parameters {
    let mut params = Parameters::from([
        ("sweep".to_owned(), kind.name().into()),
        ("scheme".to_owned(), args.scheme.clone().into()),
        ("for_ns".to_owned(), args.length.into()),
        (
            "replicas".to_owned(),
            args.replicas.unwrap_or(REPLICAS).into(),
        ),
    ]);
    if let Some(faults) = &args.fleet.faults {
        params.insert("faults".to_owned(), faults.clone().into());
    }
    fleet_parameters(&base.spec, &mut params);
    match (kind, &base.spec.conduct.numbers) {
        (SweepArg::Skew, _) => {
            params.remove("clock_sd_ns");
        }
        (SweepArg::Pause, NumberRule::Lease(rule)) => {
            params.insert("ttl_ns".to_owned(), rule.ttl_ns.into());
        }
        _ => {}
    }
    if !args.fleet.rollback.is_empty() {
        params.insert("rollback".to_owned(), args.fleet.rollback.clone().into());
    }
    params
}

/// A table a measure: a line a scheme and rollback or holder, a column a size.
fn table(records: &Records) -> String {
    let mut sizes: Vec<u64> = records
        .rows
        .iter()
        .filter_map(|row| Some(row.x?.as_f64() as u64))
        .collect();
    sizes.sort_unstable();
    sizes.dedup();
    if sizes.len() > 13 {
        sizes.retain(|size| size.to_string().trim_end_matches('0') == "1");
    }
    let mut measures: Vec<(&str, &str)> = Vec::new();
    for row in &records.rows {
        let measure = (&*row.measure, &*row.unit);
        if !measures.contains(&measure) {
            measures.push(measure);
        }
    }
    let tables = measures.iter().map(|(measure, unit)| {
        let rows = records.rows.iter().filter(|row| row.measure == *measure);
        lines(&format!("{measure}, {unit}"), &sizes, rows.collect())
    });
    let tables: Vec<String> = tables.collect();
    let replicas = records.rows.first().map_or(1, |row| row.samples);
    let runs = report::plural(replicas, "run");
    let swept = records
        .run
        .params
        .get("sweep")
        .and_then(|kind| kind.as_str());
    let columns = match swept {
        Some("skew") => "standard deviation of the writers' clock offsets",
        Some("step") => "size of the step back; lines are rollbacks, numbers those of one step",
        Some("pause") => "length of the pause; lines are what holders of leases do",
        _ => "what is swept",
    };
    format!(
        "{}\n\nColumns: {columns}. Means of {runs} of each; the records have the least and the most.",
        tables.join("\n\n")
    )
}

fn lines(title: &str, sizes: &[u64], rows: Vec<&Row>) -> String {
    let label = |row: &Row| {
        let of = |name: &str| row.params.get(name).and_then(|value| value.as_str());
        let more = of("rollback").or(of("holder")).unwrap_or_default();
        (row.scheme.clone(), more.to_owned())
    };
    let mut series: Vec<(String, String)> = Vec::new();
    for row in &rows {
        if !series.contains(&label(row)) {
            series.push(label(row));
        }
    }
    let mut headings = vec![title.to_owned(), String::new()];
    headings.extend(sizes.iter().map(|size| duration::show(*size)));
    let headings: Vec<&str> = headings.iter().map(String::as_str).collect();
    let cells = series.into_iter().map(|series| {
        let value = |size: &u64| {
            let at = |row: &&&Row| {
                label(row) == series && row.x.is_some_and(|x| x.as_f64() as u64 == *size)
            };
            let value = rows.iter().find(at).map(|row| row.value.as_f64());
            value.map_or_else(|| "-".to_owned(), short)
        };
        let values: Vec<String> = sizes.iter().map(value).collect();
        [series.0, series.1].into_iter().chain(values).collect()
    });
    report::table(&headings, cells)
}

/// Three digits or all before the point.
fn short(value: f64) -> String {
    match value {
        0.0 => "0".to_owned(),
        large if large >= 100.0 => report::whole(large),
        middle if middle >= 0.1 => report::two(middle),
        small => report::four(small),
    }
}
