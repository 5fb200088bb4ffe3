//! What describes a fleet, and why one cannot go on.

use super::number::{NumberError, NumberRule};
use super::{Arrivals, Fault, Latency, Memory};
use crate::clock::{ClockModel, NS_PER_S, Timestamp};
use crate::random;
use crate::scheme::{Limits, Rollback, SpecError, Stall, WriterError};
use thiserror::Error;

/// True time at which a simulated fleet starts: 2026-01-01T00:00:00Z.
pub const START: Timestamp = Timestamp::from_ms(1_767_225_600_000);

/// The writers' clocks.
#[derive(Clone, PartialEq, Debug)]
pub enum Clocks {
    /// True time plus a constant offset a writer: normal, mean 0.
    Offset {
        /// Standard deviation.
        sd_ns: u64,
    },
    /// Clocks of a model.
    Model(ClockModel),
}

/// What writers do when they cannot mint, and what goes wrong.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Conduct {
    /// When the clock goes back; `None`: as the scheme does by itself.
    pub rollback: Option<Rollback>,
    /// Whether calls are refused that the rollback does not let wait; if not, all wait.
    pub refuse: bool,
    /// What a restarted writer knows.
    pub memory: Memory,
    /// How writers come by their numbers, if the scheme has any.
    pub numbers: NumberRule,
    /// What goes wrong, in order of time.
    pub faults: Vec<Fault>,
}

/// A fleet's parameters.
#[derive(Clone, PartialEq, Debug)]
pub struct FleetSpec {
    /// Number of writers, at least 1.
    pub writers: u32,
    /// Ids a second, all writers together, at least 1.
    pub rate: u64,
    /// When ids are asked for.
    pub arrivals: Arrivals,
    /// The writers' clocks.
    pub clocks: Clocks,
    /// Time from minting to insertion.
    pub latency: Latency,
    /// Share of ids whose rows are never inserted, in parts per million: transactions that are rolled back.
    pub abort_ppm: u32,
    /// Conduct and misfortune.
    pub conduct: Conduct,
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
            clocks: Clocks::Offset { sd_ns: 0 },
            latency: Latency::None,
            abort_ppm: 0,
            conduct: Conduct::default(),
            seed,
            start: START,
            phase: 0,
        }
    }

    /// The constant offsets of the writers' clocks, if they have such.
    pub fn offsets_ns(&self) -> Option<Vec<i64>> {
        let Clocks::Offset { sd_ns } = self.clocks else {
            return None;
        };
        let mut offsets = random::stream(self.seed, "fleet.offset", 0);
        let draw = |_| random::normal_ns(&mut offsets, sd_ns);
        Some((0..self.writers).map(draw).collect())
    }

    /// Refuses what would pile up without bound.
    pub(super) fn check(&self, scheme: &'static str, limits: &Limits) -> Result<(), FleetError> {
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
        let rows = u128::from(rate) * u128::from(self.latency.mean_ns()) / u128::from(NS_PER_S);
        if rows > MAX_IN_FLIGHT_ROWS.into() {
            let delay_s = self.latency.mean_ns().div_ceil(NS_PER_S);
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
    /// Writers cannot be numbered by this rule.
    #[error("{scheme}: {error}")]
    Number {
        /// The scheme.
        scheme: &'static str,
        /// The reason.
        error: NumberError,
    },
    /// The scheme cannot follow this rollback.
    #[error(transparent)]
    Rollback(SpecError),
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
