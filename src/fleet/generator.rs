//! A generator as an application has one: ids in bulk, at one reading of the clock a batch.

use super::{FleetError, START};
use crate::clock::{Clock, ManualClock, NS_PER_MS, SystemClock, Timestamp};
use crate::scheme::{Scheme, Stall};
use rand::Rng;

/// How time passes for a generator.
#[derive(Debug)]
pub enum Pace {
    /// A millisecond a reading.
    Steps(ManualClock),
    /// This machine's clock; its readings are kept.
    Real(SystemClock, Vec<Timestamp>),
    /// Readings that were kept.
    Kept(std::vec::IntoIter<Timestamp>),
}

impl Pace {
    /// A millisecond a reading, from [`START`].
    pub fn steps() -> Self {
        Self::Steps(ManualClock::new(START, NS_PER_MS))
    }

    /// This machine's clock.
    pub fn real() -> Self {
        Self::Real(SystemClock::default(), Vec::new())
    }

    /// The same readings again.
    pub fn again(self) -> Self {
        match self {
            Self::Steps(_) => Self::steps(),
            Self::Real(_, kept) => Self::Kept(kept.into_iter()),
            Self::Kept(left) => Self::Kept(left),
        }
    }

    /// The next reading; `None`: all that were kept are used.
    fn read(&mut self) -> Option<Timestamp> {
        match self {
            Self::Steps(clock) => Some(clock.now()),
            Self::Real(clock, kept) => {
                let now = clock.now();
                kept.push(now);
                Some(now)
            }
            Self::Kept(left) => left.next(),
        }
    }

    /// Lets so much time pass from `now`, the last reading.
    fn wait(&mut self, now: Timestamp, ns: u64) {
        match self {
            Self::Steps(clock) => clock.set(now.later(ns)),
            // Less than a tick, mostly: too short to sleep.
            Self::Real(clock, _) => {
                let start = clock.monotonic();
                while clock.monotonic().0 - start.0 < ns {
                    std::hint::spin_loop();
                }
            }
            Self::Kept(_) => {}
        }
    }
}

/// A writer of a scheme with its own clock and randomness.
#[derive(Debug)]
pub struct Generator<S: Scheme, R> {
    writer: S::Writer,
    random: R,
    pace: Pace,
}

impl<S: Scheme, R: Rng> Generator<S, R> {
    /// The generator with this worker number.
    ///
    /// # Errors
    /// The scheme has no room for the number.
    pub fn new(scheme: &mut S, number: u32, random: R, pace: Pace) -> Result<Self, FleetError> {
        Ok(Self {
            writer: scheme.writer(number)?,
            random,
            pace,
        })
    }

    /// Fills `ids`, waiting where a tick is used up: a reading at least for each call.
    ///
    /// # Errors
    /// The scheme issues no more ids.
    pub fn fill(&mut self, scheme: &mut S, mut ids: &mut [S::Id]) -> Result<(), FleetError> {
        while !ids.is_empty() {
            let name = scheme.name();
            let stalled = |stall, now: Timestamp| FleetError::Stalled {
                scheme: name,
                now_ms: now.ms(),
                stall,
            };
            let now = self.pace.read();
            let now = now.ok_or_else(|| stalled(Stall::OutOfRange, Timestamp::default()))?;
            match scheme.fill(&mut self.writer, &now, &mut self.random, ids) {
                Ok(filled) => ids = ids.get_mut(filled..).unwrap_or_default(),
                Err(stall) => match stall.wait_ns() {
                    Some(ns) => self.pace.wait(now, ns),
                    None => return Err(stalled(stall, now)),
                },
            }
        }
        Ok(())
    }

    /// How time passed.
    pub fn into_pace(self) -> Pace {
        self.pace
    }
}
