//! Pages in relation to each other: allocation, children, and leaves below them.

use super::page::{Child, Page};
use super::{ROOT, SqliteTree};
use crate::id::Key;

impl<K: Key> SqliteTree<K> {
    /// The number of a page without content.
    pub(super) fn allocate(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            self.pages.push(Page::default());
            self.pages.len() as u32 - 1
        })
    }

    /// Gives a page back.
    pub(super) fn release(&mut self, page: u32) {
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

    /// Moves the content of the root to a new page, the root's only child, whose
    /// number it returns.
    pub(super) fn deepen(&mut self) -> u32 {
        let page = self.allocate();
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
    pub(super) fn flatten(&mut self, child: u32) {
        self.pages.swap(ROOT as usize, child as usize);
        self.release(child);
        self.level -= 1;
    }
}

fn add_leaves(children: &mut [Child], more: u32) {
    for child in children {
        child.leaves_right = child.leaves_right.wrapping_add(more);
    }
}
