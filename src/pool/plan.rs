//! From a cache's size to the cache of an engine.

use super::{Cache, Pcache, SqliteLoad};
use crate::engine::{EngineError, Model};
use crate::store::{Design, PageId, Space};

/// A cache that a load goes through.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CachePlan {
    /// Its size; pages of the engine that fit.
    pub bytes: u64,
    /// Rows from one commit to the next.
    pub rows_per_transaction: u64,
}

/// Pages that any cache must hold: more than a path from the root to a leaf and what
/// a split needs beside it.
const LEAST_PAGES: u64 = 16;

impl CachePlan {
    /// The cache of the engine of `design` in its state before a load.
    ///
    /// # Errors
    /// A cache too small or too large.
    pub fn open(&self, design: &Design) -> Result<Box<dyn Cache>, EngineError> {
        let name = design.profile.engine.name;
        let page_bytes = u64::from(design.page_bytes());
        let pages = self.bytes / page_bytes;
        if !(LEAST_PAGES..=1 << 29).contains(&pages) {
            let message = format!(
                "{name}: a cache of {} bytes is {pages} pages of {page_bytes}, expected {LEAST_PAGES} to 2^29 pages",
                self.bytes
            );
            return Err(EngineError::new("cache", message));
        }
        Ok(match design.profile.engine.model {
            Model::Sqlite => {
                let roots = [Space::Index, Space::Table].map(|space| PageId::new(space, 0));
                let roots = &roots[..design.trees()];
                let cache = Pcache::new(pages as u32, roots);
                Box::new(SqliteLoad::new(cache, self.rows_per_transaction))
            }
            _ => todo!(),
        })
    }
}
