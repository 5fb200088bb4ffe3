//! Clocks that err as a log says.
//!
//! Between two updates the error is a line, unless no slew leads from one to the other or it is
//! large at one and small at the other: then the clock was stepped at the earlier of the two. So an
//! error that is seen once and then gone is had from the update before (a log does not say
//! since when) to the one that sees it and steps it away.

use super::NS_PER_S;
use super::Timestamp;
use super::correction::MAX_SLEW_PPB;
use super::line::{Line, rate_ppb};
use super::log::{ClockLog, Update};
use crate::random;
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;

/// An error from here on is large: it comes by a step, and goes by one at the update that finds it.
const LARGE_NS: u64 = NS_PER_S / 2;

/// An error below this is small: of a clock that is kept.
const SMALL_NS: u64 = LARGE_NS / 2;

/// A log at work: a line to the error of each next update, from the last one back to the first.
#[derive(Clone, Debug)]
pub(super) struct Replayed {
    log: Arc<ClockLog>,
    /// The next update.
    next: usize,
    /// When it comes.
    at: Timestamp,
    random: ChaCha8Rng,
}

impl Replayed {
    /// The clock of writer `number`, from `start` on: the first writer of a log starts with
    /// it (one update before, if the first steps its error away), the others somewhere in it.
    pub(super) fn start(
        logs: &[Arc<ClockLog>],
        seed: u64,
        number: u32,
        start: Timestamp,
    ) -> Option<(Self, Line)> {
        let place = number as usize % logs.len().max(1);
        let log = logs.get(place)?.clone();
        let mut random = random::stream(seed, "clock.log", number.into());
        let period_ns = log.length_ns().saturating_add(log.mean_gap_ns());
        let phase_ns = match place == number as usize {
            true if first_is_stepped_away(&log) => log.length_ns(),
            true => 0,
            // Below the period: the draw is above 0.
            false => {
                let back_ns = (random::unit(&mut random) * period_ns as f64) as u64;
                period_ns.saturating_sub(back_ns)
            }
        };
        let updates = log.updates();
        let first = updates.first()?;
        let passed = updates.partition_point(|update| update.at_ns - first.at_ns <= phase_ns);
        let last = passed.saturating_sub(1);
        let since_last_ns = phase_ns - (updates.get(last)?.at_ns - first.at_ns);
        let since = Timestamp(start.0.saturating_sub(since_last_ns));
        let mut line = Line::new(since, updates.get(last)?.error_ns);
        let mut clock = Self {
            log,
            next: last,
            at: since,
            random,
        };
        clock.happen(&mut line, since);
        Some((clock, line))
    }

    pub(super) fn due(&self) -> Timestamp {
        self.at
    }

    /// Updates wait for so long.
    pub(super) fn delay(&mut self, ns: u64) {
        self.at = self.at.later(ns);
    }

    /// An update comes, and the line to the next begins.
    pub(super) fn happen(&mut self, line: &mut Line, at: Timestamp) {
        let (Some(now), Some((next, update, gap_ns))) = (self.update(self.next), self.after())
        else {
            self.at = Timestamp(u64::MAX);
            return;
        };
        if let Some(error_ns) = stepped_to_ns(now.error_ns, update.error_ns, gap_ns) {
            line.step_to(error_ns);
        }
        let jitter_ns = random::normal_ns(&mut self.random, update.sd_ns);
        let target_ns = update.error_ns.saturating_add(jitter_ns);
        let way_ns = target_ns.saturating_sub(line.error_ns());
        line.turn(rate_ppb(way_ns, gap_ns, MAX_SLEW_PPB));
        self.next = next;
        self.at = at.later(gap_ns);
    }

    fn update(&self, index: usize) -> Option<Update> {
        self.log.updates().get(index).copied()
    }

    /// The update after the next: its place, itself, and the time between the two.
    fn after(&self) -> Option<(usize, Update, u64)> {
        let now = self.update(self.next)?;
        match self.update(self.next + 1) {
            Some(after) => Some((self.next + 1, after, after.at_ns - now.at_ns)),
            None => Some((0, self.update(0)?, self.log.mean_gap_ns())),
        }
    }
}

/// The error that a clock is stepped to at an update, if so it gets to the error of the next.
fn stepped_to_ns(now_ns: i64, next_ns: i64, gap_ns: u64) -> Option<i64> {
    let is_slew = |from_ns: i64| {
        let way_ns = next_ns.saturating_sub(from_ns);
        rate_ppb(way_ns, gap_ns, MAX_SLEW_PPB).abs() < MAX_SLEW_PPB
    };
    let is_large = |ns: i64| ns.unsigned_abs() >= LARGE_NS;
    let is_small = |ns: i64| ns.unsigned_abs() < SMALL_NS;
    let comes = is_small(now_ns) && is_large(next_ns);
    let goes = is_large(now_ns) && is_small(next_ns);
    match goes && is_slew(0) {
        true => Some(0),
        false => (comes || goes || !is_slew(now_ns)).then_some(next_ns),
    }
}

/// Whether a log starts with an error that is gone at once.
fn first_is_stepped_away(log: &ClockLog) -> bool {
    let [first, second, ..] = log.updates() else {
        return false;
    };
    let gap_ns = second.at_ns - first.at_ns;
    first.error_ns.unsigned_abs() > second.error_ns.unsigned_abs()
        && stepped_to_ns(first.error_ns, second.error_ns, gap_ns).is_some()
}
