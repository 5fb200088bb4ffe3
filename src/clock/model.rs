//! Models of clocks: how far readings are from true time, in whole nanoseconds.
//!
//! The error of a clock is a line between corrections: an error, and a rate that is
//! the sum of the oscillator's residual drift and of the slew towards the target that
//! the last correction chose. A slew never turns a clock back; only steps do.

use super::{NS_PER_MS, NS_PER_S, Timestamp};
use crate::names::nearest;
use crate::random;
use rand_chacha::ChaCha8Rng;
use thiserror::Error;

/// The fastest slew, chrony's default on Linux: a twelfth.
const MAX_SLEW_PPB: i64 = 83_333_333;

const DAY_NS: u64 = 86_400 * NS_PER_S;

/// A distribution of clock errors.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Law {
    Zero,
    /// Mean 0, no further out than the cap.
    Normal {
        sd_ns: u64,
        cap_ns: u64,
    },
    /// Mean 0; one draw in 1000 is uniform within the tail instead.
    Laplace {
        scale_ns: u64,
        tail_ns: u64,
    },
    /// Clock fast; one draw in 100 is uniform up to the tail instead.
    LogNormal {
        median_ns: u64,
        sigma: f64,
        tail_ns: u64,
    },
    /// Within this much of 0.
    Uniform {
        most_ns: u64,
    },
}

impl Law {
    fn draw(self, random: &mut ChaCha8Rng) -> i64 {
        match self {
            Law::Zero => 0,
            Law::Normal { sd_ns, cap_ns } => {
                let cap_ns = cap_ns as i64;
                random::normal_ns(random, sd_ns).clamp(-cap_ns, cap_ns)
            }
            Law::Laplace { scale_ns, tail_ns } => {
                if random::below(random, 1000) == 0 {
                    return uniform(random, tail_ns);
                }
                let size_ns = random::exponential(random, scale_ns) as i64;
                if random::below(random, 2) == 0 {
                    size_ns
                } else {
                    -size_ns
                }
            }
            Law::LogNormal {
                median_ns,
                sigma,
                tail_ns,
            } => {
                if random::below(random, 100) == 0 {
                    return uniform(random, tail_ns).abs();
                }
                random::lognormal(random, median_ns, sigma) as i64
            }
            Law::Uniform { most_ns } => uniform(random, most_ns),
        }
    }
}

/// A uniform draw from within `most_ns` of 0.
fn uniform(random: &mut ChaCha8Rng, most_ns: u64) -> i64 {
    ((2.0 * random::unit(random) - 1.0) * most_ns as f64) as i64
}

/// What keeps a clock near true time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Correction {
    Never,
    /// A new target at equal intervals, slewed to until the next.
    Slew {
        every_ns: u64,
    },
    /// The error is set to 0 at equal intervals.
    Step {
        every_ns: u64,
    },
}

/// Steps out of the blue, forwards or backwards, at random times.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Steps {
    mean_gap_ns: u64,
    least_ns: u64,
    most_ns: u64,
}

/// A kind of clock.
#[derive(Clone, PartialEq, Debug)]
pub struct ClockModel {
    /// Name on the command line.
    pub name: &'static str,
    /// One line on what it is.
    pub about: &'static str,
    /// Sites that share an error each, and its law; writers belong to them in turn.
    sites: Option<(u32, Law)>,
    /// The error that a writer keeps.
    bias: Law,
    /// What each correction adds to it.
    target: Law,
    /// Standard deviation of the residual frequency error (normal), drawn anew by each slew.
    drift_ppb: u64,
    correction: Correction,
    steps: Option<Steps>,
}

const IDEAL: ClockModel = ClockModel {
    name: "ideal",
    about: "true time",
    sites: None,
    bias: Law::Zero,
    target: Law::Zero,
    drift_ppb: 0,
    correction: Correction::Never,
    steps: None,
};

const fn slewed(every_s: u64) -> Correction {
    Correction::Slew {
        every_ns: every_s * NS_PER_S,
    }
}

/// Every clock, in the order of `sim list`.
pub const CLOCKS: &[ClockModel] = &[
    IDEAL,
    ClockModel {
        name: "ptp_hw",
        about: "PTP with hardware timestamps: normal error, sd 200 ns, at most 1 µs; drift 0.1 ppm, corrected each second",
        target: Law::Normal {
            sd_ns: 200,
            cap_ns: 1_000,
        },
        drift_ppb: 100,
        correction: slewed(1),
        ..IDEAL
    },
    ClockModel {
        name: "ec2_phc",
        about: "a cloud's hardware clock: normal error, sd 5 µs, at most 50 µs; drift 0.1 ppm, corrected each second",
        target: Law::Normal {
            sd_ns: 5_000,
            cap_ns: 50_000,
        },
        drift_ppb: 100,
        correction: slewed(1),
        ..IDEAL
    },
    ClockModel {
        name: "ec2_ntp",
        about: "a cloud's NTP server: normal error, sd 50 µs, at most 1 ms; drift 1 ppm, corrected each 16 s",
        target: Law::Normal {
            sd_ns: 50_000,
            cap_ns: NS_PER_MS,
        },
        drift_ppb: 1_000,
        correction: slewed(16),
        ..IDEAL
    },
    ClockModel {
        name: "lan_chrony",
        about: "chrony in a data centre: Laplace error of scale 150 µs, 0.1 % out to 5 ms; drift 1 ppm, corrected each 64 s",
        target: Law::Laplace {
            scale_ns: 150_000,
            tail_ns: 5 * NS_PER_MS,
        },
        drift_ppb: 1_000,
        correction: slewed(64),
        ..IDEAL
    },
    ClockModel {
        name: "wan_pool",
        about: "public NTP pool: each path's error lognormal, sd 5 ms, 1 % out to 50 ms; drift 10 ppm, corrected each 64 s; a step of 128 to 500 ms a month",
        // sd = median · e^½ · √(e − 1) at sigma 1.
        bias: Law::LogNormal {
            median_ns: 2_313_500,
            sigma: 1.0,
            tail_ns: 50 * NS_PER_MS,
        },
        drift_ppb: 10_000,
        correction: slewed(64),
        steps: Some(Steps {
            mean_gap_ns: 30 * DAY_NS,
            least_ns: 128 * NS_PER_MS,
            most_ns: 500 * NS_PER_MS,
        }),
        ..IDEAL
    },
    ClockModel {
        name: "multi_dc",
        about: "three data centres, writers in turn: normal errors, sd 2 ms a centre and 300 µs a writer; drift 1 ppm, corrected each 64 s",
        sites: Some((
            3,
            Law::Normal {
                sd_ns: 2 * NS_PER_MS,
                cap_ns: NS_PER_S,
            },
        )),
        bias: Law::Normal {
            sd_ns: 300_000,
            cap_ns: NS_PER_S,
        },
        drift_ppb: 1_000,
        correction: slewed(64),
        ..IDEAL
    },
    ClockModel {
        name: "crdb_edge",
        about: "CockroachDB's limit: errors uniform within 250 ms; drift 5 ppm, corrected each 64 s",
        bias: Law::Uniform {
            most_ns: 250 * NS_PER_MS,
        },
        drift_ppb: 5_000,
        correction: slewed(64),
        ..IDEAL
    },
    ClockModel {
        name: "cron_sync",
        about: "set once a day, each writer at its own time, by a step: frequency error normal, sd 115.6 ppm",
        drift_ppb: 115_600,
        correction: Correction::Step { every_ns: DAY_NS },
        ..IDEAL
    },
    ClockModel {
        name: "unsynced",
        about: "right at the start, then never set: frequency error normal, sd 115.6 ppm",
        drift_ppb: 115_600,
        ..IDEAL
    },
];

/// No clock has this name.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("unknown clock {0:?}{1}")]
pub struct UnknownClock(String, String);

/// The clock of this name.
///
/// # Errors
/// An unknown name.
pub fn clock(name: &str) -> Result<&'static ClockModel, UnknownClock> {
    let known = CLOCKS.iter().find(|model| model.name == name);
    known.ok_or_else(|| {
        UnknownClock(
            name.to_owned(),
            nearest(name, CLOCKS.iter().map(|model| model.name)),
        )
    })
}

impl ClockModel {
    /// The clock of writer `number`, from `start` on.
    pub fn start(&'static self, seed: u64, number: u32, start: Timestamp) -> ModelClock {
        let mut random = random::stream(seed, "clock", number.into());
        let site_ns = self.sites.map_or(0, |(sites, law)| {
            let mut random = random::stream(seed, "clock.site", (number % sites).into());
            law.draw(&mut random)
        });
        let bias_ns = site_ns + self.bias.draw(&mut random);
        let mut clock = ModelClock {
            model: self,
            bias_ns,
            error_ns: bias_ns + self.target.draw(&mut random),
            rate_ppb: 0,
            since: start,
            correction: Timestamp(u64::MAX),
            step: Timestamp(u64::MAX),
            random,
        };
        let random = &mut clock.random;
        if let Some(steps) = self.steps {
            clock.step = start.later(random::exponential(random, steps.mean_gap_ns));
        }
        match self.correction {
            Correction::Never => clock.rate_ppb = random::normal_ns(random, self.drift_ppb),
            Correction::Slew { every_ns } | Correction::Step { every_ns } => {
                // In the midst of an interval.
                let past_ns = (random::unit(random) * every_ns as f64) as u64;
                clock.since = Timestamp(start.0.saturating_sub(past_ns));
                clock.rate_ppb = random::normal_ns(random, self.drift_ppb);
                clock.correction = clock.since.later(every_ns);
                if let Correction::Slew { every_ns } = self.correction {
                    clock.rate_ppb += clock.slew_ppb(every_ns);
                }
            }
        }
        clock
    }
}

/// A clock of a [`ClockModel`] at work.
#[derive(Clone, Debug)]
pub struct ModelClock {
    model: &'static ClockModel,
    bias_ns: i64,
    /// Error at `since`: positive if the clock is fast.
    error_ns: i64,
    rate_ppb: i64,
    since: Timestamp,
    /// Time of the next correction.
    correction: Timestamp,
    /// Time of the next step.
    step: Timestamp,
    random: ChaCha8Rng,
}

impl ModelClock {
    /// Its reading at true time `now`, which must not go back from call to call.
    pub fn read(&mut self, now: Timestamp) -> Timestamp {
        while now >= self.correction.min(self.step) {
            self.next_event();
        }
        Timestamp(now.0.saturating_add_signed(self.error_at(now)))
    }

    fn error_at(&self, now: Timestamp) -> i64 {
        let past_ns = i128::from(now.0.saturating_sub(self.since.0));
        // Rounded down, so that readings never fall as long as the rate is above -1.
        let grown_ns = (past_ns * i128::from(self.rate_ppb)).div_euclid(NS_PER_S.into());
        self.error_ns.saturating_add(grown_ns as i64)
    }

    fn next_event(&mut self) {
        let at = self.correction.min(self.step);
        self.error_ns = self.error_at(at);
        self.since = at;
        let random = &mut self.random;
        if at == self.step {
            if let Some(steps) = self.model.steps {
                let span_ns = (steps.most_ns - steps.least_ns) as f64;
                let size_ns = steps.least_ns as i64 + (random::unit(random) * span_ns) as i64;
                let back = random::below(random, 2) == 0;
                self.error_ns += if back { -size_ns } else { size_ns };
                self.step = at.later(random::exponential(random, steps.mean_gap_ns).max(1));
            }
            return;
        }
        match self.model.correction {
            Correction::Never => self.correction = Timestamp(u64::MAX),
            Correction::Slew { every_ns } => {
                let drift_ppb = random::normal_ns(random, self.model.drift_ppb);
                self.rate_ppb = drift_ppb + self.slew_ppb(every_ns);
                self.correction = at.later(every_ns);
            }
            Correction::Step { every_ns } => {
                self.error_ns = self.bias_ns;
                self.correction = at.later(every_ns);
            }
        }
    }

    /// The rate that brings the error to a new target within `every_ns`.
    fn slew_ppb(&mut self, every_ns: u64) -> i64 {
        let target_ns = self.bias_ns + self.model.target.draw(&mut self.random);
        let way_ns = i128::from(target_ns - self.error_ns);
        let ppb = way_ns * i128::from(NS_PER_S) / i128::from(every_ns);
        ppb.clamp(-MAX_SLEW_PPB as i128, MAX_SLEW_PPB as i128) as i64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    const START: Timestamp = Timestamp::from_ms(1_767_225_600_000);

    fn error_ns(clock: &mut ModelClock, at: Timestamp) -> i64 {
        clock.read(at).0.cast_signed() - at.0.cast_signed()
    }

    #[test]
    fn a_clock_without_steps_never_goes_back() {
        let calm = CLOCKS
            .iter()
            .filter(|model| !matches!(model.correction, Correction::Step { .. }));
        for model in calm.filter(|model| model.steps.is_none()) {
            let mut clock = model.start(1, 3, START);
            let mut last = clock.read(START);
            for tenth in 1..=20_000u64 {
                for ns in [0, 1, 2] {
                    let now = clock.read(START.later(tenth * (NS_PER_S / 10) + ns));
                    assert!(now >= last, "{} at {tenth}", model.name);
                    last = now;
                }
            }
        }
    }

    /// At corrections, errors of 10⁵ writers have the law's spread, the drift of an
    /// interval added: 5.5 standard errors of a mean square, missed less than once in
    /// 10⁶ seeds for laws as peaked as Laplace's (and this seed is fixed).
    #[test]
    fn errors_have_the_spread_of_their_law() {
        let spread = |name: &str| {
            let model = clock(name).unwrap();
            let squares = (0..100_000).map(|writer| {
                let mut clock = model.start(1, writer, START);
                let at = clock.correction;
                (error_ns(&mut clock, at) as f64).powi(2)
            });
            squares.sum::<f64>() / 100_000.0
        };
        for (name, sd_ns, drift_ns) in [
            ("ptp_hw", 200.0_f64, 100.0_f64),
            ("ec2_phc", 5e3, 100.0),
            ("ec2_ntp", 5e4, 16e3),
        ] {
            let expected = sd_ns.powi(2) + drift_ns.powi(2);
            let error = spread(name) / expected - 1.0;
            assert!(
                error.abs() < 5.5 * (2.0_f64 / 1e5).sqrt() + 2e-3,
                "{name}: {error}"
            );
        }
        // Laplace: variance 2 b², fourth moment 24 b⁴; the tail: 5 ms squared over 3.
        let laplace = 0.999 * 2.0 * 1.5e5_f64.powi(2) + 1e-3 * 5e6_f64.powi(2) / 3.0;
        let error = spread("lan_chrony") / (laplace + 64e3_f64.powi(2)) - 1.0;
        let fourth = 24.0 * 1.5e5_f64.powi(4) + 1e-3 * 5e6_f64.powi(4) / 5.0;
        assert!(
            error.abs() < 5.5 * (2.0 * fourth / laplace.powi(2) / 1e5).sqrt(),
            "{error}"
        );
        let uniform = spread("crdb_edge").sqrt() / (250e6 / 3.0_f64.sqrt()) - 1.0;
        assert!(uniform.abs() < 0.01, "{uniform}");
    }

    #[test]
    fn a_clock_that_is_never_set_drifts_in_a_line() {
        let mut clock = clock("unsynced").unwrap().start(1, 0, START);
        let minute = error_ns(&mut clock, START.later(60 * NS_PER_S));
        let hour = error_ns(&mut clock, START.later(3600 * NS_PER_S));
        assert!(
            minute != 0 && (hour - 60 * minute).abs() <= 60,
            "{minute} {hour}"
        );
    }

    #[test]
    fn a_daily_correction_is_a_step_to_true_time() {
        let mut clock = clock("cron_sync").unwrap().start(1, 0, START);
        let (at, rate_ppb) = (clock.correction, clock.rate_ppb);
        let before = error_ns(&mut clock, Timestamp(at.0 - 1));
        let lost = i128::from(rate_ppb) * i128::from(DAY_NS) / i128::from(NS_PER_S);
        assert!((i128::from(before) - lost).abs() < 1_000, "{before} {lost}");
        assert_eq!(error_ns(&mut clock, at), 0);
    }

    #[test]
    fn steps_of_a_month_come_at_their_rate_and_size() {
        let model = clock("wan_pool").unwrap();
        let mut steps = 0u32;
        for writer in 0..300 {
            let mut clock = model.start(1, writer, START);
            let end = START.later(30 * DAY_NS);
            while clock.step < end {
                let at = clock.step;
                let before = error_ns(&mut clock, Timestamp(at.0 - 1));
                let size_ns = (error_ns(&mut clock, at) - before).unsigned_abs();
                assert!(
                    (127 * NS_PER_MS..=501 * NS_PER_MS).contains(&size_ns),
                    "{size_ns}"
                );
                steps += 1;
            }
        }
        // Poisson, mean 300: 5.5 standard deviations.
        assert!((205..=395).contains(&steps), "{steps}");
    }

    #[test]
    fn writers_of_a_site_share_its_error() {
        let model = clock("multi_dc").unwrap();
        let errors: Vec<_> = (0..9)
            .map(|writer| model.start(1, writer, START).bias_ns)
            .collect();
        for writer in 3..9 {
            assert!((errors[writer] - errors[writer - 3]).abs() < 3_400_000);
            assert_ne!(errors[writer], errors[writer - 3]);
        }
    }
}
