//! Buffer pools: which page requests an engine's cache answers, and what it writes back.
//!
//! To add a pool: write `src/pool/<name>.rs` with a type that is a [`Pool`].

mod clock_sweep;
mod curve;
mod distance;
mod innodb;
mod innodb_lru;
mod list;
mod lru;
mod pcache;
mod plan;
mod postgres;
mod sqlite;
mod stack;
mod table;
mod two_list;

pub use clock_sweep::{ClockSweep, Ring};
pub use curve::Curve;
pub use distance::StackDistances;
pub use innodb::{InnoDbCosts, InnoDbLoad, InnoDbPool};
pub use lru::Lru;
pub use pcache::Pcache;
pub use plan::{CachePlan, Commits, Policy, Writes};
pub use postgres::{Method, PostgresPlan, PostgresPool, Release, heap_page_rows};
pub use sqlite::SqliteLoad;
pub use two_list::TwoList;

use crate::store::{Sink, Space, Touch};

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

impl std::ops::Add for Counts {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            hits: self.hits + other.hits,
            reads: self.reads + other.reads,
            new_pages: self.new_pages + other.new_pages,
            write_backs: self.write_backs + other.write_backs,
            flushes: self.flushes + other.flushes,
        }
    }
}

/// Counts by space of the page.
pub type CountsBySpace = [Counts; Space::COUNT];

/// What a load's page requests go through: an engine's cache and what the engine adds.
pub trait Cache: Send {
    /// The insert of a row begins.
    fn begin(&mut self);
    /// A page is asked for.
    fn touch(&mut self, touch: Touch);
    /// The pages from a root down to a leaf are read, one after the other.
    fn descend(&mut self, path: &[Touch]) {
        path.iter().for_each(|&touch| self.touch(touch));
    }
    /// The load ends; what happened during it.
    fn finish(&mut self) -> CountsBySpace;
}

/// A sink that wants page requests, as a cache.
macro_rules! sink_as_cache {
    ($($type:ty),*) => {
        $(impl Cache for $type {
            fn begin(&mut self) {
                Sink::begin(self);
            }

            fn touch(&mut self, touch: Touch) {
                Sink::touch(self, touch);
            }

            fn finish(&mut self) -> CountsBySpace {
                *self.pool().counts()
            }
        })*
    };
}

sink_as_cache!(InnoDbLoad, PostgresPool);

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

#[cfg(test)]
mod tests;
