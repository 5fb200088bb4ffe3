//! UUID version 7: Unix milliseconds, then 74 bits that `tail` decides on.
//!
//! - Layout: unix_ts_ms 48, ver 4, rand_a 12, var 2, rand_b 62.
//! - Lifetime: 2⁴⁸ ms; the last one is in the year 10889.
//! - Source: RFC 9562, sections 5.7 and 6.2; PostgreSQL 18 `uuidv7()`.
//!
//! | tail | rand_a, rand_b | ids per writer and ms | rollback |
//! | --- | --- | --- | --- |
//! | `random` | random | unbounded | followed back |
//! | `counter` | counter from 0, random (6.2 method 1, but not seeded at random) | 4,096, then [`Stall::Exhausted`] | any [`Rollback`]; refused by default |
//! | `counter42` | counter of 42 bits from a random number of 41, random 32 (6.2 method 1, as the crates uuid and uuid7) | at least 2⁴¹, then [`Stall::Exhausted`] | any [`Rollback`]; refused by default |
//! | `fraction` | 1/4096 ms, random (6.2 method 3, as PostgreSQL 18) | unbounded: steps of at least 245 ns, ahead of the clock if need be | goes on from the last id |
//! | `monotonic` | random start, random steps of 1 to 2³² (6.2 method 2) | at least 2⁴¹, then [`Stall::Exhausted`] | any [`Rollback`]; refused by default |

use super::ticker::{LAST_MS, MILLISECONDS, Ticker, instant, without_slots};
use super::{
    Field, FieldKind, Limits, Listed, Param, Params, Rollback, Scheme, SpecError, Stall, WriterError,
    one_by_one,
};
use crate::clock::{Clock, Held, NS_PER_MS, Timestamp};
use crate::id::{Id, Key, Uuid, low_bits};
use crate::random::{bits128, fill128};
use rand::Rng;

/// The least step of `tail=fraction`: just above 1/4096 ms, so rand_a always grows.
const STEP_NS: u64 = 245;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Tail {
    Random,
    Counter,
    Counter42,
    Fraction,
    Monotonic,
}

/// Time-ordered UUIDs.
#[derive(Clone, Debug)]
pub struct UuidV7 {
    tail: Tail,
    /// For tails that count.
    rollback: Rollback,
}

/// What a UUIDv7 writer remembers.
#[derive(Debug, Default)]
pub struct UuidV7Writer {
    /// For tails that count.
    count: Ticker<u128>,
    /// For `fraction`: the instant in the last id.
    last_ns: u64,
}

impl UuidV7Writer {
    /// The next id of `tail=fraction`.
    fn fraction(&mut self, clock: &impl Clock, random: &mut impl Rng) -> Result<Uuid, Stall> {
        let now = clock.now();
        let least = self.last_ns.checked_add(STEP_NS).ok_or(Stall::OutOfRange)?;
        let at = now.max(Timestamp(least));
        self.last_ns = at.0;
        let sub_ms = at.0 % NS_PER_MS * 4096 / NS_PER_MS;
        Ok(uuid(at.ms(), sub_ms, random.next_u64()))
    }
}

/// The bits of rand_b.
const RAND_B: u64 = (1 << 62) - 1;

/// The UUID of these fields; bits of `rand_a` above the 12th and of `rand_b` above the 62nd are
/// dropped.
#[inline]
fn uuid(ms: u64, rand_a: u64, rand_b: u64) -> Uuid {
    let high = ms << 16 | 0x7000 | (rand_a & 0xfff);
    let low = 0b10 << 62 | (rand_b & RAND_B);
    Uuid(u128::from(high) << 64 | u128::from(low))
}

/// The UUID with this 74-bit tail; higher bits are dropped.
#[inline]
fn uuid_of_tail(ms: u64, tail: u128) -> Uuid {
    uuid(ms, (tail >> 62) as u64, tail as u64)
}

/// The counter after `last`.
#[inline]
fn count(last: Option<u128>) -> Option<u128> {
    let next = last.map_or(0, |counter| counter + 1);
    (next < 1 << 12).then_some(next)
}

/// The 42-bit counter after `last`; the first has its highest bit free.
fn count42(last: Option<u128>, random: &mut impl Rng) -> Option<u128> {
    let next = match last {
        Some(counter) => counter + 1,
        None => u128::from(random.next_u64() >> 23),
    };
    (next < 1 << 42).then_some(next)
}

/// The 74-bit tail after `last`.
#[inline]
fn step(last: Option<u128>, random: &mut impl Rng) -> Option<u128> {
    let next = match last {
        Some(tail) => tail + u128::from(random.next_u32()) + 1,
        None => start(random),
    };
    (next < 1 << 74).then_some(next)
}

/// The first tail of a millisecond.
#[cold]
fn start(random: &mut impl Rng) -> u128 {
    low_bits(bits128(random), 73)
}

/// Fills `ids` with the tails after `tail` in `ms`, as [`step`] makes them one by one; returns
/// how many there are.
fn fill_steps(ms: u64, tail: &mut u128, random: &mut impl Rng, ids: &mut [Uuid]) -> usize {
    const PART: usize = 64;
    let mut bytes = [[0; 4]; PART];
    let mut filled = 0;
    for part in ids.chunks_mut(PART) {
        let bytes = &mut bytes[..part.len()];
        random.fill_bytes(bytes.as_flattened_mut());
        let steps = bytes.iter().map(|bytes| u64::from(u32::from_le_bytes(*bytes)) + 1);
        let rand_b = *tail as u64 & RAND_B;
        if rand_b + ((PART as u64) << 32) <= RAND_B {
            // None of these steps is carried out of rand_b.
            let fixed = uuid_of_tail(ms, *tail).0 & !u128::from(RAND_B);
            let mut next = rand_b;
            for (id, step) in part.iter_mut().zip(steps) {
                next += step;
                *id = Uuid(fixed | u128::from(next));
            }
            *tail += u128::from(next - rand_b);
        } else {
            for (i, (id, step)) in part.iter_mut().zip(steps).enumerate() {
                let next = *tail + u128::from(step);
                if next >> 74 != 0 {
                    return filled + i;
                }
                *tail = next;
                *id = uuid_of_tail(ms, next);
            }
        }
        filled += part.len();
    }
    filled
}

impl UuidV7 {
    /// The next id of the counters and of `tail=fraction`: by itself, so that code which mints
    /// other tails stays small.
    #[inline(never)]
    fn seldom(
        &self,
        writer: &mut UuidV7Writer,
        clock: &impl Clock,
        random: &mut impl Rng,
    ) -> Result<Uuid, Stall> {
        if self.tail == Tail::Fraction {
            return writer.fraction(clock, random);
        }
        let long = self.tail == Tail::Counter42;
        let advance = |last| if long { count42(last, random) } else { count(last) };
        let next = writer.count.next(&MILLISECONDS, &self.rollback, clock, advance);
        let (ms, counter) = next?;
        Ok(if long {
            uuid_of_tail(ms, counter << 32 | u128::from(random.next_u32()))
        } else {
            uuid(ms, counter as u64, random.next_u64())
        })
    }
}

impl Listed for UuidV7 {
    const NAME: &'static str = "uuid_v7";
    const ABOUT: &'static str = "milliseconds and 74 bits (RFC 9562, section 5.7)";
    const PARAMS: &'static [Param] = &[Param {
        name: "tail",
        default: "random",
        about: "random, counter, counter42 (as the crate uuid), fraction (as PostgreSQL 18) or monotonic",
    }];

    fn new(params: &Params) -> Result<Self, SpecError> {
        let choices = [
            ("random", Tail::Random),
            ("counter", Tail::Counter),
            ("counter42", Tail::Counter42),
            ("fraction", Tail::Fraction),
            ("monotonic", Tail::Monotonic),
        ];
        let tail = params.choice("tail", &choices)?;
        Ok(Self {
            tail,
            rollback: Rollback::default(),
        })
    }
}

impl Scheme for UuidV7 {
    type Id = Uuid;
    type Writer = UuidV7Writer;

    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn fields(&self) -> Vec<Field> {
        let (name, kind) = match self.tail {
            Tail::Random | Tail::Monotonic => ("rand_a", FieldKind::Random),
            Tail::Counter => ("counter", FieldKind::Counter),
            Tail::Counter42 => ("counter_high", FieldKind::Counter),
            Tail::Fraction => ("sub_ms", FieldKind::Timestamp),
        };
        let mut fields = vec![
            Field::new("unix_ts_ms", 48, FieldKind::Timestamp),
            Field::new("ver", 4, FieldKind::Fixed),
            Field::new(name, 12, kind),
            Field::new("var", 2, FieldKind::Fixed),
        ];
        if self.tail == Tail::Counter42 {
            fields.push(Field::new("counter_low", 30, FieldKind::Counter));
            fields.push(Field::new("random", 32, FieldKind::Random));
        } else {
            fields.push(Field::new("rand_b", 62, FieldKind::Random));
        }
        fields
    }

    fn limits(&self) -> Limits {
        let ids_per_tick = match self.tail {
            Tail::Random | Tail::Fraction => None,
            Tail::Counter => Some(1 << 12),
            Tail::Counter42 | Tail::Monotonic => Some(1 << 41),
        };
        let fraction = self.tail == Tail::Fraction;
        Limits {
            ids_per_tick,
            tick_ns: Some(if fraction { STEP_NS } else { NS_PER_MS }),
            exhausted_unix_ms: Some(LAST_MS),
            writers: None,
        }
    }

    fn writer(&mut self, _: u32) -> Result<UuidV7Writer, WriterError> {
        Ok(UuidV7Writer::default())
    }

    #[inline(always)]
    fn mint(
        &mut self,
        writer: &mut UuidV7Writer,
        clock: &impl Clock,
        random: &mut impl Rng,
    ) -> Result<Uuid, Stall> {
        if self.tail == Tail::Monotonic {
            let step = |last| step(last, random);
            let next = writer.count.next(&MILLISECONDS, &self.rollback, clock, step);
            return next.map(|(ms, tail)| uuid_of_tail(ms, tail));
        }
        if self.tail == Tail::Random {
            return Ok(uuid_of_tail(clock.now_ms(), bits128(random)));
        }
        self.seldom(writer, clock, random)
    }

    fn fill(
        &mut self,
        writer: &mut UuidV7Writer,
        clock: &impl Clock,
        random: &mut impl Rng,
        ids: &mut [Uuid],
    ) -> Result<usize, Stall> {
        match self.tail {
            Tail::Random => {
                let ms = clock.now_ms();
                fill128(random, ids, |bits| uuid_of_tail(ms, bits));
                Ok(ids.len())
            }
            Tail::Monotonic => {
                let Some((first, more)) = ids.split_first_mut() else {
                    return Ok(0);
                };
                let reading = Held::new(clock);
                *first = self.mint(writer, &reading, random)?;
                let filled = match writer.count.open() {
                    Some((ms, tail)) => fill_steps(ms, tail, random, more),
                    None => one_by_one(self, writer, &reading, random, more).unwrap_or_default(),
                };
                Ok(1 + filled)
            }
            Tail::Counter | Tail::Counter42 | Tail::Fraction => {
                one_by_one(self, writer, clock, random, ids)
            },
        }
    }

    fn set_rollback(&mut self, rollback: Rollback) -> Result<(), SpecError> {
        match self.tail {
            Tail::Counter | Tail::Counter42 | Tail::Monotonic => {
                self.rollback = without_slots("uuid_v7", rollback)?;
                Ok(())
            }
            Tail::Random | Tail::Fraction => Err(SpecError(
                "uuid_v7 with this tail has its own rule for clocks that go back".to_owned(),
            )),
        }
    }

    fn resume(&self, writer: &mut UuidV7Writer, floor: Timestamp) {
        writer.count.resume(MILLISECONDS, floor);
        writer.last_ns = writer.last_ns.max(floor.0);
    }

    fn ascends(&self) -> bool {
        self.tail != Tail::Random
    }

    fn timestamp(&self, id: Uuid) -> Option<Timestamp> {
        let start = instant(id.key().field(80, 48));
        let sub_ms = match self.tail {
            Tail::Fraction => id.key().field(64, 12) as u64,
            _ => 0,
        };
        // Rounded up: the first nanosecond that is written as this fraction.
        let sub_ns = (sub_ms * NS_PER_MS).div_ceil(4096);
        Some(Timestamp(start.0.saturating_add(sub_ns)))
    }
}

#[cfg(test)]
mod tests;
