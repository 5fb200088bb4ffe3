//! Seconds, what a process drew once, and its counter: 96 bits.
//!
//! - Ids per tick: 2²⁴, then [`Stall::Exhausted`]; the counter starts anywhere and goes on
//!   from one second to the next, past its largest value at 0.
//! - Lifetime: 2³² s since 1970; the last one is 2106-02-07T06:28:15Z. Later readings are
//!   [`Stall::OutOfRange`].
//! - Rollback: followed back; the counter keeps ids apart, unless seconds that come again have
//!   more than its 2²⁴ together.

use super::{Limits, Stall};
use crate::clock::{Clock, NS_PER_S, Timestamp};
use rand::Rng;

/// Values of a counter.
const COUNTS: u32 = 1 << 24;

/// What a process remembers.
#[derive(Debug, Default)]
pub struct ProcessWriter {
    /// The 40 bits that it drew, and the next count.
    drawn: Option<(u64, u32)>,
    /// The second of the last id.
    second: u32,
    /// Ids of that second.
    issued: u32,
}

impl ProcessWriter {
    /// The next id: 32 bits of seconds, 40 of the process, 24 of the counter.
    ///
    /// # Errors
    /// The second is used up, or there is none.
    pub fn next(&mut self, clock: &impl Clock, random: &mut impl Rng) -> Result<u128, Stall> {
        let now = clock.now();
        let second = u32::try_from(now.seconds()).map_err(|_| Stall::OutOfRange)?;
        if second != self.second {
            self.second = second;
            self.issued = 0;
        }
        if self.issued == COUNTS {
            let wait_ns = now.wait_ns(Timestamp((u64::from(second) + 1) * NS_PER_S));
            return Err(Stall::Exhausted { wait_ns });
        }
        self.issued += 1;
        let (process, count) = self.drawn.get_or_insert_with(|| {
            let bits = random.next_u64();
            (bits >> 24, bits as u32 % COUNTS)
        });
        let id = u128::from(second) << 64 | u128::from(*process) << 24 | u128::from(*count);
        *count = (*count + 1) % COUNTS;
        Ok(id)
    }
}

/// The first instant of an id's second.
pub fn instant(id: u128) -> Timestamp {
    Timestamp((id >> 64) as u64 * NS_PER_S)
}

/// The limits of all layouts.
pub fn limits() -> Limits {
    Limits {
        ids_per_tick: Some(COUNTS.into()),
        tick_ns: Some(NS_PER_S),
        exhausted_unix_ms: Some((1 << 32) * 1000 - 1),
        writers: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::stream;

    #[test]
    fn a_counter_goes_on_past_its_largest_value() {
        let mut random = stream(1, "test", 0);
        let mut writer = ProcessWriter {
            drawn: Some((0xbc_f86c_d799, COUNTS - 1)),
            ..ProcessWriter::default()
        };
        let mut next = |second| {
            writer
                .next(&Timestamp(second * NS_PER_S), &mut random)
                .unwrap()
        };
        assert_eq!(next(7), 7 << 64 | 0xbcf8_6cd7_99ff_ffff);
        assert_eq!(next(7), 7 << 64 | 0xbcf8_6cd7_9900_0000);
        assert_eq!(next(6), 6 << 64 | 0xbcf8_6cd7_9900_0001);
    }

    #[test]
    fn a_used_up_second_is_waited_for_and_readings_outside_are_refused() {
        let mut random = stream(1, "test", 0);
        let mut writer = ProcessWriter {
            second: 7,
            issued: COUNTS - 1,
            ..ProcessWriter::default()
        };
        let mut next = |ns| writer.next(&Timestamp(ns), &mut random);
        let now = 7 * NS_PER_S + 1;
        assert!(next(now).is_ok());
        let wait_ns = NS_PER_S - 1;
        assert_eq!(next(now), Err(Stall::Exhausted { wait_ns }));
        assert!(next(now + wait_ns).is_ok());
        let end = NS_PER_S << 32;
        assert!(next(end - 1).is_ok());
        assert_eq!(next(end), Err(Stall::OutOfRange));
    }
}
