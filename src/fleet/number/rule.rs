//! The rules by which writers are numbered, and how they are written.

use super::{LeaseRule, NumberError};
use crate::names::nearest;
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// By what rule writers come by their numbers.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum NumberRule {
    /// By configuration: each writer its own, over restarts.
    #[default]
    Fixed,
    /// As a Kubernetes StatefulSet: each writer its own, but a writer that ends while it
    /// is unreachable is not started again before that is known.
    Ordinal,
    /// A random number of the first so many, drawn at each start.
    Random {
        /// Numbers to draw from.
        of: u32,
    },
    /// Each its own from a registry, asked at each start; without an answer, number 0.
    ZeroOnOutage,
    /// Each its own from a registry, asked at each start; without an answer, no start.
    FailToStart,
    /// At each start the next number of a registry's counter, modulo so many; without an answer, no start.
    Counter {
        /// The modulus.
        of: u32,
    },
    /// Leased from a registry.
    Lease(LeaseRule),
}

/// Why a rule as typed is refused.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{0}")]
pub struct RuleError(pub(super) String);

impl NumberRule {
    /// Every rule as typed, with one line on what it is; keys of leases are [`LeaseRule::known`].
    pub const KNOWN: &'static [(&'static str, &'static str)] = &[
        (
            "fixed",
            "by configuration: each writer its own, over restarts",
        ),
        (
            "ordinal",
            "as a Kubernetes StatefulSet: each writer its own; one that ends unreachable stays away until reachable",
        ),
        ("random:N", "one of the first N, drawn at each start"),
        (
            "zero_on_outage",
            "each its own from a registry, asked at each start; number 0 without an answer",
        ),
        (
            "fail_to_start",
            "each its own from a registry, asked at each start; no start without an answer",
        ),
        (
            "counter:N",
            "the next of a registry's counter modulo N at each start; no start without an answer",
        ),
        (
            "lease[:KEY=VALUE,...]",
            "leased from a registry; keys with their defaults:",
        ),
    ];

    pub(super) fn check(&self, writers: u32, room: u64) -> Result<(), NumberError> {
        let rule = || self.to_string();
        match self {
            NumberRule::Random { of } | NumberRule::Counter { of } if u64::from(*of) > room => {
                Err(NumberError::NoRoom { rule: rule(), room })
            }
            NumberRule::Random { .. } | NumberRule::Counter { .. } => Ok(()),
            NumberRule::Lease(lease) if room > 0 => {
                let refuse = |error| RuleError(format!("leases: {error}"));
                Ok(lease.check().map_err(refuse)?)
            }
            NumberRule::Lease(_) => Err(NumberError::NoRoom { rule: rule(), room }),
            _ if u64::from(writers) > room => Err(NumberError::TooFew {
                rule: rule(),
                writers,
                room,
            }),
            _ => Ok(()),
        }
    }
}

impl FromStr for NumberRule {
    type Err = RuleError;

    fn from_str(text: &str) -> Result<Self, RuleError> {
        let (name, rest) = match text.split_once(':') {
            Some((name, rest)) => (name, Some(rest)),
            None => (text, None),
        };
        let count = || {
            let of = rest.unwrap_or_default().replace('_', "").parse::<u32>();
            of.ok().filter(|of| *of > 0).ok_or_else(|| {
                RuleError(format!(
                    "{text:?}: expected how many numbers, at least 1 and at most {}, such as {name}:1024",
                    u32::MAX
                ))
            })
        };
        let rule = match name {
            "random" => return Ok(NumberRule::Random { of: count()? }),
            "counter" => return Ok(NumberRule::Counter { of: count()? }),
            "lease" => {
                return match rest {
                    Some(rest) => Ok(NumberRule::Lease(rest.parse()?)),
                    None => Ok(NumberRule::Lease(LeaseRule::default())),
                };
            }
            "fixed" => NumberRule::Fixed,
            "ordinal" => NumberRule::Ordinal,
            "zero_on_outage" => NumberRule::ZeroOnOutage,
            "fail_to_start" => NumberRule::FailToStart,
            _ => {
                let known = Self::KNOWN
                    .iter()
                    .filter_map(|(name, _)| name.split([':', '[']).next());
                return Err(RuleError(format!(
                    "unknown numbers {name:?}{}",
                    nearest(name, known)
                )));
            }
        };
        match rest {
            None => Ok(rule),
            Some(rest) => Err(RuleError(format!(
                "{name} takes no parameters, found {rest:?}"
            ))),
        }
    }
}

impl fmt::Display for NumberRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NumberRule::Fixed => "fixed",
            NumberRule::Ordinal => "ordinal",
            NumberRule::ZeroOnOutage => "zero_on_outage",
            NumberRule::FailToStart => "fail_to_start",
            NumberRule::Random { of } => return write!(f, "random:{of}"),
            NumberRule::Counter { of } => return write!(f, "counter:{of}"),
            NumberRule::Lease(rule) => return write!(f, "lease:{rule}"),
        })
    }
}
