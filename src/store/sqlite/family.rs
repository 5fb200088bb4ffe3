//! Pages in relation to each other: allocation, children, and leaves below them.

use super::page::{Child, Page};
use super::{ROOT, SqliteTree};
use crate::id::Key;
use crate::store::{Access, Sink};

impl<K: Key> SqliteTree<K> {
    /// The number of a page without content, for `level`.
    pub(super) fn allocate(&mut self, level: u32, sink: &mut impl Sink) -> u32 {
        self.touch_first_page(sink);
        if let Some(page) = self.free.pop() {
            // It heads the list of free pages.
            self.touch(page, level, Access::Read, sink);
            self.touch(page, level, Access::Write, sink);
            return page;
        }
        let page = self.pages.len() as u32;
        self.pages.push(Page::default());
        self.touch(page, level, Access::New, sink);
        page
    }

    /// Gives a page of `level` back.
    pub(super) fn release(&mut self, page: u32, level: u32, sink: &mut impl Sink) {
        self.touch_first_page(sink);
        self.touch(page, level, Access::Free, sink);
        self.pages[page as usize].clear();
        self.free.push(page);
    }

    /// Collects the numbers and the cells of `count` children of `parent`, the
    /// dividers between them included if `dividers`.
    pub(super) fn gather(
        &self,
        parent: u32,
        first: usize,
        count: usize,
        dividers: bool,
        cells: &mut Page<K>,
        pages: &mut Vec<u32>,
    ) {
        let above = &self.pages[parent as usize];
        cells.clear();
        pages.clear();
        for slot in first..first + count {
            if dividers && slot > first {
                cells.keys.push(above.keys[slot - 1]);
                cells.bytes.push(above.bytes[slot - 1]);
            }
            let page = above.children[slot].page;
            pages.push(page);
            cells.extend(&self.pages[page as usize]);
        }
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
        let mut children = std::mem::take(&mut self.pages[parent as usize].children);
        let right = children[first + count - 1].leaves_right;
        let new = pages.iter().map(|&page| Child {
            page,
            leaves_right: 0,
        });
        children.splice(first..first + count, new);
        let leaves = self.number(&mut children[first..first + pages.len()], right);
        let left = match first {
            0 => self.pages[parent as usize].leaves,
            _ => children[first - 1].leaves_right,
        };
        let more = leaves.wrapping_sub(left);
        if more != 0 {
            add_leaves(&mut children[..first], more);
            let above = &mut self.pages[parent as usize];
            above.leaves = above.leaves.wrapping_add(more);
            self.count_leaves(path, more);
        }
        self.pages[parent as usize].children = children;
    }

    /// Sets the leaves to the right of neighbours that have `right` leaves to the
    /// right of the last; returns those with the neighbours' own.
    pub(super) fn number(&self, children: &mut [Child], right: u32) -> u32 {
        children.iter_mut().rev().fold(right, |right, child| {
            child.leaves_right = right;
            right + self.pages[child.page as usize].leaves
        })
    }

    /// Adds `more` leaves, modulo 2³², below the end of `path`.
    pub(super) fn count_leaves(&mut self, path: &[(u32, usize)], more: u32) {
        for &(page, slot) in path {
            let page = &mut self.pages[page as usize];
            page.leaves = page.leaves.wrapping_add(more);
            add_leaves(&mut page.children[..slot], more);
        }
    }

    /// Whether the page that `path` leads to is the rightmost of its level.
    pub(super) fn is_rightmost(&self, path: &[(u32, usize)]) -> bool {
        path.iter()
            .all(|&(page, slot)| slot == self.pages[page as usize].keys.len())
    }

    /// Moves the content of the root, of `level`, to a new page, the root's only child, whose
    /// number it returns.
    pub(super) fn deepen(&mut self, level: u32, sink: &mut impl Sink) -> u32 {
        self.touch(ROOT, level + 1, Access::Write, sink);
        let page = self.allocate(level, sink);
        self.pages.swap(ROOT as usize, page as usize);
        self.pages[ROOT as usize].leaves = self.pages[page as usize].leaves;
        self.pages[ROOT as usize].children.push(Child {
            page,
            leaves_right: 0,
        });
        self.level += 1;
        page
    }

    /// Moves the content of the root's only child to the root.
    pub(super) fn flatten(&mut self, child: u32, sink: &mut impl Sink) {
        self.pages.swap(ROOT as usize, child as usize);
        self.level -= 1;
        self.release(child, self.level, sink);
    }
}

fn add_leaves(children: &mut [Child], more: u32) {
    for child in children {
        child.leaves_right = child.leaves_right.wrapping_add(more);
    }
}
