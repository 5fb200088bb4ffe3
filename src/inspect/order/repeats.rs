//! Ids that come more than once.

use crate::id::Key;
use crate::measure::fingerprint;

/// Ids kept as fingerprints at most: a list's first.
const MOST_IDS: usize = 1 << 24;
/// Ids of a piece of memory.
const PIECE: usize = 1 << 16;
/// Parts that are sorted one after the other, by the first bits of a hash.
const PART_BITS: u32 = 4;

/// Finds ids that come more than once, in 8 bytes an id.
///
/// Compared are 64 bits of each id (all, if it has no more): of n wider ids that all differ,
/// some two are said to be equal with a probability of n² / 2⁶⁵, 3 in a million of 10⁷ ids.
/// Ids after the first 2²⁴ are not looked at.
#[derive(Clone, Debug)]
pub struct Repeats<K> {
    pieces: Vec<Vec<u64>>,
    most: usize,
    checked: usize,
    of: std::marker::PhantomData<K>,
}

/// What comes more than once.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Repeated {
    /// Ids looked at: the first of the list.
    pub checked: u64,
    /// Ids that an earlier one equals.
    pub again: u64,
    /// Different ids among those that come more than once.
    pub ids: u64,
    /// The first of them: the places of the first two of each, from 0, by the second place.
    pub first: Vec<(u64, u64)>,
}

impl<K: Key> Default for Repeats<K> {
    fn default() -> Self {
        Self::new(MOST_IDS)
    }
}

impl<K: Key> Repeats<K> {
    /// Looks at the first `most` ids, fewer than 2³².
    fn new(most: usize) -> Self {
        Self {
            pieces: Vec::new(),
            most,
            checked: 0,
            of: std::marker::PhantomData,
        }
    }

    /// The next ids, in the order of arrival.
    pub fn see(&mut self, keys: &[K]) {
        for &key in &keys[..keys.len().min(self.most - self.checked)] {
            if self.checked.is_multiple_of(PIECE) {
                self.pieces.push(Vec::with_capacity(PIECE));
            }
            if let Some(piece) = self.pieces.last_mut() {
                piece.push(fingerprint(key));
            }
            self.checked += 1;
        }
    }

    /// What comes more than once, with the places of the first `show`.
    pub fn find(&self, show: usize) -> Repeated {
        let mut found = Repeated {
            checked: self.checked as u64,
            ..Repeated::default()
        };
        let mut part: Vec<(u64, u32)> = Vec::new();
        for number in 0..1 << PART_BITS {
            part.clear();
            for (place, &print) in (0u32..).zip(self.pieces.iter().flatten()) {
                if part_of(print) == number {
                    part.push((print, place));
                }
            }
            part.sort_unstable();
            let equal = part.chunk_by(|a, b| a.0 == b.0);
            for ids in equal.filter(|ids| ids.len() > 1) {
                found.ids += 1;
                found.again += ids.len() as u64 - 1;
                found.first.push((ids[0].1.into(), ids[1].1.into()));
                if found.first.len() >= 2 * show.max(1024) {
                    earliest(&mut found.first, show);
                }
            }
        }
        earliest(&mut found.first, show);
        found
    }
}

/// Keeps the first `show` by the second place.
fn earliest(places: &mut Vec<(u64, u64)>, show: usize) {
    places.sort_unstable_by_key(|places| places.1);
    places.truncate(show);
}

/// The part of a fingerprint: numbers that count up must not all be in one.
fn part_of(print: u64) -> u64 {
    print.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - PART_BITS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn repeats_are_what_a_map_finds(ids in prop::collection::vec(0u128..60, 0..80), most in 1usize..100) {
            let ids: Vec<u128> = ids.into_iter().map(|id| id << 100 | id).collect();
            let mut repeats = Repeats::new(most);
            ids.chunks(9).for_each(|batch| repeats.see(batch));
            let mut places: BTreeMap<u128, Vec<u64>> = BTreeMap::new();
            for (place, id) in (0..).zip(ids.iter().take(most)) {
                places.entry(*id).or_default().push(place);
            }
            let several = places.values().filter(|places| places.len() > 1);
            let mut first: Vec<_> = several.clone().map(|places| (places[0], places[1])).collect();
            first.sort_by_key(|places| places.1);
            first.truncate(3);
            let expected = Repeated {
                checked: ids.len().min(most) as u64,
                again: several.clone().map(|places| places.len() as u64 - 1).sum(),
                ids: several.count() as u64,
                first,
            };
            prop_assert_eq!(repeats.find(3), expected);
        }
    }

    #[test]
    fn many_repeats_take_little_memory_and_the_first_are_kept() {
        let mut repeats = Repeats::default();
        let ids: Vec<u64> = (0..100_000).collect();
        repeats.see(&ids);
        repeats.see(&ids);
        let found = repeats.find(2);
        assert_eq!((found.ids, found.again), (100_000, 100_000));
        assert_eq!(found.first, [(0, 100_000), (1, 100_001)]);
    }
}
