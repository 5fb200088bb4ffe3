//! Ids turned by 90 degrees: 64 of them as one word a bit position, which is fast to count in.

use crate::id::Key;

/// Ids in a block.
pub(super) const BLOCK: usize = 64;

/// Gathers ids into blocks.
#[derive(Clone, Debug)]
pub(super) struct Columns<K> {
    bits: u32,
    /// The ids that do not fill a block yet.
    pending: Vec<K>,
    words: Vec<u64>,
}

impl<K: Key> Columns<K> {
    /// Of ids of `bits` bits.
    pub fn new(bits: u32) -> Self {
        Self {
            bits: bits.clamp(1, K::BYTES * 8),
            pending: Vec::with_capacity(BLOCK),
            words: vec![0; bits.clamp(1, K::BYTES * 8) as usize],
        }
    }

    /// Bits of an id.
    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// Hands on each block that `keys` complete: a word a bit position, most significant first;
    /// the lowest bit of a word is of the first id.
    pub fn see(&mut self, mut keys: &[K], mut block: impl FnMut(&[u64])) {
        if !self.pending.is_empty() {
            let (head, rest) = keys.split_at(keys.len().min(BLOCK - self.pending.len()));
            self.pending.extend_from_slice(head);
            keys = rest;
            if self.pending.len() == BLOCK {
                turn(&self.pending, self.bits, &mut self.words);
                block(&self.words);
                self.pending.clear();
            }
        }
        let blocks = keys.chunks_exact(BLOCK);
        self.pending.extend_from_slice(blocks.remainder());
        for keys in blocks {
            turn(keys, self.bits, &mut self.words);
            block(&self.words);
        }
    }

    /// The ids that fill no block, as the lowest bits of the words, and how many they are.
    pub fn rest(&self) -> (Vec<u64>, u32) {
        let mut words = vec![0; self.words.len()];
        turn(&self.pending, self.bits, &mut words);
        (words, self.pending.len() as u32)
    }
}

/// Writes the word of each bit position of up to 64 keys.
fn turn<K: Key>(keys: &[K], bits: u32, words: &mut [u64]) {
    let mut square = [0u64; BLOCK];
    // From the least significant bits upwards.
    for (chunk, words) in (0..).zip(words.rchunks_mut(64)) {
        let width = words.len() as u32;
        for (row, key) in square.iter_mut().zip(keys) {
            *row = key.field(64 * chunk, width) as u64;
        }
        square[keys.len().min(BLOCK)..].fill(0);
        transpose(&mut square);
        for (word, column) in words.iter_mut().rev().zip(square) {
            *word = column;
        }
    }
    debug_assert_eq!(words.len(), bits as usize);
}

/// Bit `j` of word `i` becomes bit `i` of word `j` (Warren, Hacker's Delight, section 7-3).
fn transpose(square: &mut [u64; BLOCK]) {
    let (mut width, mut mask) = (32, u64::from(u32::MAX));
    while width > 0 {
        for pairs in square.chunks_exact_mut(2 * width) {
            let (upper, lower) = pairs.split_at_mut(width);
            for (a, b) in upper.iter_mut().zip(lower) {
                let swapped = (*a >> width ^ *b) & mask;
                *a ^= swapped << width;
                *b ^= swapped;
            }
        }
        width /= 2;
        mask ^= mask << width;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::Key20;
    use proptest::prelude::*;

    fn check<K: Key>(keys: &[K], bits: u32, batch: usize) {
        let mut columns = Columns::new(bits);
        let mut found = vec![Vec::new(); bits as usize];
        let mut take = |words: &[u64], count: u32| {
            for (bits, word) in found.iter_mut().zip(words) {
                bits.extend((0..count).map(|i| word >> i & 1 == 1));
                assert!(count == 64 || word >> count == 0);
            }
        };
        for batch in keys.chunks(batch) {
            columns.see(batch, |words| take(words, 64));
        }
        let (words, count) = columns.rest();
        take(&words, count);
        for (position, bits_found) in (0..bits).zip(found) {
            let bit = |key: &K| key.field(bits - 1 - position, 1) == 1;
            assert!(keys.iter().map(bit).eq(bits_found));
        }
    }

    proptest! {
        #[test]
        fn columns_are_the_bits_of_the_ids(
            keys in prop::collection::vec((any::<u32>(), any::<u128>()), 0..300),
            bits in 1u32..=160,
            batch in 1usize..200,
        ) {
            let narrow: Vec<u64> = keys.iter().map(|key| key.1 as u64).collect();
            check(&narrow, bits.min(64), batch);
            let wide: Vec<u128> = keys.iter().map(|key| key.1).collect();
            check(&wide, bits.min(128), batch);
            let wider: Vec<Key20> = keys.iter().map(|key| Key20::new(key.0, key.1)).collect();
            check(&wider, bits, batch);
        }
    }
}
