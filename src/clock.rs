//! Clocks: what a scheme reads the time from.
//!
//! A [`ClockModel`] is a preset, a composition of keys, or a set of [`log`]s; a
//! [`ModelClock`] of it has a wall and a monotonic reading at each true time.

mod cached;
mod correction;
mod law;
mod line;
pub mod log;
mod model;
mod parse;
mod presets;
mod process;
mod quantity;
mod replay;

pub use cached::{CachedClock, Counter};
pub use model::{ClockModel, ModelClock};
pub use parse::{CLOCK_FORMS, CLOCK_KEYS, ClockError};
pub use presets::{CLOCKS, Preset, clock};

use std::cell::{Cell, OnceCell};

/// Nanoseconds since the Unix epoch. Lasts until the year 2554.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Timestamp(pub u64);

/// Nanoseconds in a millisecond.
pub const NS_PER_MS: u64 = 1_000_000;
/// Nanoseconds in a second.
pub const NS_PER_S: u64 = 1_000_000_000;

impl Timestamp {
    /// The instant of a count of milliseconds since the Unix epoch.
    #[inline]
    pub const fn from_ms(ms: u64) -> Self {
        Self(ms.saturating_mul(NS_PER_MS))
    }

    /// Whole milliseconds since the Unix epoch.
    #[inline]
    pub const fn ms(self) -> u64 {
        self.0 / NS_PER_MS
    }

    /// Whole seconds since the Unix epoch.
    #[inline]
    pub const fn seconds(self) -> u64 {
        self.0 / NS_PER_S
    }

    /// The instant so many nanoseconds later, at most the last one.
    #[inline]
    pub const fn later(self, ns: u64) -> Self {
        Self(self.0.saturating_add(ns))
    }

    /// Nanoseconds to wait from here until `later`, at least 1.
    #[inline]
    pub const fn wait_ns(self, later: Timestamp) -> u64 {
        let wait = later.0.saturating_sub(self.0);
        if wait == 0 { 1 } else { wait }
    }
}

/// Something that tells the time. Simulations pass a reading ([`Timestamp`]
/// tells itself); a program passes [`SystemClock`].
pub trait Clock {
    /// The time now.
    fn now(&self) -> Timestamp;

    /// Whole milliseconds since the Unix epoch, now.
    fn now_ms(&self) -> u64 {
        self.now().ms()
    }

    /// A time that is never set: differences between two readings are lengths.
    fn monotonic(&self) -> Timestamp {
        self.now()
    }
}

impl Clock for Timestamp {
    fn now(&self) -> Timestamp {
        *self
    }
}

/// One reading of a clock, taken when it is first asked for.
#[derive(Debug)]
pub struct Held<'a, C> {
    clock: &'a C,
    now: OnceCell<Timestamp>,
    monotonic: OnceCell<Timestamp>,
}

impl<'a, C: Clock> Held<'a, C> {
    /// A reading of `clock` that has yet to be taken.
    pub fn new(clock: &'a C) -> Self {
        Self {
            clock,
            now: OnceCell::new(),
            monotonic: OnceCell::new(),
        }
    }
}

impl<C: Clock> Clock for Held<'_, C> {
    fn now(&self) -> Timestamp {
        *self.now.get_or_init(|| self.clock.now())
    }

    fn monotonic(&self) -> Timestamp {
        *self.monotonic.get_or_init(|| self.clock.monotonic())
    }
}

/// A clock that goes on by the same step with every reading.
#[derive(Debug)]
pub struct ManualClock {
    next: Cell<Timestamp>,
    step_ns: u64,
}

impl ManualClock {
    /// A clock whose first reading is `start`, and each further one `step_ns` later.
    pub fn new(start: Timestamp, step_ns: u64) -> Self {
        Self {
            next: Cell::new(start),
            step_ns,
        }
    }

    /// Sets the next reading.
    pub fn set(&self, next: Timestamp) {
        self.next.set(next);
    }
}

impl Clock for ManualClock {
    #[inline]
    fn now(&self) -> Timestamp {
        let now = self.next.get();
        self.next.set(Timestamp(now.0.wrapping_add(self.step_ns)));
        now
    }
}

/// The machine's real-time clock. Never used inside a simulation.
#[derive(Clone, Copy, Debug)]
pub struct SystemClock {
    start: std::time::Instant,
}

impl Default for SystemClock {
    fn default() -> Self {
        Self {
            start: std::time::Instant::now(),
        }
    }
}

impl Clock for SystemClock {
    /// `CLOCK_REALTIME` of the system, at its full resolution.
    #[inline]
    #[cfg(unix)]
    fn now(&self) -> Timestamp {
        let now = rustix::time::clock_gettime(rustix::time::ClockId::Realtime);
        Timestamp(
            (now.tv_sec as u64)
                .wrapping_mul(NS_PER_S)
                .wrapping_add(now.tv_nsec as u64),
        )
    }

    /// The same, in fewer steps that wait for each other.
    #[inline]
    #[cfg(unix)]
    fn now_ms(&self) -> u64 {
        let now = rustix::time::clock_gettime(rustix::time::ClockId::Realtime);
        (now.tv_sec as u64).wrapping_mul(1000) + now.tv_nsec as u64 / NS_PER_MS
    }

    #[cfg(not(unix))]
    fn now(&self) -> Timestamp {
        let since = std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .unwrap_or_default();
        Timestamp(since.as_nanos() as u64)
    }

    fn monotonic(&self) -> Timestamp {
        Timestamp(self.start.elapsed().as_nanos() as u64)
    }
}

#[cfg(test)]
mod tests;
