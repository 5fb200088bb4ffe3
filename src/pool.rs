//! Buffer pools: which page requests an engine's cache answers, and what it writes back.
//!
//! To add a pool: write `src/pool/<name>.rs` with a type that is a [`Pool`].

mod innodb;
mod innodb_lru;

pub use innodb::{InnoDbCosts, InnoDbLoad, InnoDbPool};

use crate::store::{Space, Touch};

/// What happened to the requests for pages of one space.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Requests for a page that was in the pool.
    pub hits: u64,
    /// Pages read into the pool.
    pub reads: u64,
    /// Pages made in the pool.
    pub new_pages: u64,
    /// Changed pages written to make room.
    pub write_backs: u64,
    /// Changed pages written by a commit or a checkpoint.
    pub flushes: u64,
}

/// Counts by space of the page.
pub type CountsBySpace = [Counts; Space::COUNT];

/// A cache of pages with one engine's rules. Sizes are in pages.
pub trait Pool {
    /// Asks for a page.
    fn touch(&mut self, touch: Touch);
    /// A transaction is committed.
    fn commit(&mut self) {}
    /// All changed pages are written.
    fn checkpoint(&mut self) {}
    /// What happened so far.
    fn counts(&self) -> &CountsBySpace;
}
