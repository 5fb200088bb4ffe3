//! From a cache's size to the cache of an engine.

use super::{
    Cache, CountsBySpace, InnoDbCosts, InnoDbLoad, Lru, Method, Pcache, Pool, PostgresPlan,
    PostgresPool, Release, SqliteLoad, TwoList,
};
use crate::engine::{EngineError, Log, Model, Pages};
use crate::names::plural;
use crate::store::{Design, PageId, Space, Touch};

/// Which page leaves a cache to make room.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Policy {
    /// As the engine does it: of LMDB the operating system, of engines whose rules
    /// are not known or not modelled the least recently used one.
    #[default]
    OfEngine,
    /// The least recently used one.
    Lru,
    /// By the operating system's two lists, active and inactive.
    TwoList,
}

/// A cache that a load goes through.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CachePlan {
    /// Its size; pages of the engine that fit.
    pub bytes: u64,
    /// Which page leaves it.
    pub policy: Policy,
    /// How rows arrive, and where, if the engine is PostgreSQL.
    pub postgres: (Release, Method),
}

/// When a cache writes changed pages, but to make room.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Writes {
    /// By the engine's rules about commits.
    AtCommits,
    /// At checkpoints.
    AtCheckpoints,
}

/// When changes are made to last.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Commits {
    /// Rows from one commit to the next.
    pub transaction_rows: u64,
    /// Rows from one checkpoint to the next; none at all if `None`.
    pub checkpoint_rows: Option<u64>,
}

/// What PostgreSQL is taken for unless told: rows by INSERT, `max_connections` as it comes.
const POSTGRES_INSERT: (Release, Method) = (
    Release::Postgres18 {
        max_connections: 100,
    },
    Method::Insert,
);

/// Pages that any cache must hold: more than a path from the root to a leaf and what
/// a split needs beside it.
const LEAST_PAGES: u64 = 16;
const MOST_PAGES: u64 = 1 << 29;
/// `innodb_buffer_pool_size` comes in steps of this.
const LEAST_INNODB_MIB: u32 = 8;
/// Bytes of the counter that clusters a table with a secondary index.
const COUNTER_BYTES: u32 = 8;

impl CachePlan {
    /// A cache of this size with the engine's own rules, rows by INSERT if it is PostgreSQL.
    pub fn new(bytes: u64) -> Self {
        Self {
            bytes,
            policy: Policy::OfEngine,
            postgres: POSTGRES_INSERT,
        }
    }

    /// Which of [`Commits`] the cache of an engine takes notice of.
    pub fn writes(&self, model: Model) -> Writes {
        match (self.policy, model) {
            // A copy-on-write store writes what it changed with each commit.
            (_, Model::Lmdb | Model::Redb) | (Policy::OfEngine, Model::Sqlite | Model::InnoDb) => {
                Writes::AtCommits
            }
            _ => Writes::AtCheckpoints,
        }
    }

    /// The cache of the engine of `design` in its state before a load.
    ///
    /// # Errors
    /// A cache too small or too large.
    pub fn open(&self, design: &Design, commits: Commits) -> Result<Box<dyn Cache>, EngineError> {
        let name = design.profile.engine.name;
        let page_bytes = design.page_bytes();
        let pages = self.bytes / u64::from(page_bytes);
        if !(LEAST_PAGES..=MOST_PAGES).contains(&pages) {
            let message = format!(
                "{name}: a cache of {} is {} of {page_bytes}, expected {LEAST_PAGES} to {MOST_PAGES}",
                plural(self.bytes, "byte"),
                plural(pages, "page")
            );
            return Err(EngineError::new("cache", message));
        }
        let pages = pages as u32;
        let model = design.profile.engine.model;
        let writes = self.writes(model);
        Ok(match (self.policy, model) {
            (Policy::OfEngine, Model::Sqlite) => {
                let roots = [Space::Index, Space::Table].map(|space| PageId::new(space, 0));
                let cache = Pcache::new(pages, &roots[..design.trees()]);
                Box::new(SqliteLoad::new(cache, commits.transaction_rows))
            }
            (Policy::OfEngine, Model::InnoDb) => {
                let mebibytes = u32::try_from(self.bytes >> 20).unwrap_or(u32::MAX);
                if mebibytes < LEAST_INNODB_MIB {
                    let message = format!(
                        "{name}: a cache of {} bytes is too small, expected at least {LEAST_INNODB_MIB} MiB",
                        self.bytes
                    );
                    return Err(EngineError::new("cache", message));
                }
                let key_bytes = match design.trees() {
                    1 => design.column.value_bytes(),
                    _ => COUNTER_BYTES,
                };
                let costs = InnoDbCosts::BUSY;
                let rows = commits.transaction_rows;
                Box::new(InnoDbLoad::new(mebibytes, costs, rows, key_bytes))
            }
            (
                Policy::OfEngine,
                Model::Pages(Pages {
                    log: Log::Nbtree, ..
                }),
            ) => {
                let (release, method) = self.postgres;
                Box::new(PostgresPool::new(PostgresPlan {
                    buffers: pages as usize,
                    release,
                    method,
                    checkpoint_rows: commits.checkpoint_rows,
                    column: design.column,
                    payload_bytes: design.options.payload_bytes,
                }))
            }
            (Policy::TwoList, _) | (Policy::OfEngine, Model::Lmdb) => {
                plain(TwoList::new(pages, page_bytes), writes, commits)
            }
            _ => plain(Lru::new(pages), writes, commits),
        })
    }
}

fn plain(pool: impl Pool + Send + 'static, writes: Writes, commits: Commits) -> Box<dyn Cache> {
    Box::new(Plain {
        pool,
        checkpoint_rows: match writes {
            Writes::AtCommits => Some(commits.transaction_rows),
            Writes::AtCheckpoints => commits.checkpoint_rows,
        },
        rows: 0,
    })
}

/// A pool that is written clean after every so many rows.
struct Plain<P> {
    pool: P,
    checkpoint_rows: Option<u64>,
    rows: u64,
}

impl<P: Pool + Send> Cache for Plain<P> {
    fn begin(&mut self) {
        if self.checkpoint_rows == Some(self.rows) {
            self.pool.checkpoint();
            self.rows = 0;
        }
        self.rows += 1;
    }

    fn touch(&mut self, touch: Touch) {
        self.pool.touch(touch);
    }

    fn finish(&mut self) -> CountsBySpace {
        if self.checkpoint_rows.is_some() {
            self.pool.checkpoint();
        }
        *self.pool.counts()
    }
}
