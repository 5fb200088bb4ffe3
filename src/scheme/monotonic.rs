//! Schemes of 48 bits of milliseconds: their limit, and tails that count up.

use super::Stall;
use crate::clock::{NS_PER_MS, Timestamp};

/// The last millisecond that 48 bits hold.
pub(super) const LAST_MS: u64 = (1 << 48) - 1;

// Readings end in the year 2554, so none is beyond 48 bits.
const _: () = assert!(u64::MAX / NS_PER_MS < LAST_MS);

/// Milliseconds of a 48-bit field as an instant; later ones than 2554 saturate.
pub(super) fn instant(ms: u128) -> Timestamp {
    Timestamp((ms as u64).saturating_mul(NS_PER_MS))
}

/// What a writer remembers that counts up within a millisecond.
#[derive(Debug, Default)]
pub struct Monotonic {
    /// Millisecond and tail of the last id.
    pub(super) last: Option<(u64, u128)>,
}

impl Monotonic {
    /// The tail of the next id: `advance` makes it from the last one in the same
    /// millisecond, or from `None` in a new one; it must stay below `end`.
    pub(super) fn next(
        &mut self,
        now: Timestamp,
        end: u128,
        advance: impl FnOnce(Option<u128>) -> u128,
    ) -> Result<u128, Stall> {
        let ms = now.ms();
        let wait_ns = |ms: u64| now.wait_ns(instant(ms.into()));
        let tail = match self.last {
            Some((last, _)) if ms < last => {
                return Err(Stall::ClockBehind {
                    wait_ns: wait_ns(last),
                });
            }
            Some((last, tail)) if ms == last => advance(Some(tail)),
            _ => advance(None),
        };
        if tail >= end {
            return Err(Stall::Exhausted {
                wait_ns: wait_ns(ms + 1),
            });
        }
        self.last = Some((ms, tail));
        Ok(tail)
    }
}
