//! All leaves in order: [`Directory`].

use crate::id::Key;

/// Leaves in a block, at most.
const BLOCK: usize = 512;

/// Where a leaf is in a [`Directory`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Position {
    block: u32,
    slot: u32,
}

/// The leaves of a tree from left to right and the keys between them, whatever level
/// these are of: a leaf is found in one step, not level by level.
///
/// A search reads the keys' first 8 bytes alone.
#[derive(Clone, Debug)]
pub(super) struct Directory<K> {
    blocks: Vec<Block<K>>,
    /// The first 8 bytes of the last key of each block but the last.
    ends: Vec<u64>,
    /// Leaves to the left of each block.
    left: Vec<u32>,
    leaves: u32,
}

/// Neighbours. Leaf `i` holds keys up to `highs[i]`; the last of all leaves has no such key.
#[derive(Clone, Debug)]
struct Block<K> {
    /// The first 8 bytes of each of `highs`.
    prefixes: Vec<u64>,
    highs: Vec<K>,
    leaves: Vec<u32>,
}

impl<K: Key> Block<K> {
    fn new() -> Self {
        Self {
            prefixes: Vec::with_capacity(BLOCK),
            highs: Vec::with_capacity(BLOCK),
            leaves: Vec::with_capacity(BLOCK),
        }
    }

    fn split_off(&mut self, at: usize) -> Self {
        let mut right = Self::new();
        right.prefixes.extend(self.prefixes.drain(at..));
        right.highs.extend(self.highs.drain(at..));
        right.leaves.extend(self.leaves.drain(at..));
        right
    }
}

impl<K: Key> Directory<K> {
    /// One leaf.
    pub fn new(leaf: u32) -> Self {
        let mut block = Block::new();
        block.leaves.push(leaf);
        Self {
            blocks: vec![block],
            ends: Vec::new(),
            left: vec![0],
            leaves: 1,
        }
    }

    /// The leaf that holds the keys about `key`: the first one whose upper bound is not below.
    #[inline]
    pub fn find(&self, key: K) -> Position {
        let prefix = key.prefix();
        let mut block = self.ends.partition_point(|&other| other < prefix);
        while self.ends.get(block) == Some(&prefix) && self.blocks[block].highs.last() < Some(&key)
        {
            block += 1;
        }
        let Block {
            prefixes, highs, ..
        } = &self.blocks[block];
        let mut slot = prefixes.partition_point(|&other| other < prefix);
        while prefixes.get(slot) == Some(&prefix) && highs[slot] < key {
            slot += 1;
        }
        Position {
            block: block as u32,
            slot: slot as u32,
        }
    }

    /// The last leaf.
    pub fn last(&self) -> Position {
        let block = self.blocks.len() - 1;
        Position {
            block: block as u32,
            slot: self.blocks[block].leaves.len() as u32 - 1,
        }
    }

    /// The leaf there.
    #[inline]
    pub fn leaf(&self, at: Position) -> u32 {
        self.blocks[at.block as usize].leaves[at.slot as usize]
    }

    /// The leaf there and those beside it that are in its block.
    #[inline]
    pub fn about(&self, at: Position) -> &[u32] {
        let leaves = &self.blocks[at.block as usize].leaves;
        let slot = at.slot as usize;
        &leaves[slot.saturating_sub(1)..leaves.len().min(slot + 2)]
    }

    /// Leaves to the right.
    #[inline]
    pub fn leaves_right(&self, at: Position) -> u32 {
        self.leaves - 1 - self.left[at.block as usize] - at.slot
    }

    /// The key after the leaf there; none after the last one.
    pub fn high(&self, at: Position) -> Option<K> {
        let block = &self.blocks[at.block as usize];
        block.highs.get(at.slot as usize).copied()
    }

    /// Puts another key after the leaf there, which is not the last.
    pub fn set_high(&mut self, at: Position, high: K) {
        let (block, slot) = (at.block as usize, at.slot as usize);
        let this = &mut self.blocks[block];
        this.highs[slot] = high;
        this.prefixes[slot] = high.prefix();
        if slot + 1 == this.leaves.len() {
            self.ends[block] = high.prefix();
        }
    }

    /// The key before the leaf there; none before the first one.
    pub fn low(&self, at: Position) -> Option<K> {
        match at.slot.checked_sub(1) {
            Some(slot) => Some(self.blocks[at.block as usize].highs[slot as usize]),
            None => {
                let block = at.block.checked_sub(1)?;
                self.blocks[block as usize].highs.last().copied()
            }
        }
    }

    /// `leaves` to the left of a leaf.
    pub fn before(&self, mut at: Position, leaves: usize) -> Position {
        let mut leaves = leaves as u32;
        while leaves > at.slot {
            leaves -= at.slot + 1;
            at.block -= 1;
            at.slot = self.blocks[at.block as usize].leaves.len() as u32 - 1;
        }
        at.slot -= leaves;
        at
    }

    /// Puts `leaves` with the keys between them in the place of `count` leaves from `at` on.
    pub fn replace(&mut self, mut at: Position, count: usize, leaves: &[u32], between: &[K]) {
        for _ in leaves.len()..count {
            at = self.remove(at);
        }
        for _ in count..leaves.len() {
            at = self.insert(at);
        }
        let (mut block, mut slot) = (at.block as usize, at.slot as usize);
        for (i, &leaf) in leaves.iter().enumerate() {
            if slot == self.blocks[block].leaves.len() {
                (block, slot) = (block + 1, 0);
            }
            self.blocks[block].leaves[slot] = leaf;
            // The last one keeps what is after it.
            if let Some(&high) = between.get(i) {
                let (block, slot) = (block as u32, slot as u32);
                self.set_high(Position { block, slot }, high);
            }
            slot += 1;
        }
    }

    /// Makes room for a leaf before another one; returns where.
    fn insert(&mut self, mut at: Position) -> Position {
        let block = at.block as usize;
        if self.blocks[block].leaves.len() == BLOCK {
            let half = BLOCK / 2;
            let right = self.blocks[block].split_off(half);
            self.blocks.insert(block + 1, right);
            self.ends
                .insert(block, self.blocks[block].prefixes[half - 1]);
            self.left.insert(block + 1, self.left[block] + half as u32);
            if at.slot as usize >= half {
                at.slot -= half as u32;
                at.block += 1;
            }
        }
        let (block, slot) = (at.block as usize, at.slot as usize);
        let this = &mut self.blocks[block];
        this.leaves.insert(slot, 0);
        this.highs.insert(slot, K::default());
        this.prefixes.insert(slot, 0);
        self.left[block + 1..]
            .iter_mut()
            .for_each(|left| *left += 1);
        self.leaves += 1;
        at
    }

    /// Removes a leaf that is not the last; returns where the next one is then.
    fn remove(&mut self, at: Position) -> Position {
        let (block, slot) = (at.block as usize, at.slot as usize);
        let this = &mut self.blocks[block];
        this.leaves.remove(slot);
        this.highs.remove(slot);
        this.prefixes.remove(slot);
        self.left[block + 1..]
            .iter_mut()
            .for_each(|left| *left -= 1);
        self.leaves -= 1;
        if self.blocks[block].leaves.is_empty() {
            self.blocks.remove(block);
            self.ends.remove(block);
            self.left.remove(block);
            return at;
        }
        if slot < self.blocks[block].leaves.len() {
            return at;
        }
        self.ends[block] = self.blocks[block].prefixes[slot - 1];
        Position {
            block: at.block + 1,
            slot: 0,
        }
    }
}
