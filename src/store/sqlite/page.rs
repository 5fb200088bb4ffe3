//! A page as the tree needs it: [`Page`].

use super::cell;
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

/// A leaf, or an internal page with one child more than it has keys: child `i`
/// holds the keys above `keys[i - 1]` and below `keys[i]`, in a table b-tree
/// `keys[i]` too.
#[derive(Clone, Debug)]
pub(super) struct Page<K> {
    /// In ascending order; on a leaf only the first of them are until it is balanced.
    pub keys: Vec<K>,
    /// How many of the keys are in order for certain, on a leaf.
    pub sorted: usize,
    /// The size of each key's cell, without the pointer to a child.
    pub bytes: Vec<u16>,
    /// Empty if it is a leaf.
    pub children: Vec<Child>,
    /// Bytes of the cells and their pointers; more than fit until it is balanced.
    pub used: u32,
    /// Leaves below it; 1 if it is one.
    pub leaves: u32,
}

impl<K> Default for Page<K> {
    /// An empty leaf.
    fn default() -> Self {
        Self {
            keys: Vec::new(),
            sorted: 0,
            bytes: Vec::new(),
            children: Vec::new(),
            used: 0,
            leaves: 1,
        }
    }
}

impl<K: Key> Page<K> {
    /// The child of an internal page for `key`: how many keys are below it.
    #[inline]
    pub fn slot(&self, key: K) -> usize {
        self.keys.partition_point(|&other| other < key)
    }

    /// Puts a cell on a leaf, whether it fits or not, at the end.
    #[inline]
    pub fn push(&mut self, key: K, bytes: u16) {
        if self.sorted == self.keys.len() && self.keys.last().is_none_or(|&last| last < key) {
            self.sorted += 1;
        }
        self.keys.push(key);
        self.bytes.push(bytes);
        self.used += cell::cost(bytes, 0);
    }

    /// Puts the cells in order. `tail` is only there to save an allocation.
    pub fn sort(&mut self, tail: &mut Vec<(K, u16)>) {
        let mut end = std::mem::replace(&mut self.sorted, self.keys.len());
        tail.clear();
        let cells = self.keys[end..].iter().zip(&self.bytes[end..]);
        tail.extend(cells.map(|(&key, &bytes)| (key, bytes)));
        tail.sort_unstable();
        // From the back, what is above a late cell moves up by the cells still to come.
        for (at, &(key, bytes)) in tail.iter().enumerate().rev() {
            let slot = self.keys[..end].partition_point(|&other| other < key);
            self.keys.copy_within(slot..end, slot + at + 1);
            self.bytes.copy_within(slot..end, slot + at + 1);
            (self.keys[slot + at], self.bytes[slot + at]) = (key, bytes);
            end = slot;
        }
    }

    /// Adds the cells and children of `other`.
    pub fn extend(&mut self, other: &Self) {
        self.keys.extend_from_slice(&other.keys);
        self.bytes.extend_from_slice(&other.bytes);
        self.children.extend_from_slice(&other.children);
    }

    /// Replaces all cells by some of `other`, which has children if it has; the
    /// bytes used are left to the caller.
    pub fn refill(&mut self, other: &Self, cells: Range<usize>) {
        self.clear();
        self.keys.extend_from_slice(&other.keys[cells.clone()]);
        self.bytes.extend_from_slice(&other.bytes[cells.clone()]);
        self.sorted = cells.len();
        if !other.children.is_empty() {
            let children = &other.children[cells.start..=cells.end];
            self.children.extend_from_slice(children);
        }
    }

    /// Takes everything away.
    pub fn clear(&mut self) {
        self.keys.clear();
        self.bytes.clear();
        self.children.clear();
        (self.sorted, self.used, self.leaves) = (0, 0, 1);
    }
}
