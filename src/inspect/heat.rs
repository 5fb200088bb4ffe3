//! The heat map of bit positions: which are set, as a list goes by.

use crate::record::{Grid, Measured, Parameters};

/// The picture's name in records.
pub const ONES_BY_BIT: Measured = Measured {
    name: "ones_by_bit",
    unit: "ids",
    about: "ids with a bit set, by bit position from the most significant (columns) in equal parts of the list (rows, the first of them the lowest); a grid",
};

/// Most parts of a list.
const MOST_PARTS: usize = 128;

/// Ones of each bit position in equal parts of a list. When there are too many parts, they
/// are joined in pairs.
#[derive(Clone, Debug)]
pub(super) struct Heat {
    bits: usize,
    ids: u64,
    /// Ids of a part, a power of two.
    part_ids: u64,
    parts: Vec<Vec<u32>>,
}

impl Heat {
    pub fn new(bits: u32) -> Self {
        Self {
            bits: bits as usize,
            ids: 0,
            part_ids: 1,
            parts: Vec::new(),
        }
    }

    /// Adds `count` ids, 1 to 64, the lowest bits of `words`, whose other bits are 0; there are
    /// 64 in all calls but the last.
    pub fn add(&mut self, words: &[u64], count: u32) {
        let mut at = 0;
        while at < count {
            if self.ids == self.part_ids * self.parts.len() as u64 {
                self.open();
            }
            let left = self.part_ids - self.ids % self.part_ids;
            let taken = left.min(u64::from(count - at)) as u32;
            let mask = u64::MAX >> (64 - taken) << at;
            if let Some(part) = self.parts.last_mut() {
                for (ones, word) in part.iter_mut().zip(words) {
                    *ones = ones.saturating_add((word & mask).count_ones());
                }
            }
            self.ids += u64::from(taken);
            at += taken;
        }
    }

    /// Begins a part.
    fn open(&mut self) {
        if self.parts.len() == MOST_PARTS {
            let both = |pair: &[Vec<u32>]| {
                let sum = |bit| {
                    pair.iter()
                        .fold(0u32, |sum, part| sum.saturating_add(part[bit]))
                };
                (0..self.bits).map(sum).collect()
            };
            self.parts = self.parts.chunks(2).map(both).collect();
            self.part_ids *= 2;
        }
        self.parts.push(vec![0; self.bits]);
    }

    /// The counts; params tell the ids of a part and of all, for the last part may be shorter.
    pub fn grid(self, run: &str, scheme: &str) -> Grid {
        Grid {
            run: run.to_owned(),
            scheme: scheme.to_owned(),
            engine: String::new(),
            params: Parameters::from([
                ("part_ids".to_owned(), self.part_ids.into()),
                ("ids".to_owned(), self.ids.into()),
            ]),
            measure: ONES_BY_BIT.name.to_owned(),
            cells: self.parts,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn parts_are_what_counting_gives(bits in prop::collection::vec(any::<bool>(), 1..3000)) {
            let mut heat = Heat::new(1);
            for part in bits.chunks(64) {
                let word = part.iter().rev().fold(0, |word, bit| word << 1 | u64::from(*bit));
                heat.add(&[word], part.len() as u32);
            }
            let size = (bits.len().div_ceil(MOST_PARTS)).next_power_of_two();
            prop_assert_eq!(heat.part_ids, size as u64);
            let count = |part: &[bool]| vec![part.iter().filter(|bit| **bit).count() as u32];
            let expected: Vec<_> = bits.chunks(size).map(count).collect();
            prop_assert_eq!(heat.grid("", "").cells, expected);
        }
    }

    #[test]
    fn no_ids_are_no_parts() {
        assert!(Heat::new(8).grid("", "").cells.is_empty());
    }
}
