//! Stores: what consumes a stream of ids and emits events.

mod btree;
mod innodb;
mod load;
mod sqlite;

pub use btree::{BTree, Uniqueness};
pub use innodb::{InnoDb, InnoDbFormat, InnoDbIndex};
pub use load::{Checkpoints, LoadError, Loaded, NEWEST, load};
pub use sqlite::{SqliteIndexed, SqliteLayout, SqliteTree};

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

/// Receives a store's events in order.
pub trait Sink {
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
