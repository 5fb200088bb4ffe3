//! A load into SQLite in transactions: [`SqliteLoad`].

use super::{Cache, CountsBySpace, Pcache, Pool};
use crate::store::Touch;

/// The page cache of a connection that inserts rows in transactions of equal size.
#[derive(Clone, Debug)]
pub struct SqliteLoad {
    cache: Pcache,
    rows_per_transaction: u64,
    /// Rows of the transaction that is open.
    rows: u64,
}

impl SqliteLoad {
    /// A load through `cache` that commits after every `rows_per_transaction` rows.
    pub fn new(cache: Pcache, rows_per_transaction: u64) -> Self {
        Self {
            cache,
            rows_per_transaction,
            rows: 0,
        }
    }
}

impl Cache for SqliteLoad {
    #[inline]
    fn begin(&mut self) {
        if self.rows >= self.rows_per_transaction {
            self.cache.commit();
            self.rows = 0;
        }
        self.rows += 1;
        self.cache.begin();
    }

    #[inline]
    fn touch(&mut self, touch: Touch) {
        self.cache.touch(touch);
    }

    #[inline]
    fn descend(&mut self, path: &[Touch]) {
        self.cache.descend(path);
    }

    /// Commits what is left.
    fn finish(&mut self) -> CountsBySpace {
        self.cache.commit();
        self.rows = 0;
        *self.cache.counts()
    }
}
