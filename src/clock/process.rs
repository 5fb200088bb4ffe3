//! Clocks whose errors, corrections and mishaps are drawn from distributions.

use super::correction::{Answer, Correction, Memory};
use super::law::{Jump, Law, Length, Span};
use super::line::Line;
use super::{NS_PER_S, Timestamp};
use crate::random;
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;

/// What errors, corrections and mishaps are drawn from.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Process {
    /// Sites that share an error each, and its law; writers belong to them in turn.
    pub(super) sites: Option<(u32, Law)>,
    /// The error that a writer keeps.
    pub(super) offset: Law,
    /// What each correction adds to it.
    pub(super) target: Law,
    /// Residual frequency error, drawn anew by each slew.
    pub(super) drift: Law,
    pub(super) correction: Correction,
    pub(super) steps: Option<Steps>,
    pub(super) suspends: Option<Suspends>,
    /// One step, which corrections undo.
    pub(super) at: Option<Once>,
    /// The servers are off for so long, and corrections follow.
    pub(super) upstream: Option<(Once, u64)>,
    /// The process starts again and counts from another epoch, for good.
    pub(super) epoch: Option<Once>,
    pub(super) leap: Option<Leap>,
}

/// Steps out of the blue at random times.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Steps {
    pub(super) mean_gap_ns: u64,
    pub(super) size: Jump,
}

/// The machine stands still at random times.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Suspends {
    pub(super) mean_gap_ns: u64,
    pub(super) length: Length,
}

/// Something that happens to some writers once, so long after the start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Once {
    pub(super) after: Span,
    pub(super) size: Jump,
    pub(super) percent: u32,
}

/// A leap second is inserted so long after the start: a step back of 1 s, or, for some
/// writers, the same spread over the 24 h around it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Leap {
    pub(super) after_ns: u64,
    pub(super) smeared_percent: u32,
}

impl Process {
    /// True time.
    pub(super) const IDEAL: Self = Self {
        sites: None,
        offset: Law::ZERO,
        target: Law::ZERO,
        drift: Law::ZERO,
        correction: Correction::Never,
        steps: None,
        suspends: None,
        at: None,
        upstream: None,
        epoch: None,
        leap: None,
    };
}

/// Whether writer `number` is of this share, which is spread evenly over them.
fn is_hit(number: u32, percent: u32) -> bool {
    let up_to = |number: u64| number * u64::from(percent) / 100;
    up_to(number.into()) < up_to(u64::from(number) + 1)
}

const NEVER: Timestamp = Timestamp(u64::MAX);

/// A step that is known from the start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Shift {
    at: Timestamp,
    by_ns: i64,
    /// Corrections keep to it.
    kept: bool,
    restart: bool,
}

/// Spreads the leap second over the day around its middle.
#[derive(Clone, Copy, Debug)]
struct Smear {
    start: Timestamp,
}

const DAY_S: u64 = 86_400;

impl Smear {
    fn around(middle: Timestamp) -> Self {
        let half_ns = DAY_S / 2 * NS_PER_S;
        Self {
            start: Timestamp(middle.0.saturating_sub(half_ns)),
        }
    }

    /// What the servers' time is off at `at`, from 0 to -1 s.
    fn error_ns(self, at: Timestamp) -> i64 {
        let past_ns = at.0.saturating_sub(self.start.0).min(DAY_S * NS_PER_S);
        -((past_ns / DAY_S) as i64)
    }
}

/// What happens next to a clock of a [`Process`].
#[derive(Clone, Debug)]
pub(super) struct Steered {
    process: Arc<Process>,
    /// The error that corrections aim at, less the smear and the jitter of each.
    kept_ns: i64,
    smear: Option<Smear>,
    memory: Memory,
    drift_ppb: i64,
    /// Time of the next correction.
    correction: Timestamp,
    /// When the slew of the last one is over.
    settled: Timestamp,
    /// Time of the next step.
    step: Timestamp,
    /// Time of the next suspend.
    suspend: Timestamp,
    /// Shifts to come, the next one last.
    shifts: Vec<Shift>,
    random: ChaCha8Rng,
    mishaps: ChaCha8Rng,
}

impl Steered {
    /// The clock of writer `number`, from `start` on.
    pub(super) fn start(
        process: Arc<Process>,
        seed: u64,
        number: u32,
        start: Timestamp,
    ) -> (Self, Line) {
        let mut random = random::stream(seed, "clock", number.into());
        let site_ns = process.sites.map_or(0, |(sites, law)| {
            let site = number % sites.max(1);
            law.draw(&mut random::stream(seed, "clock.site", site.into()))
        });
        let kept_ns = site_ns.saturating_add(process.offset.draw(&mut random));
        let mut clock = Self {
            kept_ns,
            smear: None,
            memory: Memory::NEW,
            drift_ppb: 0,
            correction: NEVER,
            settled: NEVER,
            step: NEVER,
            suspend: NEVER,
            shifts: Vec::new(),
            random,
            mishaps: random::stream(seed, "clock.mishap", number.into()),
            process,
        };
        clock.plan(number, start);
        let mut line = Line::new(start, clock.target(start));
        if let Some(steps) = clock.process.steps {
            let gap_ns = random::exponential(&mut clock.random, steps.mean_gap_ns);
            clock.step = start.later(gap_ns);
        }
        if let Some(suspends) = clock.process.suspends {
            let gap_ns = random::exponential(&mut clock.mishaps, suspends.mean_gap_ns);
            clock.suspend = start.later(gap_ns);
        }
        let Some(every_ns) = clock.process.correction.every_ns() else {
            clock.drift_ppb = clock.process.drift.draw(&mut clock.random);
            line.turn(clock.drift_ppb);
            return (clock, line);
        };
        // In the midst of an interval.
        let past_ns = (random::unit(&mut clock.random) * every_ns as f64) as u64;
        let since = Timestamp(start.0.saturating_sub(past_ns));
        line = Line::new(since, line.error_ns());
        if let Correction::Step { .. } = clock.process.correction {
            clock.drift_ppb = clock.process.drift.draw(&mut clock.random);
            line.turn(clock.drift_ppb);
            clock.correction = since.later(every_ns);
        } else {
            clock.correct(&mut line, since, every_ns);
        }
        (clock, line)
    }

    /// Draws what is known from the start.
    fn plan(&mut self, number: u32, start: Timestamp) {
        let process = &self.process;
        let random = &mut self.mishaps;
        let mut shifts = Vec::new();
        let mut once = |once: Once, kept, restart| {
            let at = start.later(once.after.draw(random));
            let by_ns = once.size.draw(random);
            let shift = Shift {
                at,
                by_ns,
                kept,
                restart,
            };
            is_hit(number, once.percent).then_some(shift)
        };
        shifts.extend(process.at.and_then(|step| once(step, false, false)));
        if let Some((wrong, for_ns)) = process.upstream
            && let Some(shift) = once(wrong, true, false)
        {
            let back = Shift {
                at: shift.at.later(for_ns),
                by_ns: -shift.by_ns,
                ..shift
            };
            shifts.extend([shift, back]);
        }
        shifts.extend(process.epoch.and_then(|step| once(step, true, true)));
        if let Some(leap) = process.leap {
            let middle = start.later(leap.after_ns);
            if is_hit(number, leap.smeared_percent) {
                self.smear = Some(Smear::around(middle));
            } else {
                // When the writer's own clock says so.
                shifts.push(Shift {
                    at: Timestamp(
                        middle
                            .0
                            .saturating_add_signed(self.kept_ns.saturating_neg()),
                    )
                    .max(start),
                    by_ns: -(NS_PER_S as i64),
                    kept: true,
                    restart: false,
                });
            }
        }
        shifts.sort_by_key(|shift| std::cmp::Reverse(shift.at));
        self.shifts = shifts;
    }

    /// When the next thing happens.
    pub(super) fn due(&self) -> Timestamp {
        let shift = self.shifts.last().map_or(NEVER, |shift| shift.at);
        let first = self.correction.min(self.settled).min(self.step);
        first.min(self.suspend).min(shift)
    }

    /// When the process starts again.
    pub(super) fn next_restart(&self) -> Option<Timestamp> {
        let mut shifts = self.shifts.iter().rev();
        shifts.find(|shift| shift.restart).map(|shift| shift.at)
    }

    /// What was due happens at `at`; for how long the machine stands still, if it does.
    pub(super) fn happen(&mut self, line: &mut Line, at: Timestamp) -> Option<u64> {
        let due = self.due();
        if due == self.step {
            self.step = NEVER;
            if let Some(steps) = self.process.steps {
                line.step(steps.size.draw(&mut self.random));
                let gap_ns = random::exponential(&mut self.random, steps.mean_gap_ns);
                self.step = at.later(gap_ns.max(1));
            }
        } else if let Some(shift) = self.shifts.pop_if(|shift| shift.at == due) {
            line.step(shift.by_ns);
            if shift.kept {
                self.kept_ns = self.kept_ns.saturating_add(shift.by_ns);
            }
        } else if due == self.suspend {
            self.suspend = NEVER;
            let suspends = self.process.suspends?;
            let for_ns = suspends.length.draw(&mut self.mishaps);
            let gap_ns = random::exponential(&mut self.mishaps, suspends.mean_gap_ns);
            self.suspend = at.later(for_ns).later(gap_ns.max(1));
            return Some(for_ns);
        } else if due == self.settled {
            self.settled = NEVER;
            line.turn(self.drift_ppb);
        } else {
            match self.process.correction.every_ns() {
                Some(every_ns) => self.correct(line, at, every_ns),
                None => self.correction = NEVER,
            }
        }
        None
    }

    /// Corrections wait for so long.
    pub(super) fn delay(&mut self, ns: u64) {
        self.correction = self.correction.later(ns);
        self.settled = self.settled.later(ns);
    }

    fn correct(&mut self, line: &mut Line, at: Timestamp, every_ns: u64) {
        self.correction = at.later(every_ns);
        self.settled = NEVER;
        let correction = self.process.correction;
        if let Correction::Step { .. } = correction {
            return line.step_to(self.target(at));
        }
        self.drift_ppb = self.process.drift.draw(&mut self.random);
        let target_ns = self.target(self.correction);
        let way_ns = target_ns.saturating_sub(line.error_ns());
        match self.memory.answer(correction, at, way_ns) {
            Answer::Slew { ppb, for_ns } => {
                line.turn(self.drift_ppb.saturating_add(ppb));
                if let Some(for_ns) = for_ns
                    && for_ns < every_ns
                {
                    self.settled = at.later(for_ns);
                }
            }
            Answer::Step => {
                line.step_to(target_ns);
                line.turn(self.drift_ppb);
            }
            Answer::GiveUp => {
                self.correction = NEVER;
                line.turn(self.drift_ppb);
            }
        }
    }

    /// The error that a correction aims at for `at`.
    fn target(&mut self, at: Timestamp) -> i64 {
        let smear_ns = self.smear.map_or(0, |smear| smear.error_ns(at));
        let target_ns = self.process.target.draw(&mut self.random);
        self.kept_ns
            .saturating_add(target_ns)
            .saturating_add(smear_ns)
    }

    /// The error that the writer keeps.
    #[cfg(test)]
    pub(super) fn kept_ns(&self) -> i64 {
        self.kept_ns
    }

    #[cfg(test)]
    pub(super) fn correction(&self) -> Timestamp {
        self.correction
    }

    #[cfg(test)]
    pub(super) fn step(&self) -> Timestamp {
        self.step
    }
}
