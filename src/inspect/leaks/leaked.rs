//! What an outsider learns, and its measures.

use super::{Conduct, Workers};
use crate::clock::{NS_PER_MS, NS_PER_S, Timestamp};
use crate::inspect::Estimate;
use crate::measure::Rows;
use crate::record::{Measured, Number};

/// Measures of leaks.
pub const LEAK_MEASURES: &[&Measured] = &[
    &LEAK_TICK_NS,
    &LEAK_SPAN_MS,
    &LEAK_WORKERS_SEEN,
    &LEAK_WORKERS,
    &LEAK_ISSUED,
    &LEAK_VOLUME,
    &LEAK_RATE,
    &LEAK_ODDS,
];

const LEAK_TICK_NS: Measured = Measured {
    name: "leak_tick_ns",
    unit: "ns",
    about: "precision to which an id tells when it was made; absent if it does not",
};
const LEAK_SPAN_MS: Measured = Measured {
    name: "leak_span_ms",
    unit: "ms",
    about: "time from the earliest id of the list to the latest, as they tell it",
};
const LEAK_WORKERS_SEEN: Measured = Measured {
    name: "leak_workers_seen",
    unit: "workers",
    about: "different workers in the list",
};
const LEAK_WORKERS: Measured = Measured {
    name: "leak_workers",
    unit: "workers",
    about: "all workers there are, estimated (param by); high is null if nothing bounds it",
};
const LEAK_ISSUED: Measured = Measured {
    name: "leak_issued",
    unit: "ids",
    about: "ids that a central counter has given out so far, estimated from the list (German tank)",
};
const LEAK_VOLUME: Measured = Measured {
    name: "leak_volume",
    unit: "ids",
    about: "ids from the list's earliest to its latest, estimated; of one writer where the ids do not tell writers apart (param of); low and high are null if exact, high alone if only bounded from below",
};
const LEAK_RATE: Measured = Measured {
    name: "leak_rate",
    unit: "ids/s",
    about: "the same a second",
};
const LEAK_ODDS: Measured = Measured {
    name: "leak_odds",
    unit: "probability",
    about: "that one of x guesses is the next id, if the guesser knows when it is made to within param known",
};

/// How many ids there were.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Volume {
    /// So many, less numbers that were never given out.
    Exact(u64),
    /// So many, with an error.
    Near(Estimate),
    /// So many or more.
    AtLeast(u64),
    /// The ids do not tell.
    Unknown,
}

impl Volume {
    pub(super) fn of(estimate: Estimate) -> Self {
        if estimate.high == f64::INFINITY {
            Self::AtLeast(estimate.low as u64)
        } else if estimate.low == estimate.high {
            Self::Exact(estimate.low as u64)
        } else {
            Self::Near(estimate)
        }
    }

    /// As value, lower and upper end.
    pub fn estimate(self) -> Option<Estimate> {
        match self {
            Self::Exact(ids) => Some(Estimate::exact(ids as f64)),
            Self::Near(estimate) => Some(estimate),
            Self::AtLeast(ids) => Some(Estimate {
                value: ids as f64,
                low: ids as f64,
                high: f64::INFINITY,
            }),
            Self::Unknown => None,
        }
    }
}

/// Odds of a guess.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Guess {
    /// Guesses.
    pub tries: u64,
    /// How exactly it is known when the next id is made, in words and in nanoseconds.
    pub known: (&'static str, u64),
    /// Probability that one of them is it.
    pub odds: f64,
}

/// When ids were made.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Times {
    /// To this precision.
    pub tick_ns: u64,
    /// The earliest.
    pub first: Timestamp,
    /// The latest.
    pub last: Timestamp,
}

impl Times {
    pub(super) fn seconds(&self) -> f64 {
        (self.last.0 - self.first.0) as f64 / NS_PER_S as f64
    }
}

/// What an outsider learns.
#[derive(Clone, PartialEq, Debug)]
pub struct Leaked {
    /// Ids of the list.
    pub ids: u64,
    /// What the scheme's counter says.
    pub conduct: Conduct,
    /// When they were made; `None` without a clock.
    pub times: Option<Times>,
    /// Workers; `None` if ids do not tell them apart.
    pub workers: Option<Workers>,
    /// Numbers that a central counter has given out.
    pub issued: Option<Estimate>,
    /// Ids from the earliest to the latest: of all workers, or, if ids do not tell them
    /// apart, of one.
    pub volume: Volume,
    /// The same a second.
    pub ids_per_s: Option<Estimate>,
    /// Odds of guessing the next id.
    pub guesses: Vec<Guess>,
}

impl Leaked {
    /// Whose ids [`volume`](Self::volume) counts.
    pub fn of(&self) -> &'static str {
        match (self.conduct, self.workers) {
            (Conduct::PerTick(_), None) => "one writer",
            _ => "all",
        }
    }

    /// Writes the numbers.
    pub fn rows(&self, rows: &mut Rows) {
        if let Some(times) = self.times {
            rows.total(&LEAK_TICK_NS, times.tick_ns);
            rows.total(&LEAK_SPAN_MS, (times.last.0 - times.first.0) / NS_PER_MS);
        }
        if let Some(workers) = self.workers {
            rows.total(&LEAK_WORKERS_SEEN, workers.seen);
            let by = [("by", workers.by.name().into())];
            estimate(rows, &LEAK_WORKERS, workers.all, &by);
        }
        if let Some(issued) = self.issued {
            estimate(rows, &LEAK_ISSUED, issued, &[]);
        }
        let of = [("of", self.of().into())];
        if let Some(volume) = self.volume.estimate() {
            estimate(rows, &LEAK_VOLUME, volume, &of);
        }
        if let Some(ids_per_s) = self.ids_per_s {
            estimate(rows, &LEAK_RATE, ids_per_s, &of);
        }
        for guess in &self.guesses {
            let known = [("known", guess.known.0.into())];
            let tries = Some(Number::Whole(guess.tries));
            rows.push(&LEAK_ODDS, tries, Number::Real(guess.odds), &known);
        }
    }
}

/// Writes an estimate: its value, or its lower end if there is none.
fn estimate(
    rows: &mut Rows,
    measured: &Measured,
    found: Estimate,
    params: &[(&str, serde_json::Value)],
) {
    let finite = |end: f64| end.is_finite().then_some(Number::Real(end));
    let ends = match found.low == found.high {
        true => (None, None),
        false => (finite(found.low), finite(found.high)),
    };
    let value = finite(found.value).unwrap_or(Number::Real(found.low));
    rows.interval(measured, value, ends, params);
}
