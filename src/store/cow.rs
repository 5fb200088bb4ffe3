//! The trees of the copy-on-write stores LMDB and redb: [`CowTree`].

mod file;
mod format;

use super::btree::internal::{Child, Internal};
use super::btree::leaves::Leaves;
use super::{Access, Insert, Neighbour, PageId, Separator, Sink, Space, Split, Touch, Uniqueness};
use crate::engine::{EngineError, EngineOptions};
use crate::id::{Column, Key};
pub use file::LmdbFile;
use format::Format;

/// A store that copies a page before it changes it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CowEngine {
    /// LMDB 0.9 (`mdb.c`), rows put by `mdb_put` without `MDB_APPEND`.
    Lmdb,
    /// redb from 4.2 on, keys of fixed width and values of variable width, such as `&[u8]`.
    Redb,
}

impl CowEngine {
    /// What it is called.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Lmdb => "lmdb",
            Self::Redb => "redb",
        }
    }
}

/// Where a key belongs.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    leaf: u32,
    /// Leaves to the right of it.
    edge_distance_leaves: u32,
}

/// Keys that [`CowTree::insert_all`] looks up at once.
const LOOKAHEAD: usize = 16;

/// A B+-tree whose full pages divide by where the new entry falls on them.
///
/// LMDB divides in the middle, but leaves all except the last entry on the left page
/// if the new one goes to the end of any page. redb divides in the middle, but
/// begins a new leaf for a key above all others. LMDB separates two pages by the
/// least key of the right one, redb by the greatest of the left one.
///
/// All entries of a tree are equally large, so a leaf is a bag of keys, put in order
/// about the split point alone. A touch of an insert goes to each page from the root to
/// the leaf, then to each new one; a store writes a page that was changed once a
/// transaction, to a new place: see [`LmdbFile`]. Not modelled: deletes, updates, entries
/// of several widths.
///
/// ```
/// use idlab::id::Column;
/// use idlab::engine::EngineOptions;
/// use idlab::store::{CowEngine, CowTree, Uniqueness};
/// let options = EngineOptions { payload_bytes: 100, ..Default::default() };
/// let mut tree = CowTree::new(CowEngine::Lmdb, Column::Bigint, options, Uniqueness::Promised)?;
/// (1..=1_000_000u64).for_each(|key| { tree.insert(key, &mut ()); });
/// assert_eq!((tree.leaf_pages(), tree.internal_pages()), (30_303, 136));
/// # Ok::<(), idlab::engine::EngineError>(())
/// ```
#[derive(Clone, Debug)]
pub struct CowTree<K> {
    format: Format,
    uniqueness: Uniqueness,
    leaves: Leaves<K>,
    internals: Vec<Internal<K>>,
    /// The rightmost page of each level: leaf, then internal pages from below.
    right_edge: Vec<u32>,
    root: u32,
    rows: u64,
    maximum: Option<K>,
    /// Pages and child slots from the root to a leaf; kept to save an allocation a split.
    path: Vec<(u32, usize)>,
}

impl<K: Key> CowTree<K> {
    /// An empty tree: one leaf. Pages have 4096 bytes unless `options` say otherwise.
    ///
    /// # Errors
    /// A page size that is not a power of two or out of range, a fill factor, a payload
    /// that is too large.
    pub fn new(
        engine: CowEngine,
        column: Column,
        options: EngineOptions,
        uniqueness: Uniqueness,
    ) -> Result<Self, EngineError> {
        let format = Format::new(engine, column, options)?;
        Ok(Self {
            format,
            uniqueness,
            leaves: Leaves::new(format.leaf.capacity() as usize),
            internals: Vec::new(),
            right_edge: vec![0],
            root: 0,
            rows: 0,
            maximum: None,
            path: Vec::new(),
        })
    }

    /// Inserts `key` and reports it; `false` if it is there already (noticed
    /// only if [`Uniqueness::Checked`]).
    #[inline]
    pub fn insert(&mut self, key: K, sink: &mut impl Sink) -> bool {
        let place = self.locate(key);
        if self.uniqueness == Uniqueness::Checked && self.leaves.keys(place.leaf).contains(&key) {
            return false;
        }
        self.insert_at(place, key, sink);
        true
    }

    /// Inserts `keys`, which are new, in their order.
    ///
    /// The same as [`CowTree::insert`] on each, but faster: looking up a few keys
    /// before the first of them is inserted lets their cache misses overlap.
    pub fn insert_all(&mut self, keys: &[K], sink: &mut impl Sink) {
        let mut places = [Place::default(); LOOKAHEAD];
        for group in keys.chunks(LOOKAHEAD) {
            let leaves = self.leaves.len();
            for (place, &key) in places.iter_mut().zip(group) {
                *place = self.locate(key);
            }
            for (&place, &key) in places.iter().zip(group) {
                // A split since may have moved the key's place.
                let place = if self.leaves.len() == leaves {
                    place
                } else {
                    self.locate(key)
                };
                self.insert_at(place, key, sink);
            }
        }
    }

    #[inline]
    fn insert_at<S: Sink>(&mut self, mut place: Place, key: K, sink: &mut S) {
        if S::TOUCHES {
            sink.begin();
            self.touch_path(place.leaf, key, sink);
        }
        let new_maximum = self.maximum.is_none_or(|maximum| key > maximum);
        if new_maximum {
            self.maximum = Some(key);
        }
        let capacity = self.format.leaf.capacity();
        let split = !self.leaves.push(place.leaf, key, capacity);
        if split {
            place = self.split_leaf(place.leaf, key, sink);
        }
        self.rows += 1;
        sink.insert(&Insert {
            leaf: place.leaf,
            edge_distance_leaves: place.edge_distance_leaves,
            new_maximum,
            split,
            entries: self.leaves.entries(place.leaf),
        });
    }

    /// Where `key` belongs.
    #[inline]
    fn locate(&self, key: K) -> Place {
        if self.maximum.is_none_or(|maximum| key > maximum) {
            return Place {
                leaf: self.right_edge[0],
                edge_distance_leaves: 0,
            };
        }
        let mut place = Place {
            leaf: self.root,
            edge_distance_leaves: 0,
        };
        for _ in 0..self.tree_level() {
            let internal = &self.internals[place.leaf as usize];
            let child = internal.children[self.slot(internal, key)];
            place.edge_distance_leaves += child.leaves_right;
            place.leaf = child.page;
        }
        place
    }

    #[inline]
    fn slot(&self, internal: &Internal<K>, key: K) -> usize {
        match self.format.engine {
            CowEngine::Lmdb => internal.slot(key),
            CowEngine::Redb => internal.slot_up_to(key),
        }
    }

    /// Touches the pages from the root to `leaf`, all of which change, unless the key
    /// begins a new leaf in redb.
    fn touch_path(&self, leaf: u32, key: K, sink: &mut impl Sink) {
        let mut page = self.root;
        for level in (1..=self.tree_level()).rev() {
            sink.touch(touch(level as usize, page, Access::Write));
            let internal = &self.internals[page as usize];
            page = internal.children[self.slot(internal, key)].page;
        }
        let entries = self.leaves.entries(leaf);
        let untouched = self.format.engine == CowEngine::Redb
            && entries == self.format.leaf.capacity()
            && self.maximum.is_some_and(|maximum| key > maximum);
        let access = if untouched {
            Access::Read
        } else {
            Access::Write
        };
        sink.touch(touch(0, leaf, access));
    }

    /// Adds `key` to a full leaf and divides it. Returns where `key` is now.
    #[cold]
    fn split_leaf<S: Sink>(&mut self, leaf: u32, key: K, sink: &mut S) -> Place {
        let rightmost = leaf == self.right_edge[0];
        let keys = self.leaves.keys(leaf);
        let at = keys.iter().filter(|&&other| other < key).count() as u32;
        let left_entries = self
            .format
            .left_entries(0, keys.len() as u32, at, rightmost);
        let old_right = self.leaves.right(leaf);
        let new = self.leaves.len() as u32;
        let least = self.leaves.divide(leaf, key, left_entries as usize, new);
        let separator = match self.format.engine {
            CowEngine::Lmdb => least,
            CowEngine::Redb => {
                let left = self.leaves.keys(leaf);
                left.iter().max().copied().unwrap_or(least)
            }
        };
        if rightmost {
            self.right_edge[0] = new;
        }
        if S::TOUCHES {
            sink.touch(touch(0, new, Access::New));
        }
        sink.split(&Split {
            level: 0,
            rightmost,
            new_entry_left: at < left_entries,
            left: leaf,
            right: new,
            left_entries,
            old_right: old_right.map(|right| Neighbour {
                leaf: right,
                rightmost: right == self.right_edge[0],
                entries: self.leaves.entries(right),
            }),
        });
        self.insert_child(key, separator, new, sink);
        self.locate(key)
    }

    /// Puts the new leaf `child` and its separator above the leaf that `key` led to,
    /// dividing full pages on the way up.
    fn insert_child<S: Sink>(&mut self, key: K, mut separator: K, mut child: u32, sink: &mut S) {
        let mut path = std::mem::take(&mut self.path);
        path.clear();
        let mut page = self.root;
        for _ in 0..self.tree_level() {
            let slot = self.slot(&self.internals[page as usize], key);
            let internal = &mut self.internals[page as usize];
            internal.children[..slot]
                .iter_mut()
                .for_each(|child| child.leaves_right += 1);
            path.push((page, slot));
            page = internal.children[slot].page;
        }
        let (mut level, mut leaves_moved) = (1, 1);
        loop {
            let Some((page, slot)) = path.pop() else {
                self.grow(separator, child, leaves_moved);
                if S::TOUCHES {
                    sink.touch(touch(level, self.root, Access::New));
                }
                sink.new_root(self.root);
                break;
            };
            let rightmost = page == self.right_edge[level];
            let internal = &mut self.internals[page as usize];
            let before = internal.children.len() as u32;
            internal.insert(slot, separator, child, leaves_moved);
            if before < self.format.internal.capacity() {
                sink.separator(&Separator {
                    page,
                    rightmost,
                    children: before + 1,
                });
                break;
            }
            let at = slot as u32 + 1;
            let left_entries = self.format.left_entries(level, before, at, rightmost);
            let right;
            child = self.internals.len() as u32;
            (separator, right, leaves_moved) =
                self.internals[page as usize].divide(left_entries as usize, child);
            self.internals.push(right);
            if rightmost {
                self.right_edge[level] = child;
            }
            if S::TOUCHES {
                sink.touch(touch(level, child, Access::New));
            }
            sink.split(&Split {
                level: level as u32,
                rightmost,
                new_entry_left: at < left_entries,
                left: page,
                right: child,
                left_entries,
                old_right: None,
            });
            level += 1;
        }
        self.path = path;
    }

    /// Makes a new root above the old one and its right sibling `child`.
    fn grow(&mut self, separator: K, child: u32, leaves_below_child: u32) {
        let root = self.internals.len() as u32;
        let below = [(self.root, leaves_below_child), (child, 0)];
        let children = below.map(|(page, leaves_right)| Child { page, leaves_right });
        self.internals
            .push(Internal::new(vec![separator], children.to_vec()));
        self.root = root;
        self.right_edge.push(root);
    }

    /// The store.
    pub fn engine(&self) -> CowEngine {
        self.format.engine
    }

    /// Page size.
    pub fn page_bytes(&self) -> u32 {
        self.format.page_bytes
    }

    /// Whether the keys are compared.
    pub fn uniqueness(&self) -> Uniqueness {
        self.uniqueness
    }

    /// Keys in the tree.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Leaf pages.
    pub fn leaf_pages(&self) -> u64 {
        self.leaves.len() as u64
    }

    /// Internal pages, the root included.
    pub fn internal_pages(&self) -> u64 {
        self.internals.len() as u64
    }

    /// Pages of payloads that are too large for a leaf.
    pub fn overflow_pages(&self) -> u64 {
        self.rows * u64::from(self.format.overflow_pages)
    }

    /// Level of the root; 0 is a lone leaf.
    pub fn tree_level(&self) -> u32 {
        self.right_edge.len() as u32 - 1
    }

    /// Size of the tree, overflow pages included; without metapages and free pages.
    pub fn index_bytes(&self) -> u64 {
        let pages = self.leaf_pages() + self.internal_pages() + self.overflow_pages();
        pages * u64::from(self.format.page_bytes)
    }

    /// The number of the leaf that holds or would hold `key`.
    pub fn leaf_of(&self, key: K) -> u32 {
        self.locate(key).leaf
    }

    /// Bytes that the entries of all internal pages take.
    pub fn internal_used_bytes(&self) -> u64 {
        let class = &self.format.internal;
        let children = self.internals.iter().map(|page| page.children.len() as u64);
        children
            .map(|children| u64::from(class.first) + (children - 1) * u64::from(class.entry))
            .sum()
    }

    /// What an internal page has room for.
    pub fn internal_usable_bytes(&self) -> u32 {
        self.format.internal.room
    }

    /// What a leaf has room for.
    pub fn leaf_usable_bytes(&self) -> u32 {
        self.format.leaf.room
    }

    /// The leaves from left to right, each with its number, entries and the bytes of
    /// these. Numbers are in the order of allocation.
    pub fn leaves(&self) -> impl Iterator<Item = (u32, u32, u32)> {
        self.leaf_numbers().map(|leaf| {
            let entries = self.leaves.entries(leaf);
            (leaf, entries, entries * self.format.leaf.entry)
        })
    }

    fn leaf_numbers(&self) -> impl Iterator<Item = u32> {
        // The first leaf stays the leftmost: a split's new page is the right one.
        std::iter::successors(Some(0), |&leaf| self.leaves.right(leaf))
    }

    /// All keys in order.
    pub fn keys(&self) -> impl Iterator<Item = K> {
        self.leaf_numbers().flat_map(|leaf| {
            let mut keys = self.leaves.keys(leaf).to_vec();
            keys.sort_unstable();
            keys
        })
    }

    /// The least key that was inserted twice, if any was.
    pub fn first_duplicate(&self) -> Option<K> {
        let mut last = None;
        self.keys()
            .find(|&key| last.replace(key).is_some_and(|last| last == key))
    }
}

fn touch(level: usize, page: u32, access: Access) -> Touch {
    let space = match level {
        0 => Space::Index,
        _ => Space::IndexInternal,
    };
    Touch {
        page: PageId::new(space, page),
        level: level as u8,
        access,
    }
}

#[cfg(test)]
mod tests;
