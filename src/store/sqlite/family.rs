//! Pages in relation to each other: allocation, children, and leaves below them.

use super::internal::Child;
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
        self.touch(page, level, Access::Free, sink);
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
            let page = above.children[slot].page;
            pages.push(page);
            if dividers && slot > first {
                cells.keys.push(above.keys[slot - 1]);
                cells.bytes.extend(above.bytes.get(slot - 1));
            }
            if self.pages.is_internal(page) {
                self.pages.internal(page).append_to(cells);
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
        self.pages.internal_mut(page).refill(cells, range);
        let mut children = std::mem::take(&mut self.pages.internal_mut(page).children);
        let leaves = self.number(&mut children, 0);
        let internal = self.pages.internal_mut(page);
        (internal.children, internal.leaves) = (children, leaves);
    }

    /// Puts `pages` in the place of `count` children of `parent` from `first` on,
    /// and counts the leaves anew. `path` leads from the root to `parent`.
    pub(super) fn adopt(
        &mut self,
        parent: u32,
        first: usize,
        count: usize,
        pages: &[u32],
        path: &[(u32, usize)],
    ) {
        if pages.len() == count && !self.pages.is_internal(pages[0]) {
            let children = &mut self.pages.internal_mut(parent).children[first..];
            for (child, &page) in children.iter_mut().zip(pages) {
                child.page = page;
            }
            return;
        }
        self.shapes = self.shapes.wrapping_add(1);
        let above = self.pages.internal_mut(parent);
        let mut children = std::mem::take(&mut above.children);
        let right = children[first + count - 1].leaves_right;
        let left = match first {
            0 => above.leaves,
            _ => children[first - 1].leaves_right,
        };
        let new = pages.iter().map(|&page| Child {
            page,
            leaves_right: 0,
        });
        children.splice(first..first + count, new);
        let leaves = self.number(&mut children[first..first + pages.len()], right);
        let more = leaves.wrapping_sub(left);
        if more != 0 {
            add_leaves(&mut children[..first], more);
            let above = self.pages.internal_mut(parent);
            above.leaves = above.leaves.wrapping_add(more);
            self.count_leaves(path, more);
        }
        self.pages.internal_mut(parent).children = children;
    }

    /// Sets the leaves to the right of neighbours that have `right` leaves to the
    /// right of the last; returns those with the neighbours' own.
    fn number(&self, children: &mut [Child], right: u32) -> u32 {
        children.iter_mut().rev().fold(right, |right, child| {
            child.leaves_right = right;
            right + self.pages.leaves(child.page)
        })
    }

    /// Adds `more` leaves, modulo 2³², below the end of `path`.
    fn count_leaves(&mut self, path: &[(u32, usize)], more: u32) {
        for &(page, slot) in path {
            let page = self.pages.internal_mut(page);
            page.leaves = page.leaves.wrapping_add(more);
            add_leaves(&mut page.children[..slot], more);
        }
    }

    /// Whether the page that `path` leads to is the rightmost of its level.
    pub(super) fn is_rightmost(&self, path: &[(u32, usize)]) -> bool {
        path.iter()
            .all(|&(page, slot)| slot == self.pages.internal(page).keys.len())
    }

    /// Moves the content of the root, of `level`, to a new page, the root's only child, whose
    /// number it returns.
    pub(super) fn deepen(&mut self, level: u32, sink: &mut impl Sink) -> u32 {
        self.touch(ROOT, level + 1, Access::Write, sink);
        let page = self.allocate_leaf(level, Some(ROOT), sink);
        self.pages.move_content(ROOT, page);
        self.pages.make_internal(ROOT);
        let leaves = self.pages.leaves(page);
        let root = self.pages.internal_mut(ROOT);
        root.leaves = leaves;
        root.children.push(Child {
            page,
            leaves_right: 0,
        });
        self.level += 1;
        self.shapes = self.shapes.wrapping_add(1);
        page
    }

    /// Moves the content of the root's only child to the root.
    pub(super) fn flatten(&mut self, child: u32, sink: &mut impl Sink) {
        self.pages.release(ROOT);
        self.pages.move_content(child, ROOT);
        self.level -= 1;
        self.shapes = self.shapes.wrapping_add(1);
        self.release(child, self.level, sink);
    }

    /// Looks for the rightmost leaf.
    pub(super) fn find_right_edge(&mut self) {
        self.right_edge.clear();
        self.right_low = None;
        self.last_leaf = ROOT;
        while self.pages.is_internal(self.last_leaf) {
            self.right_edge.push(self.last_leaf);
            let page = self.pages.internal(self.last_leaf);
            self.right_low = page.keys.last().copied().or(self.right_low);
            self.last_leaf = page.children[page.children.len() - 1].page;
        }
    }
}

fn add_leaves(children: &mut [Child], more: u32) {
    for child in children {
        child.leaves_right = child.leaves_right.wrapping_add(more);
    }
}
