//! Ids that come more than once.

use crate::id::Key;
use crate::measure::fingerprint;

/// Ids kept as fingerprints at most: a list's first.
const MOST_IDS: usize = 1 << 24;
/// Ids of a piece of memory.
const PIECE: usize = 1 << 16;

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
        let suspects = self.suspects();
        let mut seen = vec![Seen::default(); suspects.len()];
        let mut known = Marks::new(suspects.len());
        for &print in &suspects {
            known.mark(print);
        }
        for (place, &print) in (0u32..).zip(self.pieces.iter().flatten()) {
            if known.is_marked(print)
                && let Ok(at) = suspects.binary_search(&print)
            {
                seen[at].add(place);
            }
        }
        for seen in seen.iter().filter(|seen| seen.times > 1) {
            found.ids += 1;
            found.again += u64::from(seen.times) - 1;
            found.first.push((seen.first.into(), seen.second.into()));
            if found.first.len() >= 2 * show.max(1024) {
                earliest(&mut found.first, show);
            }
        }
        earliest(&mut found.first, show);
        found
    }

    /// Fingerprints that may come more than once, ascending: all that do, and a few that share
    /// their mark with another.
    fn suspects(&self) -> Vec<u64> {
        let mut suspects = Vec::new();
        let mut enough = 1 << 20;
        let mut marks = Marks::new(self.checked);
        for &print in self.pieces.iter().flatten() {
            if marks.mark(print) {
                suspects.push(print);
                if suspects.len() > enough {
                    distinct(&mut suspects);
                    enough = enough.max(2 * suspects.len());
                }
            }
        }
        distinct(&mut suspects);
        suspects
    }
}

fn distinct(prints: &mut Vec<u64>) {
    prints.sort_unstable();
    prints.dedup();
}

/// How often a fingerprint was seen, and where at first.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    times: u32,
    first: u32,
    second: u32,
}

impl Seen {
    fn add(&mut self, place: u32) {
        match self.times {
            0 => self.first = place,
            1 => self.second = place,
            _ => {}
        }
        self.times += 1;
    }
}

/// A bit for each of many fingerprints, sixteen times as many as these are.
struct Marks {
    words: Vec<u64>,
    shift: u32,
}

impl Marks {
    fn new(prints: usize) -> Self {
        let bits = (16 * prints).next_power_of_two().max(64);
        Self {
            words: vec![0; bits / 64],
            shift: 64 - bits.ilog2(),
        }
    }

    /// The word and the bit of a fingerprint; those of numbers that count up must not be near
    /// each other only.
    fn place(&self, print: u64) -> (usize, u64) {
        let bit = print.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> self.shift;
        ((bit / 64) as usize, 1 << (bit % 64))
    }

    /// Marks a fingerprint; whether it, or another of the same mark, was marked before.
    fn mark(&mut self, print: u64) -> bool {
        let (word, bit) = self.place(print);
        let was = self.words[word] & bit != 0;
        self.words[word] |= bit;
        was
    }

    fn is_marked(&self, print: u64) -> bool {
        let (word, bit) = self.place(print);
        self.words[word] & bit != 0
    }
}

/// Keeps the first `show` by the second place.
fn earliest(places: &mut Vec<(u64, u64)>, show: usize) {
    places.sort_unstable_by_key(|places| places.1);
    places.truncate(show);
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
