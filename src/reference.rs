//! Reference streams: key streams defined to the bit, so that a prediction and
//! a load of a real engine see the same keys.
//!
//! All arithmetic is on integers; `/` and `>>` round towards minus infinity.
//! A draw `r()` is the next output of splitmix64 (Steele, Lea, Flood 2014) with
//! the seed as its state; measurements of engines were made with seed 1. A name
//! is a scheme and options joined by `_`: `wW` writers (default 1), `sS`
//! standard deviation of their clock offsets in ms (0), `rR` rate in ids/s
//! (10000), `pP` processes (16), `bB` block size (1000), `rr` writers in turn.
//!
//! | scheme | key, big-endian |
//! | --- | --- |
//! | `seq8` | 1, 2, 3, … in 8 bytes |
//! | `rand8` | `r() >> 1` |
//! | `block8` | process `r() % P` hands out its next id; without one it takes the next unused block of B ids (from 1) |
//! | `snow8` | `(ms - 1288834974657) << 22 \| writer << 12 \| sequence` |
//! | `uuid4` | two draws, version 4 and variant laid over |
//! | `uuid7` | 48 bits of ms, version, top 12 bits of a draw, variant, low 62 of another |
//! | `uuid7c` | the same with a counter in the 12 bits and one draw |
//! | `ulid` | 48 bits of ms, top 16 bits of a draw, another draw |
//! | `ksuid20` | 32 bits of seconds since 1400000000, two draws |
//!
//! The schemes with a clock: if S > 0, each writer in order first draws twelve
//! times and sets its offset to `(sum of r() >> 32, less 6 * 2³²) * S * 1000 >> 32`
//! microseconds. Time starts at 1.7 * 10¹⁵ µs. For each id it advances by
//! `r() % (2 * gap + 1)`, `gap = 1000000 / R`; the writer is `r() % W` (no draw
//! if W = 1 or in turn) and reads time plus its offset; then come the scheme's
//! draws. Sequence and counter start at 0 in each of the writer's milliseconds.

mod name;

pub use name::{STREAMS, StreamError, StreamInfo};

use crate::id::{Column, Key20};
use crate::source::{AnySource, Source, SourceError, Stream};
use name::{Kind, Name, Options};

const START_US: u64 = 1_700_000_000_000_000;
const SNOWFLAKE_EPOCH_MS: u64 = 1_288_834_974_657;
const KSUID_EPOCH_S: u64 = 1_400_000_000;

/// The keys of a reference stream, without end.
#[derive(Clone, Debug)]
pub struct Reference {
    kind: Kind,
    column: Column,
    state: u64,
    writers: u64,
    take_turns: bool,
    gap_us: u64,
    processes: u64,
    block: u64,
    issued: u64,
    now_us: u64,
    offset_us: Vec<i64>,
    last_ms: Vec<u64>,
    counter: Vec<u64>,
    current: Vec<u64>,
    left: Vec<u64>,
    next_block: u64,
}

impl Reference {
    /// The stream `name` with `seed` (the reference figures have seed 1).
    ///
    /// # Errors
    /// A name or option that is not defined, or an option without sense for it.
    pub fn new(name: &str, seed: u64) -> Result<Self, StreamError> {
        let Name { info, options } = Name::parse(name)?;
        let Options {
            writers,
            sd_ms,
            rate,
            processes,
            block,
            take_turns,
        } = options;
        let mut stream = Self {
            kind: info.kind,
            column: info.column,
            state: seed,
            writers,
            take_turns,
            gap_us: 1_000_000 / rate,
            processes,
            block,
            issued: 0,
            now_us: START_US,
            offset_us: vec![0; writers as usize],
            last_ms: vec![0; writers as usize],
            counter: vec![0; writers as usize],
            current: vec![0; processes as usize],
            left: vec![0; processes as usize],
            next_block: 0,
        };
        if sd_ms > 0 {
            for writer in 0..writers as usize {
                // Irwin and Hall: twelve uniform draws less their mean are nearly normal.
                let sum: i64 =
                    (0..12).map(|_| (stream.draw() >> 32) as i64).sum::<i64>() - (6 << 32);
                stream.offset_us[writer] =
                    ((i128::from(sd_ms * 1000) * i128::from(sum)) >> 32) as i64;
            }
        }
        Ok(stream)
    }

    fn draw(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = self.state;
        let z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    }

    /// The next key: its first 4 bytes if it has 20, and its low 16.
    fn step(&mut self) -> Result<(u32, u128), SourceError> {
        let index = self.issued;
        self.issued += 1;
        match self.kind {
            Kind::Seq8 => return Ok((0, u128::from(self.issued))),
            Kind::Rand8 => return Ok((0, u128::from(self.draw() >> 1))),
            Kind::Block8 => return Ok((0, u128::from(self.ticket()))),
            Kind::Uuid4 => {
                let bits = self.draw_128();
                return Ok((0, uuid(bits, 4)));
            }
            _ => {}
        }
        self.now_us += self.draw() % (2 * self.gap_us + 1);
        let writer = match (self.writers, self.take_turns) {
            (1, _) => 0,
            (writers, true) => index % writers,
            (writers, false) => self.draw() % writers,
        };
        let us = self
            .now_us
            .wrapping_add_signed(self.offset_us[writer as usize]);
        let ms = us / 1000;
        let ms_high = u128::from(ms) << 80;
        Ok(match self.kind {
            Kind::Snow8 => {
                let sequence = self.count(writer as usize, ms)?;
                (
                    0,
                    u128::from(
                        (ms.wrapping_sub(SNOWFLAKE_EPOCH_MS)) << 22 | writer << 12 | sequence,
                    ),
                )
            }
            Kind::Uuid7c => {
                let counter = self.count(writer as usize, ms)?;
                let low = u128::from(self.draw());
                (0, uuid(ms_high | u128::from(counter) << 64 | low, 7))
            }
            Kind::Ksuid20 => (
                (us / 1_000_000).wrapping_sub(KSUID_EPOCH_S) as u32,
                self.draw_128(),
            ),
            Kind::Ulid => {
                let tail = self.draw_128();
                (0, ms_high | tail >> 112 << 64 | tail & u128::from(u64::MAX))
            }
            _ => {
                let tail = self.draw_128();
                (
                    0,
                    uuid(ms_high | tail >> 116 << 64 | tail & u128::from(u64::MAX), 7),
                )
            }
        })
    }

    fn draw_128(&mut self) -> u128 {
        u128::from(self.draw()) << 64 | u128::from(self.draw())
    }

    fn ticket(&mut self) -> u64 {
        let process = (self.draw() % self.processes) as usize;
        if self.left[process] == 0 {
            self.current[process] = self.next_block * self.block + 1;
            self.next_block += 1;
            self.left[process] = self.block;
        }
        self.left[process] -= 1;
        self.current[process] += 1;
        self.current[process] - 1
    }

    /// The writer's counter within this millisecond.
    fn count(&mut self, writer: usize, ms: u64) -> Result<u64, SourceError> {
        if self.last_ms[writer] == ms {
            self.counter[writer] += 1;
        } else {
            (self.last_ms[writer], self.counter[writer]) = (ms, 0);
        }
        match self.counter[writer] {
            counter @ 0..4096 => Ok(counter),
            _ => Err(SourceError(format!(
                "writer {writer} needs more than 4096 ids in one millisecond; lower the stream's rate or raise its writers"
            ))),
        }
    }
}

/// `bits` with version and variant of a UUID laid over.
fn uuid(bits: u128, version: u128) -> u128 {
    bits & !(0xf << 76) & !(3 << 62) | version << 76 | 2 << 62
}

macro_rules! source {
    ($key:ty, $make:expr) => {
        impl Source<$key> for Reference {
            fn fill(&mut self, keys: &mut Vec<$key>, rows: usize) -> Result<(), SourceError> {
                for _ in 0..rows {
                    let (high, low) = self.step()?;
                    keys.push($make(high, low));
                }
                Ok(())
            }
        }
    };
}

source!(u64, |_, low| low as u64);
source!(u128, |_, low| low);
source!(Key20, Key20::new);

impl From<Reference> for Stream {
    fn from(reference: Reference) -> Self {
        let column = reference.column;
        let text_chars = match reference.kind {
            Kind::Uuid4 | Kind::Uuid7 | Kind::Uuid7c => Some(36),
            Kind::Ulid => Some(26),
            Kind::Ksuid20 => Some(27),
            _ => None,
        };
        let keys = match column.value_bytes() {
            8 => AnySource::Bytes8(Box::new(reference)),
            16 => AnySource::Bytes16(Box::new(reference)),
            _ => AnySource::Bytes20(Box::new(reference)),
        };
        Stream {
            column,
            text_chars,
            keys,
        }
    }
}

#[cfg(test)]
mod tests;
