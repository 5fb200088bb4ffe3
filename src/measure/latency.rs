//! What calls of a generator take on a real machine.

use crate::record::Measured;

/// Time of a call.
pub const SERVICE: Measured = Measured {
    name: "service_ns",
    unit: "ns",
    about: "time of one call of a generator, stalls included, at quantile x",
};

/// Time from when it was due.
pub const RESPONSE: Measured = Measured {
    name: "response_ns",
    unit: "ns",
    about: "time from when an id was due to when it was there, at quantile x: waiting for slow calls before it counts",
};

/// Calls that had to wait.
pub const STALLS: Measured = Measured {
    name: "stalls",
    unit: "calls",
    about: "calls that could not be answered at once: sequence used up, or clock back",
};

/// How long they waited.
pub const STALLED: Measured = Measured {
    name: "stalled_ns",
    unit: "ns",
    about: "time of the calls that could not be answered at once",
};

/// What came out.
pub const IDS_PER_SECOND: Measured = Measured {
    name: "ids_per_second",
    unit: "ids/s",
    about: "ids of all generators a second",
};

/// The timer's own cost.
pub const TIMER_OVERHEAD: Measured = Measured {
    name: "timer_overhead_ns",
    unit: "ns",
    about: "least time between two readings of the timer, taken off every time",
};

/// The cached clock's error.
pub const CLOCK_ERROR: Measured = Measured {
    name: "cached_clock_error_ns",
    unit: "ns",
    about: "most that the cached clock was off the real one, read before and after it",
};

/// Every measure of latency.
pub const LATENCY_MEASURES: &[&Measured] = &[
    &SERVICE,
    &RESPONSE,
    &STALLS,
    &STALLED,
    &IDS_PER_SECOND,
    &TIMER_OVERHEAD,
    &CLOCK_ERROR,
];
