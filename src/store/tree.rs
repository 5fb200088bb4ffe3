//! What measures ask of a tree, whatever its engine.

use super::{BTree, InnoDb, Sink, SqliteTree, Uniqueness};
use crate::id::Key;

/// A leaf as it stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Leaf {
    /// Its number; numbers are in the order of allocation.
    pub number: u32,
    /// Its entries.
    pub entries: u32,
    /// Bytes that these take, a high key included.
    pub used_bytes: u32,
}

/// How large a tree is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Size {
    /// Keys in the tree.
    pub rows: u64,
    /// Leaf pages.
    pub leaf_pages: u64,
    /// Internal pages, the root included.
    pub internal_pages: u64,
    /// Level of the root; 0 is a lone leaf.
    pub tree_level: u32,
    /// Bytes of all pages.
    pub index_bytes: u64,
    /// What a leaf has room for.
    pub leaf_usable_bytes: u32,
}

/// A tree of unique keys.
pub trait Tree<K: Key> {
    /// Inserts `key` and reports it; `false` if it is there already, which is
    /// noticed only if keys are [`Uniqueness::Checked`].
    fn insert(&mut self, key: K, sink: &mut impl Sink) -> bool;
    /// Inserts `keys`, which are promised to be new, in their order.
    fn insert_all(&mut self, keys: &[K], sink: &mut impl Sink);
    /// Whether keys are compared with those in the tree.
    fn uniqueness(&self) -> Uniqueness;
    /// A key that was inserted twice though all were promised to differ, if there is one.
    fn first_duplicate(&self) -> Option<K>;
    /// How large it is.
    fn size(&self) -> Size;
    /// The leaves from left to right.
    fn leaves(&self) -> impl Iterator<Item = Leaf>;
    /// The number of the leaf that holds or would hold `key`.
    fn leaf_of(&self, key: K) -> u32;
}

impl<K: Key> Tree<K> for BTree<K> {
    #[inline]
    fn insert(&mut self, key: K, sink: &mut impl Sink) -> bool {
        self.insert(key, sink)
    }

    #[inline]
    fn insert_all(&mut self, keys: &[K], sink: &mut impl Sink) {
        self.insert_all(keys, sink);
    }

    fn uniqueness(&self) -> Uniqueness {
        self.uniqueness()
    }

    fn first_duplicate(&self) -> Option<K> {
        self.first_duplicate()
    }

    fn size(&self) -> Size {
        Size {
            rows: self.rows(),
            leaf_pages: self.leaf_pages(),
            internal_pages: self.internal_pages(),
            tree_level: self.tree_level(),
            index_bytes: self.index_bytes(),
            leaf_usable_bytes: self.geometry().leaf[0].usable_bytes,
        }
    }

    fn leaves(&self) -> impl Iterator<Item = Leaf> {
        let [middle, last] = self.geometry().leaf;
        let mut leaves = self.leaves().peekable();
        std::iter::from_fn(move || {
            let (number, entries) = leaves.next()?;
            let page = match leaves.peek() {
                Some(_) => middle,
                None => last,
            };
            Some(leaf((number, entries, page.used_bytes(entries))))
        })
    }

    fn leaf_of(&self, key: K) -> u32 {
        self.leaf_of(key)
    }
}

impl<K: Key> Tree<K> for InnoDb<K> {
    fn insert(&mut self, key: K, sink: &mut impl Sink) -> bool {
        self.insert(key, sink)
    }

    fn insert_all(&mut self, keys: &[K], sink: &mut impl Sink) {
        keys.iter().for_each(|&key| {
            self.insert(key, sink);
        });
    }

    /// A leaf's records are in order, so that comparing costs nothing.
    fn uniqueness(&self) -> Uniqueness {
        Uniqueness::Checked
    }

    fn first_duplicate(&self) -> Option<K> {
        None
    }

    fn size(&self) -> Size {
        let pages = self.leaf_pages() + self.internal_pages();
        Size {
            rows: self.rows(),
            leaf_pages: self.leaf_pages(),
            internal_pages: self.internal_pages(),
            tree_level: self.tree_level(),
            index_bytes: pages * u64::from(self.format().page_bytes),
            leaf_usable_bytes: self.format().usable_bytes,
        }
    }

    fn leaves(&self) -> impl Iterator<Item = Leaf> {
        self.leaves().map(leaf)
    }

    fn leaf_of(&self, key: K) -> u32 {
        self.leaf_of(key)
    }
}

impl<K: Key> Tree<K> for SqliteTree<K> {
    #[inline]
    fn insert(&mut self, key: K, sink: &mut impl Sink) -> bool {
        self.insert(key, sink)
    }

    #[inline]
    fn insert_all(&mut self, keys: &[K], sink: &mut impl Sink) {
        self.insert_all(keys, sink);
    }

    fn uniqueness(&self) -> Uniqueness {
        self.uniqueness()
    }

    fn first_duplicate(&self) -> Option<K> {
        self.first_duplicate()
    }

    fn size(&self) -> Size {
        Size {
            rows: self.rows(),
            leaf_pages: self.leaf_pages(),
            internal_pages: self.internal_pages(),
            tree_level: self.tree_level(),
            index_bytes: self.index_bytes(),
            leaf_usable_bytes: self.page_bytes() - 8,
        }
    }

    fn leaves(&self) -> impl Iterator<Item = Leaf> {
        self.leaves().map(leaf)
    }

    fn leaf_of(&self, key: K) -> u32 {
        self.leaf_of(key)
    }
}

fn leaf((number, entries, used_bytes): (u32, u32, u32)) -> Leaf {
    Leaf {
        number,
        entries,
        used_bytes,
    }
}
