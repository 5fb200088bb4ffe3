//! Rows that are removed: `DELETE` by key, one row at a time.

use super::balance::Scratch;
use super::{ROOT, SqliteTree};
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
        self.pages.keys(self.last_leaf).iter().max().copied()
    }

    /// The lowest key in the tree of a table.
    pub(super) fn lowest(&self) -> Option<K> {
        let mut page = ROOT;
        while self.pages.is_internal(page) {
            page = self.pages.internal(page).children[0].page;
        }
        self.pages.keys(page).iter().min().copied()
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
        let path = &mut scratch.path;
        path.clear();
        let mut leaf = ROOT;
        // How far down the path the key is, if an internal page holds it.
        let mut internal = None;
        for depth in 0..self.level {
            self.touch(leaf, self.level - depth, Access::Read, sink);
            let page = self.pages.internal(leaf);
            let slot = page.slot(key);
            if self.is_index() && page.keys.get(slot) == Some(&key) {
                internal = Some(depth);
            }
            path.push((leaf, slot));
            leaf = page.children[slot].page;
        }
        self.touch(leaf, 0, Access::Read, sink);

        let at = match internal {
            Some(_) => {
                // The key before it, the last of this leaf, takes its place.
                self.pages.sort(leaf, &mut scratch.tail);
                self.pages.keys(leaf).len().checked_sub(1)
            }
            None => self.pages.position(leaf, key),
        };
        let Some(at) = at else {
            return false;
        };
        let (entry, bytes) = self
            .pages
            .remove(leaf, at, self.uniform.map(|cell| cell.local));
        self.touch(leaf, 0, Access::Write, sink);
        if let Some(depth) = internal {
            let (page, slot) = path[depth as usize];
            self.replace_key(page, slot, entry, bytes, scratch);
            self.touch(page, self.level - depth, Access::Write, sink);
        }

        if internal.is_none() && !self.is_sparse(leaf, 0) {
            return true;
        }
        self.balances = self.balances.wrapping_add(1);
        let levels = self.level;
        self.restore(leaf, 0, key, scratch, sink);
        if let Some(depth) = internal {
            // The page of the key, unless that was balanced too.
            if let Some(&(page, _)) = scratch.path.get(depth as usize) {
                scratch.path.truncate(depth as usize);
                self.restore(page, levels - depth, key, scratch, sink);
            }
        }
        self.find_right_edge();
        true
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
