//! What a run refused, and how long callers waited.

use super::super::Rows;
use crate::fleet::{Cause, Outages, Refused};
use crate::record::{Measured, Number};

/// Calls without an id.
pub const REFUSED: Measured = Measured {
    name: "refused_calls",
    unit: "calls",
    about: "calls that got no id (param cause)",
};

/// Steps back.
pub const CLOCK_WENT_BACK: Measured = Measured {
    name: "clock_went_back",
    unit: "times",
    about: "readings of a writer's clock that were less than the one before: negative durations",
};

/// Time without ids.
pub const UNAVAILABLE_MS: Measured = Measured {
    name: "unavailable_ms",
    unit: "ms",
    about: "time in which a writer had no id to give, from the first call that waits or is refused to the next id; all writers together",
};

/// The longest time without ids.
pub const OUTAGE_LONGEST_MS: Measured = Measured {
    name: "outage_longest_ms",
    unit: "ms",
    about: "longest time in which a writer had no id to give",
};

/// Calls that waited.
pub const WAITS: Measured = Measured {
    name: "waiting_calls",
    unit: "calls",
    about: "calls that waited for their id",
};

/// Time that calls waited.
pub const WAITED_MS: Measured = Measured {
    name: "waited_ms",
    unit: "ms",
    about: "time that calls waited for their ids, all together",
};

/// What a run refused, and how long callers waited.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Bill {
    /// Readings that were less than the one before.
    pub steps_back: u64,
    /// Refused because the clock was behind.
    pub clock_behind: u64,
    /// Refused because the clock was outside of the scheme's range.
    pub out_of_range: u64,
    /// Refused because the process was down.
    pub down: u64,
    /// Calls that waited.
    pub waits: u64,
    /// For how long, together.
    pub waited_ns: u64,
    /// Times without an id to give.
    pub outages: Outages,
}

impl Bill {
    pub(super) fn refuse(&mut self, refused: Refused) {
        match refused.cause {
            Cause::ClockBehind => self.clock_behind += 1,
            Cause::OutOfRange => self.out_of_range += 1,
            Cause::Down => self.down += 1,
        }
    }

    pub(super) fn wait(&mut self, ns: u64) {
        self.waits += u64::from(ns > 0);
        self.waited_ns += ns;
    }

    /// Calls refused, for whatever cause.
    pub fn refused(&self) -> u64 {
        self.clock_behind + self.out_of_range + self.down
    }

    pub(super) fn write(&self, rows: &mut Rows) {
        for (cause, count) in [
            ("clock_behind", self.clock_behind),
            ("out_of_range", self.out_of_range),
            ("down", self.down),
        ] {
            rows.push(&REFUSED, None, count.into(), &[("cause", cause.into())]);
        }
        let ms = |ns: u64| Number::Real(ns as f64 / 1e6);
        rows.total(&CLOCK_WENT_BACK, self.steps_back);
        rows.total(&UNAVAILABLE_MS, ms(self.outages.total_ns));
        rows.total(&OUTAGE_LONGEST_MS, ms(self.outages.longest_ns));
        rows.total(&WAITS, self.waits);
        rows.total(&WAITED_MS, ms(self.waited_ns));
    }
}
