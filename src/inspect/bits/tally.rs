//! What is counted of each bit position.

/// Counts of one bit position over a list.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// Ids with the bit set.
    pub ones: u64,
    /// Ids whose bit differs from that of the id before.
    pub changes: u64,
    /// Ids at which it rises while the next lower bit falls: a carry.
    pub carries: u64,
    /// Ids at which it changes, either way, while the next lower bit falls.
    pub passed: u64,
    /// Ids at which it falls while the next lower bit rises: a carry the other way round.
    pub reversed: u64,
    /// Ids at which it rises and no higher bit changes: the id is above the one before.
    pub up: u64,
    /// Ids at which it falls and no higher bit changes: the id is below the one before.
    pub down: u64,
    /// The bit of the first id.
    pub first: bool,
    /// The bit of the last id.
    pub last: bool,
}

impl Tally {
    /// Ids at which it goes from 1 to 0.
    pub fn falls(&self) -> u64 {
        (self.changes + u64::from(self.first) - u64::from(self.last)) / 2
    }

    /// Ids at which it goes from 0 to 1.
    pub fn rises(&self) -> u64 {
        self.changes - self.falls()
    }
}

/// Counts of all bit positions, most significant first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Tallies {
    pub ids: u64,
    pub bits: Vec<Tally>,
    /// Where each bit changes in the ids that are being counted.
    changed: Vec<u64>,
}

impl Tallies {
    pub fn new(bits: u32) -> Self {
        Self {
            ids: 0,
            bits: vec![Tally::default(); bits as usize],
            changed: vec![0; bits as usize],
        }
    }

    /// Counts `count` ids, 1 to 64, the lowest bits of `words`, whose other bits are 0.
    pub fn add(&mut self, words: &[u64], count: u32) {
        let valid = u64::MAX >> (64 - count);
        let is_first = self.ids == 0;
        // The first id of all has none before it.
        let pairs = valid & !u64::from(is_first);
        let count_of = |word: u64| u64::from(word.count_ones());
        let (mut lower_rose, mut lower_fell) = (0, 0);
        let bits = self.bits.iter_mut().zip(words).zip(&mut self.changed);
        for ((tally, &word), all_changed) in bits.rev() {
            let before = word << 1 | u64::from(tally.last);
            let changed = (word ^ before) & pairs;
            let (rose, fell) = (changed & word, changed & before);
            tally.ones += count_of(word);
            tally.changes += count_of(changed);
            tally.carries += count_of(rose & lower_fell);
            tally.passed += count_of(changed & lower_fell);
            tally.reversed += count_of(fell & lower_rose);
            tally.last = word >> (count - 1) & 1 == 1;
            if is_first {
                tally.first = word & 1 == 1;
            }
            (lower_rose, lower_fell) = (rose, fell);
            *all_changed = changed;
        }
        // Ids of which no bit changed yet, from the top.
        let mut equal = pairs;
        let bits = self.bits.iter_mut().zip(words).zip(&self.changed);
        for ((tally, &word), changed) in bits {
            let highest = changed & equal;
            if highest != 0 {
                tally.up += count_of(highest & word);
                tally.down += count_of(highest & !word);
                equal &= !highest;
                if equal == 0 {
                    break;
                }
            }
        }
        self.ids += u64::from(count);
    }
}
