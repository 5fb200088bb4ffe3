//! Fleets: writers, each with its own clock, that issue one stream of ids.
//!
//! Ids arrive at a total rate; the writer of each reads its own clock (true
//! time plus its constant offset, or a [`ClockModel`]'s) and mints, waiting while
//! its scheme stalls; the row is inserted after a delay. The stream is in the order
//! of insertion.

mod fault;
mod latency;

pub use fault::{Fault, Trouble};
pub use latency::{LATENCIES, Latency, LatencyError};

use crate::clock::{ClockModel, ModelClock, NS_PER_S, Timestamp};
use crate::id::Id;
use crate::random;
use crate::scheme::{Limits, Scheme, Stall, Visitor, WriterError};
use crate::source::{AnySource, Source, SourceError, Stream};
use rand_chacha::ChaCha8Rng;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use thiserror::Error;

/// True time at which a simulated fleet starts: 2026-01-01T00:00:00Z.
pub const START: Timestamp = Timestamp::from_ms(1_767_225_600_000);

/// When ids are asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arrivals {
    /// At equal intervals, writers in turn.
    Steady,
    /// A Poisson process, each id from a random writer.
    Poisson,
    /// Bursts of [`BURST`] ids, 1 µs apart (closer at rates that need it), from one random writer each;
    /// exponential pauses between them keep the mean rate.
    Bursty,
}

const PS_PER_S: u64 = 1000 * NS_PER_S;

/// Ids in a burst of [`Arrivals::Bursty`].
pub const BURST: u64 = 100;

/// A fleet's parameters.
#[derive(Clone, PartialEq, Debug)]
pub struct FleetSpec {
    /// Number of writers, at least 1.
    pub writers: u32,
    /// Ids a second, all writers together, at least 1.
    pub rate: u64,
    /// When ids are asked for.
    pub arrivals: Arrivals,
    /// Standard deviation of the writers' clock offsets (normal, mean 0).
    pub clock_sd_ns: u64,
    /// Mean time from minting to insertion (exponential).
    pub delay_mean_ns: u64,
    /// The run's seed.
    pub seed: u64,
    /// True time of the first arrival.
    pub start: Timestamp,
    /// Number of the fleet within the run: arrivals, delays and ids of each are drawn apart; the clocks are the same.
    pub phase: u64,
}

/// The most rows that may be on their way from minting to insertion, on average.
pub const MAX_IN_FLIGHT_ROWS: u64 = 1_000_000;

impl FleetSpec {
    /// One writer with a perfect clock, no delay: `rate` ids a second at equal intervals.
    pub fn single(rate: u64, seed: u64) -> Self {
        Self {
            writers: 1,
            rate,
            arrivals: Arrivals::Steady,
            clock_sd_ns: 0,
            delay_mean_ns: 0,
            seed,
            start: START,
            phase: 0,
        }
    }

    /// Refuses what would pile up without bound.
    fn check(&self, scheme: &'static str, limits: &Limits) -> Result<(), FleetError> {
        let rate = self.rate;
        if let (Some(ids), Some(tick_ns)) = (limits.ids_per_tick, limits.tick_ns) {
            let a_second = ids.saturating_mul(u128::from(NS_PER_S)) / u128::from(tick_ns);
            let most = a_second.saturating_mul(self.writers.into());
            if u128::from(rate) > most {
                let (writers, most) = (self.writers, most as u64);
                return Err(FleetError::TooFast {
                    scheme,
                    writers,
                    most,
                    rate,
                });
            }
        }
        let rows = u128::from(rate) * u128::from(self.delay_mean_ns) / u128::from(NS_PER_S);
        if rows > MAX_IN_FLIGHT_ROWS.into() {
            let delay_s = self.delay_mean_ns.div_ceil(NS_PER_S);
            return Err(FleetError::InFlight {
                rate,
                delay_s,
                rows,
            });
        }
        Ok(())
    }
}

/// Why a fleet cannot go on.
#[derive(Clone, PartialEq, Debug, Error)]
pub enum FleetError {
    /// A writer's number does not fit the scheme.
    #[error(transparent)]
    Writer(#[from] WriterError),
    /// More ids are asked for than the scheme's writers can issue.
    #[error("{scheme} issues at most {most} ids a second with {writers} writer(s), not {rate}")]
    TooFast {
        /// The scheme.
        scheme: &'static str,
        /// Number of writers.
        writers: u32,
        /// Ids they can issue in a second.
        most: u64,
        /// Ids asked for in a second.
        rate: u64,
    },
    /// Rate and delay together put more rows on their way than memory should hold.
    #[error(
        "{rate} ids a second with a mean delay of {delay_s} s are {rows} rows on their way, expected at most {MAX_IN_FLIGHT_ROWS}"
    )]
    InFlight {
        /// Ids a second.
        rate: u64,
        /// Mean delay in seconds, rounded up.
        delay_s: u64,
        /// Rows on their way.
        rows: u128,
    },
    /// The scheme can issue no id at this time.
    #[error(
        "{scheme} can issue no id when its writer's clock reads {now_ms} ms since 1970: {stall}"
    )]
    Stalled {
        /// The scheme.
        scheme: &'static str,
        /// The writer's reading, in milliseconds since the Unix epoch.
        now_ms: u64,
        /// The reason.
        stall: Stall,
    },
}

/// An id with where and when it was issued.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Issued<I> {
    /// True time of its insertion.
    pub inserted: Timestamp,
    /// Its number in the order of arrival.
    pub number: u64,
    /// The id.
    pub id: I,
    /// True time of its minting.
    pub minted: Timestamp,
    /// The writer that issued it.
    pub writer: u32,
}

struct Member<W> {
    state: W,
    clock: MemberClock,
    free: Timestamp,
}

enum MemberClock {
    Offset(i64),
    Model(Box<ModelClock>),
}

impl MemberClock {
    fn read(&mut self, now: Timestamp) -> Timestamp {
        match self {
            MemberClock::Offset(ns) => Timestamp(now.0.saturating_add_signed(*ns)),
            MemberClock::Model(clock) => clock.read(now),
        }
    }
}

/// A fleet at work.
pub struct Fleet<S: Scheme> {
    scheme: S,
    spec: FleetSpec,
    members: Vec<Member<S::Writer>>,
    arrived: u64,
    next: (Timestamp, u32),
    /// Picoseconds past the next arrival: rates near one a nanosecond stay true.
    carry_ps: u64,
    pending: BinaryHeap<Reverse<Issued<S::Id>>>,
    arrivals: ChaCha8Rng,
    latency: Latency,
    /// One that all writers share, or one a writer.
    delays: Vec<ChaCha8Rng>,
    randomness: ChaCha8Rng,
}

impl<S: Scheme> Fleet<S> {
    /// A fleet of `spec.writers` writers of `scheme`.
    ///
    /// # Errors
    /// More writers than the scheme has numbers for, more ids than they can
    /// issue, or too many rows on their way.
    pub fn new(scheme: S, spec: FleetSpec) -> Result<Self, FleetError> {
        let mut offsets = random::stream(spec.seed, "fleet.offset", 0);
        let clock = |_| MemberClock::Offset(random::normal_ns(&mut offsets, spec.clock_sd_ns));
        let latency = Latency::Exponential {
            mean_ns: spec.delay_mean_ns,
        };
        let delays = vec![random::stream(spec.seed, "fleet.delay", spec.phase)];
        Self::build(scheme, spec.clone(), clock, latency, delays)
    }

    /// The same with clocks of `model`, and rows that are inserted after `latency`,
    /// instead of the constant offsets and exponential delays of `spec`.
    ///
    /// # Errors
    /// As of [`Fleet::new`].
    pub fn with_clocks(
        scheme: S,
        spec: FleetSpec,
        model: &ClockModel,
        latency: Latency,
    ) -> Result<Self, FleetError> {
        let (seed, start) = (spec.seed, spec.start);
        let spec = FleetSpec {
            clock_sd_ns: 0,
            delay_mean_ns: latency.mean_ns(),
            ..spec
        };
        let clock = |number| MemberClock::Model(Box::new(model.start(seed, number, start)));
        let delays =
            (0..spec.writers).map(|number| random::stream(seed, "fleet.commit", number.into()));
        let delays = delays.collect();
        Self::build(scheme, spec, clock, latency, delays)
    }

    fn build(
        mut scheme: S,
        spec: FleetSpec,
        mut clock: impl FnMut(u32) -> MemberClock,
        latency: Latency,
        delays: Vec<ChaCha8Rng>,
    ) -> Result<Self, FleetError> {
        spec.check(S::NAME, &scheme.limits())?;
        let members = (0..spec.writers)
            .map(|number| {
                Ok(Member {
                    state: scheme.writer(number)?,
                    clock: clock(number),
                    free: spec.start,
                })
            })
            .collect::<Result<_, WriterError>>()?;
        let mut fleet = Self {
            scheme,
            members,
            arrived: 0,
            next: (spec.start, 0),
            carry_ps: 0,
            pending: BinaryHeap::new(),
            arrivals: random::stream(spec.seed, "fleet.arrival", spec.phase),
            latency,
            delays,
            randomness: random::stream(spec.seed, "fleet.id", spec.phase),
            spec,
        };
        fleet.next = fleet.draw_arrival(fleet.spec.start, 0);
        Ok(fleet)
    }

    /// The scheme.
    pub fn scheme(&self) -> &S {
        &self.scheme
    }

    /// The next id in the order of insertion.
    ///
    /// # Errors
    /// The scheme can issue no more ids.
    pub fn issue(&mut self) -> Result<Issued<S::Id>, FleetError> {
        loop {
            // A row can be inserted no earlier than the next arrival.
            if let Some(Reverse(first)) = self.pending.peek()
                && first.inserted <= self.next.0
                && let Some(Reverse(first)) = self.pending.pop()
            {
                return Ok(first);
            }
            let issued = self.mint()?;
            if self.pending.is_empty() && issued.inserted <= self.next.0 {
                return Ok(issued);
            }
            self.pending.push(Reverse(issued));
        }
    }

    /// The next id of those asked for before `end`; `None` after the last of them.
    ///
    /// # Errors
    /// The scheme can issue no more ids.
    pub fn issue_before(&mut self, end: Timestamp) -> Result<Option<Issued<S::Id>>, FleetError> {
        loop {
            let over = self.next.0 >= end;
            if let Some(Reverse(first)) = self.pending.peek()
                && (over || first.inserted <= self.next.0)
            {
                return Ok(self.pending.pop().map(|Reverse(first)| first));
            }
            if over {
                return Ok(None);
            }
            let issued = self.mint()?;
            self.pending.push(Reverse(issued));
        }
    }

    /// Mints for the next arrival, waiting out stalls.
    fn mint(&mut self) -> Result<Issued<S::Id>, FleetError> {
        let (arrival, writer) = self.next;
        let number = self.arrived;
        self.arrived += 1;
        self.next = self.draw_arrival(arrival, writer);
        let member = &mut self.members[writer as usize];
        let mut minted = arrival.max(member.free);
        let id = loop {
            let reading = member.clock.read(minted);
            match self
                .scheme
                .mint(&mut member.state, &reading, &mut self.randomness)
            {
                Ok(id) => break id,
                Err(stall) => match stall.wait_ns() {
                    Some(wait_ns) => minted = minted.later(wait_ns),
                    None => {
                        let (scheme, now_ms) = (S::NAME, reading.ms());
                        return Err(FleetError::Stalled {
                            scheme,
                            now_ms,
                            stall,
                        });
                    }
                },
            }
        };
        member.free = minted;
        let stream = writer as usize % self.delays.len();
        let delay_ns = self.latency.draw(&mut self.delays[stream]);
        Ok(Issued {
            inserted: minted.later(delay_ns),
            number,
            id,
            minted,
            writer,
        })
    }

    /// Time and writer of arrival number `self.arrived`; the one before came at `last` from `writer`.
    fn draw_arrival(&mut self, last: Timestamp, writer: u32) -> (Timestamp, u32) {
        let FleetSpec {
            writers,
            rate,
            arrivals,
            start,
            ..
        } = self.spec;
        let number = self.arrived;
        let random = &mut self.arrivals;
        match arrivals {
            Arrivals::Steady => {
                let ns = u128::from(number) * u128::from(NS_PER_S) / u128::from(rate);
                (
                    start.later(u64::try_from(ns).unwrap_or(u64::MAX)),
                    (number % u64::from(writers)) as u32,
                )
            }
            Arrivals::Poisson => {
                let gap_ps = random::exponential(random, PS_PER_S / rate);
                let writer = random::below(random, writers);
                (self.after(last, gap_ps), writer)
            }
            Arrivals::Bursty => {
                let spacing_ns = 1000.min(NS_PER_S / rate / 2);
                if !number.is_multiple_of(BURST) {
                    return (last.later(spacing_ns), writer);
                }
                let pause_ps = BURST * PS_PER_S / rate - (BURST - 1) * spacing_ns * 1000;
                let gap_ps = random::exponential(random, pause_ps);
                let writer = random::below(random, writers);
                (self.after(last, gap_ps), writer)
            }
        }
    }

    /// The instant `gap_ps` after `last`; the rest below a nanosecond is carried on.
    fn after(&mut self, last: Timestamp, gap_ps: u64) -> Timestamp {
        let ps = self.carry_ps + gap_ps;
        self.carry_ps = ps % 1000;
        last.later(ps / 1000)
    }
}

impl<S: Scheme> Source<<S::Id as Id>::Key> for Fleet<S> {
    fn fill(&mut self, keys: &mut Vec<<S::Id as Id>::Key>, rows: usize) -> Result<(), SourceError> {
        for _ in 0..rows {
            let issued = self
                .issue()
                .map_err(|error| SourceError(error.to_string()))?;
            keys.push(issued.id.key());
        }
        Ok(())
    }
}

/// A [`Visitor`] that makes a fleet's stream of a scheme known by name.
pub struct IntoStream(pub FleetSpec);

impl Visitor for IntoStream {
    type Output = Result<Stream, FleetError>;

    fn visit<S: Scheme>(self, scheme: S) -> Self::Output {
        Ok(Stream {
            column: S::Id::COLUMN,
            text_chars: S::Id::TEXT_CHARS,
            keys: AnySource::new(Box::new(Fleet::new(scheme, self.0)?)),
        })
    }
}

#[cfg(test)]
mod tests;
