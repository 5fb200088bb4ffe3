//! Rows that are removed: `DELETE` by key, one row at a time.

use super::balance::Scratch;
use super::directory::Position;
use super::{Place, ROOT, SqliteTree};
use crate::id::Key;
use crate::store::{Access, Sink};

impl<K: Key> SqliteTree<K> {
    /// Removes `key`; `false` if it is not there.
    pub fn remove(&mut self, key: K, sink: &mut impl Sink) -> bool {
        sink.begin();
        let overflow_pages = self.cell(key).overflow_pages;
        self.remove_entry(key, overflow_pages, sink)
    }

    /// Removes `keys` in their order; those that are not there are passed over.
    pub fn remove_all(&mut self, keys: &[K], sink: &mut impl Sink) {
        for &key in keys {
            self.remove(key, sink);
        }
    }

    /// Pages of the file that hold nothing.
    pub fn free_pages(&self) -> u64 {
        let overflow_pages = self.most_overflow_pages.max(self.overflow_pages);
        u64::from(self.free.len()) + overflow_pages - self.overflow_pages
    }

    /// Pages that hold something.
    pub(super) fn pages_in_use(&self) -> u64 {
        self.leaf_pages + self.internal_pages() + self.overflow_pages
    }

    /// The highest key in the tree of a table.
    pub(super) fn highest(&self) -> Option<K> {
        let leaf = self.directory.leaf(self.last);
        self.pages.keys(leaf).iter().max().copied()
    }

    /// The lowest key in the tree of a table.
    pub(super) fn lowest(&self) -> Option<K> {
        let leaf = self.directory.leaf(Position::default());
        self.pages.keys(leaf).iter().min().copied()
    }

    /// Lets the next row have the rowid after `last`, which is in no use.
    pub(super) fn take_back_rowids(&mut self, last: u64) {
        self.removed = self.removed.saturating_sub(self.inserted - last);
        self.inserted = last;
    }

    /// Removes `key`, whose record has so many overflow pages; `false` if it is not there.
    pub(super) fn remove_entry(
        &mut self,
        key: K,
        overflow_pages: u64,
        sink: &mut impl Sink,
    ) -> bool {
        let mut scratch = std::mem::take(&mut self.scratch);
        let found = self.remove_cell(key, &mut scratch, sink);
        self.scratch = scratch;
        if found {
            self.most_overflow_pages = self.most_overflow_pages.max(self.overflow_pages);
            self.overflow_pages -= overflow_pages;
            self.removed += 1;
        }
        found
    }

    fn remove_cell(&mut self, key: K, scratch: &mut Scratch<K>, sink: &mut impl Sink) -> bool {
        let place = self.locate(key);
        let Place { leaf, position, .. } = place;
        self.ask(leaf, sink);
        let is_internal = self.is_index() && self.directory.high(position) == Some(key);
        let at = match is_internal {
            true => {
                // The key before it, the last of this leaf, takes its place.
                self.pages.sort(leaf, &mut scratch.tail);
                self.pages.keys(leaf).len().checked_sub(1)
            }
            false => self.pages.position(leaf, key),
        };
        let Some(at) = at else {
            return false;
        };
        let uniform = self.uniform.map(|cell| cell.local);
        let (entry, bytes) = self.pages.remove(leaf, at, uniform);
        self.touch(leaf, 0, Access::Write, sink);
        if !is_internal {
            if self.is_sparse(leaf, 0) {
                self.balances = self.balances.wrapping_add(1);
                self.restore(leaf, 0, place, key, scratch, sink);
                self.find_last();
            }
            return true;
        }
        let (page, slot, level) = self.after(leaf);
        self.replace_key(page, slot, entry, bytes, scratch);
        self.directory.set_high(position, entry);
        self.touch(page, level, Access::Write, sink);
        self.balances = self.balances.wrapping_add(1);
        let restored = self.restore(leaf, 0, place, key, scratch, sink);
        if restored < level.min(self.level) {
            // The page of the key was not looked at yet.
            self.restore(page, level, place, key, scratch, sink);
        }
        self.find_last();
        true
    }

    /// Where the key after a leaf is: the page, the slot and the page's level.
    fn after(&self, leaf: u32) -> (u32, usize, u32) {
        let (mut child, mut level) = (leaf, 0);
        loop {
            let page = self.pages.above(child);
            let slot = self.pages.internal(page).slot(child);
            level += 1;
            if slot < self.pages.internal(page).keys.len() || page == ROOT {
                return (page, slot, level);
            }
            child = page;
        }
    }

    /// Puts the cell of `key` in the place of an internal page's cell.
    fn replace_key(
        &mut self,
        page: u32,
        slot: usize,
        key: K,
        bytes: u16,
        scratch: &mut Scratch<K>,
    ) {
        let cells = &mut scratch.dividers;
        cells.clear();
        cells.keys.push(key);
        let old = self.pages.internal(page).bytes.get(slot);
        if let Some(&old) = old {
            cells.bytes.push(bytes);
            let used = self.pages.used(page) + u32::from(bytes) - u32::from(old);
            self.pages.set_used(page, used);
        }
        (self.pages.internal_mut(page)).replace(slot..slot + 1, cells);
    }
}
