//! Snowflake: timestamp, worker and sequence in 63 bits (Twitter, 2010).
//!
//! - Layout: sign 1 (always 0), timestamp 41, worker 10, sequence 12; the
//!   widths are parameters and must add up to 63. `first=worker` has the
//!   worker before the timestamp (Seata).
//! - Ids per tick: 4,096 a writer and millisecond, then [`Stall::Exhausted`].
//! - Lifetime: 2⁴¹ ms, 69.7 years. With Twitter's epoch (1288834974657 ms,
//!   2010-11-04) the last millisecond is 2080-07-10T17:30:30.208Z.
//! - Rollback: any [`Rollback`]; by default refused with [`Stall::ClockBehind`] until the last tick is back.
//! - Source: Twitter's Snowflake announcement, 2010. Its 5-bit data centre and
//!   5-bit worker are one worker number here. Discord's 42-bit unsigned
//!   timestamp is read to 41 bits, which suffice until 2084.

use super::{
    Field, FieldKind, Limits, Param, Params, Rollback, Scheme, SpecError, Stall, Ticker, Ticks,
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
    timestamp: u32,
    worker: u32,
    sequence: u32,
    /// Bits to the right of the timestamp.
    tick_shift: u32,
    last_sequence: u64,
    worker_first: bool,
    ticks: Ticks,
    rollback: Rollback,
}

/// What a Snowflake writer remembers.
#[derive(Debug)]
pub struct SnowflakeWriter {
    /// The worker number in its place.
    worker: u64,
    ticker: Ticker<u64>,
}

/// The largest number of `bits` bits (`bits` < 64).
fn max(bits: u32) -> u64 {
    (1 << bits) - 1
}

/// The sequence number after `last`, at most `most`.
#[inline]
fn advance(last: Option<u64>, most: u64) -> Option<u64> {
    let next = last.map_or(0, |sequence| sequence + 1);
    (next <= most).then_some(next)
}

impl Snowflake {
    /// Bits to the right of the worker number.
    fn worker_shift(&self) -> u32 {
        match self.worker_first {
            true => self.timestamp + self.sequence,
            false => self.sequence,
        }
    }
}

impl Scheme for Snowflake {
    type Id = Number;
    type Writer = SnowflakeWriter;

    const NAME: &'static str = "snowflake";
    const ABOUT: &'static str = "timestamp, worker, sequence, 64 bits (Twitter 2010)";
    const PARAMS: &'static [Param] = &[
        Param {
            name: "timestamp",
            default: "41",
            about: "bits of the timestamp, 1 to 62",
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
        Param {
            name: "first",
            default: "timestamp",
            about: "the field of the highest bits: timestamp or worker",
        },
    ];

    fn new(params: &Params) -> Result<Self, SpecError> {
        let bits = |name, least, most| params.number(name, least..=most).map(|bits| bits as u32);
        let (timestamp, worker, sequence) = (
            bits("timestamp", 1, 62)?,
            bits("worker", 0, 31)?,
            bits("sequence", 0, 31)?,
        );
        let sum = timestamp + worker + sequence;
        if sum != 63 {
            return Err(SpecError(format!(
                "snowflake: timestamp, worker and sequence must add up to 63 bits, \
                 but {timestamp} + {worker} + {sequence} = {sum}"
            )));
        }
        let word = params.text("epoch_ms");
        let epoch_ms = match EPOCHS_MS.iter().find(|(name, _)| *name == word) {
            Some(&(_, epoch_ms)) => epoch_ms,
            None => params
                .number("epoch_ms", 0..=u64::MAX / NS_PER_MS)
                .map_err(|_| params.refuse("epoch_ms", "Unix milliseconds, or twitter, discord or unix"))?,
        };
        let worker_first = params.choice("first", &[("timestamp", false), ("worker", true)])?;
        Ok(Self {
            timestamp,
            worker,
            sequence,
            tick_shift: if worker_first { 0 } else { worker } + sequence,
            last_sequence: max(sequence),
            worker_first,
            ticks: Ticks {
                epoch_ns: epoch_ms * NS_PER_MS,
                tick_ns: params.number("tick_ms", 1..=86_400_000)? * NS_PER_MS,
                last: max(timestamp),
            },
            rollback: Rollback::default(),
        })
    }

    fn fields(&self) -> Vec<Field> {
        let mut fields = [
            Field::new("sign", 1, FieldKind::Fixed),
            Field::new("timestamp", self.timestamp, FieldKind::Timestamp),
            Field::new("worker", self.worker, FieldKind::Node),
            Field::new("sequence", self.sequence, FieldKind::Counter),
        ];
        if self.worker_first {
            fields.swap(1, 2);
        }
        fields.into_iter().filter(|field| field.bits > 0).collect()
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
            writers: Some(1 << self.worker),
        }
    }

    fn writer(&mut self, number: u32) -> Result<SnowflakeWriter, WriterError> {
        let max = max(self.worker);
        if u64::from(number) > max {
            return Err(WriterError {
                scheme: Self::NAME,
                number,
                max,
            });
        }
        Ok(SnowflakeWriter {
            worker: u64::from(number) << self.worker_shift(),
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
        let advance = |last| advance(last, self.last_sequence);
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
        // The sequence is in the lowest bits.
        let left = self.last_sequence - *sequence;
        let count = more.len().min(left.try_into().unwrap_or(usize::MAX));
        for (i, id) in (1..).zip(&mut more[..count]) {
            *id = Number(first.0 + i);
        }
        *sequence += count as u64;
        Ok(1 + count)
    }

    fn set_rollback(&mut self, rollback: Rollback) -> Result<(), SpecError> {
        if rollback == Rollback::BackFill && self.sequence < 3 {
            return Err(SpecError(format!(
                "{rollback} needs sequence numbers 0 to 5, 3 bits, not {}",
                self.sequence
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
