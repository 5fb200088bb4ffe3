//! The leaves of a tree, side by side in a few large allocations.

use crate::id::Key;

/// Leaves in an allocation.
const CHUNK: usize = 256;
/// No leaf to the right.
const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Head {
    entries: u32,
    right: u32,
}

/// All leaves, by number in the order of allocation. A leaf's keys are a bag.
#[derive(Clone, Debug)]
pub(in crate::store) struct Leaves<K> {
    /// Keys that a leaf has room for.
    room: usize,
    heads: Vec<Head>,
    chunks: Vec<Vec<K>>,
    /// The keys of the leaf that is being divided, the new one included.
    full: Vec<K>,
}

impl<K: Key> Leaves<K> {
    /// One empty leaf; each has room for `room` keys.
    pub fn new(room: usize) -> Self {
        let mut leaves = Self {
            room,
            heads: Vec::new(),
            chunks: Vec::new(),
            full: Vec::with_capacity(room + 1),
        };
        leaves.allocate(&[], NONE);
        leaves
    }

    /// Number of leaves.
    pub fn len(&self) -> usize {
        self.heads.len()
    }

    /// Entries of a leaf.
    #[inline]
    pub fn entries(&self, leaf: u32) -> u32 {
        self.heads[leaf as usize].entries
    }

    /// The keys of a leaf.
    #[inline]
    pub fn keys(&self, leaf: u32) -> &[K] {
        let start = leaf as usize % CHUNK * self.room;
        &self.chunks[leaf as usize / CHUNK][start..start + self.entries(leaf) as usize]
    }

    /// The leaf to the right.
    pub fn right(&self, leaf: u32) -> Option<u32> {
        Some(self.heads[leaf as usize].right).filter(|&right| right != NONE)
    }

    /// Adds `key` to a leaf that has room; `false` if it holds `capacity` keys already.
    #[inline]
    pub fn push(&mut self, leaf: u32, key: K, capacity: u32) -> bool {
        let head = &mut self.heads[leaf as usize];
        if head.entries >= capacity {
            return false;
        }
        let at = leaf as usize % CHUNK * self.room + head.entries as usize;
        self.chunks[leaf as usize / CHUNK][at] = key;
        head.entries += 1;
        true
    }

    /// Adds `key` to a leaf and moves all but its lowest `left` keys to a new
    /// leaf on the right, whose number and lowest key it returns.
    pub fn divide(&mut self, leaf: u32, key: K, left: usize) -> (u32, K) {
        let mut full = std::mem::take(&mut self.full);
        full.clear();
        full.extend_from_slice(self.keys(leaf));
        full.push(key);
        if !full.is_sorted() {
            full.select_nth_unstable(left);
            let start = leaf as usize % CHUNK * self.room;
            self.chunks[leaf as usize / CHUNK][start..start + left].copy_from_slice(&full[..left]);
        }
        let right = self.allocate(&full[left..], self.heads[leaf as usize].right);
        self.heads[leaf as usize] = Head {
            entries: left as u32,
            right,
        };
        let separator = full[left];
        self.full = full;
        (right, separator)
    }

    fn allocate(&mut self, keys: &[K], right: u32) -> u32 {
        let leaf = self.heads.len();
        if leaf.is_multiple_of(CHUNK) {
            self.chunks.push(vec![K::default(); CHUNK * self.room]);
        }
        let start = leaf % CHUNK * self.room;
        self.chunks[leaf / CHUNK][start..start + keys.len()].copy_from_slice(keys);
        self.heads.push(Head {
            entries: keys.len() as u32,
            right,
        });
        leaf as u32
    }
}
