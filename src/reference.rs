//! Reference streams: key streams defined to the bit, so that a prediction and
//! a load of a real engine see the same keys.
//!
//! All arithmetic is on integers; `/` and `>>` round towards minus infinity.
//! The generator is splitmix64 (Steele, Lea, Flood 2014) with the seed as its
//! state. A name is a scheme and options joined by `_`: `wW` writers, `sS`
//! standard deviation of their clock offsets in ms, `rR` rate in ids/s, `pP`
//! processes, `bB` block size, `rr` writers take turns.
//! See `results/reference/README.md` for the definition of each scheme.

use crate::id::{Column, Key20};
use crate::source::{AnySource, Source, SourceError, Stream};
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
    column: Column,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
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

const START_US: u64 = 1_700_000_000_000_000;
const SNOWFLAKE_EPOCH_MS: u64 = 1_288_834_974_657;
const KSUID_EPOCH_S: u64 = 1_400_000_000;
const MAX_WRITERS: u64 = 1024;

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
        let mut parts = name.split('_');
        let base = parts.next().unwrap_or_default();
        let Some(info) = STREAMS.iter().find(|info| info.name == base) else {
            let hint = crate::scheme::nearest(base, STREAMS.iter().map(|info| info.name));
            return Err(StreamError(format!("unknown stream {name:?}{hint}")));
        };
        let [mut writers, mut sd_ms, mut rate, mut processes, mut block] = [1, 0, 10_000, 16, 1000];
        let mut take_turns = false;
        for option in parts {
            if option == "rr" && info.options.contains("rr") {
                take_turns = true;
                continue;
            }
            let (target, range) = match option.chars().next() {
                Some('w') => (&mut writers, 1..=MAX_WRITERS),
                Some('s') => (&mut sd_ms, 0..=1_000_000),
                Some('r') => (&mut rate, 1..=1_000_000),
                Some('p') => (&mut processes, 1..=MAX_WRITERS),
                Some('b') => (&mut block, 1..=1_000_000_000),
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

fn unknown_option(name: &str, option: &str, info: &StreamInfo) -> String {
    let known = match info.options {
        "" => "it takes none".to_owned(),
        options => format!("it takes {options}"),
    };
    format!("stream {name:?}: unknown option {option:?} ({known})")
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
mod tests {
    use super::*;
    use sha2::{Digest, Sha256};

    /// SHA-256 of the first 1,000 keys, big-endian, one after another.
    const DIGESTS: &[(&str, &str)] = &[
        (
            "seq8",
            "54c7779325a75ce781086486b520b637d1a3e4f4dee286e6ed038987e7c5b24a",
        ),
        (
            "snow8_w16_s0_r10000",
            "1c7f6fb18b386d1f1319504daba9d70ca78f2ceb2c1cc788f14c4a820a7d766d",
        ),
        (
            "snow8_w16_s2_r10000",
            "67a057c91704ea82ba8fb132451d9bcf11e475e183e6171d1cb8bea09355c2f8",
        ),
        (
            "snow8_w16_s50_r10000",
            "1b25aa31174f52bf80fc5ffa4f642ff917ccdd37c3fa15a8cef28c7206b50fcd",
        ),
        (
            "block8_p16_b1000",
            "7e95f6a378ce45071d98a30776ecf894c8f4894a8c989820243f6dca60ab1608",
        ),
        (
            "rand8",
            "4df42793f94b9e2771fc481eec0cd970c3d47801663571041585d504e39d2a59",
        ),
        (
            "uuid4",
            "53751176f8675f77cc57f40dd90f245b97d402332d90a3f09d77a68d0fb11bff",
        ),
        (
            "uuid7_r1000",
            "aa5b7205b04ffc944a3e138f6fce428ee198047b7341d7229d060828e9658cb9",
        ),
        (
            "uuid7_r10000",
            "6fe4d5fd98f1a48d1f26fda2abad686ab41aa9fc4d1351db496d019d7eec6103",
        ),
        (
            "uuid7c_r10000",
            "12e2693bf136ad7def18efe915324e269d595d06a52ec27a95901d4798a9fa51",
        ),
        (
            "ulid_r10000",
            "0cb6d5c77ed6b6ae58c953c9afeb06ea1ec8f498d7c139b7908e6b95da14499a",
        ),
        (
            "ksuid20_r10000",
            "836db6d07098b05f66dc0a9b23f65f0e11e25b5bf77a463b23666514fafe3db2",
        ),
        (
            "uuid7_w16_s50_r10000",
            "e4ad672b3962306ee4d2ec1d4a975eb4bad1974dd7c740a099621afea6929a9d",
        ),
    ];

    #[test]
    fn the_first_thousand_keys_have_the_published_digests() {
        for (name, expected) in DIGESTS {
            let mut stream = Reference::new(name, 1).unwrap();
            let mut hash = Sha256::new();
            for _ in 0..1000 {
                let (high, low) = stream.step().unwrap();
                let mut bytes = high.to_be_bytes().to_vec();
                bytes.extend(low.to_be_bytes());
                hash.update(&bytes[20 - stream.column.value_bytes() as usize..]);
            }
            let digest: String = hash
                .finalize()
                .iter()
                .map(|byte| format!("{byte:02x}"))
                .collect();
            assert_eq!(&digest, expected, "{name}");
        }
    }

    #[test]
    fn writers_taking_turns_draw_nothing_for_it() {
        let mut turns = Reference::new("snow8_w4_rr", 1).unwrap();
        let workers: Vec<_> = (0..6)
            .map(|_| turns.step().unwrap().1 >> 12 & 1023)
            .collect();
        assert_eq!(workers, [0, 1, 2, 3, 0, 1]);
    }

    #[test]
    fn bad_names_say_what_is_known() {
        for (name, part) in [
            ("uuid5", "did you mean"),
            ("", "known: "),
            ("seq8_w4", "it takes none"),
            ("uuid7_x3", "it takes w s r rr"),
            ("uuid7_w0", "expected w1 to w1024"),
            ("uuid7_r", "expected r1"),
            ("uuid7_é", "unknown option"),
            ("block8_rr", "unknown option"),
        ] {
            let error = Reference::new(name, 1).unwrap_err().0;
            assert!(error.contains(part), "{name}: {error}");
        }
    }

    #[test]
    fn a_rate_beyond_the_counter_ends_the_stream() {
        let mut stream = Reference::new("snow8_r1000000", 1).unwrap();
        let mut keys: Vec<u64> = Vec::new();
        stream.fill(&mut keys, 1000).unwrap();
        stream.gap_us = 0;
        assert!(stream.fill(&mut keys, 10_000).is_err());
    }
}
