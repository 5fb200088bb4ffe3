//! Checks: what a row's ids are held to before it is timed.

use crate::clocks::START;
use crate::row::{CHUNK, Clock, Row};
use crate::work::Plain;
use idlab::id;
use std::collections::BTreeSet;
use std::time::{SystemTime, UNIX_EPOCH};

/// Ids of one writer that are checked: few enough for one millisecond of every row.
const IDS: usize = CHUNK;
/// What a clock may be off, in milliseconds: a thread that refreshes a clock may run late.
const LATE_MS: u64 = 1000;

/// What the bytes of an id are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// A UUID of this version (RFC 9562).
    Uuid(u8),
    /// Milliseconds in the upper 48 of 128 bits (ULID, SCRU128).
    Ms48,
    /// Seconds since 2014-05-13 in the upper 32 bits of 20 bytes.
    Ksuid,
    /// Milliseconds since this Unix millisecond, above 22 bits of 64.
    Ms22(u64),
    /// So many bytes, of which nothing is checked.
    Bare(usize),
}

/// What a row's output is held to.
#[derive(Clone, Copy, Debug)]
pub enum Check {
    /// Unique ids of this shape; ordered too if `ordered`.
    Ids {
        /// What their bytes are.
        shape: Shape,
        /// Whether each is greater than the one before.
        ordered: bool,
    },
    /// Exactly this, of the same inputs.
    Same(fn() -> Vec<Plain>),
    /// Nothing.
    Nothing,
}

/// Ids of this shape without an order.
pub const fn unique(shape: Shape) -> Check {
    Check::Ids {
        shape,
        ordered: false,
    }
}

/// Ids of this shape, each greater than the one before.
pub const fn ordered(shape: Shape) -> Check {
    Check::Ids {
        shape,
        ordered: true,
    }
}

impl Row {
    /// Runs the row once and checks what it wrote.
    ///
    /// # Errors
    /// What is wrong, in a few words.
    pub fn verify(&self) -> Result<(), String> {
        let mut work = (self.make)();
        let before = unix_ms();
        let mut written = Vec::new();
        for _ in 0..2 {
            work.run(IDS / 2);
            written.extend(work.written());
        }
        match self.check {
            Check::Nothing => Ok(()),
            Check::Same(expected) => {
                work.run(CHUNK);
                same(&work.written(), &expected())
            }
            Check::Ids { shape, ordered } => {
                let distinct: BTreeSet<_> = written.iter().collect();
                if distinct.len() < written.len() {
                    return Err(format!(
                        "{} of its ids repeat",
                        written.len() - distinct.len()
                    ));
                }
                if ordered && !written.is_sorted() {
                    return Err("its ids are not in order".to_owned());
                }
                let (from, to) = match self.clock {
                    Clock::Manual => (START.ms(), START.ms() + LATE_MS),
                    _ => (before - LATE_MS, unix_ms() + LATE_MS),
                };
                let mut ids = written.iter();
                ids.try_for_each(|id| shape.check(id.bytes(), from, to))
            }
        }
    }
}

fn same(found: &[Plain], expected: &[Plain]) -> Result<(), String> {
    let differ = |(a, b): &(&Plain, &Plain)| a != b;
    match found.iter().zip(expected).find(differ) {
        Some((found, expected)) => Err(format!(
            "it gives {}, not {}",
            found.bytes().escape_ascii(),
            expected.bytes().escape_ascii()
        )),
        None if found.len() != expected.len() => Err("it does not do all".to_owned()),
        None => Ok(()),
    }
}

fn unix_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.unwrap_or_default().as_millis() as u64
}

impl Shape {
    fn check(self, bytes: &[u8], from_ms: u64, to_ms: u64) -> Result<(), String> {
        let number = bytes
            .iter()
            .take(16)
            .fold(0u128, |sum, byte| sum << 8 | u128::from(*byte));
        let (length, ms) = match self {
            Shape::Uuid(version) => {
                let id = id::Uuid(number);
                if (id.version(), id.variant()) != (version, 2) {
                    return Err(format!("{id} is not a UUID of version {version}"));
                }
                (16, (version == 7).then_some((number >> 80) as u64))
            }
            Shape::Ms48 => (16, Some((number >> 80) as u64)),
            Shape::Ksuid => {
                let seconds = (number >> 96) as u64 + 1_400_000_000;
                (20, Some(seconds * 1000))
            }
            Shape::Ms22(epoch_ms) => (8, Some((number as u64 >> 22) + epoch_ms)),
            Shape::Bare(bytes) => (bytes, None),
        };
        match ms {
            _ if bytes.len() != length => Err(format!("its ids have {} bytes", bytes.len())),
            Some(ms) if !(from_ms..=to_ms).contains(&ms) => Err(format!(
                "its ids are of Unix millisecond {ms}, at {from_ms} to {to_ms}"
            )),
            _ => Ok(()),
        }
    }
}
