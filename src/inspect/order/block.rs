//! Consecutive ids, looked at together: inversions, and how far late ids are from their place.

use crate::id::Key;
use crate::measure::inversions;

/// Ids of a block.
pub const BLOCK_IDS: usize = 1 << 20;

/// An id and its place in the block; packed, for there are many.
#[derive(Clone, Copy, Debug)]
#[repr(C, packed(4))]
struct Placed<K: Key> {
    key: K,
    place: u32,
}

/// Blocks of ids, and what was found in those that are complete.
#[derive(Clone, Debug)]
pub(super) struct Blocks<K: Key> {
    most: usize,
    open: Vec<Placed<K>>,
    ascends: bool,
    found: InBlocks,
}

/// What blocks have in common.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct InBlocks {
    /// Pairs of ids within a block.
    pub pairs: u64,
    /// Pairs of equal ids.
    pub equal_pairs: u64,
    /// Pairs in the wrong order.
    pub inversions: u64,
    /// Late ids by the distance from their place.
    pub by_displacement: Vec<u64>,
}

impl<K: Key> Blocks<K> {
    /// Of `most` ids each, fewer than 2³².
    pub fn new(most: usize) -> Self {
        Self {
            most,
            open: Vec::new(),
            ascends: true,
            found: InBlocks::default(),
        }
    }

    pub fn see(&mut self, key: K) {
        if let Some(&Placed { key: last, .. }) = self.open.last() {
            self.ascends &= last < key;
        }
        let place = self.open.len() as u32;
        self.open.push(Placed { key, place });
        if self.open.len() == self.most {
            self.found.add(&mut self.open, self.ascends);
            self.open.clear();
            self.ascends = true;
        }
    }

    /// What was found, in the last, shorter block too.
    pub fn finish(mut self) -> InBlocks {
        self.found.add(&mut self.open, self.ascends);
        self.found
    }
}

impl InBlocks {
    /// Counts those of `block`, in the order of arrival; leaves it sorted.
    fn add<K: Key>(&mut self, block: &mut [Placed<K>], ascends: bool) {
        let ids = block.len() as u64;
        self.pairs += ids * ids.saturating_sub(1) / 2;
        if ascends {
            return;
        }
        let late = late(block);
        // Equal ids stay in the order of arrival.
        block.sort_unstable_by(|a, b| {
            let (a, b) = ((a.key, a.place), (b.key, b.place));
            a.cmp(&b)
        });
        for equal in block.chunk_by(|a, b| ({ a.key }) == { b.key }) {
            let ids = equal.len() as u64;
            self.equal_pairs += ids * (ids - 1) / 2;
        }
        let mut places: Vec<u32> = block.iter().map(|id| id.place).collect();
        for (rank, &place) in (0u32..).zip(&places) {
            if late[place as usize] {
                let distance = rank.abs_diff(place) as usize;
                if distance >= self.by_displacement.len() {
                    let length = (distance + 1).next_power_of_two();
                    self.by_displacement.resize(length, 0);
                }
                self.by_displacement[distance] += 1;
            }
        }
        let mut scratch = places.clone();
        self.inversions += inversions(&mut places, &mut scratch);
    }

    /// Late ids.
    pub fn late(&self) -> u64 {
        self.by_displacement.iter().sum()
    }

    /// The least displacement that `per_mille` of the late ids do not exceed; 0 of none.
    pub fn displacement(&self, per_mille: u64) -> u64 {
        let rank = (u128::from(self.late()) * u128::from(per_mille)).div_ceil(1000) as u64;
        let mut below = 0;
        let reaches = |count: &u64| {
            below += count;
            below >= rank.max(1)
        };
        self.by_displacement.iter().position(reaches).unwrap_or(0) as u64
    }

    /// Kendall's rank correlation of ids and arrival, over pairs within blocks: 1 ascending, -1
    /// descending; equal ids count as neither.
    pub fn tau(&self) -> f64 {
        let ordered = (self.pairs - self.equal_pairs) as f64;
        (ordered - 2.0 * self.inversions as f64) / (self.pairs as f64).max(1.0)
    }
}

/// Which ids have a larger one before them.
fn late<K: Key>(block: &[Placed<K>]) -> Vec<bool> {
    let mut maximum: Option<K> = None;
    let is_late = |id: &Placed<K>| {
        let key = id.key;
        let is_late = maximum.is_some_and(|maximum| key < maximum);
        maximum = maximum.max(Some(key));
        is_late
    };
    block.iter().map(is_late).collect()
}
