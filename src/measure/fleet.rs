//! What clocks and commits do to the order of ids, and to readers who page by it.

mod bill;
mod cursor;
mod order;
mod reader;
mod sweep;
mod timeline;

pub use bill::*;
pub use cursor::Readable;
pub(crate) use order::inversions;
pub use order::{Order, order, rows_per_tick};
pub use reader::*;
pub use sweep::{
    DUPLICATES_PER_STEP, INVERSIONS_EXPECTED, MeasureSweep, REFUSED_PER_STEP, Sweep,
    UNAVAILABLE_PER_STEP_MS,
};
pub use timeline::{FirstTrouble, MeasureTimeline, TIMELINE_LEAD_MS, TIMELINE_REFUSED};

use super::Rows;
use crate::clock::Timestamp;
use crate::fleet::{Event, Fleet, FleetError, FleetSpec};
use crate::id::{Id, Key};
use crate::random;
use crate::record::{Measured, Number};
use crate::scheme::{FieldKind, Scheme, Visitor};
use std::num::NonZeroU32;

/// Rows seen in the run.
pub const FLEET_ROWS: Measured = Measured {
    name: "fleet_rows",
    unit: "rows",
    about: "rows that the fleet committed",
};

/// Ids more than once.
pub const FLEET_DUPLICATES: Measured = Measured {
    name: "fleet_duplicate_ids",
    unit: "ids",
    about: "ids that an earlier row has",
};

/// Rows behind a larger id.
pub const LATE_SHARE: Measured = Measured {
    name: "late_rows_share",
    unit: "share",
    about: "rows committed after a larger id: what a reader who never rests loses; the others go to the right edge of an index",
};

/// Pairs out of order.
pub const INVERSIONS_PER_ROW: Measured = Measured {
    name: "inversions_per_row",
    unit: "pairs",
    about: "pairs of rows whose ids are not in the order of commit, a row",
};

/// Median distance from the sorted place.
pub const DISPLACEMENT_P50: Measured = Measured {
    name: "displacement_p50_rows",
    unit: "rows",
    about: "how far a row is from its place in the order of ids, median",
};

/// 99th percentile of it.
pub const DISPLACEMENT_P99: Measured = Measured {
    name: "displacement_p99_rows",
    unit: "rows",
    about: "how far a row is from its place in the order of ids, 99th percentile",
};

/// Distance from the sorted place.
pub const DISPLACEMENT_MAX: Measured = Measured {
    name: "displacement_max_rows",
    unit: "rows",
    about: "furthest that a row is from its place in the order of ids",
};

/// k of k-sorted.
pub const K_SORTED_ROWS: Measured = Measured {
    name: "k_sorted_rows",
    unit: "rows",
    about: "most rows between a row and the first larger id committed before it",
};

/// Ids that say the same time.
pub const ROWS_PER_TICK: Measured = Measured {
    name: "rows_per_tick",
    unit: "rows",
    about: "rows whose ids say the same time, mean over the times that ids say: ties, which only the rest of the id puts in order",
};

/// Quantiles of lateness.
pub const LATENESS_MS: Measured = Measured {
    name: "lateness_ms",
    unit: "ms",
    about: "time from the commit of the first larger id to the row's own, of late rows (param quantile)",
};

/// Quantiles of the effective latency.
pub const EFFECTIVE_LATENCY_MS: Measured = Measured {
    name: "effective_latency_ms",
    unit: "ms",
    about: "commit time less the time that the id says (param quantile): commit latency less the clock's lead; a lag window of the maximum loses nothing",
};

/// How far ids run ahead.
pub const AHEAD_MAX_MS: Measured = Measured {
    name: "id_ahead_max_ms",
    unit: "ms",
    about: "furthest that the time in an id is ahead of the true time of its minting",
};

/// Rows that a reader skips.
pub const SKIPPED_SHARE: Measured = Measured {
    name: "skipped_rows_share",
    unit: "share",
    about: "rows that a reader with `id > last_seen` skips for ever, by lag window in ns (x): mean, least and most of readers out of step",
};

/// The measures of `sim fleet`, in the order of `sim list`.
pub const FLEET_MEASURES: &[&Measured] = &[
    &FLEET_ROWS,
    &FLEET_DUPLICATES,
    &REFUSED,
    &CLOCK_WENT_BACK,
    &UNAVAILABLE_MS,
    &OUTAGE_LONGEST_MS,
    &WAITS,
    &WAITED_MS,
    &STALLED_WRITERS,
    &ROUND_TRIPS_PER_ID,
    &GAP_IDS,
    &AHEAD_MAX_MS,
    &NUMBERS_IN_USE,
    &NUMBERS_LOST,
    &NUMBERS_SHARED_MS,
    &WITHOUT_NUMBER_MS,
    &WITHOUT_NUMBER_LONGEST_MS,
    &REGISTRY_MESSAGES,
    &LATE_SHARE,
    &INVERSIONS_PER_ROW,
    &DISPLACEMENT_P50,
    &DISPLACEMENT_P99,
    &DISPLACEMENT_MAX,
    &K_SORTED_ROWS,
    &ROWS_PER_TICK,
    &LATENESS_MS,
    &EFFECTIVE_LATENCY_MS,
    &SKIPPED_SHARE,
    &TIMELINE_LEAD_MS,
    &TIMELINE_REFUSED,
    &INVERSIONS_EXPECTED,
    &UNAVAILABLE_PER_STEP_MS,
    &REFUSED_PER_STEP,
    &DUPLICATES_PER_STEP,
];

/// Readers of each lag window, out of step with each other.
const READERS: u32 = 8;

/// A row as readers see it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Seen<K> {
    /// The id.
    pub key: K,
    /// When readers can see it.
    pub committed: Timestamp,
    /// When its id was minted.
    pub minted: Timestamp,
    /// The time that the id says; the time of minting (`created_at`) if it says none.
    pub key_time: Timestamp,
    /// Who minted it.
    pub writer: u32,
}

/// What a run yields.
#[derive(Clone, Debug)]
pub struct Run<K> {
    /// Its rows, in the order of commit.
    pub seen: Vec<Seen<K>>,
    /// What it refused and made wait.
    pub bill: Bill,
}

/// What to run and to measure.
#[derive(Clone, Debug)]
pub struct FleetPlan {
    /// Writers, rate, arrivals, seed and start.
    pub spec: FleetSpec,
    /// Ids are asked for so long.
    pub length_ns: u64,
    /// Time between two polls; 0: a reader who never rests.
    pub poll_ns: u64,
    /// Lag windows, one reader each; 0: none.
    pub lags_ns: Vec<u64>,
    /// Readers of other kinds.
    pub readers: Vec<ReaderKind>,
    /// Most rows that a poll of these returns; `None`: all there are.
    pub page_rows: Option<NonZeroU32>,
}

/// A [`Visitor`] that opens the fleet of a plan, and sees whether it can begin.
#[derive(Debug)]
pub struct CheckFleet<'a>(pub &'a FleetPlan);

impl Visitor for CheckFleet<'_> {
    type Output = Result<(), FleetError>;

    fn visit<S: Scheme>(self, scheme: S) -> Self::Output {
        self.0.open(scheme).map(|_| ())
    }
}

/// What readers may expect of a scheme's ids.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ids {
    /// They are numbers of a sequence, which may be expected to have no holes.
    pub dense: bool,
    /// They say a time.
    pub timed: bool,
}

/// A [`Visitor`] that tells what readers may expect of a scheme's ids.
#[derive(Clone, Copy, Debug)]
pub struct IdsOf;

impl Visitor for IdsOf {
    type Output = Ids;

    fn visit<S: Scheme>(self, scheme: S) -> Ids {
        Ids::of(&scheme)
    }
}

impl Ids {
    fn of(scheme: &impl Scheme) -> Self {
        let kinds: Vec<FieldKind> = scheme.fields().iter().map(|field| field.kind).collect();
        let of_sequence = |kind: &FieldKind| matches!(kind, FieldKind::Counter | FieldKind::Fixed);
        Self {
            dense: kinds.iter().all(of_sequence),
            timed: kinds.contains(&FieldKind::Timestamp),
        }
    }
}

/// A [`Visitor`] that runs a plan and writes its rows.
#[derive(Debug)]
pub struct MeasureFleet<'a> {
    /// The plan.
    pub plan: &'a FleetPlan,
    /// What receives the numbers.
    pub rows: &'a mut Rows,
}

impl FleetPlan {
    fn open<S: Scheme>(&self, scheme: S) -> Result<Fleet<S>, FleetError> {
        Fleet::new(scheme, self.spec.clone())
    }

    /// First polls of readers who differ in nothing else: equally apart in the first
    /// interval, so that a tick as long as the interval meets them at all its times.
    pub fn first_polls(&self) -> Vec<Timestamp> {
        let readers = if self.poll_ns == 0 { 1 } else { READERS };
        let mut random = random::stream(self.spec.seed, "fleet.reader", 0);
        let past = random::unit(&mut random);
        let first = |reader: u32| {
            let share = (past + f64::from(reader)) / f64::from(readers);
            self.spec.start.later((share * self.poll_ns as f64) as u64)
        };
        (0..readers).map(first).collect()
    }

    /// Runs it and keeps its rows.
    ///
    /// # Errors
    /// Those of the fleet.
    pub fn run<S: Scheme>(&self, scheme: S) -> Result<Run<<S::Id as Id>::Key>, FleetError> {
        let mut seen = Vec::new();
        let bill = self.stream(scheme, |row| seen.push(row))?;
        Ok(Run { seen, bill })
    }

    /// Runs it and hands its rows to `see`, in the order of commit.
    ///
    /// # Errors
    /// Those of the fleet.
    pub fn stream<S: Scheme>(
        &self,
        scheme: S,
        mut see: impl FnMut(Seen<<S::Id as Id>::Key>),
    ) -> Result<Bill, FleetError> {
        let mut fleet = self.open(scheme)?;
        let end = self.spec.start.later(self.length_ns);
        let mut bill = Bill::default();
        while let Some(event) = fleet.event_before(end)? {
            let issued = match event {
                Event::Row(issued) => issued,
                Event::Refused(refused) => {
                    bill.refuse(refused);
                    continue;
                }
            };
            bill.issue(&issued);
            see(Seen {
                key: issued.id.key(),
                committed: issued.inserted,
                minted: issued.minted,
                key_time: fleet.scheme().timestamp(issued.id).unwrap_or(issued.minted),
                writer: issued.writer,
            });
        }
        bill.steps_back = fleet.steps_back();
        bill.outages = fleet.outages(end);
        bill.numbers = fleet.numbers(end);
        bill.visits = fleet.scheme().visits();
        Ok(bill)
    }
}

impl Visitor for MeasureFleet<'_> {
    type Output = Result<(), FleetError>;

    fn visit<S: Scheme>(self, scheme: S) -> Self::Output {
        let ids = Ids::of(&scheme);
        let Run { seen, bill } = self.plan.run(scheme)?;
        bill.write(self.rows);
        if seen.is_empty() {
            self.rows.total(&FLEET_ROWS, 0u64);
            return Ok(());
        }
        let order = order(&seen);
        write_order(self.rows, &order, seen.len());
        if ids.timed {
            self.rows
                .total(&ROWS_PER_TICK, Number::Real(rows_per_tick(&seen)));
        }
        if ids.timed || order.as_minted {
            write_latency(self.rows, &seen);
        }
        let mut lags_ns = self.plan.lags_ns.clone();
        lags_ns.sort_unstable();
        for lag_ns in lags_ns {
            let readable = Readable::new(&seen, lag_ns);
            let shares = self.plan.first_polls().into_iter().map(|first| {
                let skipped = readable.skipped(first, self.plan.poll_ns).len();
                Number::ratio(skipped as u64, seen.len() as u64).as_f64()
            });
            let shares: Vec<_> = shares.collect();
            self.rows.sample(&SKIPPED_SHARE, lag_ns, &shares);
        }
        let polls = self.plan.first_polls();
        let lags = polls
            .iter()
            .map(|first| smallest_lossless_lag(&seen, *first, self.plan.poll_ns));
        write_lossless_lag(self.rows, &lags.collect::<Vec<_>>());
        for kind in &self.plan.readers {
            if kind.needs_dense() && !ids.dense {
                continue;
            }
            let read = |first: &Timestamp| {
                let polls = Polls::new(*first, self.plan.poll_ns);
                kind.read(polls, self.plan.page_rows, &seen)
            };
            let reads: Vec<Read> = polls.iter().map(read).collect();
            write_reads(self.rows, *kind, &reads, self.plan.length_ns);
        }
        Ok(())
    }
}

fn write_order(rows: &mut Rows, order: &Order, count: usize) {
    let late = order.lateness_ns.len() as u64;
    rows.total(&FLEET_ROWS, count as u64);
    rows.total(&FLEET_DUPLICATES, order.duplicates);
    rows.total(&LATE_SHARE, Number::ratio(late, count as u64));
    rows.total(
        &INVERSIONS_PER_ROW,
        Number::ratio(order.inversions, count as u64),
    );
    rows.total(&DISPLACEMENT_P50, order.displacement_p50);
    rows.total(&DISPLACEMENT_P99, order.displacement_p99);
    rows.total(&DISPLACEMENT_MAX, order.displacement_max);
    rows.total(&K_SORTED_ROWS, order.radius);
    let mut lateness: Vec<i64> = order.lateness_ns.iter().map(|ns| *ns as i64).collect();
    write_quantiles(rows, &LATENESS_MS, &mut lateness);
}

fn write_latency<K: Key>(rows: &mut Rows, seen: &[Seen<K>]) {
    let latency = |row: &Seen<K>| row.committed.0.cast_signed() - row.key_time.0.cast_signed();
    let ahead = |row: &Seen<K>| row.key_time.0.cast_signed() - row.minted.0.cast_signed();
    if let Some(ns) = seen.iter().map(ahead).max() {
        rows.total(&AHEAD_MAX_MS, Number::Real(ns as f64 / 1e6));
    }
    let mut latencies: Vec<i64> = seen.iter().map(latency).collect();
    write_quantiles(rows, &EFFECTIVE_LATENCY_MS, &mut latencies);
}

/// Median, 99th percentile and maximum (nearest rank); nothing of nothing.
fn write_quantiles(rows: &mut Rows, measured: &Measured, values_ns: &mut [i64]) {
    values_ns.sort_unstable();
    for (name, percent) in [("p50", 50), ("p99", 99), ("max", 100)] {
        let rank = (values_ns.len() * percent).div_ceil(100);
        if let Some(ns) = rank.checked_sub(1).and_then(|rank| values_ns.get(rank)) {
            let ms = Number::Real(*ns as f64 / 1e6);
            rows.push(measured, None, ms, &[("quantile", name.into())]);
        }
    }
}

#[cfg(test)]
mod tests;
