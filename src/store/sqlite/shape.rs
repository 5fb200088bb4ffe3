//! What a tree is asked for: sizes, leaves and keys.

use super::{ROOT, SqliteTree, cell};
use crate::id::Key;

impl<K: Key> SqliteTree<K> {
    /// Page size.
    pub fn page_bytes(&self) -> u32 {
        self.page_bytes
    }

    /// What an internal page has room for.
    pub fn internal_usable_bytes(&self) -> u32 {
        self.room(1)
    }

    /// What a leaf has room for.
    pub fn leaf_usable_bytes(&self) -> u32 {
        self.room(0)
    }

    /// Bytes that the row with this rowid would take if `key` were its id, pointers included:
    /// on a leaf, and as a divider on an internal page.
    pub fn entry_bytes(&self, key: K, rowid: u64) -> [u32; 2] {
        let leaf = self.local(key, self.record_bytes(key, rowid)).local;
        let divider = match self.is_index() {
            true => leaf,
            false => cell::rowid_bytes(key),
        };
        [cell::cost(leaf, 0), cell::cost(divider, 1)]
    }

    /// Rows in the tree.
    pub fn rows(&self) -> u64 {
        self.inserted - self.removed
    }

    /// Leaf pages.
    pub fn leaf_pages(&self) -> u64 {
        self.leaf_pages
    }

    /// Internal pages, the root included.
    pub fn internal_pages(&self) -> u64 {
        u64::from(self.pages.len()) - u64::from(self.free.len()) - self.leaf_pages
    }

    /// Pages of rows too large for a page of the tree.
    pub fn overflow_pages(&self) -> u64 {
        self.overflow_pages
    }

    /// Level of the root; 0 is a lone leaf.
    pub fn tree_level(&self) -> u32 {
        self.level
    }

    /// Size of the tree, without pages that a balance has freed.
    pub fn index_bytes(&self) -> u64 {
        let pages = self.leaf_pages + self.internal_pages() + self.overflow_pages;
        pages * u64::from(self.page_bytes)
    }

    /// The number of the leaf that holds or would hold `key`, or of the last one
    /// before it if an internal page holds it.
    pub fn leaf_of(&self, key: K) -> u32 {
        self.locate(key).leaf
    }

    /// The leaves from left to right, each with its number, its entries and the
    /// bytes of its cells and their pointers (the 8 bytes of its header are not counted).
    pub fn leaves(&self) -> impl Iterator<Item = (u32, u32, u32)> {
        self.walk().filter_map(|step| match step {
            Step::Leaf(number) => {
                Some((number, self.pages.entries(number), self.pages.used(number)))
            }
            Step::Divider(_) => None,
        })
    }

    /// Bytes of the cells of all internal pages and their pointers (the 12 bytes
    /// of each header are not counted).
    pub fn internal_used_bytes(&self) -> u64 {
        let internal = (0..self.pages.len()).filter(|&page| self.pages.is_internal(page));
        internal.map(|page| u64::from(self.pages.used(page))).sum()
    }

    /// All keys in order, those on internal pages included.
    pub fn keys(&self) -> impl Iterator<Item = K> {
        let index = self.is_index();
        self.walk().flat_map(move |step| match step {
            Step::Leaf(number) => {
                let mut keys = self.pages.keys(number).to_vec();
                keys.sort_unstable();
                keys
            }
            Step::Divider(key) if index => vec![key],
            // In a table it repeats the last rowid of the leaf before.
            Step::Divider(_) => Vec::new(),
        })
    }

    /// The least key that was inserted twice, if any was.
    pub fn first_duplicate(&self) -> Option<K> {
        let mut last = None;
        self.keys()
            .find(|&key| last.replace(key).is_some_and(|last| last == key))
    }

    /// Leaves and the keys between them, from left to right.
    fn walk(&self) -> impl Iterator<Item = Step<K>> {
        let mut path = vec![(ROOT, 0)];
        let mut divider = None;
        std::iter::from_fn(move || {
            if let Some(key) = divider.take() {
                return Some(Step::Divider(key));
            }
            // Down to the next leaf, then up to the first page with more children.
            loop {
                let &(number, slot) = path.last()?;
                if !self.pages.is_internal(number) {
                    path.pop();
                    while let Some((above, slot)) = path.last_mut() {
                        let above = self.pages.internal(*above);
                        divider = above.keys.get(*slot).copied();
                        *slot += 1;
                        if divider.is_some() {
                            break;
                        }
                        path.pop();
                    }
                    return Some(Step::Leaf(number));
                }
                path.push((self.pages.internal(number).children[slot], 0));
            }
        })
    }
}

/// A part of a tree in order.
enum Step<K> {
    /// The leaf with this number.
    Leaf(u32),
    /// A key of an internal page.
    Divider(K),
}
