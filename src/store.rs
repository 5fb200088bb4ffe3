//! Stores: what consumes a stream of ids and emits events.

mod btree;
mod load;

pub use btree::{BTree, Uniqueness};
pub use load::{Checkpoints, LoadError, Loaded, NEWEST, load};

/// A key was inserted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Insert {
    /// The leaf it went to.
    pub leaf: u32,
    /// Leaves to the right of that leaf.
    pub edge_distance_leaves: u32,
    /// Whether the key is above every earlier key.
    pub new_maximum: bool,
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
    /// The page that was divided, now the left one: a leaf's number if `level` is 0.
    pub left: u32,
    /// The new page.
    pub right: u32,
}

/// Receives a store's events in order.
pub trait Sink {
    /// A key was inserted.
    fn insert(&mut self, event: &Insert);
    /// A page was divided.
    fn split(&mut self, event: &Split);
}

/// Ignores all events.
impl Sink for () {
    fn insert(&mut self, _: &Insert) {}
    fn split(&mut self, _: &Split) {}
}
