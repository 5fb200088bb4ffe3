//! What a tree is asked for: sizes, leaves, keys and counters.

use super::WiredTiger;
use super::page::State;
use crate::id::Key;
use crate::store::Uniqueness;

/// `internal_page_max` and 90 % of it, less the headers.
const INTERNAL_PAGE: u32 = 4096;
const INTERNAL_ROOM: u32 = INTERNAL_PAGE * 90 / 100 - 40;
/// A cell with the address of a page: descriptor, length, and packed offset (3 bytes
/// from the 8257th allocation unit on), size and checksum.
const ADDRESS: u32 = 2 + 3 + 1 + 5;

impl<K: Key> WiredTiger<K> {
    /// Whether the keys are compared.
    pub fn uniqueness(&self) -> Uniqueness {
        self.uniqueness
    }

    /// Keys in the tree.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Pages split in memory for rows that are appended (`cache: in-memory page splits`).
    pub fn in_memory_splits(&self) -> u64 {
        self.in_memory_splits
    }

    /// Reconciled pages that became several (`cache: leaf pages split during eviction`).
    pub fn eviction_splits(&self) -> u64 {
        self.eviction_splits
    }

    /// Leaf pages read (`cache: pages read into cache`).
    pub fn pages_read(&self) -> u64 {
        self.pages_read
    }

    /// Leaf pages written (`cache: pages written from cache`).
    pub fn pages_written(&self) -> u64 {
        self.pages_written
    }

    /// Leaf pages after a checkpoint.
    pub fn leaf_pages(&self) -> u64 {
        self.leaves().count() as u64
    }

    /// Internal pages, the root included, if each level is written at once from the
    /// pages below it: keys are cut where they differ from the last one before.
    pub fn internal_pages(&self) -> u64 {
        self.levels().iter().sum()
    }

    /// Level of the root, of the levels that [`WiredTiger::internal_pages`] counts.
    pub fn tree_level(&self) -> u32 {
        self.levels().len() as u32
    }

    fn levels(&self) -> Vec<u64> {
        let mut levels = Vec::new();
        let keys: Vec<K> = self.keys().collect();
        let (mut at, mut bounds) = (0, Vec::new());
        for (_, entries, _) in self.leaves() {
            let cut = match at {
                0 => 1,
                _ => distinguishing_bytes(keys[at - 1], keys[at]),
            };
            bounds.push(cut);
            at += entries as usize;
        }
        // The root is an internal page even if it has one child.
        loop {
            let (mut used, mut above) = (0, Vec::new());
            for &bytes in &bounds {
                let cell = 1 + bytes + ADDRESS;
                if above.is_empty() || used + cell > INTERNAL_ROOM {
                    above.push(bytes);
                    used = 0;
                }
                used += cell;
            }
            levels.push(above.len() as u64);
            if above.len() <= 1 {
                return levels;
            }
            bounds = above;
        }
    }

    /// Pages divided in memory and in eviction: `cache_inmem_split` and
    /// `cache_eviction_split_leaf`.
    pub fn counted_splits(&self) -> u64 {
        self.in_memory_splits + self.eviction_splits
    }

    /// Bytes that the entries of all internal pages take: they are not modelled, and
    /// count as full.
    pub fn internal_used_bytes(&self) -> u64 {
        self.internal_pages() * u64::from(INTERNAL_PAGE)
    }

    /// What an internal page has room for.
    pub fn internal_usable_bytes(&self) -> u32 {
        INTERNAL_PAGE
    }

    /// What a leaf has room for, its headers included.
    pub fn leaf_usable_bytes(&self) -> u32 {
        self.format.leaf_page_max
    }

    /// Size of the tree, without free space in the file.
    pub fn index_bytes(&self) -> u64 {
        let leaves = self
            .leaves()
            .map(|leaf| u64::from(leaf.2).next_multiple_of(4096));
        leaves.sum::<u64>() + self.internal_pages() * u64::from(INTERNAL_PAGE)
    }

    /// The number of the page in memory that holds or would hold `key`.
    pub fn leaf_of(&self, key: K) -> u32 {
        self.order[self.slot(key)].1
    }

    /// The leaves from left to right after a checkpoint, each with its number, entries
    /// and bytes, its headers included.
    pub fn leaves(&self) -> impl Iterator<Item = (u32, u32, u32)> {
        let mut new = self.pages.len() as u32;
        self.order.iter().flat_map(move |&(_, number)| {
            let page = &self.pages[number as usize];
            let written = match page.state {
                State::Dirty => self.format.reconcile(page.keys.len()),
                _ => vec![page.keys.len()],
            };
            let mut leaves = Vec::with_capacity(written.len());
            for (i, entries) in written.into_iter().enumerate() {
                let number = if i == 0 { number } else { new };
                new += u32::from(i > 0);
                let bytes = self.format.image(entries) as u32;
                leaves.push((number, entries as u32, bytes));
            }
            leaves
        })
    }

    /// All keys in order.
    pub fn keys(&self) -> impl Iterator<Item = K> {
        self.order.iter().flat_map(|&(_, number)| {
            let mut keys = self.pages[number as usize].keys.clone();
            keys.sort_unstable();
            keys
        })
    }

    /// The least key that was inserted twice, if any was.
    pub fn first_duplicate(&self) -> Option<K> {
        let mut last = None;
        self.keys()
            .find(|&key| last.replace(key).is_some_and(|last| last == key))
    }
}

/// Bytes of the shortest beginning of `key` that is above `before`.
fn distinguishing_bytes<K: Key>(before: K, key: K) -> u32 {
    let byte = |key: K, i| key.field((K::BYTES - 1 - i) * 8, 8);
    let equal = (0..K::BYTES).take_while(|&i| byte(before, i) == byte(key, i));
    (equal.count() as u32 + 1).min(K::BYTES)
}
