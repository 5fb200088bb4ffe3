//! What keeps a clock near true time, and by which rules.

use super::line::rate_ppb;
use super::quantity::{LEAST_GAP_NS, Unit};
use super::{NS_PER_MS, NS_PER_S, Timestamp};
use crate::names::nearest;

/// The fastest slew, chrony's default on Linux: a twelfth.
pub(super) const MAX_SLEW_PPB: i64 = 83_333_333;

/// ntpd's fastest slew.
const NTPD_SLEW_PPB: i64 = 500_000;
/// The offset above which ntpd steps once it has lasted for [`NTPD_STEPOUT_NS`].
const NTPD_STEP_NS: u64 = 128 * NS_PER_MS;
const NTPD_STEPOUT_NS: u64 = 300 * NS_PER_S;
/// The offset above which ntpd ends.
const NTPD_PANIC_NS: u64 = 1000 * NS_PER_S;

/// How a clock is corrected.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Correction {
    Never,
    /// A new target at equal intervals, slewed to until the next.
    Slew {
        every_ns: u64,
    },
    /// Set to the target at equal intervals.
    Step {
        every_ns: u64,
    },
    /// Slewed until the next at 500 ppm at most; stepped if off by more than 128 ms for
    /// 300 s; given up if off by more than 1000 s.
    Ntpd {
        every_ns: u64,
    },
    /// Slewed as fast as may be, then left alone; stepped if off by more than `step_ns`
    /// at one of the first `steps` corrections (`None`: at any).
    Chrony {
        every_ns: u64,
        step_ns: u64,
        steps: Option<u32>,
    },
}

/// How corrections are typed.
const CORRECTIONS: [(&str, &str); 5] = [
    ("never", "never"),
    ("slew", "slew:EVERY"),
    ("step", "step:EVERY"),
    ("ntpd", "ntpd[:EVERY]"),
    ("chrony", "chrony[:EVERY[:STEP_ABOVE[:CORRECTIONS|always]]]"),
];

const POLL_NS: u64 = 64 * NS_PER_S;

impl Correction {
    /// Time from one to the next.
    pub(super) fn every_ns(self) -> Option<u64> {
        match self {
            Correction::Never => None,
            Correction::Slew { every_ns }
            | Correction::Step { every_ns }
            | Correction::Ntpd { every_ns }
            | Correction::Chrony { every_ns, .. } => Some(every_ns),
        }
    }

    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mut parts = text.split(':');
        let name = parts.next().unwrap_or_default();
        let parts: Vec<&str> = parts.collect();
        let every = |text: Option<&&str>| match text {
            None => Ok(POLL_NS),
            Some(text) => match Unit::Time.parse_size(text)? {
                every_ns if every_ns >= LEAST_GAP_NS => Ok(every_ns),
                _ => Err(format!(
                    "{text:?}: expected at least {} from one correction to the next",
                    Unit::Time.show_size(LEAST_GAP_NS)
                )),
            },
        };
        match (name, &*parts) {
            ("never", []) => Ok(Correction::Never),
            ("slew", [_]) => Ok(Correction::Slew {
                every_ns: every(parts.first())?,
            }),
            ("step", [_]) => Ok(Correction::Step {
                every_ns: every(parts.first())?,
            }),
            ("ntpd", [] | [_]) => Ok(Correction::Ntpd {
                every_ns: every(parts.first())?,
            }),
            ("chrony", [] | [_] | [_, _] | [_, _, _]) => Ok(Correction::Chrony {
                every_ns: every(parts.first())?,
                step_ns: match parts.get(1) {
                    Some(text) => Unit::Time.parse_size(text)?,
                    None => NS_PER_S,
                },
                steps: match parts.get(2) {
                    None => Some(3),
                    Some(&"always") => None,
                    Some(text) => Some(text.parse().map_err(|_| {
                        format!("{text:?}: expected a number of corrections or always")
                    })?),
                },
            }),
            _ => Err(match CORRECTIONS.iter().find(|(known, _)| *known == name) {
                Some((_, form)) => format!("expected {form}"),
                None => {
                    let known = CORRECTIONS.iter().map(|(name, _)| *name);
                    format!("unknown correction {name:?}{}", nearest(name, known))
                }
            }),
        }
    }

    pub(super) fn show(self) -> String {
        let time = |ns| Unit::Time.show_size(ns);
        match self {
            Correction::Never => "never".to_owned(),
            Correction::Slew { every_ns } => format!("slew:{}", time(every_ns)),
            Correction::Step { every_ns } => format!("step:{}", time(every_ns)),
            Correction::Ntpd { every_ns } => format!("ntpd:{}", time(every_ns)),
            Correction::Chrony {
                every_ns,
                step_ns,
                steps,
            } => {
                let steps = steps.map_or("always".to_owned(), |steps| steps.to_string());
                format!("chrony:{}:{}:{steps}", time(every_ns), time(step_ns))
            }
        }
    }
}

/// What a correction does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Answer {
    /// Turns the clock by this, on top of its own rate, until the next correction or,
    /// if earlier, for so long.
    Slew { ppb: i64, for_ns: Option<u64> },
    /// Sets the clock to the target.
    Step,
    /// Never corrects again.
    GiveUp,
}

/// What a correction remembers of earlier ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Memory {
    corrections: u32,
    /// Since when the clock has been too far off to be slewed.
    off_since: Option<Timestamp>,
}

impl Memory {
    pub(super) const NEW: Self = Self {
        corrections: 0,
        off_since: None,
    };

    /// What to do at `at` with a clock whose error must change by `way_ns`.
    pub(super) fn answer(&mut self, correction: Correction, at: Timestamp, way_ns: i64) -> Answer {
        let number = self.corrections;
        self.corrections = number.saturating_add(1);
        let off_ns = way_ns.unsigned_abs();
        match correction {
            Correction::Never => Answer::GiveUp,
            Correction::Step { .. } => Answer::Step,
            Correction::Slew { every_ns } => Answer::Slew {
                ppb: rate_ppb(way_ns, every_ns, MAX_SLEW_PPB),
                for_ns: None,
            },
            Correction::Ntpd { .. } if off_ns > NTPD_PANIC_NS => Answer::GiveUp,
            Correction::Ntpd { .. } if off_ns > NTPD_STEP_NS => {
                let since = *self.off_since.get_or_insert(at);
                if at.0.saturating_sub(since.0) >= NTPD_STEPOUT_NS {
                    self.off_since = None;
                    return Answer::Step;
                }
                Answer::Slew {
                    ppb: 0,
                    for_ns: None,
                }
            }
            Correction::Ntpd { every_ns } => {
                self.off_since = None;
                Answer::Slew {
                    ppb: rate_ppb(way_ns, every_ns, NTPD_SLEW_PPB),
                    for_ns: None,
                }
            }
            Correction::Chrony { step_ns, steps, .. }
                if off_ns > step_ns && steps.is_none_or(|steps| number < steps) =>
            {
                Answer::Step
            }
            Correction::Chrony { .. } => {
                let most = MAX_SLEW_PPB as u128;
                let for_ns = (u128::from(off_ns) * u128::from(NS_PER_S)).div_ceil(most);
                let for_ns = u64::try_from(for_ns).unwrap_or(u64::MAX);
                Answer::Slew {
                    ppb: rate_ppb(way_ns, for_ns, MAX_SLEW_PPB),
                    for_ns: Some(for_ns),
                }
            }
        }
    }
}
