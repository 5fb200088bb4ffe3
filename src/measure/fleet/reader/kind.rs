//! Kinds of readers, as typed.

use super::cursor::{Cursor, Id, IdOfWriter, TimeAndId};
use super::gap::Gap;
use super::overlap::Overlap;
use super::xmin::Xmin;
use super::{Ledger, Polls, Read, Reader};
use crate::duration;
use crate::id::Key;
use crate::measure::fleet::Seen;
use crate::names::nearest;
use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;
use thiserror::Error;

/// How a reader pages through the rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReaderKind {
    /// `id > last_seen order by id`.
    Cursor {
        /// Only rows whose key time is at least so long ago; 0: all.
        lag_ns: u64,
    },
    /// `(key_time, id) > last_seen order by key_time, id`.
    Tuple {
        /// Only rows whose key time is at least so long ago; 0: all.
        lag_ns: u64,
    },
    /// A cursor for each writer.
    Vector {
        /// Only rows whose key time is at least so long ago; 0: all.
        lag_ns: u64,
    },
    /// A cursor that returns by a time and removes the rows that it has already.
    Overlap {
        /// The time before the newest key time read.
        width_ns: u64,
    },
    /// Waits at a missing number of a dense sequence that begins at 1.
    Gap {
        /// A gap is given up so long after it was first seen.
        timeout_ns: u64,
    },
    /// Stays behind the oldest open transaction.
    Xmin,
}

/// Every reader as typed, with one line on what it is, in the order of `sim list`.
pub const READER_KINDS: &[(&str, &str)] = &[
    (
        "cursor[:LAG]",
        "id > last_seen; with a lag, only rows whose key time is that old",
    ),
    (
        "tuple[:LAG]",
        "(key_time, id) > last_seen; with a lag as cursor",
    ),
    (
        "vector[:LAG]",
        "id > last_seen of each writer; with a lag as cursor",
    ),
    (
        "overlap:TIME",
        "reads the last TIME of key time again and removes what it has already",
    ),
    (
        "gap:TIMEOUT",
        "waits at a missing number, gives it up after TIMEOUT; dense sequences only",
    ),
    (
        "xmin",
        "only rows whose transaction began before the oldest open one",
    ),
];

/// Why a reader's text is refused.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{0}")]
pub struct ReaderError(String);

impl FromStr for ReaderKind {
    type Err = ReaderError;

    fn from_str(text: &str) -> Result<Self, ReaderError> {
        let (name, time) = match text.split_once(':') {
            Some((name, time)) => (name, Some(time)),
            None => (text, None),
        };
        let ns = time.map(|time| {
            duration::parse(time).map_err(|error| ReaderError(format!("reader {text:?}: {error}")))
        });
        let lag_ns = || ns.clone().unwrap_or(Ok(0));
        let needed = || {
            let none = format!("reader {name:?}: expected its time, such as {name}:2s");
            ns.clone().unwrap_or(Err(ReaderError(none)))
        };
        match name {
            "cursor" => Ok(Self::Cursor { lag_ns: lag_ns()? }),
            "tuple" => Ok(Self::Tuple { lag_ns: lag_ns()? }),
            "vector" => Ok(Self::Vector { lag_ns: lag_ns()? }),
            "overlap" => Ok(Self::Overlap {
                width_ns: needed()?,
            }),
            "gap" => Ok(Self::Gap {
                timeout_ns: needed()?,
            }),
            "xmin" if time.is_none() => Ok(Self::Xmin),
            "xmin" => Err(ReaderError(format!(
                "reader {text:?}: xmin takes no time, expected xmin"
            ))),
            _ => {
                let known = READER_KINDS.iter().map(|(typed, _)| {
                    let end = typed.find([':', '[']).unwrap_or(typed.len());
                    &typed[..end]
                });
                let hint = nearest(name, known);
                Err(ReaderError(format!("unknown reader {name:?}{hint}")))
            }
        }
    }
}

impl fmt::Display for ReaderKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, ns) = match *self {
            Self::Cursor { lag_ns: 0 } => return f.write_str("cursor"),
            Self::Tuple { lag_ns: 0 } => return f.write_str("tuple"),
            Self::Vector { lag_ns: 0 } => return f.write_str("vector"),
            Self::Xmin => return f.write_str("xmin"),
            Self::Cursor { lag_ns } => ("cursor", lag_ns),
            Self::Tuple { lag_ns } => ("tuple", lag_ns),
            Self::Vector { lag_ns } => ("vector", lag_ns),
            Self::Overlap { width_ns } => ("overlap", width_ns),
            Self::Gap { timeout_ns } => ("gap", timeout_ns),
        };
        write!(f, "{name}:{}", duration::show(ns))
    }
}

impl ReaderKind {
    /// Its lag, width or timeout, if it has one.
    pub fn window_ns(self) -> Option<u64> {
        match self {
            Self::Cursor { lag_ns } | Self::Tuple { lag_ns } | Self::Vector { lag_ns } => {
                Some(lag_ns)
            }
            Self::Overlap { width_ns } => Some(width_ns),
            Self::Gap { timeout_ns } => Some(timeout_ns),
            Self::Xmin => None,
        }
    }

    /// Whether it reads dense sequences only: numbers without holes but those of aborted rows.
    pub fn needs_dense(self) -> bool {
        matches!(self, Self::Gap { .. })
    }

    /// What becomes of the rows of `seen`, in the order of commit.
    pub fn read<K: Key>(self, polls: Polls, page: Option<NonZeroU32>, seen: &[Seen<K>]) -> Read {
        let mut reader = AnyReader::new(self, polls, page, Read::default());
        seen.iter().for_each(|row| reader.see(row));
        reader.finish()
    }
}

/// A reader of any kind.
pub struct AnyReader<K: Key, L = Read>(Kinds<K, L>);

enum Kinds<K: Key, L> {
    Cursor(Cursor<K, Id, L>),
    Tuple(Cursor<K, TimeAndId, L>),
    Vector(Cursor<K, IdOfWriter, L>),
    Overlap(Overlap<K, L>),
    Gap(Gap<L>),
    Xmin(Xmin<L>),
}

impl<K: Key, L: Ledger> AnyReader<K, L> {
    /// A reader that writes into `ledger`. A `page` is the most rows that a poll returns (a
    /// reader who never rests asks for the next at once); only the cursors have one.
    pub fn new(kind: ReaderKind, polls: Polls, page: Option<NonZeroU32>, ledger: L) -> Self {
        Self(match kind {
            ReaderKind::Cursor { lag_ns } => {
                Kinds::Cursor(Cursor::new(polls, lag_ns, page, ledger))
            }
            ReaderKind::Tuple { lag_ns } => Kinds::Tuple(Cursor::new(polls, lag_ns, page, ledger)),
            ReaderKind::Vector { lag_ns } => {
                Kinds::Vector(Cursor::new(polls, lag_ns, page, ledger))
            }
            ReaderKind::Overlap { width_ns } => {
                Kinds::Overlap(Overlap::new(polls, width_ns, ledger))
            }
            ReaderKind::Gap { timeout_ns } => Kinds::Gap(Gap::new(polls, timeout_ns, ledger)),
            ReaderKind::Xmin => Kinds::Xmin(Xmin::new(polls, ledger)),
        })
    }
}

impl<K: Key, L: Ledger> Reader<K, L> for AnyReader<K, L> {
    #[inline]
    fn see(&mut self, row: &Seen<K>) {
        match &mut self.0 {
            Kinds::Cursor(reader) => reader.see(row),
            Kinds::Tuple(reader) => reader.see(row),
            Kinds::Vector(reader) => reader.see(row),
            Kinds::Overlap(reader) => reader.see(row),
            Kinds::Gap(reader) => reader.see(row),
            Kinds::Xmin(reader) => reader.see(row),
        }
    }

    fn finish(self) -> L {
        match self.0 {
            Kinds::Cursor(reader) => reader.finish(),
            Kinds::Tuple(reader) => reader.finish(),
            Kinds::Vector(reader) => reader.finish(),
            Kinds::Overlap(reader) => reader.finish(),
            Kinds::Gap(reader) => Reader::<K, L>::finish(reader),
            Kinds::Xmin(reader) => Reader::<K, L>::finish(reader),
        }
    }
}
