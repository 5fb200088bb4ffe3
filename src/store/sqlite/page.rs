//! The pages of a tree by their numbers: [`Pages`].

use super::cell;
use super::internal::Internal;
use crate::id::Key;
use std::hint::black_box;
use std::ops::Range;

/// Keys in an allocation, about.
const CHUNK_KEYS: usize = 1 << 16;
/// Not an internal page.
const NONE: u32 = u32::MAX;

/// What is known of a page without its cells.
#[derive(Clone, Copy, Debug)]
struct Head {
    /// Entries of a leaf.
    entries: u16,
    /// How many of them, from the first on, are in order for certain.
    sorted: u16,
    /// Bytes of the cells and their pointers; more than fit until it is balanced.
    used: u32,
    /// Where an internal page is, or [`NONE`].
    internal: u32,
    /// The last balance that changed the leaf.
    balanced: u32,
    /// The page above it.
    above: u32,
}

/// Cells in order, and the children of internal pages.
#[derive(Clone, Debug)]
pub(super) struct Cells<K> {
    pub keys: Vec<K>,
    /// The size of each key's cell, without the pointer to a child; empty if all are equal.
    pub bytes: Vec<u16>,
    pub children: Vec<u32>,
}

impl<K> Default for Cells<K> {
    fn default() -> Self {
        Self {
            keys: Vec::new(),
            bytes: Vec::new(),
            children: Vec::new(),
        }
    }
}

impl<K> Cells<K> {
    pub fn clear(&mut self) {
        self.keys.clear();
        self.bytes.clear();
        self.children.clear();
    }
}

/// All pages. The cells of leaves lie side by side in a few large allocations.
#[derive(Clone, Debug)]
pub(super) struct Pages<K> {
    /// Whether all cells have the same size.
    uniform: bool,
    /// Entries that a leaf has room for, one too many included.
    capacity: usize,
    /// Leaves in a chunk, as a power of two.
    chunk_bits: u32,
    heads: Vec<Head>,
    keys: Vec<Vec<K>>,
    bytes: Vec<Vec<u16>>,
    internals: Vec<Internal<K>>,
    /// Internals of pages that were released.
    vacant: Vec<u32>,
}

impl<K: Key> Pages<K> {
    /// No pages. A leaf holds up to `capacity` entries; `uniform` if all cells have the same size.
    pub fn new(capacity: usize, uniform: bool) -> Self {
        Self {
            uniform,
            capacity,
            chunk_bits: (CHUNK_KEYS / capacity).max(1).ilog2(),
            heads: Vec::new(),
            keys: Vec::new(),
            bytes: Vec::new(),
            internals: Vec::new(),
            vacant: Vec::new(),
        }
    }

    /// Pages that there ever were.
    pub fn len(&self) -> u32 {
        self.heads.len() as u32
    }

    /// Adds an empty leaf.
    pub fn add(&mut self) -> u32 {
        let page = self.heads.len();
        if page & ((1 << self.chunk_bits) - 1) == 0 {
            let cells = self.capacity << self.chunk_bits;
            self.keys.push(vec![K::default(); cells]);
            if !self.uniform {
                self.bytes.push(vec![0; cells]);
            }
        }
        self.heads.push(Head {
            entries: 0,
            sorted: 0,
            used: 0,
            internal: NONE,
            balanced: 0,
            above: NONE,
        });
        page as u32
    }

    /// Takes all cells of a page away; it is a leaf then.
    pub fn clear(&mut self, page: u32) {
        let head = &mut self.heads[page as usize];
        (head.entries, head.sorted, head.used, head.internal) = (0, 0, 0, NONE);
    }

    /// Takes all cells of a page away, as it is free from now on.
    pub fn release(&mut self, page: u32) {
        let internal = self.heads[page as usize].internal;
        if internal != NONE {
            self.internals[internal as usize] = Internal::default();
            self.vacant.push(internal);
        }
        self.clear(page);
    }

    /// Makes an empty page an internal one.
    pub fn make_internal(&mut self, page: u32) {
        self.heads[page as usize].internal = self.vacant.pop().unwrap_or_else(|| {
            self.internals.push(Internal::default());
            self.internals.len() as u32 - 1
        });
    }

    /// Moves all content of a page to an empty leaf, and leaves an empty leaf.
    pub fn move_content(&mut self, from: u32, to: u32) {
        if self.is_internal(from) {
            let above = self.above(to);
            self.heads[to as usize] = self.heads[from as usize];
            self.set_above(&[to], above);
            let children = std::mem::take(&mut self.internal_mut(to).children);
            self.set_above(&children, to);
            self.internal_mut(to).children = children;
        } else {
            let mut cells = Cells::default();
            self.append_leaf(from, &mut cells);
            let (used, balanced) = (self.used(from), self.heads[from as usize].balanced);
            self.refill_leaf(to, &cells, 0..cells.keys.len(), used, balanced);
            self.heads[to as usize].sorted = self.heads[from as usize].sorted;
        }
        self.clear(from);
    }

    #[inline]
    pub fn is_internal(&self, page: u32) -> bool {
        self.heads[page as usize].internal != NONE
    }

    #[inline]
    pub fn internal(&self, page: u32) -> &Internal<K> {
        &self.internals[self.heads[page as usize].internal as usize]
    }

    #[inline]
    pub fn internal_mut(&mut self, page: u32) -> &mut Internal<K> {
        &mut self.internals[self.heads[page as usize].internal as usize]
    }

    /// Bytes of a page's cells and their pointers.
    #[inline]
    pub fn used(&self, page: u32) -> u32 {
        self.heads[page as usize].used
    }

    pub fn set_used(&mut self, page: u32, used: u32) {
        self.heads[page as usize].used = used;
    }

    /// Entries of a leaf.
    #[inline]
    pub fn entries(&self, leaf: u32) -> u32 {
        u32::from(self.heads[leaf as usize].entries)
    }

    /// How many of them are in order for certain.
    #[cfg(test)]
    pub fn sorted(&self, leaf: u32) -> usize {
        usize::from(self.heads[leaf as usize].sorted)
    }

    /// The last balance that changed a leaf.
    #[inline]
    pub fn balanced(&self, leaf: u32) -> u32 {
        self.heads[leaf as usize].balanced
    }

    /// The page above one that is not the root.
    #[inline]
    pub fn above(&self, page: u32) -> u32 {
        self.heads[page as usize].above
    }

    /// Puts pages below another one.
    pub fn set_above(&mut self, pages: &[u32], above: u32) {
        for &page in pages {
            self.heads[page as usize].above = above;
        }
    }

    /// The chunk of a leaf and where its cells begin there.
    #[inline]
    fn at(&self, leaf: u32) -> (usize, usize) {
        let slot = leaf as usize & ((1 << self.chunk_bits) - 1);
        (leaf as usize >> self.chunk_bits, slot * self.capacity)
    }

    /// The keys of a leaf.
    #[inline]
    pub fn keys(&self, leaf: u32) -> &[K] {
        let (chunk, start) = self.at(leaf);
        let entries = usize::from(self.heads[leaf as usize].entries);
        &self.keys[chunk][start..start + entries]
    }

    /// Brings the keys of a leaf into the processor's cache, all at once.
    #[inline]
    pub fn fetch(&self, leaf: u32) {
        let keys_in_line = 64 / size_of::<K>();
        let lines = self.keys(leaf).iter().step_by(keys_in_line);
        black_box(lines.fold(0, |sum: u64, key| sum.wrapping_add(key.prefix())));
    }

    /// The sizes of its cells; none if all are equal.
    pub fn bytes(&self, leaf: u32) -> &[u16] {
        let (chunk, start) = self.at(leaf);
        let entries = usize::from(self.heads[leaf as usize].entries);
        match self.bytes.get(chunk) {
            Some(bytes) => &bytes[start..start + entries],
            None => &[],
        }
    }

    /// Puts a cell on a leaf, whether it fits or not, at the end; returns the bytes used then.
    #[inline]
    pub fn push(&mut self, leaf: u32, key: K, bytes: u16) -> u32 {
        let (chunk, start) = self.at(leaf);
        let head = &mut self.heads[leaf as usize];
        let end = start + usize::from(head.entries);
        let keys = &mut self.keys[chunk];
        if head.sorted == head.entries && (end == start || keys[end - 1] < key) {
            head.sorted += 1;
        }
        keys[end] = key;
        if !self.uniform {
            self.bytes[chunk][end] = bytes;
        }
        head.entries += 1;
        head.used += cell::cost(bytes, 0);
        head.used
    }

    /// Where `key` is among the keys of a leaf.
    pub fn position(&self, leaf: u32, key: K) -> Option<usize> {
        let sorted = usize::from(self.heads[leaf as usize].sorted);
        let (in_order, rest) = self.keys(leaf).split_at(sorted);
        in_order.binary_search(&key).ok().or_else(|| {
            let at = rest.iter().position(|&other| other == key);
            at.map(|at| sorted + at)
        })
    }

    /// Takes a cell off a leaf and returns its key and size; `uniform` is the size if
    /// all have the same.
    pub fn remove(&mut self, leaf: u32, at: usize, uniform: Option<u16>) -> (K, u16) {
        let (chunk, start) = self.at(leaf);
        let head = &mut self.heads[leaf as usize];
        let cells = start..start + usize::from(head.entries);
        let is_sorted = at < usize::from(head.sorted);
        let key = take_out(&mut self.keys[chunk][cells.clone()], at, is_sorted);
        let bytes = uniform.unwrap_or_else(|| {
            let bytes = self.bytes.get_mut(chunk);
            bytes.map_or(0, |bytes| take_out(&mut bytes[cells], at, is_sorted))
        });
        head.entries -= 1;
        head.sorted -= u16::from(is_sorted);
        head.used -= cell::cost(bytes, 0);
        (key, bytes)
    }

    /// Puts the cells of a leaf in order. `tail` is only there to save an allocation.
    pub fn sort(&mut self, leaf: u32, tail: &mut Vec<(K, u16)>) {
        let (chunk, start) = self.at(leaf);
        let head = &mut self.heads[leaf as usize];
        let entries = usize::from(head.entries);
        let mut end = usize::from(std::mem::replace(&mut head.sorted, head.entries));
        if end == entries {
            return;
        }
        let keys = &mut self.keys[chunk][start..start + entries];
        let bytes = self.bytes.get_mut(chunk);
        let mut bytes = bytes.map(|bytes| &mut bytes[start..start + entries]);
        tail.clear();
        tail.extend(
            (end..entries).map(|at| (keys[at], bytes.as_ref().map_or(0, |bytes| bytes[at]))),
        );
        tail.sort_unstable_by_key(|&(key, _)| key);
        // From the back, what is above a late cell moves up by the cells still to come.
        for (at, &(key, size)) in tail.iter().enumerate().rev() {
            // A late cell of ids that ascend belongs near the end.
            let (mut slot, near) = (end, end.saturating_sub(4));
            while slot > near && keys[slot - 1] > key {
                slot -= 1;
            }
            if slot == near {
                slot = keys[..near].partition_point(|&other| other < key);
            }
            keys.copy_within(slot..end, slot + at + 1);
            keys[slot + at] = key;
            if let Some(bytes) = &mut bytes {
                bytes.copy_within(slot..end, slot + at + 1);
                bytes[slot + at] = size;
            }
            end = slot;
        }
    }

    /// Adds the cells of a leaf to `cells`.
    #[inline]
    pub fn append_leaf(&self, leaf: u32, cells: &mut Cells<K>) {
        cells.keys.extend_from_slice(self.keys(leaf));
        cells.bytes.extend_from_slice(self.bytes(leaf));
    }

    /// Adds the keys of a leaf to `keys` in order, and leaves the leaf as it is.
    #[inline]
    pub fn append_in_order(&self, leaf: u32, keys: &mut Vec<K>) {
        let start = keys.len();
        keys.extend_from_slice(self.keys(leaf));
        let sorted = usize::from(self.heads[leaf as usize].sorted);
        let keys = &mut keys[start..];
        for late in sorted..keys.len() {
            let key = keys[late];
            // Without jumps if 8 bytes are compared at a time.
            let prefix = key.prefix();
            let mut slot = keys[..late].partition_point(|other| other.prefix() < prefix);
            while keys[slot] < key {
                slot += 1;
            }
            keys.copy_within(slot..late, slot + 1);
            keys[slot] = key;
        }
    }

    /// Replaces the cells of a leaf by some of `cells`, which cost `used` bytes.
    pub fn refill_leaf(
        &mut self,
        leaf: u32,
        cells: &Cells<K>,
        range: Range<usize>,
        used: u32,
        balance: u32,
    ) {
        let (chunk, start) = self.at(leaf);
        let end = start + range.len();
        let head = &mut self.heads[leaf as usize];
        head.entries = range.len() as u16;
        (head.sorted, head.used, head.balanced) = (head.entries, used, balance);
        self.keys[chunk][start..end].copy_from_slice(&cells.keys[range.clone()]);
        if let Some(bytes) = self.bytes.get_mut(chunk) {
            bytes[start..end].copy_from_slice(&cells.bytes[range]);
        }
    }
}

/// Takes a cell out; those after it move down, or if their order does not matter the
/// last takes its place. The last is left over.
fn take_out<T: Copy>(cells: &mut [T], at: usize, in_order: bool) -> T {
    let cell = cells[at];
    if in_order {
        cells.copy_within(at + 1.., at);
    } else {
        cells[at] = cells[cells.len() - 1];
    }
    cell
}
