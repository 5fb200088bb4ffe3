//! CockroachDB's finder by requests a second: a reservoir of keys, each judged by what
//! comes after it.

use super::{Counts, Refusal, below, best};
use rand::Rng;

pub(super) const SLOTS: usize = 20;
const MIN_COUNT: u64 = 100;
pub(super) const BELOW_BALANCE: f64 = 0.25;

/// A key fills this share of the slots or more: popular.
const POPULAR_SLOTS: usize = SLOTS / 4;
/// The direction beyond which it is clear.
const CLEAR_DIRECTION: f64 = 0.8;

/// A reservoir of 20 keys with the requests counted since each was drawn.
///
/// A request either takes a slot, with its start key and no counts, or is counted in
/// every slot. It is counted by its rank among the keys, and the ranks are summed up only
/// when a slot is taken or a key asked for.
#[derive(Clone, Debug)]
pub struct Online {
    seen: u64,
    keys: [u128; SLOTS],
    /// Without the requests in `starts` and `ends`.
    counts: [Counts; SLOTS],
    /// The keys in ascending order.
    ranked: [u128; SLOTS],
    /// Requests by keys at or before their start, since a slot was last taken.
    starts: [u64; SLOTS + 1],
    /// The same requests by keys before their end (a point's: at or before it).
    ends: [u64; SLOTS + 1],
}

impl Default for Online {
    fn default() -> Self {
        Self::new()
    }
}

impl Online {
    /// Nothing seen.
    pub fn new() -> Self {
        Self {
            seen: 0,
            keys: [u128::MAX; SLOTS],
            counts: [Counts::default(); SLOTS],
            ranked: [u128::MAX; SLOTS],
            starts: [0; SLOTS + 1],
            ends: [0; SLOTS + 1],
        }
    }

    /// Requests seen.
    pub fn seen(&self) -> u64 {
        self.seen
    }

    /// Sees one request. Each after the first 20 draws once.
    #[inline]
    pub fn record(&mut self, start: u128, end: u128, random: &mut impl Rng) {
        let seen = self.seen;
        self.seen += 1;
        let slot = if seen < SLOTS as u64 {
            seen
        } else {
            below(random, seen)
        };
        if slot < SLOTS as u64 {
            return self.take(slot as usize, start);
        }
        let from = self.rank(start);
        let to = if end > start {
            self.rank(end - 1)
        } else {
            from
        };
        self.starts[from] += 1;
        self.ends[to] += 1;
    }

    /// Keys at or before this one: fours of them, then among four.
    #[inline]
    fn rank(&self, key: u128) -> usize {
        let is_before = |&slot: &u128| usize::from(slot <= key);
        let lasts = [3, 7, 11, 15].map(|last| self.ranked[last]);
        let first = 4 * lasts.iter().map(is_before).sum::<usize>();
        let four = &self.ranked[first..first + 4];
        first + four.iter().map(is_before).sum::<usize>()
    }

    #[cold]
    fn take(&mut self, slot: usize, key: u128) {
        self.counts = std::array::from_fn(|slot| self.counts(slot));
        self.starts = [0; SLOTS + 1];
        self.ends = [0; SLOTS + 1];
        self.keys[slot] = key;
        self.counts[slot] = Counts::default();
        self.ranked = self.keys;
        self.ranked.sort_unstable();
    }

    fn counts(&self, slot: usize) -> Counts {
        let Counts {
            left,
            right,
            contained,
        } = self.counts[slot];
        let rank = self.rank(self.keys[slot]);
        let all: u64 = self.starts.iter().sum();
        let started_after: u64 = self.starts[rank..].iter().sum();
        let ended_after: u64 = self.ends[rank..].iter().sum();
        Counts {
            left: left + all - ended_after,
            right: right + started_after,
            contained: contained + ended_after - started_after,
        }
    }

    fn slots(&self) -> impl Iterator<Item = (u128, Counts)> {
        let used = SLOTS.min(self.seen as usize);
        (0..used).map(|slot| (self.keys[slot], self.counts(slot)))
    }

    /// The key to cut at.
    ///
    /// # Errors
    /// No slot has 100 counts, a balance |l - r| / (l + r) below 0.25 and a contained share below 0.5.
    /// If a key is popular, that is the reason.
    pub fn decide(&self) -> Result<u128, Refusal> {
        let counted = self
            .slots()
            .filter(|(_, counts)| counts.total() >= MIN_COUNT);
        best(counted, BELOW_BALANCE).map_err(|refusal| match self.popular_key() {
            Some(_) if refusal != Refusal::TooFewSamples => Refusal::SingleKey,
            _ => refusal,
        })
    }

    /// The key in most slots, if it fills a quarter of them (the smallest of equals).
    pub fn popular_key(&self) -> Option<u128> {
        let used = &self.ranked[..SLOTS.min(self.seen as usize)];
        let groups = used.chunk_by(|a, b| a == b);
        let largest = groups.rev().max_by_key(|group| group.len())?;
        (largest.len() >= POPULAR_SLOTS).then_some(largest[0])
    }

    /// (r - l) / (r + l) over all slots: 1 for an ascending stream, -1 for a descending one.
    pub fn direction(&self) -> f64 {
        let sum = self
            .slots()
            .fold(Counts::default(), |sum, (_, counts)| Counts {
                left: sum.left + counts.left,
                right: sum.right + counts.right,
                contained: 0,
            });
        sum.direction()
    }

    /// The direction, up or down, exceeds 0.8.
    pub fn has_clear_direction(&self) -> bool {
        self.direction().abs() > CLEAR_DIRECTION
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{below as below_u32, stream};
    use proptest::prelude::*;

    /// A source of draws that are all the same: 0 takes slot 0, the largest takes none.
    struct Always(u64);

    impl rand::TryRng for Always {
        type Error = std::convert::Infallible;
        fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
            Ok(self.0 as u32)
        }
        fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
            Ok(self.0)
        }
        fn try_fill_bytes(&mut self, _: &mut [u8]) -> Result<(), Self::Error> {
            unreachable!("words only")
        }
    }

    /// The largest draw below `seen`: 20 at least from the 22nd request on.
    fn count() -> Always {
        Always(u64::MAX)
    }

    /// Slots of the keys 1000, 1010, … 1190 and one count to the right of all.
    fn filled() -> Online {
        let mut finder = Online::new();
        for slot in 0..20 {
            finder.record(1000 + 10 * slot, 1000 + 10 * slot, &mut count());
        }
        // Drawn from 0..20: it takes the last slot whatever it is.
        finder.record(1190, 1190, &mut count());
        finder
    }

    fn send(finder: &mut Online, requests: u64, start: u128, end: u128) {
        for _ in 0..requests {
            finder.record(start, end, &mut count());
        }
    }

    #[test]
    fn a_request_that_takes_a_slot_counts_nowhere() {
        let mut finder = filled();
        send(&mut finder, 5, 2000, 2000);
        assert!(
            finder
                .slots()
                .all(|(_, counts)| counts.right == 5 && counts.total() == 5)
        );
        finder.record(7, 7, &mut Always(0));
        let slots: Vec<_> = finder.slots().collect();
        assert_eq!(slots[0], (7, Counts::default()));
        assert!(slots[1..].iter().all(|(_, counts)| counts.total() == 5));
        assert_eq!(finder.seen(), 27);
    }

    #[test]
    fn a_point_at_the_key_is_to_its_right() {
        let mut finder = filled();
        send(&mut finder, 1, 1050, 1050);
        for (key, counts) in finder.slots() {
            assert_eq!(
                (counts.right == 1, counts.left == 1),
                (key <= 1050, key > 1050)
            );
        }
    }

    #[test]
    fn a_span_contains_what_is_strictly_inside() {
        let mut finder = filled();
        send(&mut finder, 1, 1050, 1080);
        for (key, counts) in finder.slots() {
            assert_eq!(counts.right == 1, key <= 1050, "{key}");
            assert_eq!(counts.contained == 1, key == 1060 || key == 1070, "{key}");
            assert_eq!(counts.left == 1, key >= 1080, "{key}");
        }
    }

    #[test]
    fn a_hundred_counts_are_the_least() {
        let mut finder = filled();
        send(&mut finder, 49, 0, 0);
        send(&mut finder, 50, 2000, 2000);
        assert_eq!(finder.decide(), Err(Refusal::TooFewSamples));
        send(&mut finder, 1, 0, 0);
        assert_eq!(finder.decide(), Ok(1000)); // all equal: the first slot
    }

    #[test]
    fn the_most_balanced_key_is_taken_and_none_at_a_quarter() {
        let mut finder = filled();
        send(&mut finder, 125, 1055, 1055);
        send(&mut finder, 75, 0, 0);
        assert_eq!(finder.decide(), Err(Refusal::Unbalanced)); // 0.25 below 1055, 1 above
        send(&mut finder, 1, 0, 0);
        assert_eq!(finder.decide(), Ok(1000));
        send(&mut finder, 60, 1095, 1095); // below: 185 of 261, between 1060 and 1090: 60 of 261
        assert_eq!(finder.decide(), Err(Refusal::Unbalanced));
        send(&mut finder, 124, 1095, 1095); // between: 184 of 385
        assert_eq!(finder.decide(), Ok(1060));
    }

    #[test]
    fn half_contained_is_too_much() {
        let mut finder = filled();
        send(&mut finder, 50, 0, 0);
        send(&mut finder, 50, 2000, 2000);
        send(&mut finder, 100, 500, 1500);
        assert_eq!(finder.decide(), Err(Refusal::Spanning));
        send(&mut finder, 1, 0, 0);
        assert_eq!(finder.decide(), Ok(1000));
    }

    #[test]
    fn five_slots_make_a_key_popular() {
        for (slots, popular) in [(4, None), (5, Some(5))] {
            let mut finder = Online::new();
            for slot in 0..20 {
                let key = if slot < slots { 5 } else { 100 + slot };
                finder.record(key, key, &mut count());
            }
            assert_eq!(finder.popular_key(), popular);
            assert_eq!(finder.decide(), Err(Refusal::TooFewSamples));
            send(&mut finder, 200, 200, 200);
            let expected = popular.map_or(Refusal::Unbalanced, |_| Refusal::SingleKey);
            assert_eq!(finder.decide(), Err(expected));
        }
        assert_eq!(Online::new().popular_key(), None);
    }

    #[test]
    fn a_direction_beyond_four_fifths_is_clear() {
        let mut finder = filled();
        send(&mut finder, 90, 2000, 2000);
        send(&mut finder, 10, 0, 0);
        assert_eq!(
            (finder.direction(), finder.has_clear_direction()),
            (0.8, false)
        );
        send(&mut finder, 1, 2000, 2000);
        assert!(finder.has_clear_direction());
        let mut descending = filled();
        send(&mut descending, 90, 0, 0);
        assert_eq!(
            (descending.direction(), descending.has_clear_direction()),
            (-1.0, true)
        );
        assert_eq!(Online::new().direction(), 0.0);
    }

    #[test]
    fn an_ascending_stream_is_never_cut() {
        let (mut finder, mut random) = (Online::new(), stream(1, "ascending", 0));
        for key in 0..50_000 {
            finder.record(key, key, &mut random);
            assert!(key % 1000 > 0 || finder.decide().is_err());
        }
        assert_eq!(finder.decide(), Err(Refusal::Unbalanced));
        assert_eq!(finder.direction(), 1.0);
    }

    /// The rule, literally.
    #[derive(Default)]
    struct Naive {
        seen: u64,
        slots: Vec<(u128, u64, u64, u64)>,
    }

    impl Naive {
        fn record(&mut self, start: u128, end: u128, random: &mut impl Rng) {
            let n = self.seen;
            self.seen += 1;
            if n < 20 {
                self.slots.push((start, 0, 0, 0));
                return;
            }
            let j = below_u32(random, n as u32);
            if j < 20 {
                self.slots[j as usize] = (start, 0, 0, 0);
                return;
            }
            for (key, left, right, contained) in &mut self.slots {
                if start < *key && *key < end {
                    *contained += 1;
                } else if *key <= start {
                    *right += 1;
                } else {
                    *left += 1;
                }
            }
        }

        fn decide(&self) -> Option<u128> {
            let mut best = None;
            let mut smallest = f64::INFINITY;
            for &(key, l, r, c) in &self.slots {
                if l + r + c < 100 || l + r == 0 {
                    continue;
                }
                let balance = l.abs_diff(r) as f64 / (l + r) as f64;
                let contained = c as f64 / (l + r + c) as f64;
                if balance < 0.25 && contained < 0.5 && balance + contained < smallest {
                    best = Some(key);
                    smallest = balance + contained;
                }
            }
            best
        }
    }

    proptest! {
        /// Few keys, so that many are equal; `width` 0 makes points alone.
        #[test]
        fn it_is_the_literal_rule(
            seed: u64,
            keys in prop_oneof![Just(1), Just(3), 1u32..100, Just(u32::MAX)],
            width in prop_oneof![Just(0u32), 0u32..3, 0u32..100],
            requests in 0u64..3000,
            high: bool,
        ) {
            let mut requested = stream(seed, "requests", 0);
            let (mut fast, mut literal) = (stream(seed, "finder", 0), stream(seed, "finder", 0));
            let (mut finder, mut naive) = (Online::new(), Naive::default());
            let base = if high { u128::MAX - (1 << 33) } else { 0 };
            for request in 0..requests {
                let start = base + u128::from(below_u32(&mut requested, keys));
                let end = start + u128::from(below_u32(&mut requested, width + 1));
                finder.record(start, end, &mut fast);
                naive.record(start, end, &mut literal);
                if request % 500 == 0 || request + 1 == requests {
                    prop_assert_eq!(finder.decide().ok(), naive.decide());
                }
            }
            let counted = finder.slots().map(|(key, c)| (key, c.left, c.right, c.contained));
            prop_assert!(counted.eq(naive.slots.iter().copied()));
        }
    }

    /// `cargo test --release --lib record_ns -- --ignored --nocapture`
    #[test]
    #[ignore = "measures"]
    fn record_ns() {
        let mut random = stream(1, "finder", 0);
        let mut requested = stream(2, "requests", 0);
        let keys: Vec<u128> = (0..1 << 16)
            .map(|_| crate::random::bits128(&mut requested))
            .collect();
        for (name, width) in [("point", 0), ("span", 1 << 120)] {
            let mut best = f64::INFINITY;
            for _ in 0..20 {
                let mut finder = Online::new();
                let begin = std::time::Instant::now();
                for _ in 0..16 {
                    for &key in &keys {
                        finder.record(key, key.saturating_add(width), &mut random);
                    }
                }
                let ns = begin.elapsed().as_nanos() as f64 / (16 * keys.len()) as f64;
                best = best.min(ns);
                std::hint::black_box(finder.decide().ok());
            }
            println!("{name}: {best:.1} ns");
        }
    }
}
