//! What a writer knows of its last ids after it was restarted.

use crate::clock::NS_PER_S;
use crate::duration;
use crate::names::nearest;
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// What a restarted writer knows of the instants that it has used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Memory {
    /// Nothing.
    #[default]
    Lost,
    /// Its clock as stored at equal intervals (Leaf: 3 s).
    Stored {
        /// Time between two writes.
        every_ns: u64,
    },
    /// The last instant that it had reserved: it stores how far it may go before it goes there.
    Reserved {
        /// How far ahead of the last id a reservation reaches.
        ahead_ns: u64,
    },
    /// Its last id: it stores each before it hands it out.
    Every,
    /// Nothing; it waits before its first id.
    Wait {
        /// For how long.
        for_ns: u64,
    },
}

/// Every memory as typed, with one line on what it is, in the order of `sim list`.
pub const MEMORIES: &[(&str, &str)] = &[
    ("lost", "a restarted writer knows nothing"),
    (
        "stored[:TIME]",
        "its clock is stored each TIME (3 s, as Leaf does): ids up to then are not repeated",
    ),
    (
        "reserved[:TIME]",
        "instants are reserved TIME (3 s) ahead before they are used: it goes on after the last reservation",
    ),
    ("every", "each id is stored before it is handed out"),
    ("wait[:TIME]", "it waits TIME (1 s) before its first id"),
];

/// A memory that is not known or that cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum MemoryError {
    /// No memory has this name.
    #[error("unknown memory {0:?}{1}")]
    Unknown(String, String),
    /// What follows the name.
    #[error("{0:?}: {1}")]
    Value(String, String),
}

impl FromStr for Memory {
    type Err = MemoryError;

    fn from_str(text: &str) -> Result<Self, MemoryError> {
        let refuse = |why: String| MemoryError::Value(text.to_owned(), why);
        let (name, time) = match text.split_once(':') {
            Some((name, time)) => (name, Some(time)),
            None => (text, None),
        };
        let time_ns = |default: u64| match time.map(duration::parse) {
            None => Ok(default),
            Some(Ok(0)) => Err(refuse("expected more than 0".to_owned())),
            Some(Ok(ns)) => Ok(ns),
            Some(Err(why)) => Err(refuse(why)),
        };
        Ok(match name {
            "stored" => Memory::Stored {
                every_ns: time_ns(3 * NS_PER_S)?,
            },
            "reserved" => Memory::Reserved {
                ahead_ns: time_ns(3 * NS_PER_S)?,
            },
            "wait" => Memory::Wait {
                for_ns: time_ns(NS_PER_S)?,
            },
            "lost" | "every" if time.is_some() => {
                return Err(refuse("it takes no time".to_owned()));
            }
            "lost" => Memory::Lost,
            "every" => Memory::Every,
            _ => {
                let known = MEMORIES
                    .iter()
                    .map(|(known, _)| known.split('[').next().unwrap_or(known));
                return Err(MemoryError::Unknown(name.to_owned(), nearest(name, known)));
            }
        })
    }
}

impl fmt::Display for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Memory::Lost => f.write_str("lost"),
            Memory::Every => f.write_str("every"),
            Memory::Stored { every_ns } => write!(f, "stored:{}", duration::show(every_ns)),
            Memory::Reserved { ahead_ns } => write!(f, "reserved:{}", duration::show(ahead_ns)),
            Memory::Wait { for_ns } => write!(f, "wait:{}", duration::show(for_ns)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_round_trip_and_others_are_refused() {
        for text in ["lost", "stored:3s", "reserved:250ms", "every", "wait:1min"] {
            assert_eq!(text.parse::<Memory>().unwrap().to_string(), text);
        }
        let error = "storred".parse::<Memory>().unwrap_err().to_string();
        assert!(error.contains("did you mean \"stored\""), "{error}");
        for text in ["lost:1s", "stored:3", "stored:-1s", "wait:0", "every:1s"] {
            assert!(text.parse::<Memory>().is_err(), "{text}");
        }
    }
}
