//! Snowflake: timestamp, worker and sequence in 63 bits (Twitter, 2010).
//!
//! - Layout: sign 1 (always 0), timestamp 41, worker 10, sequence 12; the
//!   widths are parameters and must add up to 64. `datacenter` gives the upper bits of the
//!   writer's number a field of their own (Twitter: 5 and 5). `first=worker` has the
//!   worker before the timestamp (Seata), `last=worker` after the sequence (Sonyflake).
//! - Ids per tick: 4,096 a writer and millisecond, then [`Stall::Exhausted`].
//! - Lifetime: 2⁴¹ ms, 69.7 years. With Twitter's epoch (1288834974657 ms,
//!   2010-11-04) the last millisecond is 2080-07-10T17:30:30.208Z.
//! - Rollback: any [`Rollback`]; by default refused with [`Stall::ClockBehind`] until the last tick is back.
//! - Source: Twitter's Snowflake announcement, 2010. Others' numbers are presets: `twitter`,
//!   `sonyflake`, `baidu`. With `epoch_ms=discord` that one's 42-bit unsigned timestamp is
//!   read to 41 bits, which suffice until 2084; preset `discord` has all.

use super::{
    Field, FieldKind, Limits, Listed, Param, Params, Rollback, Scheme, SpecError, Stall, Ticker, Ticks,
    WriterError, one_by_one,
};
use crate::clock::{Clock, Held, NS_PER_MS, Timestamp};
use crate::id::{Id, Key, Number};
use rand::Rng;

const EPOCHS_MS: &[(&str, u64)] = &[
    ("twitter", 1_288_834_974_657),
    ("discord", 1_420_070_400_000),
    ("unix", 0),
];

/// A Snowflake layout.
#[derive(Clone, Debug)]
pub struct Snowflake {
    sign: u32,
    timestamp: u32,
    datacenter: u32,
    worker: u32,
    sequence: u32,
    /// Bits to the right of the timestamp.
    pub(super) tick_shift: u32,
    /// Bits to the right of the worker number.
    worker_shift: u32,
    /// Bits to the right of the sequence.
    sequence_shift: u32,
    /// The difference of two sequence numbers in their place.
    step: u64,
    /// The last sequence number in its place.
    pub(super) last_sequence: u64,
    pub(super) ticks: Ticks,
    pub(super) rollback: Rollback,
}

/// What a Snowflake writer remembers.
#[derive(Debug)]
pub struct SnowflakeWriter {
    /// The worker number in its place.
    pub(super) worker: u64,
    /// Its tails are sequence numbers in their place.
    pub(super) ticker: Ticker<u64>,
}

/// The largest number of `bits` bits (`bits` < 64).
fn max(bits: u32) -> u64 {
    (1 << bits) - 1
}

/// The sequence number `step` after `last`, at most `most`.
#[inline]
pub(super) fn advance(last: Option<u64>, step: u64, most: u64) -> Option<u64> {
    let next = last.map_or(0, |sequence| sequence + step);
    (next <= most).then_some(next)
}

/// Tick 0 by date or name.
pub(super) const EPOCH: Param = Param {
    name: "epoch",
    default: EPOCH_BY_MS,
    about: "tick 0 as a date (2014-09-01) or a name, instead of epoch_ms",
};
/// Neither.
const EPOCH_BY_MS: &str = "epoch_ms";

/// Tick 0 in Unix milliseconds.
fn epoch_ms(params: &Params) -> Result<u64, SpecError> {
    let named = |word: &str| EPOCHS_MS.iter().find(|(name, _)| *name == word).map(|(_, ms)| *ms);
    let word = params.text(EPOCH.name);
    if word != EPOCH_BY_MS {
        if params.is_given("epoch_ms") {
            return Err(params.refuse(EPOCH.name, "no epoch_ms beside it"));
        }
        let date = || {
            let date: jiff::civil::Date = word.parse().ok()?;
            let start = jiff::tz::TimeZone::UTC.to_timestamp(date.at(0, 0, 0, 0)).ok()?;
            u64::try_from(start.as_millisecond()).ok()
        };
        let found = named(word).or_else(date).filter(|ms| *ms <= u64::MAX / NS_PER_MS);
        let expected = "a date from 1970 to 2554, such as 2014-09-01, or twitter, discord or unix";
        return found.ok_or_else(|| params.refuse(EPOCH.name, expected));
    }
    if let Some(epoch_ms) = named(params.text("epoch_ms")) {
        return Ok(epoch_ms);
    }
    let number = params.number("epoch_ms", 0..=u64::MAX / NS_PER_MS);
    number.map_err(|_| params.refuse("epoch_ms", "Unix milliseconds, or twitter, discord or unix"))
}

impl Snowflake {
    /// Bits of a writer's number.
    pub(super) fn node_bits(&self) -> u32 {
        self.datacenter + self.worker
    }
}

impl Listed for Snowflake {
    const NAME: &'static str = "snowflake";
    const ABOUT: &'static str = "timestamp, worker, sequence, 64 bits (Twitter 2010)";
    const PARAMS: &'static [Param] = &[
        Param {
            name: "sign",
            default: "1",
            about: "bits of the sign, 1 or 0: unsigned",
        },
        Param {
            name: "timestamp",
            default: "41",
            about: "bits of the timestamp, 1 to 62",
        },
        Param {
            name: "datacenter",
            default: "0",
            about: "bits of the data centre, the upper ones of a writer's number, 0 to 31",
        },
        Param {
            name: "worker",
            default: "10",
            about: "bits of the worker number, 0 to 31",
        },
        Param {
            name: "sequence",
            default: "12",
            about: "bits of the sequence, 0 to 31",
        },
        Param {
            name: "tick_ms",
            default: "1",
            about: "length of a tick in milliseconds, 1 to 86400000",
        },
        Param {
            name: "epoch_ms",
            default: "1288834974657",
            about: "tick 0 in Unix milliseconds, or twitter, discord, unix",
        },
        EPOCH,
        Param {
            name: "first",
            default: "timestamp",
            about: "the field of the highest bits: timestamp or worker",
        },
        Param {
            name: "last",
            default: "sequence",
            about: "the field of the lowest bits: sequence or worker",
        },
    ];

    fn new(params: &Params) -> Result<Self, SpecError> {
        let bits = |name, least, most| params.number(name, least..=most).map(|bits| bits as u32);
        let (sign, timestamp) = (bits("sign", 0, 1)?, bits("timestamp", 1, 62)?);
        let (datacenter, worker) = (bits("datacenter", 0, 31)?, bits("worker", 0, 31)?);
        let sequence = bits("sequence", 0, 31)?;
        let sum = sign + timestamp + datacenter + worker + sequence;
        if sum != 64 {
            return Err(SpecError(format!(
                "{}: sign, timestamp, datacenter, worker and sequence must add up to 64 bits, \
                 but {sign} + {timestamp} + {datacenter} + {worker} + {sequence} = {sum}",
                params.name()
            )));
        }
        let epoch_ms = epoch_ms(params)?;
        let first = params.choice("first", &[("timestamp", false), ("worker", true)])?;
        let last = params.choice("last", &[("sequence", false), ("worker", true)])?;
        let node = datacenter + worker;
        let (tick_shift, worker_shift, sequence_shift) = match (first, last) {
            (false, false) => (node + sequence, sequence, 0),
            (true, false) => (sequence, timestamp + sequence, 0),
            (false, true) => (sequence + node, 0, node),
            (true, true) => {
                return Err(params.refuse("last", "sequence, as the worker comes first"));
            }
        };
        Ok(Self {
            sign,
            timestamp,
            datacenter,
            worker,
            sequence,
            tick_shift,
            worker_shift,
            sequence_shift,
            step: 1 << sequence_shift,
            last_sequence: max(sequence) << sequence_shift,
            ticks: Ticks {
                epoch_ns: epoch_ms * NS_PER_MS,
                tick_ns: params.number("tick_ms", 1..=86_400_000)? * NS_PER_MS,
                last: max(timestamp),
            },
            rollback: params.rollback(),
        })
    }
}

impl Scheme for Snowflake {
    type Id = Number;
    type Writer = SnowflakeWriter;

    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn fields(&self) -> Vec<Field> {
        use FieldKind::{Counter, Fixed, Node, Timestamp};
        let mut fields = [
            (63, Field::new("sign", self.sign, Fixed)),
            (
                self.tick_shift,
                Field::new("timestamp", self.timestamp, Timestamp),
            ),
            (
                self.worker_shift + self.worker,
                Field::new("datacenter", self.datacenter, Node),
            ),
            (self.worker_shift, Field::new("worker", self.worker, Node)),
            (
                self.sequence_shift,
                Field::new("sequence", self.sequence, Counter),
            ),
        ];
        fields.sort_by_key(|(shift, _)| std::cmp::Reverse(*shift));
        let fields = fields.into_iter().map(|(_, field)| field);
        fields.filter(|field| field.bits > 0).collect()
    }

    fn limits(&self) -> Limits {
        let (tick_ms, epoch_ms) = (
            self.ticks.tick_ns / NS_PER_MS,
            self.ticks.epoch_ns / NS_PER_MS,
        );
        let life_ms = (1u64 << self.timestamp).saturating_mul(tick_ms);
        Limits {
            ids_per_tick: Some(1 << self.sequence),
            tick_ns: Some(self.ticks.tick_ns),
            exhausted_unix_ms: Some(epoch_ms.saturating_add(life_ms - 1)),
            writers: Some(1 << self.node_bits()),
        }
    }

    fn writer(&mut self, number: u32) -> Result<SnowflakeWriter, WriterError> {
        let max = max(self.node_bits());
        if u64::from(number) > max {
            return Err(WriterError {
                scheme: Self::NAME,
                number,
                max,
            });
        }
        Ok(SnowflakeWriter {
            worker: u64::from(number) << self.worker_shift,
            ticker: Ticker::default(),
        })
    }

    #[inline]
    fn mint(
        &mut self,
        writer: &mut SnowflakeWriter,
        clock: &impl Clock,
        _: &mut impl Rng,
    ) -> Result<Number, Stall> {
        let advance = |last| advance(last, self.step, self.last_sequence);
        let (ticks, rollback) = (&self.ticks, &self.rollback);
        let next = writer.ticker.next(ticks, rollback, clock, advance);
        next.map(|(tick, sequence)| Number(tick << self.tick_shift | writer.worker | sequence))
    }

    fn fill(
        &mut self,
        writer: &mut SnowflakeWriter,
        clock: &impl Clock,
        random: &mut impl Rng,
        ids: &mut [Number],
    ) -> Result<usize, Stall> {
        let Some((first, more)) = ids.split_first_mut() else {
            return Ok(0);
        };
        let reading = Held::new(clock);
        *first = self.mint(writer, &reading, random)?;
        let Some((_, sequence)) = writer.ticker.open() else {
            let more = one_by_one(self, writer, &reading, random, more);
            return Ok(1 + more.unwrap_or_default());
        };
        let left = (self.last_sequence - *sequence) >> self.sequence_shift;
        let count = more.len().min(left.try_into().unwrap_or(usize::MAX));
        let (step, mut last) = (self.step, first.0);
        for id in &mut more[..count] {
            last += step;
            *id = Number(last);
        }
        *sequence += (count as u64) << self.sequence_shift;
        Ok(1 + count)
    }

    fn set_rollback(&mut self, rollback: Rollback) -> Result<(), SpecError> {
        if rollback == Rollback::BackFill && self.sequence < 3 {
            return Err(SpecError(format!(
                "{rollback} needs sequence numbers 0 to 5, 3 bits, not {}",
                self.sequence
            )));
        }
        if rollback == Rollback::BackFill && self.sequence_shift > 0 {
            return Err(SpecError(format!(
                "{rollback} needs the sequence in the lowest bits"
            )));
        }
        self.rollback = rollback;
        Ok(())
    }

    fn resume(&self, writer: &mut SnowflakeWriter, floor: Timestamp) {
        writer.ticker.resume(self.ticks, floor);
    }

    fn timestamp(&self, id: Number) -> Option<Timestamp> {
        let tick = id.key().field(self.tick_shift, self.timestamp);
        Some(self.ticks.start(tick as u64))
    }
}

#[cfg(test)]
mod tests;
