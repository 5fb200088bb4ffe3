//! SCRU128: milliseconds, two counters and 32 random bits.
//!
//! - Layout: timestamp 48 (Unix milliseconds), counter_hi 24, counter_lo 24, entropy 32.
//!   counter_lo starts anywhere in each millisecond and counts up, with a carry to counter_hi,
//!   which starts anywhere once a second.
//! - Ids per tick: unbounded; when both counters are used up the timestamp goes on by 1 ms,
//!   ahead of the clock.
//! - Lifetime: 2⁴⁸ ms; the last one is in the year 10889.
//! - Rollback: up to 10 s behind goes on from the last id; further behind begins anew at the
//!   clock, as `generate` of the library does.
//! - Source: SCRU128 specification 3 (scru128/spec).

use super::ticker::{LAST_MS, instant};
use super::{Field, FieldKind, Limits, Listed, Param, Params, Scheme, SpecError, Stall, WriterError};
use crate::clock::{Clock, NS_PER_MS, Timestamp};
use crate::id::Scru128;
use rand::Rng;

/// Furthest behind that the last timestamp is kept.
const ALLOWANCE_MS: u64 = 10_000;
/// How long counter_hi is kept.
const HIGH_MS: u64 = 1000;
const COUNTS: u32 = 1 << 24;

/// SCRU128 ids.
#[derive(Clone, Debug, Default)]
pub struct Scru128Scheme;

/// What a SCRU128 writer remembers.
#[derive(Debug, Default)]
pub struct Scru128Writer {
    /// Timestamp of the last id.
    ms: Option<u64>,
    high: u32,
    /// Timestamp when counter_hi was drawn.
    high_ms: Option<u64>,
    low: u32,
}

fn draw(random: &mut impl Rng) -> u32 {
    random.next_u32() % COUNTS
}

impl Scru128Writer {
    fn advance(&mut self, now_ms: u64, random: &mut impl Rng) -> u64 {
        let ms = match self.ms {
            Some(last) if now_ms <= last && last - now_ms <= ALLOWANCE_MS => {
                let mut ms = last;
                self.low = (self.low + 1) % COUNTS;
                if self.low == 0 {
                    self.high = (self.high + 1) % COUNTS;
                    if self.high == 0 {
                        ms += 1;
                        self.low = draw(random);
                    }
                }
                ms
            }
            last => {
                if last.is_some_and(|last| now_ms < last) {
                    self.high_ms = None;
                }
                self.low = draw(random);
                now_ms
            }
        };
        if self.high_ms.is_none_or(|drawn| ms - drawn >= HIGH_MS) {
            self.high_ms = Some(ms);
            self.high = draw(random);
        }
        self.ms = Some(ms);
        ms
    }
}

impl Listed for Scru128Scheme {
    const NAME: &'static str = "scru128";
    const ABOUT: &'static str =
        "milliseconds, a counter of 48 bits from a random start, 32 random bits (SCRU128)";
    const PARAMS: &'static [Param] = &[];

    fn new(_: &Params) -> Result<Self, SpecError> {
        Ok(Self)
    }
}

impl Scheme for Scru128Scheme {
    type Id = Scru128;
    type Writer = Scru128Writer;

    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn fields(&self) -> Vec<Field> {
        vec![
            Field::new("timestamp", 48, FieldKind::Timestamp),
            Field::new("counter_hi", 24, FieldKind::Counter),
            Field::new("counter_lo", 24, FieldKind::Counter),
            Field::new("entropy", 32, FieldKind::Random),
        ]
    }

    fn limits(&self) -> Limits {
        Limits {
            ids_per_tick: None,
            tick_ns: Some(NS_PER_MS),
            exhausted_unix_ms: Some(LAST_MS),
            writers: None,
        }
    }

    fn writer(&mut self, _: u32) -> Result<Scru128Writer, WriterError> {
        Ok(Scru128Writer::default())
    }

    fn mint(
        &mut self,
        writer: &mut Scru128Writer,
        clock: &impl Clock,
        random: &mut impl Rng,
    ) -> Result<Scru128, Stall> {
        let ms = writer.advance(clock.now_ms(), random);
        let counters = u64::from(writer.high) << 24 | u64::from(writer.low);
        let entropy = random.next_u32();
        Ok(Scru128(
            u128::from(ms) << 80 | u128::from(counters) << 32 | u128::from(entropy),
        ))
    }

    fn ascends(&self) -> bool {
        true
    }

    fn timestamp(&self, id: Scru128) -> Option<Timestamp> {
        Some(instant(id.0 >> 80))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::stream;

    fn values(id: Scru128) -> Vec<u128> {
        let fields = Scru128Scheme.decode(id);
        fields.into_iter().map(|(_, value)| value).collect()
    }

    #[test]
    fn the_published_id_decodes_to_its_parts() {
        let id = "036z951mhjikzik2gsl81gr7l".parse().unwrap();
        let parts = [1_647_687_810_742, 2_426_999, 10_015_760, 4_178_443_969];
        assert_eq!(values(id), parts);
        let instant = Timestamp::from_ms(1_647_687_810_742);
        assert_eq!(Scru128Scheme.timestamp(id), Some(instant));
    }

    /// A writer whose last id had this timestamp and these counters, and what it mints.
    fn after(ms: u64, high: u32, low: u32) -> impl FnMut(u64) -> Vec<u128> {
        let mut random = stream(1, "test", 0);
        let mut writer = Scru128Writer {
            ms: Some(ms),
            high,
            high_ms: Some(ms),
            low,
        };
        move |ms| {
            let now = Timestamp::from_ms(ms);
            values(Scru128Scheme.mint(&mut writer, &now, &mut random).unwrap())
        }
    }

    #[test]
    fn counters_carry_into_each_other_and_then_into_the_timestamp() {
        let last = COUNTS - 1;
        let mut mint = after(100_000, 7, last - 1);
        assert_eq!(mint(100_000)[..3], [100_000, 7, last.into()]);
        assert_eq!(mint(100_000)[..3], [100_000, 8, 0]);
        let mut mint = after(100_000, last, last);
        assert_eq!(mint(100_000)[..2], [100_001, 0]);
    }

    #[test]
    fn the_high_counter_is_drawn_once_a_second() {
        let mut mint = after(100_000, 7, 7);
        assert_eq!(mint(100_999)[1], 7);
        assert_ne!(mint(101_000)[1], 7);
    }

    #[test]
    fn a_clock_that_goes_back_is_followed_beyond_ten_seconds() {
        let mut mint = after(100_000, 7, 7);
        assert_eq!(mint(90_000)[..3], [100_000, 7, 8]);
        let back = mint(89_999);
        assert_eq!(back[0], 89_999);
        assert_ne!(back[1], 7);
    }
}
