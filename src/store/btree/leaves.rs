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

/// All leaves, by number. A leaf's keys are a bag.
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
        leaves.put(0, &[], NONE);
        leaves
    }

    /// Leaves so far; the next new one has this number.
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

    /// Makes `right` the leaf to the right.
    pub fn set_right(&mut self, leaf: u32, right: Option<u32>) {
        self.heads[leaf as usize].right = right.unwrap_or(NONE);
    }

    /// Takes sorted `keys` out of a leaf; returns how many entries that were.
    pub fn remove(&mut self, leaf: u32, keys: &[K]) -> usize {
        let entries = self.entries(leaf) as usize;
        let start = leaf as usize % CHUNK * self.room;
        let all = &mut self.chunks[leaf as usize / CHUNK][start..start + entries];
        let mut kept = 0;
        for at in 0..entries {
            if keys.binary_search(&all[at]).is_err() {
                all[kept] = all[at];
                kept += 1;
            }
        }
        self.heads[leaf as usize].entries = kept as u32;
        entries - kept
    }

    /// Adds `key` to a leaf and moves all but its lowest `left` keys to leaf `new` on
    /// the right, whose lowest key it returns.
    pub fn divide(&mut self, leaf: u32, key: K, left: usize, new: u32) -> K {
        let mut full = std::mem::take(&mut self.full);
        full.clear();
        full.extend_from_slice(self.keys(leaf));
        full.push(key);
        if !full.is_sorted() {
            full.select_nth_unstable(left);
            let start = leaf as usize % CHUNK * self.room;
            self.chunks[leaf as usize / CHUNK][start..start + left].copy_from_slice(&full[..left]);
        }
        self.put(new, &full[left..], self.heads[leaf as usize].right);
        self.heads[leaf as usize] = Head {
            entries: left as u32,
            right: new,
        };
        let separator = full[left];
        self.full = full;
        separator
    }

    /// Fills leaf `number`, which is new or not in the tree.
    fn put(&mut self, number: u32, keys: &[K], right: u32) {
        let leaf = number as usize;
        if leaf / CHUNK == self.chunks.len() {
            self.chunks.push(vec![K::default(); CHUNK * self.room]);
        }
        let start = leaf % CHUNK * self.room;
        self.chunks[leaf / CHUNK][start..start + keys.len()].copy_from_slice(keys);
        let head = Head {
            entries: keys.len() as u32,
            right,
        };
        match self.heads.get_mut(leaf) {
            Some(old) => *old = head,
            None => self.heads.push(head),
        }
    }
}
