//! `cargo bench --bench sidecar`: what an id costs inside the program, and from a sidecar: over
//! a Unix socket, over loopback TCP, over loopback HTTP; one at a time and 100 at a time.
//!
//! The sidecar is a thread of this process with a generator of its own, and every connection
//! stays open. Criterion times each way for people; then all ways take turns, and each round
//! trip goes into a histogram. A whole run writes to `results/`, one of some rows or with
//! `--quick` to `target/sidecar/`; the environment's `IDLAB_OUT` names another folder.
//!
//! Not modelled: containers' networks, encryption, a sidecar that serves others too.

mod report;
mod transport;

use criterion::{Criterion, SamplingMode, Throughput};
use hdrhistogram::Histogram;
use report::Found;
use std::process::ExitCode;
use std::time::{Duration, Instant};
use transport::{Ask, TRANSPORTS};

/// The sizes of a batch.
const BATCHES: [usize; 2] = [1, 100];
/// Samples behind one number of criterion's.
const SAMPLES: usize = 10;
/// A row's share of a turn.
const TURN: Duration = Duration::from_millis(50);

/// How much is done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// Everything.
    Full,
    /// Everything for a short time.
    Quick,
    /// Each row runs once: nothing is reported.
    Test,
}

impl Mode {
    fn new() -> Self {
        let asked = |flag| std::env::args().any(|arg| arg == flag);
        let no_bench = ["--test", "--list", "--profile-time"]
            .into_iter()
            .any(asked);
        if no_bench || !asked("--bench") {
            Mode::Test
        } else if asked("--quick") {
            Mode::Quick
        } else {
            Mode::Full
        }
    }

    /// Turns of each row.
    fn turns(self) -> usize {
        match self {
            Mode::Full => 40,
            Mode::Quick => 4,
            Mode::Test => 0,
        }
    }
}

/// Ids as they arrive: each greater than the one before, so none comes twice.
#[derive(Default)]
struct Watch {
    last: u64,
    ids: u64,
}

impl Watch {
    #[inline]
    fn see(&mut self, ids: &[u64]) {
        for &id in ids {
            self.ids += u64::from(id > self.last);
            self.last = id;
        }
    }
}

/// A way to ids, and how many are asked for at a time.
struct Row {
    transport: &'static str,
    batch: usize,
    source: Box<dyn Ask>,
    watch: Watch,
    /// Ids asked for.
    asked: u64,
}

impl Row {
    /// One round trip.
    #[inline]
    fn trip(&mut self, ids: &mut [u64; 100]) {
        let ids = &mut ids[..self.batch];
        self.source.ask(ids);
        self.asked += ids.len() as u64;
        self.watch.see(ids);
    }

    /// # Panics
    /// If an id was no greater than the one before.
    fn check(&self) {
        assert_eq!(
            self.watch.ids, self.asked,
            "{}: ids do not ascend",
            self.transport
        );
    }

    fn id(&self) -> String {
        match self.batch {
            1 => self.transport.to_owned(),
            batch => format!("{}, {batch} at a time", self.transport),
        }
    }
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if let Some(at) = args.iter().position(|arg| arg == report::FLAG) {
        return report::print(args.get(at + 1).map_or("", String::as_str));
    }
    let start = Instant::now();
    let mode = Mode::new();
    let mut found = bench(mode);
    if mode == Mode::Test {
        return ExitCode::SUCCESS;
    }
    let whole = mode == Mode::Full && found.len() == TRANSPORTS.len() * BATCHES.len();
    measure(&mut found, mode);
    match report::report(&found, mode, start, &report::folder(whole)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Has criterion time the rows that it was asked for.
fn bench(mode: Mode) -> Vec<Found> {
    let mut criterion = Criterion::default().configure_from_args();
    let mut group = criterion.benchmark_group("sidecar");
    group
        .sampling_mode(SamplingMode::Flat)
        .sample_size(SAMPLES)
        .nresamples(10_000)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(match mode {
            Mode::Full => 2000,
            _ => 100,
        }));
    let mut found = Vec::new();
    for &(transport, open) in TRANSPORTS {
        for batch in BATCHES {
            let mut row = Row {
                transport,
                batch,
                source: open(),
                watch: Watch::default(),
                asked: 0,
            };
            let mut times = Vec::new();
            group.throughput(Throughput::Elements(batch as u64));
            group.bench_function(row.id(), |bench| {
                bench.iter_custom(|trips| {
                    let mut ids = [0; 100];
                    let start = Instant::now();
                    for _ in 0..trips {
                        row.trip(&mut ids);
                    }
                    let time = start.elapsed();
                    row.check();
                    times.push(time.as_nanos() as f64 / (trips * batch as u64) as f64);
                    time
                });
            });
            if !times.is_empty() {
                // Those before the last ones were to warm up.
                let samples = times.split_off(times.len().saturating_sub(SAMPLES));
                found.push(Found::new(row, samples));
            }
        }
    }
    group.finish();
    criterion.final_summary();
    found
}

/// Lets rows take turns, each round trip timed for itself.
fn measure(found: &mut [Found], mode: Mode) {
    eprintln!("{} rows in turns ...", found.len());
    let mut ids = [0; 100];
    for _ in 0..mode.turns() {
        for Found { row, trips_ns, .. } in found.iter_mut() {
            let turn = Instant::now();
            while turn.elapsed() < TURN {
                let start = Instant::now();
                row.trip(&mut ids);
                trips_ns.saturating_record(start.elapsed().as_nanos() as u64);
            }
            row.check();
        }
    }
}

/// Times of up to an hour, to three digits.
fn histogram() -> Histogram<u64> {
    Histogram::new_with_bounds(1, 3_600_000_000_000, 3).expect("three digits of up to an hour")
}
