//! What a writer does when its clock goes back.

use crate::clock::NS_PER_S;
use crate::duration;
use crate::names::nearest;
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// What a writer of ticks does when its clock is behind the tick of its last id.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Rollback {
    /// Refuses until the clock has caught up (Twitter 2010, UidGenerator).
    #[default]
    Refuse,
    /// Waits if the clock is behind by at most this much, refuses otherwise.
    Wait {
        /// The ceiling; `u64::MAX`: none.
        most_ns: u64,
        /// Waits so many times the distance (Leaf: 2 of at most 5 ms).
        times: u32,
    },
    /// Goes on in the last tick, with the next of its sequence; refuses when that is used
    /// up or the clock further behind (hutool, monotonic ULID).
    Hold {
        /// The ceiling; `u64::MAX`: none.
        most_ns: u64,
    },
    /// As `Hold`, but takes the next tick when the sequence is used up, at any time, and
    /// waits only when that is too far ahead (Yitter's drift).
    Borrow {
        /// Furthest ahead of the clock.
        most_ns: u64,
    },
    /// As `Hold` without a ceiling, but waits until the next tick when the sequence is used up (Sonyflake).
    Consume,
    /// Reads the wall clock once and the monotonic clock from then on (bwmarrin/snowflake).
    Monotonic,
    /// Reads the clock once; from then on the next tick comes when the sequence is used up (Seata).
    Logical,
    /// Goes down through past ticks, one id each, in one of four reserved sequence numbers a
    /// step (Yitter's method 1).
    BackFill,
    /// Follows the clock back: wrong, and kept to show that duplicates are found.
    Ignore,
}

/// Every way as typed, with one line on what it is, in the order of `sim list`.
pub const ROLLBACKS: &[(&str, &str)] = &[
    (
        "refuse",
        "no id until the clock has caught up (Twitter 2010)",
    ),
    (
        "wait[:TIME[:N]]",
        "waits, N times as long as the clock is behind, if that is at most TIME; refuses otherwise (Leaf: wait:5ms:2)",
    ),
    (
        "hold[:TIME]",
        "goes on in the last tick; refuses when its sequence is used up or the clock is further behind than TIME (hutool: hold:2s)",
    ),
    (
        "borrow[:TIME]",
        "goes on in the last tick, then in the next, up to TIME (2 s) ahead of the clock (Yitter's drift)",
    ),
    (
        "consume",
        "goes on in the last tick; waits for the next when its sequence is used up (Sonyflake)",
    ),
    (
        "monotonic",
        "the wall clock at start, the monotonic clock from then on (bwmarrin)",
    ),
    (
        "logical",
        "the clock at start; the next tick when a sequence is used up (Seata)",
    ),
    (
        "backfill",
        "down through past ticks, one id each, in sequence numbers 1 to 4 (Yitter's method 1)",
    ),
    (
        "ignore",
        "follows the clock back: wrong, its duplicates show that they are found",
    ),
];

/// A rollback that is not known or that cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum RollbackError {
    /// No rollback has this name.
    #[error("unknown rollback {0:?}{1}")]
    Unknown(String, String),
    /// What follows the name.
    #[error("{0:?}: {1}")]
    Value(String, String),
}

impl Rollback {
    /// How far behind the clock may be for the writer to wait instead of refusing; and how many times as long it waits.
    pub fn patience(self) -> (u64, u32) {
        match self {
            Rollback::Wait { most_ns, times } => (most_ns, times),
            _ => (0, 1),
        }
    }
}

impl FromStr for Rollback {
    type Err = RollbackError;

    fn from_str(text: &str) -> Result<Self, RollbackError> {
        let refuse = |why: &str| RollbackError::Value(text.to_owned(), why.to_owned());
        let mut parts = text.split(':');
        let name = parts.next().unwrap_or_default();
        let time = parts.next();
        let times = parts.next();
        let more = parts.next().is_some();
        let most_ns = |default: u64| match time {
            None => Ok(default),
            Some(time) => duration::parse(time).map_err(|why| refuse(&why)),
        };
        let rollback = match name {
            "wait" => Rollback::Wait {
                most_ns: most_ns(u64::MAX)?,
                times: match times.map(u32::from_str) {
                    None => 1,
                    Some(Ok(times @ 1..=100)) => times,
                    Some(_) => return Err(refuse("expected wait:TIME:N with N from 1 to 100")),
                },
            },
            "hold" => Rollback::Hold {
                most_ns: most_ns(u64::MAX)?,
            },
            "borrow" => Rollback::Borrow {
                most_ns: most_ns(2 * NS_PER_S)?,
            },
            "refuse" => Rollback::Refuse,
            "consume" => Rollback::Consume,
            "monotonic" => Rollback::Monotonic,
            "logical" => Rollback::Logical,
            "backfill" => Rollback::BackFill,
            "ignore" => Rollback::Ignore,
            _ => {
                let known = ROLLBACKS
                    .iter()
                    .map(|(known, _)| known.split('[').next().unwrap_or(known));
                return Err(RollbackError::Unknown(
                    name.to_owned(),
                    nearest(name, known),
                ));
            }
        };
        let takes = match name {
            "wait" => 2,
            "hold" | "borrow" => 1,
            _ => 0,
        };
        let given = usize::from(time.is_some()) + usize::from(times.is_some());
        if more || given > takes {
            return Err(refuse(match takes {
                0 => "it takes no value",
                1 => "expected one time after the name",
                _ => "expected wait:TIME:N",
            }));
        }
        Ok(rollback)
    }
}

impl fmt::Display for Rollback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let limit = |most_ns: u64| match most_ns {
            u64::MAX => String::new(),
            ns => format!(":{}", duration::show(ns)),
        };
        match *self {
            Rollback::Refuse => f.write_str("refuse"),
            Rollback::Wait { most_ns, times: 1 } => write!(f, "wait{}", limit(most_ns)),
            Rollback::Wait { most_ns, times } => write!(f, "wait{}:{times}", limit(most_ns)),
            Rollback::Hold { most_ns } => write!(f, "hold{}", limit(most_ns)),
            Rollback::Borrow { most_ns } => write!(f, "borrow{}", limit(most_ns)),
            Rollback::Consume => f.write_str("consume"),
            Rollback::Monotonic => f.write_str("monotonic"),
            Rollback::Logical => f.write_str("logical"),
            Rollback::BackFill => f.write_str("backfill"),
            Rollback::Ignore => f.write_str("ignore"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_round_trip() {
        for text in [
            "refuse",
            "wait",
            "wait:5ms",
            "wait:5ms:2",
            "hold",
            "hold:2s",
            "borrow:1500ms",
            "consume",
            "monotonic",
            "logical",
            "backfill",
            "ignore",
        ] {
            assert_eq!(text.parse::<Rollback>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn what_cannot_be_read_is_refused() {
        let error = |text: &str| text.parse::<Rollback>().unwrap_err().to_string();
        assert_eq!(
            error("refuze"),
            "unknown rollback \"refuze\" (did you mean \"refuse\"?)"
        );
        for text in [
            "wait:5",
            "wait:-5ms",
            "wait:5ms:0",
            "hold:2s:2",
            "consume:1s",
            "wait:1s:2:3",
            "",
        ] {
            assert!(text.parse::<Rollback>().is_err(), "{text}");
        }
    }
}
