//! What a run refused, how long callers waited, and what numbers from a centre cost.

use super::super::Rows;
use crate::fleet::number::NumberTally;
use crate::fleet::{Cause, Issued, Outages, Refused};
use crate::id::{Id, Key};
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

/// Numbers in use.
pub const NUMBERS_IN_USE: Measured = Measured {
    name: "worker_numbers_in_use_max",
    unit: "numbers",
    about: "worker numbers in use at once, at most: a lease counts until the registry lets it expire",
};

/// Leases lost.
pub const NUMBERS_LOST: Measured = Measured {
    name: "worker_numbers_lost",
    unit: "leases",
    about: "leases of worker numbers that expired while their holders were alive",
};

/// Numbers held twice.
pub const NUMBERS_SHARED_MS: Measured = Measured {
    name: "worker_number_shared_ms",
    unit: "ms",
    about: "time in which two writers that ran held one worker number, all numbers together",
};

/// Time without a number.
pub const WITHOUT_NUMBER_MS: Measured = Measured {
    name: "without_worker_number_ms",
    unit: "ms",
    about: "time in which writers that were up had no worker number, all together",
};

/// The longest time without a number.
pub const WITHOUT_NUMBER_LONGEST_MS: Measured = Measured {
    name: "without_worker_number_longest_ms",
    unit: "ms",
    about: "longest time in which a writer that was up had no worker number",
};

/// Messages to and from the registry.
pub const REGISTRY_MESSAGES: Measured = Measured {
    name: "registry_messages",
    unit: "messages",
    about: "messages to and from the registry of worker numbers, lost ones included",
};

/// Writers without ids at some time.
pub const STALLED_WRITERS: Measured = Measured {
    name: "stalled_writers",
    unit: "writers",
    about: "writers that had no id to give at some time",
};

/// Visits to a centre.
pub const ROUND_TRIPS_PER_ID: Measured = Measured {
    name: "round_trips_per_id",
    unit: "visits",
    about: "visits to the centre that hands out numbers, an id",
};

/// Numbers that never became ids.
pub const GAP_IDS: Measured = Measured {
    name: "gap_ids",
    unit: "ids",
    about: "numbers up to the largest id that no row has by the end, where a centre hands them out: lost, or still in hand",
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
    /// Refused because the writer had no number.
    pub no_number: u64,
    /// Calls that waited.
    pub waits: u64,
    /// For how long, together.
    pub waited_ns: u64,
    /// Times without an id to give.
    pub outages: Outages,
    /// What happened to worker numbers, if they are given by a rule.
    pub numbers: Option<NumberTally>,
    /// Rows with an id.
    pub issued: u64,
    /// The largest id, its lowest 64 bits.
    pub largest: u64,
    /// Visits to the centre, if there is one.
    pub visits: Option<u64>,
}

impl Bill {
    pub(super) fn refuse(&mut self, refused: Refused) {
        match refused.cause {
            Cause::ClockBehind => self.clock_behind += 1,
            Cause::OutOfRange => self.out_of_range += 1,
            Cause::Down => self.down += 1,
            Cause::NoNumber => self.no_number += 1,
        }
    }

    #[inline]
    pub(super) fn issue<I: Id>(&mut self, issued: &Issued<I>) {
        let waited_ns = issued.minted.0 - issued.asked.0;
        self.waits += u64::from(waited_ns > 0);
        self.waited_ns = self.waited_ns.saturating_add(waited_ns);
        self.issued += 1;
        self.largest = self.largest.max(issued.id.key().field(0, 64) as u64);
    }

    /// Numbers up to the largest that no row has; of a scheme that counts from 1.
    pub fn gaps(&self) -> u64 {
        self.largest.saturating_sub(self.issued)
    }

    /// Calls refused, for whatever cause.
    pub fn refused(&self) -> u64 {
        self.clock_behind + self.out_of_range + self.down + self.no_number
    }

    pub(super) fn write(&self, rows: &mut Rows) {
        for (cause, count) in [
            ("clock_behind", self.clock_behind),
            ("out_of_range", self.out_of_range),
            ("down", self.down),
            ("no_number", self.no_number),
        ] {
            rows.push(&REFUSED, None, count.into(), &[("cause", cause.into())]);
        }
        let ms = |ns: u64| Number::Real(ns as f64 / 1e6);
        rows.total(&CLOCK_WENT_BACK, self.steps_back);
        rows.total(&UNAVAILABLE_MS, ms(self.outages.total_ns));
        rows.total(&OUTAGE_LONGEST_MS, ms(self.outages.longest_ns));
        rows.total(&WAITS, self.waits);
        rows.total(&WAITED_MS, ms(self.waited_ns));
        if let Some(tally) = self.numbers {
            rows.total(&NUMBERS_IN_USE, tally.most_in_use);
            rows.total(&NUMBERS_LOST, tally.lost);
            rows.total(&NUMBERS_SHARED_MS, ms(tally.double_ns));
            rows.total(&WITHOUT_NUMBER_MS, ms(tally.without_ns));
            rows.total(&WITHOUT_NUMBER_LONGEST_MS, ms(tally.longest_without_ns));
            rows.total(&REGISTRY_MESSAGES, tally.messages);
        }
        if let Some(visits) = self.visits {
            rows.total(&STALLED_WRITERS, self.outages.writers);
            rows.total(&ROUND_TRIPS_PER_ID, Number::ratio(visits, self.issued));
            rows.total(&GAP_IDS, self.gaps());
        }
    }
}
