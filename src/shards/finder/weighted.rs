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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{bits128, stream};

    /// Slots of the keys 100, 110, … 290, then requests that take none.
    fn filled() -> Weighted {
        let mut finder = Weighted::new();
        for slot in 0..20 {
            let key = 100 + 10 * slot;
            finder.slots.push(Slot {
                key,
                halves: 0,
                counts: Counts::default(),
            });
        }
        finder.total = 1 << 60;
        finder
    }

    #[test]
    fn a_span_is_two_halves() {
        let (mut finder, mut random) = (filled(), stream(1, "weighted", 0));
        finder.record(150, 180, 5, &mut random);
        for slot in &finder.slots {
            let Counts {
                left,
                right,
                contained,
            } = slot.counts;
            let expected = match slot.key {
                ..=150 => (0, 10),
                160..180 => (5, 5),
                _ => (10, 0),
            };
            assert_eq!(
                (left, right, contained, slot.halves),
                (expected.0, expected.1, 0, 2)
            );
        }
        finder.record(150, 150, 5, &mut random);
        assert!(
            finder
                .slots
                .iter()
                .all(|slot| slot.halves == 4 && slot.counts.total() == 20)
        );
        assert_eq!(finder.slots[5].counts.right, 20);
    }

    #[test]
    fn a_hundred_requests_are_the_least_whatever_they_weigh() {
        let (mut finder, mut random) = (filled(), stream(2, "weighted", 0));
        for _ in 0..49 {
            finder.record(0, 0, 1000, &mut random);
            finder.record(500, 500, 1000, &mut random);
        }
        finder.record(500, 600, 1000, &mut random);
        assert_eq!(finder.decide(), Err(Refusal::TooFewSamples));
        finder.record(0, 0, 1000, &mut random);
        assert_eq!(finder.decide(), Ok(100));
    }

    #[test]
    fn weights_decide_the_balance() {
        let (mut finder, mut random) = (filled(), stream(3, "weighted", 0));
        for _ in 0..100 {
            finder.record(0, 0, 1, &mut random);
            finder.record(205, 205, 9, &mut random);
        }
        assert_eq!(finder.decide(), Err(Refusal::Unbalanced));
        for _ in 0..10 {
            finder.record(0, 0, 80, &mut random);
        }
        assert_eq!(finder.decide(), Ok(100));
    }

    /// Of two kinds of points as frequent, the one of nine times the weight holds nine slots in ten.
    #[test]
    fn points_enter_by_weight() {
        let mut random = stream(4, "weighted", 0);
        let mut heavy = 0;
        for _ in 0..500 {
            let mut finder = Weighted::new();
            for request in 0..2000 {
                let is_heavy = request % 2;
                finder.record(is_heavy, is_heavy, 1 + 8 * is_heavy as u64, &mut random);
            }
            heavy += finder.slots.iter().filter(|slot| slot.key == 1).count();
        }
        let share = heavy as f64 / 10_000.0;
        // The slots filled at first are of either kind, but few of these are left.
        assert!((share - 0.9).abs() < 5.0 * 0.003 + 0.002, "{share}");
    }

    #[test]
    fn uniform_is_cut_and_ascending_is_not() {
        let mut random = stream(5, "weighted", 0);
        let (mut uniform, mut ascending) = (Weighted::new(), Weighted::new());
        for request in 0..30_000 {
            let key = bits128(&mut random);
            uniform.record(key, key, 100, &mut random);
            ascending.record(request, request + 1, 100, &mut random);
        }
        let share = uniform.decide().unwrap() as f64 / 2f64.powi(128);
        assert!((0.35..0.65).contains(&share), "{share}");
        assert_eq!(ascending.decide(), Err(Refusal::Unbalanced));
    }
}
