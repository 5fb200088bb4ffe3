//! The B-tree: [`BTree`].

mod duplicates;
mod file;
pub(super) mod internal;
pub(super) mod leaves;
mod purge;
mod touches;

use super::{Access, Insert, Neighbour, Separator, Sink, Split};
use crate::engine::Geometry;
use crate::id::Key;
use file::File;
use internal::{Child, Internal};
use leaves::Leaves;
use std::hint::black_box;
use touches::Remembered;

/// Whether the source of the keys promises that they differ.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Uniqueness {
    /// Every key is new; [`BTree::first_duplicate`] tells afterwards if it was not so.
    Promised,
    /// Each key is compared with its leaf's, and refused if it is there.
    Checked,
}

/// Where a key belongs.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    leaf: u32,
    /// Leaves to the right of it.
    edge_distance_leaves: u32,
}

/// Keys that [`BTree::insert_all`] looks up at once.
const LOOKAHEAD: usize = 32;

/// Where keys that are looked up together belong.
#[derive(Clone, Debug, Default)]
struct Lookups {
    places: [Place; LOOKAHEAD],
    /// The internal pages on the way to each, from the root down; not for the rightmost leaf.
    paths: Vec<[u32; LOOKAHEAD]>,
}

/// A B+-tree with an engine's page arithmetic, real keys and no pages.
///
/// All entries of a tree are equally large, so a page is full at a number of
/// entries and divides at a number of entries ([`Geometry`]). What a leaf needs
/// to hold is therefore a bag: its keys are put in order only when it splits,
/// and then only about the split point (Hoare's quickselect). No measure
/// depends on the order within a leaf.
///
/// Not modelled: updates, duplicate keys, entries of several widths.
///
/// ```
/// use idlab::engine::{EngineOptions, Geometry, POSTGRES};
/// use idlab::store::{BTree, Uniqueness};
/// let geometry = Geometry::new(&POSTGRES, idlab::id::Column::Bigint, EngineOptions::default())?;
/// let mut tree = BTree::new(geometry, Uniqueness::Promised);
/// (1..=1_000_000u64).for_each(|key| { tree.insert(key, &mut ()); });
/// assert_eq!(tree.leaf_pages(), 2733);
/// # Ok::<(), idlab::engine::EngineError>(())
/// ```
#[derive(Clone, Debug)]
pub struct BTree<K> {
    geometry: Geometry,
    uniqueness: Uniqueness,
    leaves: Leaves<K>,
    internals: Vec<Internal<K>>,
    /// Where these are in the index's file.
    file: File,
    /// The rightmost page of each level: leaf, then internal pages from below.
    right_edge: Vec<u32>,
    root: u32,
    rows: u64,
    /// The greatest key so far, removed or not.
    maximum: Option<K>,
    /// Keys from this one on belong in the rightmost leaf; all, as long as there is no other.
    right_edge_low: Option<K>,
    /// Leaves that a purge left empty but could not delete.
    empty: Vec<u32>,
    /// A key that a purge found twice.
    removed_twice: Option<K>,
    /// Pages and child slots from the root to a leaf; kept to save an allocation a split.
    path: Vec<(u32, usize)>,
    /// The keys now being inserted; kept for the same reason.
    lookups: Lookups,
    /// What the engine's connection knows of the tree; kept up only if touches are wanted.
    remembered: Remembered,
}

impl<K: Key> BTree<K> {
    /// An empty tree: one leaf.
    pub fn new(geometry: Geometry, uniqueness: Uniqueness) -> Self {
        let mut file = File::default();
        file.allocate(0);
        Self {
            geometry,
            uniqueness,
            leaves: Leaves::new(geometry.leaf[1].capacity as usize),
            internals: Vec::new(),
            file,
            right_edge: vec![0],
            root: 0,
            rows: 0,
            maximum: None,
            right_edge_low: None,
            empty: Vec::new(),
            removed_twice: None,
            path: Vec::new(),
            lookups: Lookups::default(),
            remembered: Remembered::default(),
        }
    }

    /// Inserts `key` and reports it; `false` if it is there already (noticed
    /// only if [`Uniqueness::Checked`]).
    #[inline]
    pub fn insert(&mut self, key: K, sink: &mut impl Sink) -> bool {
        let mut lookups = std::mem::take(&mut self.lookups);
        self.look_up(&[key], 0, &mut lookups);
        let new = self.uniqueness == Uniqueness::Promised
            || !self.leaves.keys(lookups.places[0].leaf).contains(&key);
        if new {
            self.insert_at(&lookups, 0, key, sink);
        }
        self.lookups = lookups;
        new
    }

    /// Inserts `keys`, which are new, in their order.
    ///
    /// The same as [`BTree::insert`] on each, but faster: looking up a few keys
    /// before the first of them is inserted lets their cache misses overlap.
    pub fn insert_all(&mut self, keys: &[K], sink: &mut impl Sink) {
        let mut lookups = std::mem::take(&mut self.lookups);
        for group in keys.chunks(LOOKAHEAD) {
            self.look_up(group, 0, &mut lookups);
            let mut split = false;
            for (i, &key) in group.iter().enumerate() {
                if split {
                    // A split since may have moved the key's place.
                    self.look_up(&[key], i, &mut lookups);
                }
                split |= self.insert_at(&lookups, i, key, sink);
            }
        }
        self.lookups = lookups;
    }

    /// Returns whether the leaf split.
    #[inline(always)]
    fn insert_at<S: Sink>(&mut self, lookups: &Lookups, i: usize, key: K, sink: &mut S) -> bool {
        let mut place = lookups.places[i];
        if S::TOUCHES {
            sink.begin();
            self.touch_descent(place.leaf, lookups.paths.iter().map(|pages| pages[i]), sink);
        }
        let new_maximum = self.maximum.is_none_or(|maximum| key > maximum);
        if new_maximum {
            self.maximum = Some(key);
        }
        let page = &self.geometry.leaf[usize::from(place.leaf == self.right_edge[0])];
        let split = !self.leaves.push(place.leaf, key, page.capacity);
        if split {
            place = self.split_leaf(place.leaf, key, new_maximum, sink);
        }
        self.rows += 1;
        sink.insert(&Insert {
            leaf: place.leaf,
            edge_distance_leaves: place.edge_distance_leaves,
            new_maximum,
            split,
            entries: self.leaves.entries(place.leaf),
        });
        split
    }

    /// Where `key` belongs.
    fn locate(&self, key: K) -> Place {
        if self.is_at_right_edge(key) {
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
            let child = internal.children[internal.slot(key)];
            place.edge_distance_leaves += child.leaves_right;
            place.leaf = child.page;
        }
        place
    }

    #[inline]
    fn is_at_right_edge(&self, key: K) -> bool {
        self.right_edge_low.is_none_or(|low| key >= low)
    }

    /// [`BTree::locate`] for `keys`, one step of all before the next of any; they are
    /// lookups `first` and after.
    #[inline]
    fn look_up(&self, keys: &[K], first: usize, lookups: &mut Lookups) {
        let Lookups { places, paths } = lookups;
        let places = &mut places[first..first + keys.len()];
        if keys.iter().all(|&key| self.is_at_right_edge(key)) {
            let leaf = self.right_edge[0];
            places.fill(Place {
                leaf,
                edge_distance_leaves: 0,
            });
            return;
        }
        places.fill(Place {
            leaf: self.root,
            edge_distance_leaves: 0,
        });
        let mut slots = [0; LOOKAHEAD];
        paths.resize(self.tree_level() as usize, [0; LOOKAHEAD]);
        for pages in paths {
            for ((slot, place), &key) in slots.iter_mut().zip(&*places).zip(keys) {
                *slot = self.internals[place.leaf as usize].slot(key);
            }
            for ((place, page), &slot) in places.iter_mut().zip(&mut pages[first..]).zip(&slots) {
                *page = place.leaf;
                let child = self.internals[place.leaf as usize].children[slot];
                place.edge_distance_leaves += child.leaves_right;
                place.leaf = child.page;
            }
        }
        // The ends of the leaves, which are written next.
        for place in places {
            black_box(self.leaves.keys(place.leaf).last().copied());
        }
    }

    /// Adds `key`, which may be above every earlier key, to a full leaf and divides it.
    /// Returns where `key` is now.
    #[cold]
    fn split_leaf<S: Sink>(&mut self, leaf: u32, key: K, maximum: bool, sink: &mut S) -> Place {
        let rightmost = leaf == self.right_edge[0];
        let keys = self.leaves.keys(leaf);
        let last = maximum || rightmost && keys.iter().all(|&other| other < key);
        let left_entries =
            self.geometry.leaf[usize::from(rightmost)].left_entries[usize::from(last)] as usize;
        let old_right = self.leaves.right(leaf);
        let new = self.file.allocate(0);
        let separator = self.leaves.divide(leaf, key, left_entries, new);
        if rightmost {
            self.right_edge[0] = new;
            self.right_edge_low = Some(separator);
        }
        if S::TOUCHES {
            touches::divided(0, new, old_right, sink);
        }
        let new_entry_left = key < separator;
        sink.split(&Split {
            level: 0,
            rightmost,
            new_entry_left,
            left: leaf,
            right: new,
            left_entries: left_entries as u32,
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
            let internal = &mut self.internals[page as usize];
            let slot = internal.slot(key);
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
                    self.touch_new_root(sink);
                }
                sink.new_root(self.root);
                break;
            };
            if S::TOUCHES {
                touches::touch(level, page, Access::Write, sink);
            }
            let rightmost = page == self.right_edge[level];
            let class = &self.geometry.internal[usize::from(rightmost)];
            let internal = &mut self.internals[page as usize];
            internal.insert(slot, separator, child, leaves_moved);
            let children = internal.children.len() as u32;
            if children <= class.capacity {
                sink.separator(&Separator {
                    page,
                    rightmost,
                    children,
                });
                break;
            }
            let last = rightmost && slot + 2 == children as usize;
            let left_entries = class.left_entries[usize::from(last)] as usize;
            let right;
            let old_right = internal.right;
            child = self.file.next(level);
            (separator, right, leaves_moved) =
                self.internals[page as usize].divide(left_entries, child);
            self.put_internal(level, right);
            if S::TOUCHES {
                touches::divided(level, child, old_right, sink);
            }
            if rightmost {
                self.right_edge[level] = child;
            }
            let new_entry_left = slot + 1 < left_entries;
            sink.split(&Split {
                level: level as u32,
                rightmost,
                new_entry_left,
                left: page,
                right: child,
                left_entries: left_entries as u32,
                old_right: None,
            });
            level += 1;
        }
        self.path = path;
    }

    /// Makes a new root above the old one and its right sibling `child`.
    fn grow(&mut self, separator: K, child: u32, leaves_below_child: u32) {
        let below = [(self.root, leaves_below_child), (child, 0)];
        let children = below.map(|(page, leaves_right)| Child { page, leaves_right });
        let root = Internal::new(vec![separator], children.to_vec());
        self.root = self.put_internal(self.right_edge.len(), root);
        self.right_edge.push(self.root);
    }

    fn put_internal(&mut self, level: usize, page: Internal<K>) -> u32 {
        let number = self.file.allocate(level);
        match self.internals.get_mut(number as usize) {
            Some(old) => *old = page,
            None => self.internals.push(page),
        }
        number
    }

    /// The page arithmetic.
    pub fn geometry(&self) -> &Geometry {
        &self.geometry
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
        self.file.in_tree(0) as u64
    }

    /// Internal pages, the root included.
    pub fn internal_pages(&self) -> u64 {
        self.file.in_tree(1) as u64
    }

    /// Level of the root; 0 is a lone leaf.
    pub fn tree_level(&self) -> u32 {
        self.right_edge.len() as u32 - 1
    }

    /// Size of the index's file, which never shrinks.
    pub fn index_bytes(&self) -> u64 {
        let pages = self.geometry.meta_pages + self.file.pages() as u64;
        pages * u64::from(self.geometry.page_bytes)
    }

    /// The number of the leaf that holds or would hold `key`.
    pub fn leaf_of(&self, key: K) -> u32 {
        self.locate(key).leaf
    }

    /// Bytes that the entries and high keys of all internal pages take.
    pub fn internal_used_bytes(&self) -> u64 {
        let levels = self.levels();
        let pages = levels[1..].iter().flatten();
        pages
            .map(|&number| {
                let rightmost = self.right_edge[1..].contains(&number);
                let page = &self.geometry.internal[usize::from(rightmost)];
                let children = self.internals[number as usize].children.len();
                u64::from(page.used_bytes(children as u32))
            })
            .sum()
    }

    /// What an internal page has room for.
    pub fn internal_usable_bytes(&self) -> u32 {
        self.geometry.internal[0].usable_bytes
    }

    /// What a leaf has room for.
    pub fn leaf_usable_bytes(&self) -> u32 {
        self.geometry.leaf[0].usable_bytes
    }

    /// The leaves from left to right, each with its place in the file, its entries and
    /// the bytes that these and the high key take.
    pub fn leaves(&self) -> impl Iterator<Item = (u32, u32, u32)> {
        self.leaf_numbers().map(|leaf| {
            let entries = self.leaves.entries(leaf);
            let page = &self.geometry.leaf[usize::from(leaf == self.right_edge[0])];
            (self.file.page(0, leaf), entries, page.used_bytes(entries))
        })
    }

    fn leaf_numbers(&self) -> impl Iterator<Item = u32> {
        let below = |page, _| self.internals[page as usize].children[0].page;
        let first = (0..self.tree_level()).fold(self.root, below);
        std::iter::successors(Some(first), |&leaf| self.leaves.right(leaf))
    }

    /// All keys in order.
    pub fn keys(&self) -> impl Iterator<Item = K> {
        self.leaf_numbers().flat_map(|leaf| {
            let mut keys = self.leaves.keys(leaf).to_vec();
            keys.sort_unstable();
            keys
        })
    }
}

#[cfg(test)]
mod tests;
