//! Clocks that err as a log says.

use super::NS_PER_S;
use super::Timestamp;
use super::correction::MAX_SLEW_PPB;
use super::line::{Line, rate_ppb};
use super::log::{ClockLog, Update};
use crate::random;
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;

/// chrony and ntpd step at the update that finds an error above this, if they step.
const STEP_NS: u64 = NS_PER_S / 2;

/// A log at work: a line to the error of each next update, from the last one back to the first.
#[derive(Clone, Debug)]
pub(super) struct Replayed {
    log: Arc<ClockLog>,
    /// The next update.
    next: usize,
    /// When it comes.
    at: Timestamp,
    /// The error that it steps to, as no slew leads there.
    jump_ns: Option<i64>,
    random: ChaCha8Rng,
}

impl Replayed {
    /// The clock of writer `number`, from `start` on: the first writer of a log starts with
    /// it, the others somewhere in it.
    pub(super) fn start(
        logs: &[Arc<ClockLog>],
        seed: u64,
        number: u32,
        start: Timestamp,
    ) -> Option<(Self, Line)> {
        let place = number as usize % logs.len().max(1);
        let log = logs.get(place)?.clone();
        let mut random = random::stream(seed, "clock.log", number.into());
        let period_ns = log.length_ns().saturating_add(mean_gap_ns(&log));
        let phase_ns = match place == number as usize {
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
            jump_ns: None,
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
        if let Some(error_ns) = self.jump_ns.take() {
            line.step_to(error_ns);
        }
        let mut from_ns = now.error_ns;
        if from_ns.unsigned_abs() > STEP_NS && update.error_ns.unsigned_abs() <= STEP_NS {
            from_ns = 0;
            line.step_to(0);
        }
        let jitter_ns = random::normal_ns(&mut self.random, update.sd_ns);
        let target_ns = update.error_ns.saturating_add(jitter_ns);
        let slew_ppb = |from_ns: i64, to_ns: i64| {
            rate_ppb(to_ns.saturating_sub(from_ns), gap_ns, MAX_SLEW_PPB)
        };
        if slew_ppb(from_ns, update.error_ns).abs() < MAX_SLEW_PPB {
            line.turn(slew_ppb(line.error_ns(), target_ns));
        } else {
            line.turn(0);
            self.jump_ns = Some(target_ns);
        }
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
            None => Some((0, self.update(0)?, mean_gap_ns(&self.log))),
        }
    }
}

/// The mean time between updates, and from the last to the first.
fn mean_gap_ns(log: &ClockLog) -> u64 {
    let gaps = log.updates().len().saturating_sub(1).max(1);
    (log.length_ns() / gaps as u64).max(1)
}
