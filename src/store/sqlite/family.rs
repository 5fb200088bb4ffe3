//! Pages in relation to each other: allocation, children, and leaves below them.

use super::directory::Directory;
use super::page::Cells;
use super::{ROOT, SqliteTree};
use crate::id::Key;
use crate::store::{Access, Sink};
use std::ops::Range;

impl<K: Key> SqliteTree<K> {
    /// The number of a page without children or cells, for `level`; a free one
    /// if there is any, near page `nearby` if that is given.
    pub(super) fn allocate(
        &mut self,
        level: u32,
        nearby: Option<u32>,
        sink: &mut impl Sink,
    ) -> u32 {
        let page = self.allocate_leaf(level, nearby, sink);
        if level > 0 {
            self.pages.make_internal(page);
        }
        page
    }

    /// The number of an empty leaf, to become a page of `level`.
    fn allocate_leaf(&mut self, level: u32, nearby: Option<u32>, sink: &mut impl Sink) -> u32 {
        self.touch_first_page(sink);
        match self.free.take(nearby) {
            Some((page, None)) => {
                // It headed the list of free pages.
                self.touch(page, level, Access::Read, sink);
                self.touch(page, level, Access::Write, sink);
                page
            }
            Some((page, Some(trunk))) => {
                self.touch(trunk, 0, Access::Read, sink);
                self.touch(trunk, 0, Access::Write, sink);
                self.touch(page, level, Access::New, sink);
                page
            }
            None => {
                let page = self.pages.add();
                self.touch(page, level, Access::New, sink);
                page
            }
        }
    }

    /// Gives a page of `level` back.
    pub(super) fn release(&mut self, page: u32, level: u32, sink: &mut impl Sink) {
        self.touch_first_page(sink);
        self.pages.release(page);
        if let Some(trunk) = self.free.add(page, self.page_bytes) {
            self.touch(trunk, 0, Access::Read, sink);
            self.touch(trunk, 0, Access::Write, sink);
        }
        // It is on the list of free pages now, and stays in the cache.
        self.touch(page, level, Access::Write, sink);
    }

    /// Collects the numbers and the cells of `count` children of `parent`, the
    /// dividers between them included if `dividers`; leaves are put in order.
    #[expect(clippy::too_many_arguments)]
    pub(super) fn gather(
        &mut self,
        parent: u32,
        first: usize,
        count: usize,
        dividers: bool,
        tail: &mut Vec<(K, u16)>,
        cells: &mut Cells<K>,
        pages: &mut Vec<u32>,
    ) {
        cells.clear();
        pages.clear();
        for slot in first..first + count {
            let above = self.pages.internal(parent);
            let page = above.children[slot];
            pages.push(page);
            if dividers && slot > first {
                cells.keys.push(above.keys[slot - 1]);
                cells.bytes.extend(above.bytes.get(slot - 1));
            }
            if self.pages.is_internal(page) {
                self.pages.internal(page).append_to(cells);
            } else if self.uniform.is_some() {
                self.pages.append_in_order(page, &mut cells.keys);
            } else {
                self.pages.sort(page, tail);
                self.pages.append_leaf(page, cells);
            }
        }
    }

    /// Replaces all cells of a page by some of `cells`, which cost `used` bytes.
    pub(super) fn refill(
        &mut self,
        page: u32,
        cells: &Cells<K>,
        range: Range<usize>,
        used: u32,
        level: u32,
    ) {
        if level == 0 {
            (self.pages).refill_leaf(page, cells, range, used, self.balances);
            return;
        }
        self.pages.set_used(page, used);
        self.pages.internal_mut(page).refill(cells, range.clone());
        (self.pages).set_above(&cells.children[range.start..=range.end], page);
    }

    /// Puts `pages` in the place of `count` children of `parent` from `first` on.
    pub(super) fn adopt(&mut self, parent: u32, first: usize, count: usize, pages: &[u32]) {
        let children = &mut self.pages.internal_mut(parent).children;
        if pages.len() == count {
            children[first..first + count].copy_from_slice(pages);
        } else {
            children.splice(first..first + count, pages.iter().copied());
        }
        self.pages.set_above(pages, parent);
    }

    /// Whether a page is the rightmost of its level.
    pub(super) fn is_rightmost(&self, mut page: u32) -> bool {
        while page != ROOT {
            let above = self.pages.above(page);
            if self.pages.internal(above).children.last() != Some(&page) {
                return false;
            }
            page = above;
        }
        true
    }

    /// Moves the content of the root, of `level`, to a new page, the root's only child, whose
    /// number it returns.
    pub(super) fn deepen(&mut self, level: u32, sink: &mut impl Sink) -> u32 {
        self.touch(ROOT, level + 1, Access::Write, sink);
        let page = self.allocate_leaf(level, Some(ROOT), sink);
        self.pages.move_content(ROOT, page);
        self.pages.make_internal(ROOT);
        self.pages.internal_mut(ROOT).children.push(page);
        self.pages.set_above(&[page], ROOT);
        self.move_leaf(page, level);
        self.level += 1;
        page
    }

    /// Moves the content of the root's only child to the root.
    pub(super) fn flatten(&mut self, child: u32, sink: &mut impl Sink) {
        self.pages.release(ROOT);
        self.pages.move_content(child, ROOT);
        self.level -= 1;
        self.move_leaf(ROOT, self.level);
        self.release(child, self.level, sink);
    }

    /// The only page of `level` has another number now.
    fn move_leaf(&mut self, page: u32, level: u32) {
        if level == 0 {
            self.directory = Directory::new(page);
            self.shapes = self.shapes.wrapping_add(1);
        }
    }
}
