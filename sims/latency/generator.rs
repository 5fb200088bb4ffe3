//! Generators that are asked at fixed times.

use super::ClockKind;
use crate::args::usage;
use anyhow::{Result, anyhow};
use hdrhistogram::Histogram;
use idlab::clock::{CachedClock, Clock, Counter, SystemClock};
use idlab::duration;
use idlab::random::{Cipher, Secure};
use idlab::scheme::{self, Scheme, Spec, Visitor};
use indicatif::ProgressBar;
use std::hint::{black_box, spin_loop};
use std::sync::Barrier;
use std::thread::{self, ScopedJoinHandle};

/// What is asked of whom.
#[derive(Clone, Copy)]
pub struct Plan<'a> {
    /// How many generators.
    pub generators: usize,
    /// Ids each is asked for...
    pub calls: u64,
    /// ...so many a second.
    pub rate: u64,
    /// What they read the time from.
    pub clock: ClockKind,
    /// What the calls are timed by.
    pub counter: &'a quanta::Clock,
    /// What that takes itself.
    pub overhead_ns: u64,
    /// Told of calls that are done.
    pub bar: &'a ProgressBar,
}

/// Longest stall that is waited out.
const PATIENCE_NS: u64 = 1_000_000_000;

/// What generators took.
pub struct Tally {
    /// Times of calls.
    pub service: Histogram<u64>,
    /// Times from when an id was due to when it was there.
    pub response: Histogram<u64>,
    /// Calls that could not be answered at once.
    pub stalls: u64,
    /// Their times together.
    pub stalled_ns: u64,
    /// From when until when ids were made, in nanoseconds of the run.
    span_ns: (u64, u64),
}

impl Tally {
    fn new() -> Self {
        let hour_ns = 3_600 * 1_000_000_000;
        let histogram =
            || Histogram::new_with_bounds(1, hour_ns, 3).expect("three digits of up to an hour");
        Self {
            service: histogram(),
            response: histogram(),
            stalls: 0,
            stalled_ns: 0,
            span_ns: (u64::MAX, 0),
        }
    }

    /// Ids a second of all generators.
    pub fn ids_per_second(&self) -> u64 {
        let (first_ns, last_ns) = self.span_ns;
        let length_ns = last_ns.saturating_sub(first_ns).max(1);
        (self.service.len() as f64 * 1e9 / length_ns as f64) as u64
    }

    fn add(&mut self, other: &Self) {
        for (mine, others) in [
            (&mut self.service, &other.service),
            (&mut self.response, &other.response),
        ] {
            mine.add(others).expect("the bounds are the same");
        }
        self.stalls += other.stalls;
        self.stalled_ns += other.stalled_ns;
        self.span_ns.0 = self.span_ns.0.min(other.span_ns.0);
        self.span_ns.1 = self.span_ns.1.max(other.span_ns.1);
    }
}

/// The least time between two readings of `counter`.
pub fn overhead_ns(counter: &quanta::Clock) -> u64 {
    let pair = || {
        let first = counter.count();
        counter.elapsed_ns(first, counter.count())
    };
    (0..100_000).map(|_| pair()).min().unwrap_or_default()
}

/// Asks the generators of `plan`, each on a thread of its own.
///
/// # Errors
/// The scheme has not as many numbers, no randomness, or no id at this machine's time.
pub fn run(spec: &Spec, plan: Plan) -> Result<Tally> {
    let start = &Barrier::new(plan.generators);
    let origin = plan.counter.count();
    let tallies: Vec<Result<Tally>> = thread::scope(|scope| {
        let threads: Vec<_> = (0..plan.generators)
            .map(|number| {
                let one = One {
                    plan,
                    number: number as u32,
                    start,
                    origin,
                };
                scope.spawn(move || scheme::visit_inlined(spec, one).map_err(usage)?)
            })
            .collect();
        let join = |thread: ScopedJoinHandle<'_, Result<Tally>>| {
            let ended = Err(anyhow!("the thread of a generator ended"));
            thread.join().unwrap_or(ended)
        };
        threads.into_iter().map(join).collect()
    });
    let mut all = Tally::new();
    for tally in tallies {
        all.add(&tally?);
    }
    Ok(all)
}

/// One generator.
struct One<'a> {
    plan: Plan<'a>,
    number: u32,
    start: &'a Barrier,
    /// Count of the timer before the run.
    origin: u64,
}

impl Visitor for One<'_> {
    type Output = Result<Tally>;

    fn visit<S: Scheme>(self, scheme: S) -> Result<Tally> {
        match self.plan.clock {
            ClockKind::Real => self.ask(scheme, &SystemClock::default()),
            ClockKind::Cached => self.ask(scheme, &CachedClock::new()),
        }
    }
}

/// Calls between two messages to the progress bar.
const CALLS_PER_MESSAGE: u64 = 1 << 16;

impl One<'_> {
    fn ask<S: Scheme>(&self, mut scheme: S, clock: &impl Clock) -> Result<Tally> {
        let Plan {
            counter,
            overhead_ns,
            calls,
            ..
        } = self.plan;
        let made = scheme.writer(self.number).map_err(usage);
        let random = Secure::new(Cipher::best());
        let mut tally = Tally::new();
        // All wait here, also one that cannot go on.
        self.start.wait();
        let (mut writer, mut random) = (made?, random?);
        let start = counter.count();
        let since_start_ns = || counter.elapsed_ns(start, counter.count());
        let start_ns = counter.elapsed_ns(self.origin, start);
        let every_ns = 1e9 / self.plan.rate as f64;
        for call in 0..calls {
            let due_ns = (call as f64 * every_ns) as u64;
            let mut begin_ns = since_start_ns();
            while begin_ns < due_ns {
                spin_loop();
                begin_ns = since_start_ns();
            }
            let mut stall = scheme
                .mint(&mut writer, clock, &mut random)
                .map(black_box)
                .err();
            let stalled = stall.is_some();
            while let Some(reason) = stall {
                match reason.wait_ns() {
                    Some(0..=PATIENCE_NS) => {}
                    Some(wait_ns) => {
                        let wait = duration::show(wait_ns);
                        return Err(anyhow!(
                            "--scheme {}: no id for another {wait}, expected at most 1s: ask for fewer with --rate or --for",
                            scheme.name()
                        ));
                    }
                    None => {
                        return Err(anyhow!(
                            "--scheme {}: {reason}; give it an epoch before now",
                            scheme.name()
                        ));
                    }
                }
                spin_loop();
                stall = scheme
                    .mint(&mut writer, clock, &mut random)
                    .map(black_box)
                    .err();
            }
            let end_ns = since_start_ns();
            let taken = |from_ns: u64| (end_ns - from_ns).saturating_sub(overhead_ns);
            tally.service.saturating_record(taken(begin_ns));
            tally.response.saturating_record(taken(due_ns));
            if stalled {
                tally.stalls += 1;
                tally.stalled_ns += taken(begin_ns);
            }
            if (call + 1) % CALLS_PER_MESSAGE == 0 {
                self.plan.bar.inc(CALLS_PER_MESSAGE);
            }
        }
        self.plan.bar.inc(calls % CALLS_PER_MESSAGE);
        tally.span_ns = (start_ns, start_ns + since_start_ns());
        Ok(tally)
    }
}
