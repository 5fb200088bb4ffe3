//! Names of reference streams: a scheme and options.

use crate::id::Column;
use thiserror::Error;

/// What `sim list streams` says of a stream.
#[derive(Clone, Copy, Debug)]
pub struct StreamInfo {
    /// Name, before the options.
    pub name: &'static str,
    /// What its keys are.
    pub about: &'static str,
    /// Letters of the options it takes.
    pub options: &'static str,
    pub(super) column: Column,
    pub(super) kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Seq8,
    Rand8,
    Block8,
    Snow8,
    Uuid4,
    Uuid7,
    Uuid7c,
    Ulid,
    Ksuid20,
}

const fn info(
    name: &'static str,
    about: &'static str,
    options: &'static str,
    column: Column,
    kind: Kind,
) -> StreamInfo {
    StreamInfo {
        name,
        about,
        options,
        column,
        kind,
    }
}

/// Every reference stream.
pub const STREAMS: &[StreamInfo] = &[
    info(
        "seq8",
        "8 bytes: 1, 2, 3, …",
        "",
        Column::Bigint,
        Kind::Seq8,
    ),
    info(
        "rand8",
        "8 bytes: 63 random bits",
        "",
        Column::Bigint,
        Kind::Rand8,
    ),
    info(
        "block8",
        "8 bytes: a random process hands out its block of consecutive ids",
        "p b",
        Column::Bigint,
        Kind::Block8,
    ),
    info(
        "snow8",
        "8 bytes: 41 bits of ms, 10 of worker, 12 of sequence",
        "w s r rr",
        Column::Bigint,
        Kind::Snow8,
    ),
    info("uuid4", "16 bytes: UUIDv4", "", Column::Uuid, Kind::Uuid4),
    info(
        "uuid7",
        "16 bytes: UUIDv7 with a random tail",
        "w s r rr",
        Column::Uuid,
        Kind::Uuid7,
    ),
    info(
        "uuid7c",
        "16 bytes: UUIDv7 with a 12-bit counter",
        "w s r rr",
        Column::Uuid,
        Kind::Uuid7c,
    ),
    info(
        "ulid",
        "16 bytes: ULID, not monotonic",
        "w s r rr",
        Column::Bytes(16),
        Kind::Ulid,
    ),
    info(
        "ksuid20",
        "20 bytes: KSUID",
        "w s r rr",
        Column::Bytes(20),
        Kind::Ksuid20,
    ),
];

/// A stream's name that cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{0}")]
pub struct StreamError(pub String);

/// Most writers or processes of a stream.
const MOST: u64 = 1024;

/// The options of a stream's name.
pub(super) struct Options {
    pub writers: u64,
    pub sd_ms: u64,
    pub rate: u64,
    pub processes: u64,
    pub block: u64,
    pub take_turns: bool,
}

/// A stream's name, understood.
pub(super) struct Name {
    pub info: &'static StreamInfo,
    pub options: Options,
}

impl Name {
    /// Reads `name`.
    pub fn parse(name: &str) -> Result<Self, StreamError> {
        let mut parts = name.split('_');
        let base = parts.next().unwrap_or_default();
        let Some(info) = STREAMS.iter().find(|info| info.name == base) else {
            let hint = crate::names::nearest(base, STREAMS.iter().map(|info| info.name));
            return Err(StreamError(format!("unknown stream {name:?}{hint}")));
        };
        let mut options = Options {
            writers: 1,
            sd_ms: 0,
            rate: 10_000,
            processes: 16,
            block: 1000,
            take_turns: false,
        };
        let mut seen = Vec::new();
        for option in parts {
            let letter = if option == "rr" {
                "turns"
            } else {
                option.get(..1).unwrap_or_default()
            };
            if seen.contains(&letter) {
                return Err(StreamError(format!(
                    "stream {name:?}: option {option:?} is given twice"
                )));
            }
            seen.push(letter);
            if option == "rr" && info.options.contains("rr") {
                options.take_turns = true;
                continue;
            }
            let (target, range) = match option.chars().next() {
                Some('w') => (&mut options.writers, 1..=MOST),
                Some('s') => (&mut options.sd_ms, 0..=1_000_000),
                Some('r') => (&mut options.rate, 1..=1_000_000),
                Some('p') => (&mut options.processes, 1..=MOST),
                Some('b') => (&mut options.block, 1..=1_000_000_000),
                _ => return Err(StreamError(unknown_option(name, option, info))),
            };
            if !info.options.contains(&option[..1]) {
                return Err(StreamError(unknown_option(name, option, info)));
            }
            match option[1..].parse() {
                Ok(value) if range.contains(&value) => *target = value,
                _ => {
                    let (low, high) = (range.start(), range.end());
                    let letter = &option[..1];
                    return Err(StreamError(format!(
                        "stream {name:?}: option {option:?} is not valid, expected {letter}{low} to {letter}{high}"
                    )));
                }
            }
        }
        Ok(Self { info, options })
    }
}

fn unknown_option(name: &str, option: &str, info: &StreamInfo) -> String {
    let known = match info.options {
        "" => "it takes none".to_owned(),
        options => format!("it takes {options}"),
    };
    format!("stream {name:?}: unknown option {option:?} ({known})")
}
