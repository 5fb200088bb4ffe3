//! ULID: milliseconds and 80 random bits.
//!
//! - Layout: timestamp 48 (Unix milliseconds), randomness 80.
//! - Ids per tick: `tail=random` unbounded; `tail=monotonic` at most 2⁸⁰ a
//!   writer and millisecond, as the count starts at a random number of all 80 bits:
//!   it can be used up early, which is [`Stall::Exhausted`], never a wrap or a carry.
//! - Lifetime: 2⁴⁸ ms; the last one is in the year 10889.
//! - Rollback: `random` follows the clock back; `monotonic` any [`Rollback`], by default refused
//!   with [`Stall::ClockBehind`] until the last millisecond is back.
//! - Source: the ULID specification (ulid/spec), sections on components and monotonicity.

use super::ticker::{LAST_MS, MILLISECONDS, Ticker, instant, without_slots};
use super::{
    Field, FieldKind, Limits, Listed, Param, Params, Rollback, Scheme, SpecError, Stall, WriterError, one_by_one,
};
use crate::clock::{Clock, Held, NS_PER_MS, Timestamp};
use crate::id::Ulid;
use crate::random::{bits128, fill128};
use rand::Rng;

/// ULIDs with a random or a monotonic tail.
#[derive(Clone, Debug)]
pub struct UlidScheme {
    monotonic: bool,
    rollback: Rollback,
}

#[inline]
fn ulid(ms: u64, tail: u128) -> Ulid {
    Ulid(u128::from(ms) << 80 | tail)
}

/// The 80-bit tail after `last`.
#[inline]
fn step(last: Option<u128>, random: &mut impl Rng) -> Option<u128> {
    let next = match last {
        Some(tail) => tail + 1,
        None => start(random),
    };
    (next < 1 << 80).then_some(next)
}

/// The first tail of a millisecond.
#[cold]
fn start(random: &mut impl Rng) -> u128 {
    bits128(random) >> 48
}

impl Listed for UlidScheme {
    const NAME: &'static str = "ulid";
    const ABOUT: &'static str = "milliseconds and 80 random bits (ULID specification)";
    const PARAMS: &'static [Param] = &[Param {
        name: "tail",
        default: "random",
        about: "random, or monotonic: plus 1 within a millisecond",
    }];

    fn new(params: &Params) -> Result<Self, SpecError> {
        let monotonic = params.choice("tail", &[("random", false), ("monotonic", true)])?;
        Ok(Self {
            monotonic,
            rollback: Rollback::default(),
        })
    }
}

impl Scheme for UlidScheme {
    type Id = Ulid;
    type Writer = Ticker<u128>;

    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn fields(&self) -> Vec<Field> {
        vec![
            Field::new("timestamp", 48, FieldKind::Timestamp),
            Field::new("randomness", 80, FieldKind::Random),
        ]
    }

    fn limits(&self) -> Limits {
        Limits {
            ids_per_tick: self.monotonic.then_some(1 << 80),
            tick_ns: Some(NS_PER_MS),
            exhausted_unix_ms: Some(LAST_MS),
            writers: None,
        }
    }

    fn writer(&mut self, _: u32) -> Result<Ticker<u128>, WriterError> {
        Ok(Ticker::default())
    }

    #[inline(always)]
    fn mint(
        &mut self,
        writer: &mut Ticker<u128>,
        clock: &impl Clock,
        random: &mut impl Rng,
    ) -> Result<Ulid, Stall> {
        if !self.monotonic {
            return Ok(ulid(clock.now_ms(), bits128(random) >> 48));
        }
        let step = |last| step(last, random);
        let next = writer.next(&MILLISECONDS, &self.rollback, clock, step);
        next.map(|(ms, tail)| ulid(ms, tail))
    }

    fn fill(
        &mut self,
        writer: &mut Ticker<u128>,
        clock: &impl Clock,
        random: &mut impl Rng,
        ids: &mut [Ulid],
    ) -> Result<usize, Stall> {
        if !self.monotonic {
            let ms = clock.now_ms();
            fill128(random, ids, |bits| ulid(ms, bits >> 48));
            return Ok(ids.len());
        }
        let Some((first, more)) = ids.split_first_mut() else {
            return Ok(0);
        };
        let reading = Held::new(clock);
        *first = self.mint(writer, &reading, random)?;
        let Some((_, tail)) = writer.open() else {
            let more = one_by_one(self, writer, &reading, random, more);
            return Ok(1 + more.unwrap_or_default());
        };
        let left = (1 << 80) - 1 - *tail;
        let count = more.len().min(left.try_into().unwrap_or(usize::MAX));
        for (i, id) in (1..).zip(&mut more[..count]) {
            *id = Ulid(first.0 + i);
        }
        *tail += count as u128;
        Ok(1 + count)
    }

    fn set_rollback(&mut self, rollback: Rollback) -> Result<(), SpecError> {
        if !self.monotonic {
            return Err(SpecError(
                "ulid with a random tail follows its clock back".to_owned(),
            ));
        }
        self.rollback = without_slots("ulid", rollback)?;
        Ok(())
    }

    fn resume(&self, writer: &mut Ticker<u128>, floor: Timestamp) {
        writer.resume(MILLISECONDS, floor);
    }

    fn ascends(&self) -> bool {
        self.monotonic
    }

    fn timestamp(&self, id: Ulid) -> Option<Timestamp> {
        Some(instant(id.0 >> 80))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::stream;

    const MONOTONIC: UlidScheme = UlidScheme {
        monotonic: true,
        rollback: Rollback::Refuse,
    };

    #[inline(always)]
    fn mint(writer: &mut Ticker<u128>, ns: u64) -> Result<Ulid, Stall> {
        let mut scheme = MONOTONIC;
        scheme.mint(writer, &Timestamp(ns), &mut stream(1, "test", 0))
    }

    /// A writer whose last id was `text`.
    fn after(text: &str) -> (Ticker<u128>, u64) {
        let id: Ulid = text.parse().unwrap();
        let ms = (id.0 >> 80) as u64;
        let ticker = Ticker::after(ms, id.0 & ((1 << 80) - 1));
        (ticker, ms * NS_PER_MS)
    }

    #[test]
    fn the_instant_of_the_published_example_is_read() {
        let id = "01ARZ3NDEKTSV4RRFFQ69G5FAV".parse().unwrap();
        // 2016-07-30T23:54:10.259Z
        let instant = Timestamp::from_ms(1_469_922_850_259);
        assert_eq!(MONOTONIC.timestamp(id), Some(instant));
    }

    #[test]
    fn the_monotonic_example_of_the_specification_is_continued() {
        let (mut writer, ns) = after("01BX5ZZKBKACTAV9WEVGEMMVRZ");
        let id = mint(&mut writer, ns).unwrap();
        assert_eq!(id.to_string(), "01BX5ZZKBKACTAV9WEVGEMMVS0");
        assert_eq!(ns, 1_508_808_576_371 * NS_PER_MS);
    }

    #[test]
    fn an_overflow_is_a_stall_and_carries_nowhere() {
        let (mut writer, ns) = after("01BX5ZZKBKZZZZZZZZZZZZZZZX");
        let id = mint(&mut writer, ns).unwrap();
        assert_eq!(id.to_string(), "01BX5ZZKBKZZZZZZZZZZZZZZZY");
        let id = mint(&mut writer, ns).unwrap();
        assert_eq!(id.to_string(), "01BX5ZZKBKZZZZZZZZZZZZZZZZ");
        for _ in 0..2 {
            let stall = mint(&mut writer, ns + 400_000);
            assert_eq!(stall, Err(Stall::Exhausted { wait_ns: 600_000 }));
        }
        let id = mint(&mut writer, ns + NS_PER_MS).unwrap();
        assert!(id.to_string().starts_with("01BX5ZZKBM"));
    }

    #[test]
    fn a_rollback_waits_for_the_last_millisecond() {
        let (mut writer, ns) = after("01BX5ZZKBKACTAV9WEVGEMMVRZ");
        let stall = mint(&mut writer, ns - 1);
        assert_eq!(stall, Err(Stall::ClockBehind { wait_ns: 1 }));
        let stall = mint(&mut writer, ns - 5 * NS_PER_MS);
        let wait_ns = 5 * NS_PER_MS;
        assert_eq!(stall, Err(Stall::ClockBehind { wait_ns }));
    }
}
