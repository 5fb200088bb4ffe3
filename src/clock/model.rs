//! Models of clocks: how far readings are from true time, in whole nanoseconds.
//!
//! The error of a clock is a line between events: an error, and a rate that is the sum
//! of the oscillator's residual drift and of the slew that the last correction chose. A
//! slew never turns a clock back; only steps do.

use super::Timestamp;
use super::line::Line;
use super::log::ClockLog;
use super::parse::ClockError;
use super::process::{Process, Steered};
use super::replay::Replayed;
use std::sync::Arc;

/// A kind of clock.
#[derive(Clone, PartialEq, Debug)]
pub struct ClockModel(pub(super) Kind);

/// Where errors come from.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Kind {
    /// Distributions.
    Drawn(Arc<Process>),
    /// Logs, writers in turn; at least one.
    Logs(Arc<[Arc<ClockLog>]>),
}

impl ClockModel {
    /// Clocks that err as logs say: writers belong to them in turn, the first of each starts
    /// with it and the others somewhere in it; after the end of a log it starts again.
    ///
    /// # Errors
    /// No log.
    pub fn replay(logs: Vec<ClockLog>) -> Result<Self, ClockError> {
        if logs.is_empty() {
            return Err(ClockError("no log, expected at least one".to_owned()));
        }
        Ok(Self(Kind::Logs(logs.into_iter().map(Arc::new).collect())))
    }

    /// The clock of writer `number`, from `start` on.
    pub fn start(&self, seed: u64, number: u32, start: Timestamp) -> ModelClock {
        let drawn = |process: &Arc<Process>| {
            let (steered, line) = Steered::start(process.clone(), seed, number, start);
            (Guide::Drawn(Box::new(steered)), line)
        };
        let (guide, line) = match &self.0 {
            Kind::Drawn(process) => drawn(process),
            Kind::Logs(logs) => match Replayed::start(logs, seed, number, start) {
                Some((replayed, line)) => (Guide::Log(Box::new(replayed)), line),
                None => drawn(&Arc::new(Process::IDEAL)),
            },
        };
        let mut clock = ModelClock {
            due: guide.due(),
            line,
            stopped_until: None,
            guide,
        };
        clock.pass(start);
        clock.line.forget_steps();
        clock
    }
}

/// What happens next to a clock.
#[derive(Clone, Debug)]
pub(super) enum Guide {
    Drawn(Box<Steered>),
    Log(Box<Replayed>),
}

impl Guide {
    fn due(&self) -> Timestamp {
        match self {
            Guide::Drawn(steered) => steered.due(),
            Guide::Log(replayed) => replayed.due(),
        }
    }

    fn happen(&mut self, line: &mut Line, at: Timestamp) -> Option<u64> {
        match self {
            Guide::Drawn(steered) => return steered.happen(line, at),
            Guide::Log(replayed) => replayed.happen(line, at),
        }
        None
    }

    fn delay(&mut self, ns: u64) {
        match self {
            Guide::Drawn(steered) => steered.delay(ns),
            Guide::Log(replayed) => replayed.delay(ns),
        }
    }
}

/// A clock of a [`ClockModel`] at work. True time must not go back from call to call.
#[derive(Clone, Debug)]
pub struct ModelClock {
    pub(super) line: Line,
    /// When the next event is.
    due: Timestamp,
    /// When the machine goes on, if it stands still.
    stopped_until: Option<Timestamp>,
    pub(super) guide: Guide,
}

impl ModelClock {
    /// The wall clock's reading at true time `now`.
    pub fn read(&mut self, now: Timestamp) -> Timestamp {
        self.pass(now);
        self.line.wall(now)
    }

    /// The monotonic clock's: the wall clock's at the start, then at the same rate, but
    /// for steps. It stands still with the machine and never goes back.
    pub fn monotonic(&mut self, now: Timestamp) -> Timestamp {
        self.pass(now);
        self.line.monotonic(now)
    }

    /// The same at the instant at which the clock was read last.
    pub fn monotonic_when_read(&self, now: Timestamp) -> Timestamp {
        self.line.monotonic(now)
    }

    /// When the machine goes on, if it stands still at true time `now`.
    pub fn stopped_until(&mut self, now: Timestamp) -> Option<Timestamp> {
        self.pass(now);
        self.stopped_until
    }

    /// When the clock's process is next started again, as far as the model says, and no earlier
    /// than the machine goes on; it reads another time from then on.
    pub fn next_restart(&self) -> Option<Timestamp> {
        let restart = match &self.guide {
            Guide::Drawn(steered) => steered.next_restart()?,
            Guide::Log(_) => return None,
        };
        Some(
            self.stopped_until
                .map_or(restart, |until| restart.max(until)),
        )
    }

    /// Sets the wall clock forwards or, negative, back at true time `now`.
    pub fn step(&mut self, now: Timestamp, by_ns: i64) {
        self.pass(now);
        self.line.advance(now);
        self.line.step(by_ns);
    }

    /// Stops the machine at true time `now` for so long: both clocks stand still, and the
    /// wall clock is late afterwards until it is corrected.
    pub fn suspend(&mut self, now: Timestamp, for_ns: u64) {
        self.pass(now);
        self.line.advance(now);
        self.stop(now, for_ns);
    }

    fn stop(&mut self, now: Timestamp, for_ns: u64) {
        let from = self.stopped_until.unwrap_or(now);
        let until = now.later(for_ns).max(from);
        self.guide.delay(until.0 - from.0);
        self.line.pause();
        self.stopped_until = Some(until);
        self.due = until;
    }

    /// Lets happen what happens up to `now`.
    fn pass(&mut self, now: Timestamp) {
        while now >= self.due && self.due < Timestamp(u64::MAX) {
            self.next_event();
        }
    }

    #[cold]
    fn next_event(&mut self) {
        // What came while the machine stood still happens when it goes on.
        let at = self.due.max(self.line.since());
        self.line.advance(at);
        if self.stopped_until.take().is_some() {
            self.line.resume();
        } else if let Some(for_ns) = self.guide.happen(&mut self.line, at) {
            return self.stop(at, for_ns);
        }
        self.due = self.guide.due();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const START: Timestamp = Timestamp::from_ms(1_767_225_600_000);

    /// What is done to a clock from outside.
    #[derive(Clone, Copy, Debug)]
    enum Fault {
        None,
        Step(i64),
        Suspend(u64),
    }

    fn faults() -> impl Strategy<Value = Vec<(u64, Fault)>> {
        let fault = prop_oneof![
            3 => Just(Fault::None),
            1 => (-5_000_000_000i64..5_000_000_000).prop_map(Fault::Step),
            1 => (0u64..20_000_000_000).prop_map(Fault::Suspend),
        ];
        let gap_ns = prop_oneof![0u64..3, 0u64..100_000_000_000];
        prop::collection::vec((gap_ns, fault), 1..60)
    }

    proptest! {
        /// A clock that nothing corrects: the time that its machine ran, at its rate, and all steps.
        #[test]
        fn faults_add_up(faults in faults(), ppm in -500i64..500) {
            let text = format!("drift=constant:{ppm}ppm");
            let mut clock = ClockModel::parse(&text).unwrap().start(1, 0, START);
            let (mut now, mut ran_ns, mut stepped_ns) = (START, 0u64, 0i64);
            let mut stopped_until = START;
            for (gap_ns, fault) in faults {
                let next = now.later(gap_ns);
                ran_ns += next.0.saturating_sub(stopped_until.max(now).0);
                now = next;
                match fault {
                    Fault::None => {}
                    Fault::Step(by_ns) => {
                        clock.step(now, by_ns);
                        stepped_ns += by_ns;
                    }
                    Fault::Suspend(for_ns) => {
                        clock.suspend(now, for_ns);
                        stopped_until = stopped_until.max(now.later(for_ns));
                    }
                }
                let shown_ns = ran_ns as f64 * (1.0 + ppm as f64 / 1e6);
                let monotonic = clock.monotonic(now).0 - START.0;
                // A nanosecond is lost in rounding at each fault.
                prop_assert!((monotonic as f64 - shown_ns).abs() <= 200.0);
                let wall = clock.read(now).0.cast_signed() - START.0.cast_signed();
                prop_assert_eq!(wall, monotonic.cast_signed() + stepped_ns);
                let until = (now < stopped_until).then_some(stopped_until);
                prop_assert_eq!(clock.stopped_until(now), until);
            }
        }

        /// Whatever corrects it, the monotonic clock never goes back, and the wall clock
        /// only by a step.
        #[test]
        fn no_slew_turns_a_clock_back(
            faults in faults(),
            correction in prop::sample::select(vec!["never", "slew:1s", "slew:64s", "chrony:16s:1d", "ntpd:8s"]),
            target_ms in 0u32..3000,
            drift_ppm in 0u32..100_000,
            seed: u64,
        ) {
            let text = format!(
                "target=uniform:{target_ms}ms,drift=uniform:{drift_ppm}ppm,correct={correction},suspend=60/h:1ms..5s"
            );
            let mut clock = ClockModel::parse(&text).unwrap().start(seed, 0, START);
            let mut now = START;
            let (mut wall, mut monotonic) = (clock.read(now), clock.monotonic(now));
            prop_assert_eq!(wall, monotonic);
            for (gap_ns, fault) in faults {
                now = now.later(gap_ns);
                let next = clock.monotonic(now);
                prop_assert!(next >= monotonic);
                monotonic = next;
                let next = clock.read(now);
                prop_assert!(next >= wall || correction == "ntpd:8s");
                match fault {
                    Fault::None => {}
                    Fault::Step(by_ns) => clock.step(now, by_ns),
                    Fault::Suspend(for_ns) => clock.suspend(now, for_ns),
                }
                prop_assert_eq!(clock.monotonic(now), monotonic);
                wall = clock.read(now);
            }
        }
    }
}
