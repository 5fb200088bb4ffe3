//! CockroachDB's finder by CPU time: requests have weights.

use super::online::{BELOW_BALANCE, SLOTS};
use super::{Counts, Refusal, below, best};
use rand::Rng;

/// Half requests: a span is two of them.
const MIN_HALVES: u64 = 200;

/// A reservoir of 20 keys that a point enters with a probability by its weight.
///
/// A span counts as two points of half its weight, its start and its end (exclusive), so no key
/// is ever inside one. Counts are half weights; the least number of counts is of requests.
#[derive(Clone, Debug, Default)]
pub struct Weighted {
    /// Twice the weight of all requests.
    total: u64,
    slots: Vec<Slot>,
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    key: u128,
    halves: u64,
    counts: Counts,
}

impl Weighted {
    /// Nothing seen.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sees one request of a weight, say ns of CPU time.
    pub fn record(&mut self, start: u128, end: u128, weight: u64, random: &mut impl Rng) {
        if end > start {
            self.point(start, weight, 1, |key| key <= start, random);
            self.point(end, weight, 1, |key| key < end, random);
        } else {
            self.point(start, 2 * weight, 2, |key| key <= start, random);
        }
    }

    fn point(
        &mut self,
        key: u128,
        weight: u64,
        halves: u64,
        is_right_of: impl Fn(u128) -> bool,
        random: &mut impl Rng,
    ) {
        self.total += weight;
        let slot = Slot {
            key,
            halves: 0,
            counts: Counts::default(),
        };
        if self.slots.len() < SLOTS {
            self.slots.push(slot);
        } else if below(random, self.total) < SLOTS as u64 * weight {
            self.slots[below(random, SLOTS as u64) as usize] = slot;
        } else {
            for slot in &mut self.slots {
                slot.halves += halves;
                if is_right_of(slot.key) {
                    slot.counts.right += weight;
                } else {
                    slot.counts.left += weight;
                }
            }
        }
    }

    /// The key to cut at.
    ///
    /// # Errors
    /// No slot has the counts of 100 requests and a balance below 0.25.
    pub fn decide(&self) -> Result<u128, Refusal> {
        let counted = self.slots.iter().filter(|slot| slot.halves >= MIN_HALVES);
        best(counted.map(|slot| (slot.key, slot.counts)), BELOW_BALANCE)
    }
}
