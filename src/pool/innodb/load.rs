//! A load of rows by transactions: [`InnoDbLoad`].

use super::{InnoDbCosts, InnoDbPool};
use crate::pool::Pool;
use crate::store::{Access, Insert, PageId, Sink, Space, Split, Touch};

/// Clean pages in the pool of a server that has just started (dictionary, rollback
/// segments, maps): what `INNODB_BUFFER_POOL_STATS` shows of MariaDB 10.11 then.
const PAGES_AT_START: u32 = 277;
/// Rollback segments, which transactions take in turn.
const ROLLBACK_SEGMENTS: u64 = 128;
/// Bytes of a page that hold undo records.
const UNDO_BYTES: u64 = 16384 - 120;
/// Bytes of an undo record of an insert besides the key: pointers, type, numbers of
/// the record and the table, length of the key.
const UNDO_RECORD_BYTES: u64 = 11;

/// Feeds a store's touches to a pool, with those of the transactions' undo logs.
///
/// Each transaction takes the next of 128 rollback segments: the segment's head and
/// its undo pages, which are in [`Space::Other`].
#[derive(Clone, Debug)]
pub struct InnoDbLoad {
    pool: InnoDbPool,
    rows: u64,
    rows_per_transaction: u64,
    pages_per_segment: u64,
}

impl InnoDbLoad {
    /// A load into a fresh server with a pool of `mebibytes`; `key_bytes` are those
    /// of the primary key.
    pub fn new(
        mebibytes: u32,
        costs: InnoDbCosts,
        rows_per_transaction: u64,
        key_bytes: u32,
    ) -> Self {
        let rows_per_transaction = rows_per_transaction.max(1);
        let record = UNDO_RECORD_BYTES + u64::from(key_bytes);
        let undo_pages = (rows_per_transaction * record).div_ceil(UNDO_BYTES);
        let pages_per_segment = 1 + undo_pages;
        let mut pool = InnoDbPool::new(mebibytes, costs);
        let undo = ROLLBACK_SEGMENTS * pages_per_segment;
        for page in 0..PAGES_AT_START {
            // The heads of the segments are among these pages.
            let number = match u64::from(page) {
                head if head < ROLLBACK_SEGMENTS => head * pages_per_segment,
                other => undo + other,
            };
            pool.warm(PageId::new(Space::Other, number as u32));
        }
        Self {
            pool,
            rows: 0,
            rows_per_transaction,
            pages_per_segment,
        }
    }

    /// The pool.
    pub fn pool(&self) -> &InnoDbPool {
        &self.pool
    }

    fn begin_transaction(&mut self, number: u64) {
        let first = number % ROLLBACK_SEGMENTS * self.pages_per_segment;
        for page in 0..self.pages_per_segment {
            let is_new = page > 0 && number < ROLLBACK_SEGMENTS;
            self.pool.touch(Touch {
                page: PageId::new(Space::Other, (first + page) as u32),
                level: 0,
                access: if is_new { Access::New } else { Access::Write },
            });
        }
    }
}

impl Sink for InnoDbLoad {
    const TOUCHES: bool = true;

    #[inline]
    fn begin(&mut self) {
        self.pool.row();
        if self.rows.is_multiple_of(self.rows_per_transaction) {
            self.begin_transaction(self.rows / self.rows_per_transaction);
        }
        self.rows += 1;
    }

    #[inline]
    fn touch(&mut self, touch: Touch) {
        self.pool.touch(touch);
    }

    fn insert(&mut self, _: &Insert) {}
    fn split(&mut self, _: &Split) {}
}
