//! What measures ask of a tree, whatever its engine.

use super::{
    BStar, BTree, CowTree, InnoDb, InnoDbIndexed, Sink, SqliteIndexed, SqliteTree, Uniqueness,
    WiredTiger,
};
use crate::id::Key;

/// A leaf as it stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Leaf {
    /// Its number; a leaf with a lower one lies before it in the file.
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
    /// Bytes of all pages, with metapages and pages for what no leaf can hold.
    pub index_bytes: u64,
    /// What a leaf has room for.
    pub leaf_usable_bytes: u32,
    /// Bytes that the entries of all internal pages take.
    pub internal_used_bytes: u64,
    /// What an internal page has room for.
    pub internal_usable_bytes: u32,
}

/// A tree of unique keys.
pub trait Tree<K: Key> {
    /// Inserts `key` and reports it; `false` if it is there already, which is
    /// noticed only if keys are [`Uniqueness::Checked`].
    fn insert(&mut self, key: K, sink: &mut impl Sink) -> bool;
    /// Inserts `keys`, which are promised to be new, in their order.
    fn insert_all(&mut self, keys: &[K], sink: &mut impl Sink);
    /// Removes the rows with `keys`, all of which are in the tree, as the engine's purge
    /// does it (PostgreSQL: DELETE and VACUUM); `false` if that is not modelled for this tree.
    fn remove_all(&mut self, _keys: &[K], _sink: &mut impl Sink) -> bool {
        false
    }
    /// Pages of the file that are not in a tree and wait to be used again.
    fn free_pages(&self) -> u64 {
        0
    }
    /// Whether keys are compared with those in the tree.
    fn uniqueness(&self) -> Uniqueness;
    /// A key that was inserted twice though all were promised to differ, if there is one.
    fn first_duplicate(&self) -> Option<K>;
    /// How large it is.
    fn size(&self) -> Size;
    /// The leaves from left to right.
    fn leaves(&self) -> impl Iterator<Item = Leaf>;
    /// The tree of the rows, if they lie in another one, and its leaves.
    fn table(&self) -> Option<(Size, Vec<Leaf>)> {
        None
    }
    /// Pages of the table beside these trees: of further indexes.
    fn other_pages(&self) -> u64 {
        0
    }
    /// Splits as the engine's own counter has them, of all trees of the table, if
    /// that takes other events for splits.
    fn counted_splits(&self) -> Option<u64> {
        None
    }
    /// The number of the leaf that holds or would hold `key`.
    fn leaf_of(&self, key: K) -> u32;
}

fn leaf((number, entries, used_bytes): (u32, u32, u32)) -> Leaf {
    Leaf {
        number,
        entries,
        used_bytes,
    }
}

/// A [`Tree`] by a type's own methods of the same names; `$at` leads to the tree of the ids.
macro_rules! tree {
    ($type:ident $(. $at:ident())? $(, table = $table:expr)? $(, splits = $splits:expr)?
     $(, purge = $purge:expr, free = $free:expr)?) => {
        impl<K: Key> Tree<K> for $type<K> {
            #[inline]
            fn insert(&mut self, key: K, sink: &mut impl Sink) -> bool {
                self.insert(key, sink)
            }

            #[inline]
            fn insert_all(&mut self, keys: &[K], sink: &mut impl Sink) {
                self.insert_all(keys, sink);
            }

            fn uniqueness(&self) -> Uniqueness {
                self$(.$at())?.uniqueness()
            }

            fn first_duplicate(&self) -> Option<K> {
                self$(.$at())?.first_duplicate()
            }

            fn size(&self) -> Size {
                let tree = self$(.$at())?;
                Size {
                    rows: tree.rows(),
                    leaf_pages: tree.leaf_pages(),
                    internal_pages: tree.internal_pages(),
                    tree_level: tree.tree_level(),
                    index_bytes: tree.index_bytes(),
                    leaf_usable_bytes: tree.leaf_usable_bytes(),
                    internal_used_bytes: tree.internal_used_bytes(),
                    internal_usable_bytes: tree.internal_usable_bytes(),
                }
            }

            fn leaves(&self) -> impl Iterator<Item = Leaf> {
                self$(.$at())?.leaves().map(leaf)
            }

            fn leaf_of(&self, key: K) -> u32 {
                self$(.$at())?.leaf_of(key)
            }
            $(
            fn table(&self) -> Option<(Size, Vec<Leaf>)> {
                let table = $table(self);
                Some((Tree::size(table), Tree::leaves(table).collect()))
            })?
            $(
            fn counted_splits(&self) -> Option<u64> {
                Some($splits(self))
            })?
            $(
            fn remove_all(&mut self, keys: &[K], sink: &mut impl Sink) -> bool {
                $purge(self, keys, sink);
                true
            }

            fn free_pages(&self) -> u64 {
                $free(self)
            })?
        }
    };
}

tree!(
    BTree,
    purge = |tree: &mut Self, keys, _| tree.remove_all(keys),
    free = Self::free_pages
);
tree!(CowTree);
tree!(
    InnoDb,
    splits = Self::index_page_splits,
    purge = Self::remove_all,
    free = Self::free_pages
);
tree!(
    InnoDbIndexed.index(),
    table = InnoDbIndexed::table,
    splits = Self::index_page_splits,
    purge = Self::remove_all,
    free = Self::free_pages
);
tree!(
    SqliteTree,
    purge = Self::remove_all,
    free = Self::free_pages
);
tree!(BStar);
tree!(WiredTiger, splits = Self::counted_splits);
tree!(
    SqliteIndexed.index(),
    table = SqliteIndexed::table,
    purge = Self::remove_all,
    free = Self::free_pages
);
