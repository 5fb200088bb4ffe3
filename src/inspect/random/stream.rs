//! Some bits of each id, one after the other, as one stream.

use crate::id::Key;

/// Which bits of an id are taken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Taken {
    /// Shift and width, at most 64 bits, of neighbouring ones, most significant first.
    runs: Vec<(u32, u32)>,
}

impl Taken {
    /// The bits at `positions`, ascending from the most significant, of ids of `bits` bits.
    pub fn new(bits: u32, positions: &[u32]) -> Self {
        let mut runs: Vec<(u32, u32)> = Vec::new();
        for &position in positions {
            let shift = bits - 1 - position;
            match runs.last_mut() {
                Some(run) if run.0 == shift + 1 && run.1 < 64 => *run = (shift, run.1 + 1),
                _ => runs.push((shift, 1)),
            }
        }
        Self { runs }
    }

    /// The parts of an id: value and width.
    pub fn of<K: Key>(&self, key: K) -> impl Iterator<Item = (u64, u32)> {
        let parts = self.runs.iter();
        parts.map(move |&(shift, width)| (key.field(shift, width) as u64, width))
    }

    /// The first 64 bits that are taken, from the top; what there is if they are fewer.
    pub fn prefix<K: Key>(&self, key: K) -> u64 {
        let mut prefix = 0u128;
        let mut left = 64u32;
        for (value, width) in self.of(key) {
            // Bits that go below the prefix are cut off.
            prefix |= u128::from(value) << 64 >> width << left >> 64 & u128::from(u64::MAX);
            left = left.saturating_sub(width);
            if left == 0 {
                break;
            }
        }
        prefix as u64
    }
}

/// Counts of a stream of bits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Stream {
    /// Bits that make no word yet, the lowest ones.
    word: u64,
    held: u32,
    last: Option<u64>,
    /// Bits.
    pub bits: u64,
    /// Those that are 1.
    pub ones: u64,
    /// Those that differ from the one before.
    pub changes: u64,
    /// Bytes by value, each of eight bits from a multiple of eight on.
    pub bytes: [u64; 256],
}

impl Stream {
    pub fn new() -> Self {
        Self {
            word: 0,
            held: 0,
            last: None,
            bits: 0,
            ones: 0,
            changes: 0,
            bytes: [0; 256],
        }
    }

    /// Appends the `width` bits of `value`, 1 to 64.
    pub fn push(&mut self, value: u64, width: u32) {
        let all = u128::from(self.word) << width | u128::from(value);
        let held = self.held + width;
        if held < 64 {
            self.word = all as u64;
            self.held = held;
            return;
        }
        self.held = held - 64;
        self.count((all >> self.held) as u64, 64);
        self.word = (all & ((1 << self.held) - 1)) as u64;
    }

    /// Counts what is held.
    pub fn finish(mut self) -> Self {
        if self.held > 0 {
            self.count(self.word, self.held);
            self.held = 0;
        }
        self
    }

    /// Counts `width` bits, 1 to 64, a multiple of 64 after the first.
    fn count(&mut self, word: u64, width: u32) {
        self.bits += u64::from(width);
        self.ones += u64::from(word.count_ones());
        let inner = (word ^ word >> 1) & (u64::MAX >> (64 - width) >> 1);
        self.changes += u64::from(inner.count_ones());
        let first = word >> (width - 1) & 1;
        self.changes += u64::from(self.last.is_some_and(|last| last != first));
        self.last = Some(word & 1);
        let aligned = word << (64 - width);
        for byte in &aligned.to_be_bytes()[..width as usize / 8] {
            self.bytes[usize::from(*byte)] += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::Key20;
    use proptest::prelude::*;

    /// Bits one by one.
    fn naive(keys: &[Key20], bits: u32, positions: &[u32]) -> Vec<u64> {
        let of = |key: &Key20| {
            let key = *key;
            let bit = move |position: &u32| key.field(bits - 1 - position, 1) as u64;
            positions.iter().map(bit).collect::<Vec<_>>()
        };
        keys.iter().flat_map(of).collect()
    }

    proptest! {
        #[test]
        fn a_stream_is_its_bits_one_by_one(
            parts in prop::collection::vec((any::<u32>(), any::<u128>()), 1..20),
            chosen in prop::collection::vec(0u32..5, 1..160),
            dense: bool,
        ) {
            let bits = chosen.len() as u32;
            let positions: Vec<u32> = (0..bits).filter(|&i| dense || chosen[i as usize] > 0).collect();
            let keys: Vec<Key20> = parts.iter().map(|part| Key20::new(part.0, part.1)).collect();
            let taken = Taken::new(bits, &positions);
            let mut stream = Stream::new();
            for key in &keys {
                taken.of(*key).for_each(|(value, width)| stream.push(value, width));
            }
            let stream = stream.finish();
            let expected = naive(&keys, bits, &positions);
            prop_assert_eq!(stream.bits, expected.len() as u64);
            prop_assert_eq!(stream.ones, expected.iter().sum::<u64>());
            let changes = expected.windows(2).filter(|pair| pair[0] != pair[1]).count();
            prop_assert_eq!(stream.changes, changes as u64);
            let mut bytes = [0; 256];
            for byte in expected.chunks_exact(8) {
                bytes[byte.iter().fold(0, |byte, bit| byte << 1 | bit) as usize] += 1;
            }
            prop_assert_eq!(stream.bytes, bytes);
            for key in &keys {
                let bits = naive(&[*key], bits, &positions);
                let expected = (0..64).fold(0, |prefix, i| prefix << 1 | bits.get(i).unwrap_or(&0));
                prop_assert_eq!(taken.prefix(*key), expected);
            }
        }
    }
}
