//! The index's file: which of its pages are in use.

use std::collections::BTreeSet;

/// The pages of the index's file, the metapage not counted.
///
/// Leaves and internal pages are numbered apart; a number is used again once its page
/// has left the tree. A page of the file that is free is taken before the file grows,
/// the one nearest its beginning first.
#[derive(Clone, Debug, Default)]
pub(super) struct File {
    /// The page of the file of each leaf and of each internal page.
    pages: [Vec<u32>; 2],
    /// Numbers of leaves and of internal pages that are not in the tree.
    unused: [Vec<u32>; 2],
    /// Pages that may be taken.
    free: BTreeSet<u32>,
    /// Pages that left the tree in the last purge and may not be taken yet.
    deleted: Vec<u32>,
}

/// Leaves and internal pages as indices.
fn kind(level: usize) -> usize {
    level.min(1)
}

impl File {
    /// The number that the next page of `level` will have.
    pub fn next(&self, level: usize) -> u32 {
        let used = &self.pages[kind(level)];
        let unused = self.unused[kind(level)].last();
        unused.copied().unwrap_or(used.len() as u32)
    }

    /// Takes a page for `level`, and returns its number there.
    pub fn allocate(&mut self, level: usize) -> u32 {
        let number = self.next(level);
        let end = self.pages() as u32;
        let page = self.free.pop_first().unwrap_or(end);
        let pages = &mut self.pages[kind(level)];
        match self.unused[kind(level)].pop() {
            Some(_) => pages[number as usize] = page,
            None => pages.push(page),
        }
        number
    }

    /// Page `number` of `level` has left the tree; its page in the file may be taken
    /// now or after the next [`File::recycle`].
    pub fn release(&mut self, level: usize, number: u32, now: bool) {
        let page = self.page(level, number);
        self.unused[kind(level)].push(number);
        if now {
            self.free.insert(page);
        } else {
            self.deleted.push(page);
        }
    }

    /// From now on the pages released before may be taken.
    pub fn recycle(&mut self) {
        self.free.extend(self.deleted.drain(..));
    }

    /// Where in the file page `number` of `level` is.
    pub fn page(&self, level: usize, number: u32) -> u32 {
        self.pages[kind(level)][number as usize]
    }

    /// Pages of `level`, or of all internal levels together, that are in the tree.
    pub fn in_tree(&self, level: usize) -> usize {
        self.pages[kind(level)].len() - self.unused[kind(level)].len()
    }

    /// All pages.
    pub fn pages(&self) -> usize {
        self.in_tree(0) + self.in_tree(1) + self.unused()
    }

    /// Pages that are not in the tree.
    pub fn unused(&self) -> usize {
        self.reusable() + self.deleted.len()
    }

    /// Pages that may be taken.
    pub fn reusable(&self) -> usize {
        self.free.len()
    }
}
