//! `sim latency`: what one call of a generator costs, up to its worst.

mod generator;

use crate::args::{self, usage};
use crate::recorder::{self, OutputArgs, Recorder};
use crate::report;
use anyhow::Result;
use clap::ValueEnum;
use generator::{Plan, Tally};
use idlab::chart;
use idlab::clock::{CachedClock, Clock, SystemClock};
use idlab::duration;
use idlab::measure::{
    CLOCK_ERROR, IDS_PER_SECOND, RESPONSE, Rows, SERVICE, STALLED, STALLS, TIMER_OVERHEAD,
};
use idlab::record::{Number, Parameters, Records};
use idlab::scheme::{self, SCHEMES, Spec};
use std::collections::BTreeMap;
use std::time::Duration;

/// Latency of generators on this machine, call by call, up to the worst
///
/// Each generator has a thread and is asked for an id at fixed times, --rate a second. Service time is that of the call alone;
/// response time counts from when the id was due, so that a call which had to wait for a slow one before it says so (no coordinated omission).
/// A generator that cannot issue yet (sequence used up, clock back) is asked until it can: that is a stall, and part of the call.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  sim latency\n  sim latency --scheme all --generators 1\n  sim latency --scheme snowflake --rate 5M               # more than 4,096 ids a millisecond\n  sim latency --scheme uuid_v7,ulid:tail=monotonic --clock cached --generators 1,2"
)]
pub struct Args {
    /// Schemes, with parameters; all: each one, without
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = args::USUAL_SCHEMES, value_parser = args::item)]
    scheme: Vec<String>,
    /// Generators at a time, each on a thread of its own
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "1,2,4", value_parser = args::threads)]
    generators: Vec<usize>,
    /// Ids a second that each is asked for
    #[arg(long, value_name = "N", default_value = "1M", value_parser = args::rate)]
    rate: u64,
    /// How long each is asked
    #[arg(long = "for", value_name = "TIME", default_value = "1s", value_parser = args::duration_ns)]
    length_ns: u64,
    /// What they read the time from
    #[arg(long, value_enum, default_value = "real")]
    clock: ClockKind,
    #[command(flatten)]
    output: OutputArgs,
}

/// A clock of this machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum ClockKind {
    /// The real-time clock, read for each id
    Real,
    /// The real-time clock read once a millisecond, the processor's counter in between
    Cached,
}

impl ClockKind {
    fn name(self) -> &'static str {
        match self {
            Self::Real => "real",
            Self::Cached => "cached",
        }
    }
}

/// The quantiles in table and records.
const QUANTILES: [f64; 5] = [0.5, 0.9, 0.99, 0.999, 0.9999];

pub fn run(mut args: Args) -> Result<()> {
    if args.output.threads.is_some() {
        return Err(usage(
            "--threads: each generator has a thread of its own; say how many with --generators",
        ));
    }
    if args.scheme == ["all"] {
        args.scheme = SCHEMES.iter().map(|info| info.name.to_owned()).collect();
    }
    args::distinct("--scheme", &args.scheme)?;
    args::distinct("--generators", &args.generators)?;
    let calls = u128::from(args.rate) * u128::from(args.length_ns) / 1_000_000_000;
    let calls = match u64::try_from(calls) {
        Ok(calls @ 1..=1_000_000_000) => calls,
        _ => {
            return Err(usage(format!(
                "--rate {} for {} makes {calls} calls, expected 1 to 1G: change --rate or --for",
                args.rate,
                duration::show(args.length_ns)
            )));
        }
    };
    let specs: Vec<Spec> = (args.scheme.iter())
        .map(|text| text.parse().map_err(usage))
        .collect::<Result<_>>()?;
    for spec in &specs {
        scheme::visit_keys(spec, Known).map_err(usage)?;
    }
    let params = Parameters::from([
        ("scheme".to_owned(), args.scheme.clone().into()),
        ("generators".to_owned(), args.generators.clone().into()),
        ("rate_per_s".to_owned(), args.rate.into()),
        ("for_ns".to_owned(), args.length_ns.into()),
        ("calls".to_owned(), calls.into()),
        ("clock".to_owned(), args.clock.name().into()),
    ]);
    let mut recorder = Recorder::start("latency", &args.output, params)?;
    let digest = recorder.digest().to_owned();
    let counter = quanta::Clock::new();
    let overhead_ns = generator::overhead_ns(&counter);
    let mut machine = Rows::new(&digest, "", "", Parameters::new());
    machine.total(&TIMER_OVERHEAD, overhead_ns);
    if args.clock == ClockKind::Cached {
        machine.total(&CLOCK_ERROR, error_ns(Duration::from_millis(300)));
    }
    recorder.add(machine.into_rows(), None);
    let bar = recorder::progress(Some(
        calls * specs.len() as u64 * args.generators.iter().sum::<usize>() as u64,
    ));
    for (spec, &generators) in specs
        .iter()
        .flat_map(|spec| args.generators.iter().map(move |count| (spec, count)))
    {
        let plan = Plan {
            generators,
            calls,
            rate: args.rate,
            clock: args.clock,
            counter: &counter,
            overhead_ns,
            bar: &bar,
        };
        let tally = generator::run(spec, plan)?;
        let params = Parameters::from([("generators".to_owned(), generators.into())]);
        let mut rows = Rows::new(&digest, &spec.to_string(), "", params);
        write(&tally, &mut rows);
        recorder.add(rows.into_rows(), None);
    }
    bar.finish_and_clear();
    recorder.finish(chart::latency, table)
}

/// Checks that a scheme can be made.
struct Known;

impl scheme::Visitor for Known {
    type Output = ();

    fn visit<S: scheme::Scheme>(self, _: S) {}
}

fn write(tally: &Tally, rows: &mut Rows) {
    for (measured, histogram) in [(&SERVICE, &tally.service), (&RESPONSE, &tally.response)] {
        // Of fewer calls such a quantile is the worst one.
        let told = |quantile: &f64| histogram.len() as f64 * (1.0 - quantile) >= 1.0;
        for quantile in QUANTILES.into_iter().filter(told) {
            let value = histogram.value_at_quantile(quantile);
            rows.point(measured, Number::Real(quantile), value);
        }
        rows.point(measured, Number::Real(1.0), histogram.max());
    }
    rows.total(&IDS_PER_SECOND, tally.ids_per_second());
    rows.total(&STALLS, tally.stalls);
    rows.total(&STALLED, tally.stalled_ns);
}

/// How far the cached clock was seen from the real one, which was read before and after it.
fn error_ns(length: Duration) -> u64 {
    let (real, cached) = (SystemClock::default(), CachedClock::new());
    let start = std::time::Instant::now();
    let mut worst_ns = 0;
    while start.elapsed() < length {
        let (before, at, after) = (real.now().0, cached.now().0, real.now().0);
        let error_ns = before.saturating_sub(at).max(at.saturating_sub(after));
        worst_ns = worst_ns.max(error_ns);
    }
    worst_ns
}

fn table(records: &Records) -> String {
    type Key<'a> = (&'a str, u64);
    let mut lines: Vec<Key> = Vec::new();
    let mut cells: BTreeMap<(Key, &str, u64), f64> = BTreeMap::new();
    let mut notes = Vec::new();
    for row in &records.rows {
        let Some(generators) = row
            .params
            .get("generators")
            .and_then(|count| count.as_u64())
        else {
            let value = report::whole(row.value.as_f64());
            notes.push(match &*row.measure {
                "timer_overhead_ns" => {
                    format!("taken off every time: {value} ns, which the timer needs itself")
                }
                _ => format!("the cached clock was seen at most {value} ns from the real one"),
            });
            continue;
        };
        let key = (&*row.scheme, generators);
        if !lines.contains(&key) {
            lines.push(key);
        }
        let x = row.x.map_or(0.0, |x| x.as_f64());
        cells.insert((key, &*row.measure, x.to_bits()), row.value.as_f64());
    }
    let cores = u64::from(records.run.host.cores);
    if lines.iter().any(|(_, generators)| *generators > cores) {
        notes.push(format!(
            "more generators than the {cores} cores take turns: their worst times are the system's"
        ));
    }
    let rate = records
        .run
        .params
        .get("rate_per_s")
        .and_then(|rate| rate.as_f64());
    let late = |key: &Key| {
        let made = cells.get(&(*key, IDS_PER_SECOND.name, 0)).copied();
        made.zip(rate)
            .is_some_and(|(made, rate)| made < 0.95 * rate * key.1 as f64)
    };
    if lines.iter().any(late) {
        notes.push(
            "where ids/s is below the rate asked for, response times grow as long as the run lasts"
                .to_owned(),
        );
    }
    let headings = [
        "scheme",
        "gene-\nrators",
        "service\np50",
        "\np99",
        "\np99.9",
        "\np99.99",
        "\nmax",
        "response\np50",
        "\np99",
        "\np99.9",
        "\np99.99",
        "\nmax",
        "stalls",
        "stalled",
        "ids/s",
    ];
    let shown = [0.5, 0.99, 0.999, 0.9999, 1.0];
    let lines = lines.into_iter().map(|key| {
        let known =
            |measure: &'static str, x: f64| cells.get(&(key, measure, x.to_bits())).copied();
        let cell = |measure, x| known(measure, x).unwrap_or_default();
        let time = |name, quantile| known(name, quantile).map_or("-".to_owned(), report::time);
        let times = [SERVICE.name, RESPONSE.name];
        let times = times
            .into_iter()
            .flat_map(|name| shown.map(|quantile| time(name, quantile)));
        [key.0.to_owned(), key.1.to_string()]
            .into_iter()
            .chain(times)
            .chain([
                report::whole(cell(STALLS.name, 0.0)),
                report::time(cell(STALLED.name, 0.0)),
                report::whole(cell(IDS_PER_SECOND.name, 0.0)),
            ])
            .collect()
    });
    let table = report::table(&headings, lines);
    notes.insert(0, table);
    notes.join("\n")
}
