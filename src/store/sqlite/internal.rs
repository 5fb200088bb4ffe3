//! An internal page: [`Internal`].

use super::page::Cells;
use crate::id::Key;
use std::ops::Range;

/// An internal page with one child more than it has keys: child `i` holds the
/// keys above `keys[i - 1]` and below `keys[i]`, in a table b-tree `keys[i]` too.
#[derive(Clone, Debug)]
pub(super) struct Internal<K> {
    pub keys: Vec<K>,
    /// The size of each key's cell, without the pointer to a child; empty if all are equal.
    pub bytes: Vec<u16>,
    /// Their numbers.
    pub children: Vec<u32>,
}

impl<K> Default for Internal<K> {
    fn default() -> Self {
        Self {
            keys: Vec::new(),
            bytes: Vec::new(),
            children: Vec::new(),
        }
    }
}

impl<K: Key> Internal<K> {
    /// Which child a page is.
    #[inline]
    pub fn slot(&self, child: u32) -> usize {
        // Ids that ascend belong to the last ones.
        let slot = self.children.iter().rposition(|&page| page == child);
        slot.expect("a page is a child of the one above it")
    }

    /// Replaces some keys, with the sizes of their cells, by those of `cells`.
    pub fn replace(&mut self, range: Range<usize>, cells: &Cells<K>) {
        if range.len() == cells.keys.len() {
            self.keys[range.clone()].copy_from_slice(&cells.keys);
        } else {
            self.keys.splice(range.clone(), cells.keys.iter().copied());
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
        self.bytes.clear();
        if !cells.bytes.is_empty() {
            self.bytes.extend_from_slice(&cells.bytes[range.clone()]);
        }
        self.children.clear();
        self.children
            .extend_from_slice(&cells.children[range.start..=range.end]);
    }
}
