//! An internal page: [`Internal`].

use super::page::Cells;
use crate::id::Key;
use std::ops::Range;

/// A child of an internal page.
#[derive(Clone, Copy, Debug)]
pub(super) struct Child {
    /// Its number.
    pub page: u32,
    /// Leaves below the children to the right of it.
    pub leaves_right: u32,
}

/// An internal page with one child more than it has keys: child `i` holds the
/// keys above `keys[i - 1]` and below `keys[i]`, in a table b-tree `keys[i]` too.
///
/// The descent reads the keys' first 8 bytes alone.
#[derive(Clone, Debug)]
pub(super) struct Internal<K> {
    pub keys: Vec<K>,
    /// The first 8 bytes of each key.
    prefixes: Vec<u64>,
    /// The size of each key's cell, without the pointer to a child; empty if all are equal.
    pub bytes: Vec<u16>,
    pub children: Vec<Child>,
    /// Leaves below it.
    pub leaves: u32,
}

impl<K> Default for Internal<K> {
    fn default() -> Self {
        Self {
            keys: Vec::new(),
            prefixes: Vec::new(),
            bytes: Vec::new(),
            children: Vec::new(),
            leaves: 0,
        }
    }
}

impl<K: Key> Internal<K> {
    /// The child for `key`: how many keys are below it.
    #[inline]
    pub fn slot(&self, key: K) -> usize {
        let prefix = key.prefix();
        let slot = self.prefixes.partition_point(|&other| other < prefix);
        match self.prefixes.get(slot) {
            Some(&other) if other == prefix => self.slot_among_equals(slot, key),
            _ => slot,
        }
    }

    /// The child for `key` if the keys from `slot` on may begin as it does.
    #[cold]
    fn slot_among_equals(&self, slot: usize, key: K) -> usize {
        slot + self.keys[slot..].partition_point(|&other| other < key)
    }

    /// Replaces some keys, with the sizes of their cells, by those of `cells`.
    pub fn replace(&mut self, range: Range<usize>, cells: &Cells<K>) {
        let prefixes = cells.keys.iter().map(|key| key.prefix());
        if range.len() == cells.keys.len() {
            self.keys[range.clone()].copy_from_slice(&cells.keys);
            let old = &mut self.prefixes[range.clone()];
            old.iter_mut()
                .zip(prefixes)
                .for_each(|(old, new)| *old = new);
        } else {
            self.keys.splice(range.clone(), cells.keys.iter().copied());
            self.prefixes.splice(range.clone(), prefixes);
        }
        if !cells.bytes.is_empty() || !self.bytes.is_empty() {
            self.bytes.splice(range, cells.bytes.iter().copied());
        }
    }

    /// Adds all cells and children to `cells`.
    pub fn append_to(&self, cells: &mut Cells<K>) {
        cells.keys.extend_from_slice(&self.keys);
        cells.bytes.extend_from_slice(&self.bytes);
        cells.children.extend_from_slice(&self.children);
    }

    /// Replaces all cells and children by some of `cells`.
    pub fn refill(&mut self, cells: &Cells<K>, range: Range<usize>) {
        self.keys.clear();
        self.keys.extend_from_slice(&cells.keys[range.clone()]);
        self.prefixes.clear();
        self.prefixes
            .extend(self.keys.iter().map(|key| key.prefix()));
        self.bytes.clear();
        if !cells.bytes.is_empty() {
            self.bytes.extend_from_slice(&cells.bytes[range.clone()]);
        }
        self.children.clear();
        self.children
            .extend_from_slice(&cells.children[range.start..=range.end]);
    }
}
