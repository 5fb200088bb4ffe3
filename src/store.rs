//! Stores: what consumes a stream of ids and emits events.

mod any;
mod b_star;
mod btree;
mod cow;
mod design;
mod innodb;
mod load;
mod secondary;
mod sqlite;
mod tree;
mod wiredtiger;

pub use any::AnyTree;
pub use b_star::BStar;
pub use btree::{BTree, Uniqueness};
pub use cow::{CowEngine, CowTree, LmdbFile};
pub use design::{Design, Sizes};
pub use innodb::{InnoDb, InnoDbFormat, InnoDbIndex, InnoDbIndexed};
pub use load::{Checkpoints, LoadError, Loaded, NEWEST, Purge, load};
pub use secondary::{MOST_SECONDARIES, WithSecondaries};
pub use sqlite::{SqliteIndexed, SqliteLayout, SqliteTree};
pub use tree::{Leaf, Size, Tree};
pub use wiredtiger::WiredTiger;

/// A key was inserted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Insert {
    /// The leaf it went to.
    pub leaf: u32,
    /// Leaves to the right of that leaf.
    pub edge_distance_leaves: u32,
    /// Whether the key is above every earlier key.
    pub new_maximum: bool,
    /// Whether the leaf split for it: then that is what was logged.
    pub split: bool,
    /// Entries of the leaf, the new one included.
    pub entries: u32,
}

/// A page was divided; an insert follows if it was a leaf.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Split {
    /// Level of the page, 0 for a leaf.
    pub level: u32,
    /// Whether it was the rightmost page of its level.
    pub rightmost: bool,
    /// Whether the new entry went to the left page.
    pub new_entry_left: bool,
    /// The page to the left, by number within its kind (leaf or internal).
    pub left: u32,
    /// The page to the right; the new one, unless the store says otherwise.
    pub right: u32,
    /// Entries of the left page, the new one included if it went there.
    pub left_entries: u32,
    /// The leaf that was to the right of the divided one, where the store tells it.
    pub old_right: Option<Neighbour>,
}

/// A leaf beside another one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Neighbour {
    /// Its number.
    pub leaf: u32,
    /// Whether it is the rightmost leaf.
    pub rightmost: bool,
    /// Its entries.
    pub entries: u32,
}

/// A separator was put into an internal page that had room.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Separator {
    /// The page.
    pub page: u32,
    /// Whether it is the rightmost page of its level.
    pub rightmost: bool,
    /// Children of the page, the new one included.
    pub children: u32,
}

/// A group of pages that are numbered together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Space {
    /// Leaves of the index of the ids; all its pages where leaves and internal pages share numbers.
    Index,
    /// Internal pages of that index.
    IndexInternal,
    /// Where the rows lie if not in the index of the ids: a heap or a tree by a counter.
    Table,
    /// Internal pages of that tree.
    TableInternal,
    /// Leaves of further indexes; all their pages where leaves and internal pages share numbers.
    Secondary,
    /// Internal pages of these.
    SecondaryInternal,
    /// Whatever else is kept in pages: metapages, maps of free space, undo logs.
    Other,
}

impl Space {
    /// Number of spaces.
    pub const COUNT: usize = 7;
}

/// A page of a store.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PageId(u32);

const NUMBER_BITS: u32 = 29;

impl PageId {
    /// Page `number` (below 2^29) of `space`.
    #[inline]
    pub fn new(space: Space, number: u32) -> Self {
        debug_assert!(number >> NUMBER_BITS == 0);
        Self((space as u32) << NUMBER_BITS | number)
    }

    /// Which space, as a number below [`Space::COUNT`].
    #[inline]
    pub fn space(self) -> usize {
        (self.0 >> NUMBER_BITS) as usize
    }

    /// The number within the space.
    #[inline]
    pub fn number(self) -> u32 {
        self.0 & ((1 << NUMBER_BITS) - 1)
    }
}

/// What an engine does with a page that it asks its buffer pool for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// It is looked at.
    Read,
    /// It is looked at and changed.
    Write,
    /// It is made: no read is needed, and it is dirty.
    New,
    /// It is given up: its content no longer matters.
    Free,
}

/// One request for a page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Touch {
    /// The page.
    pub page: PageId,
    /// Its level, 0 for a leaf or a page outside a tree.
    pub level: u8,
    /// What is done with it.
    pub access: Access,
}

/// Receives a store's events in order.
pub trait Sink {
    /// Whether [`Sink::begin`] and [`Sink::touch`] are wanted; a store spares the work if not.
    const TOUCHES: bool = false;
    /// The insert of a row begins.
    fn begin(&mut self) {}
    /// A page is asked for, in the engine's own order.
    fn touch(&mut self, _: Touch) {}
    /// The pages from a root down to a leaf are read, one after the other.
    fn descend(&mut self, path: &[Touch]) {
        path.iter().for_each(|&touch| self.touch(touch));
    }
    /// A key was inserted.
    fn insert(&mut self, event: &Insert);
    /// A page was divided.
    fn split(&mut self, event: &Split);
    /// A separator was put into an internal page that had room.
    fn separator(&mut self, _: &Separator) {}
    /// Internal page `page` was made as the root above the old one.
    fn new_root(&mut self, _page: u32) {}
}

/// Ignores all events.
impl Sink for () {
    fn insert(&mut self, _: &Insert) {}
    fn split(&mut self, _: &Split) {}
}

/// Passes on which pages are asked for, and no other event.
struct Touches<'a, S>(&'a mut S);

impl<S: Sink> Sink for Touches<'_, S> {
    const TOUCHES: bool = S::TOUCHES;

    #[inline]
    fn touch(&mut self, touch: Touch) {
        self.0.touch(touch);
    }

    #[inline]
    fn descend(&mut self, path: &[Touch]) {
        self.0.descend(path);
    }

    fn insert(&mut self, _: &Insert) {}
    fn split(&mut self, _: &Split) {}
}

/// Keeps the events that every store emits.
#[cfg(test)]
#[derive(Debug, Default, PartialEq)]
struct Events {
    inserts: Vec<Insert>,
    splits: Vec<Split>,
}

#[cfg(test)]
impl Sink for Events {
    fn insert(&mut self, event: &Insert) {
        self.inserts.push(*event);
    }

    fn split(&mut self, event: &Split) {
        self.splits.push(*event);
    }
}
