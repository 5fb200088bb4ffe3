//! The upkeep of internal pages: node pointers put in, taken out and replaced,
//! sparse pages merged or given up, leaves counted.

use super::page::NONE;
use super::{InnoDb, touch};
use crate::id::Key;
use crate::store::{Access, Sink};
use std::ops::Range;

impl<K: Key> InnoDb<K> {
    /// Puts a record, on internal levels with its child, where there is space.
    pub(super) fn put(&mut self, level: usize, page: u32, slot: usize, (key, child): (K, u32)) {
        let here = self.levels[level].page_mut(page);
        if level == 0 {
            here.insert(slot, key);
        } else {
            here.insert_child(slot, key, child);
            self.adopt(level, page, slot..slot + 1);
            self.recount(level, page);
        }
    }

    /// Inserts a pointer into the page of `level` where its key belongs.
    pub(super) fn insert_pointer(&mut self, level: usize, entry: (K, u32), sink: &mut impl Sink) {
        let page = self.locate(entry.0, level).page;
        let here = self.levels[level].page(page);
        let slot = match here.len() {
            0 => 0,
            _ => here.child_slot(entry.0) + 1,
        };
        if self.format.accepts(level, here, slot) {
            touch(level, page, Access::Write, sink);
            self.put(level, page, slot, entry);
        } else {
            self.insert_into_full(level, page, slot, entry, sink);
        }
    }

    /// The parent of a page and its slot there.
    fn parent(&self, level: usize, page: u32) -> (u32, usize) {
        let parent = self.levels[level].page(page).parent;
        let children = &self.levels[level + 1].page(parent).children;
        let slot = children.iter().position(|&child| child == page);
        (parent, slot.expect("a page's parent points to it"))
    }

    /// Makes the parent of `page` point to `new` instead.
    pub(super) fn replace_child(
        &mut self,
        level: usize,
        page: u32,
        new: u32,
        sink: &mut impl Sink,
    ) {
        let (parent, slot) = self.parent(level, page);
        touch(level + 1, parent, Access::Write, sink);
        self.levels[level + 1].page_mut(parent).children[slot] = new;
        self.adopt(level + 1, parent, slot..slot + 1);
        self.recount(level + 1, parent);
    }

    /// Tells children of `page` that it is their parent.
    pub(super) fn adopt(&mut self, level: usize, page: u32, slots: Range<usize>) {
        let Some((above, below)) = self.levels[..=level]
            .split_last_mut()
            .and_then(|(above, below)| Some((above, below.last_mut()?)))
        else {
            return; // Leaves have no children.
        };
        for &child in &above.page(page).children[slots] {
            below.page_mut(child).parent = page;
        }
    }

    /// Takes out the pointer to a page of `level`, then merges the parent with a
    /// neighbour if it is sparse.
    pub(super) fn remove_pointer_to(&mut self, level: usize, child: u32, sink: &mut impl Sink) {
        let (page, slot) = self.parent(level, child);
        self.remove_pointer(level + 1, page, slot, sink);
    }

    fn remove_pointer(&mut self, level: usize, page: u32, slot: usize, sink: &mut impl Sink) {
        let here = self.levels[level].page(page);
        let is_root = level + 1 == self.levels.len();
        let (left, right) = (here.left, here.right);
        if here.len() < 2 && (left, right) != (NONE, NONE) {
            // The only pointer: the page goes with it.
            self.remove_pointer_to(level, page, sink);
            self.give_up(level, page, sink);
            return;
        }
        let changes_bound = slot == 0 && left != NONE;
        if changes_bound {
            // The second pointer becomes the first, its key the page's lower bound.
            let bound = here.keys[1];
            self.remove_pointer_to(level, page, sink);
            self.insert_pointer(level + 1, (bound, page), sink);
        }
        touch(level, page, Access::Write, sink);
        let here = self.levels[level].page_mut(page);
        here.remove(slot);
        self.recount(level, page);
        // MariaDB 10.11 makes no attempt after the bound has changed.
        if !is_root && !changes_bound {
            self.merge_if_sparse(level, page, sink);
        }
    }

    /// Merges a page with a neighbour, if it is sparse and that has space for its records.
    pub(super) fn merge_if_sparse(&mut self, level: usize, page: u32, sink: &mut impl Sink) {
        let here = self.levels[level].page(page);
        let (left, right) = (here.left, here.right);
        let only = (left, right) == (NONE, NONE);
        if !only && !self.format.is_sparse(level, here) {
            return;
        }
        // The engine tries it again with internal pages.
        let again = u64::from(level > 0);
        self.merge_attempts += 1 + again;
        if only {
            // Its records move to the root's page, and the levels above are gone.
            self.levels[level].page_mut(page).reorganize();
            self.levels.truncate(level + 1);
        } else if self.makes_space(level, page, left, sink) {
            let slot = self.levels[level].page(left).keys.len();
            self.move_records(level, page, left, slot);
            self.remove_pointer_to(level, page, sink);
            self.give_up(level, page, sink);
        } else if self.makes_space(level, page, right, sink) {
            self.move_records(level, page, right, 0);
            let (parent, slot) = self.parent(level, right);
            self.replace_child(level, page, right, sink);
            self.give_up(level, page, sink);
            self.remove_pointer(level + 1, parent, slot, sink);
        } else {
            return;
        }
        self.merge_attempts -= again;
        self.merges += 1;
    }

    /// Whether the records of `page` fit on its neighbour `into`, which is
    /// reorganized if that helps.
    fn makes_space(&mut self, level: usize, page: u32, into: u32, sink: &mut impl Sink) -> bool {
        if into == NONE {
            return false;
        }
        touch(level, into, Access::Read, sink);
        let records = self.levels[level].page(page).len();
        let neighbour = self.levels[level].page_mut(into);
        let fits = self.format.has_space_reorganized(level, neighbour, records);
        if fits {
            touch(level, into, Access::Write, sink);
        }
        if fits && !self.format.has_space_above(level, neighbour, records) {
            neighbour.reorganize();
        }
        fits
    }

    /// Frees a page without records.
    pub(super) fn give_up(&mut self, level: usize, page: u32, sink: &mut impl Sink) {
        touch(level, page, Access::Free, sink);
        self.levels[level].remove(page);
    }

    /// Moves all records of `page` to `slot` of its neighbour `into`.
    fn move_records(&mut self, level: usize, page: u32, into: u32, slot: usize) {
        let (keys, children) = self.levels[level].page_mut(page).take_end(0);
        let slots = slot..slot + keys.len();
        self.levels[level].page_mut(into).copy(slot, keys, children);
        self.adopt(level, into, slots);
        self.recount(level, into);
    }

    /// Counts the leaves below `page` and below each page above it anew.
    pub(super) fn recount(&mut self, level: usize, mut page: u32) {
        if level == 0 {
            return; // A leaf is one leaf; its pointer was counted when it was put in.
        }
        for level in level..self.levels.len() {
            let (below, above) = self.levels.split_at_mut(level);
            let here = above[0].page_mut(page);
            here.leaves = here.children.len() as u32;
            if level > 1 {
                here.leaves = 0;
                here.leaves_right.resize(here.children.len(), 0);
                for (right, &child) in here.leaves_right.iter_mut().zip(&here.children).rev() {
                    *right = here.leaves;
                    here.leaves += below[level - 1].page(child).leaves;
                }
            }
            page = here.parent;
            if page == NONE {
                return;
            }
        }
    }
}
