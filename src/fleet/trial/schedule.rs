//! Random schedules: a short run and what goes wrong in it.

use crate::clock::{NS_PER_S, Timestamp};
use crate::fleet::{Arrivals, Clocks, Conduct, Fault, FleetSpec, Latency, START, Trouble};
use crate::random;
use rand_chacha::ChaCha8Rng;
use std::fmt;

/// The most faults of a drawn schedule.
pub const MOST_FAULTS: u32 = 6;

/// Ids of a drawn run.
const IDS: u64 = 150;

/// A day: runs start at a random time of one.
const DAY_NS: u64 = 86_400 * NS_PER_S;

/// A short run and what goes wrong in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Schedule {
    /// Number of writers.
    pub writers: u32,
    /// Ids a second, all writers together.
    pub rate: u64,
    /// When ids are asked for.
    pub arrivals: Arrivals,
    /// Seed of arrivals and clocks.
    pub seed: u64,
    /// True time of the first arrival.
    pub start: Timestamp,
    /// Ids are asked for so long.
    pub length_ns: u64,
    /// In order of time.
    pub faults: Vec<Fault>,
}

impl Schedule {
    /// Schedule `number` of a seed: 150 ids in a tenth of a millisecond to 150 s, and up to
    /// [`MOST_FAULTS`] steps, pauses, suspensions and restarts, from a thousandth to twice as
    /// long as the run.
    pub fn draw(seed: u64, number: u64) -> Self {
        let mut random = random::stream(seed, "fleet.schedule", number);
        let random = &mut random;
        let pick = |random: &mut ChaCha8Rng, of: &[u32]| {
            of[random::below(random, of.len() as u32) as usize]
        };
        let writers = pick(random, &[1, 2, 3, 10]);
        let rate = 10u64.pow(random::below(random, 7));
        let arrivals = match random::below(random, 3) {
            0 => Arrivals::Steady,
            1 => Arrivals::Poisson,
            _ => Arrivals::Bursty,
        };
        let start = START.later((random::unit(random) * DAY_NS as f64) as u64);
        let length_ns = IDS * NS_PER_S / rate;
        let faults = 1 + random::below(random, MOST_FAULTS);
        let fault = |_| {
            let at = start.later((random::unit(random) * length_ns as f64) as u64);
            // From 2 down to 2⁻¹⁰ of the length, each octave as likely as the next.
            let octave = 1.0 - 11.0 * random::unit(random);
            let size_ns = (libm::exp2(octave) * length_ns as f64) as u64;
            let trouble = match random::below(random, 10) {
                0..=3 => Trouble::Step {
                    by_ns: -size_ns.cast_signed(),
                },
                4 => Trouble::Step {
                    by_ns: size_ns.cast_signed(),
                },
                5 => Trouble::Pause { for_ns: size_ns },
                6 => Trouble::Suspend { for_ns: size_ns },
                _ => Trouble::Restart { down_ns: size_ns },
            };
            Fault {
                at,
                writer: random::below(random, writers),
                trouble,
            }
        };
        let mut faults: Vec<Fault> = (0..faults).map(fault).collect();
        faults.sort();
        Self {
            writers,
            rate,
            arrivals,
            seed: seed.wrapping_add(number),
            start,
            length_ns,
            faults,
        }
    }

    /// Whether a process is restarted.
    pub fn restarts(&self) -> bool {
        let restart = |fault: &Fault| matches!(fault.trouble, Trouble::Restart { .. });
        self.faults.iter().any(restart)
    }

    /// The same without restarts.
    pub fn without_restarts(mut self) -> Self {
        let kept = |fault: &Fault| !matches!(fault.trouble, Trouble::Restart { .. });
        self.faults.retain(kept);
        self
    }

    /// The most that faults can make a clock lose: steps, either way since they are
    /// corrected, and times that it stands still.
    pub fn lost_ns(&self) -> u64 {
        let lost = |fault: &Fault| match fault.trouble {
            Trouble::Step { by_ns } => by_ns.unsigned_abs(),
            Trouble::Suspend { for_ns } => for_ns,
            _ => 0,
        };
        self.faults.iter().map(lost).fold(0, u64::saturating_add)
    }

    /// Its fleet; rows are seen at once.
    pub fn spec(&self, clocks: Clocks, conduct: Conduct) -> FleetSpec {
        FleetSpec {
            writers: self.writers,
            rate: self.rate,
            arrivals: self.arrivals,
            clocks,
            latency: Latency::None,
            abort_ppm: 0,
            conduct: Conduct {
                faults: self.faults.clone(),
                ..conduct
            },
            seed: self.seed,
            start: self.start,
            phase: 0,
        }
    }

    /// True time after which no id is asked for.
    pub fn end(&self) -> Timestamp {
        self.start.later(self.length_ns)
    }
}

/// A time in the unit that suits it.
fn time(ns: u64) -> String {
    match ns {
        0..1_000 => format!("{ns} ns"),
        1_000..1_000_000 => format!("{:.3} µs", ns as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.3} ms", ns as f64 / 1e6),
        _ => format!("{:.3} s", ns as f64 / 1e9),
    }
}

/// One line on the run, one a fault.
impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let arrivals = match self.arrivals {
            Arrivals::Steady => "steadily",
            Arrivals::Poisson => "at random",
            Arrivals::Bursty => "in bursts",
        };
        write!(
            f,
            "{} writer(s), {} ids/s {arrivals} for {}, from {} ns since 1970, seed {}",
            self.writers,
            self.rate,
            time(self.length_ns),
            self.start.0,
            self.seed
        )?;
        for fault in &self.faults {
            let after = time(fault.at.0.saturating_sub(self.start.0));
            let what = match fault.trouble {
                Trouble::Step { by_ns } => {
                    let way = if by_ns < 0 { "back" } else { "forwards" };
                    format!("its clock is set {way} by {}", time(by_ns.unsigned_abs()))
                }
                Trouble::Pause { for_ns } => format!("its process stops for {}", time(for_ns)),
                Trouble::Suspend { for_ns } => format!("its machine stops for {}", time(for_ns)),
                Trouble::Restart { down_ns } => {
                    format!("it is restarted, down for {}", time(down_ns))
                }
                Trouble::Partition { for_ns } => {
                    format!("it cannot reach the registry for {}", time(for_ns))
                }
                Trouble::Outage { for_ns } => format!("the registry is down for {}", time(for_ns)),
            };
            write!(f, "\n  after {after}: writer {}: {what}", fault.writer)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawn_schedules_differ_by_number_and_hold_what_they_promise() {
        let mut kinds = [0u32; 4];
        for number in 0..1000 {
            let schedule = Schedule::draw(1, number);
            assert_eq!(schedule, Schedule::draw(1, number));
            assert_ne!(schedule.start, Schedule::draw(1, number + 1).start);
            assert!((1..=MOST_FAULTS as usize).contains(&schedule.faults.len()));
            assert!(schedule.faults.is_sorted());
            for fault in &schedule.faults {
                assert!(fault.writer < schedule.writers);
                assert!(fault.at >= schedule.start && fault.at <= schedule.end());
                let (kind, size_ns) = match fault.trouble {
                    Trouble::Step { by_ns } => (0, by_ns.unsigned_abs()),
                    Trouble::Pause { for_ns } => (1, for_ns),
                    Trouble::Suspend { for_ns } => (2, for_ns),
                    Trouble::Restart { down_ns } => (3, down_ns),
                    other => panic!("{other:?}"),
                };
                kinds[kind] += 1;
                assert!(size_ns <= 2 * schedule.length_ns);
            }
            assert!(!schedule.without_restarts().restarts());
        }
        // Half of them steps, a tenth pauses, a tenth suspensions, three tenths restarts.
        assert!(kinds.iter().all(|count| *count > 200), "{kinds:?}");
    }

    #[test]
    fn a_schedule_is_told_in_lines() {
        let mut schedule = Schedule::draw(1, 0);
        let at = schedule.start.later(1_500_000);
        let trouble = Trouble::Step { by_ns: -2_000 };
        schedule.faults = vec![Fault {
            at,
            writer: 0,
            trouble,
        }];
        let text = schedule.to_string();
        let line = "  after 1.500 ms: writer 0: its clock is set back by 2.000 µs";
        assert_eq!(text.lines().nth(1), Some(line));
        assert_eq!(text.lines().count(), 2);
        assert_eq!(schedule.lost_ns(), 2_000);
    }
}
