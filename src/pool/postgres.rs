//! PostgreSQL's shared buffers during the load of a table: [`PostgresPool`].

mod heap;

use super::{ClockSweep, Counts, Pool, Ring};
use crate::id::Column;
use crate::store::{Insert, Sink, Space, Split, Touch};
use heap::Heap;
pub use heap::heap_page_rows;

/// Releases that differ in what a load asks of the buffers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Release {
    /// Release 15: a heap grows page by page.
    Postgres15,
    /// Release 18 (since 16): COPY extends the heap by several pages at once.
    Postgres18 {
        /// The setting; with the number of buffers it limits the pages at once.
        max_connections: u32,
    },
}

/// How rows arrive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Method {
    /// INSERT: each row into the heap, then into the index.
    Insert,
    /// COPY: a batch of rows into the heap by way of a ring, then into the index.
    Copy {
        /// Rows of one COPY; the next has a new ring.
        rows: u64,
        /// Bytes of a line of its input, without the line's end: they limit the batch.
        line_bytes: u32,
    },
}

/// What is loaded, and into what.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PostgresPlan {
    /// `shared_buffers`, in pages of 8 KiB.
    pub buffers: usize,
    /// The release.
    pub release: Release,
    /// How rows arrive.
    pub method: Method,
    /// Rows from one checkpoint to the next; none at all if `None`.
    pub checkpoint_rows: Option<u64>,
    /// Column of the id, the first of the table.
    pub column: Column,
    /// Bytes of the text beside it.
    pub payload_bytes: u32,
}

/// Rows of a COPY that are put into the heap at once (`MAX_BUFFERED_TUPLES`) …
const BATCH_ROWS: u64 = 1000;
/// … unless their lines reach this length before (`MAX_BUFFERED_BYTES`).
const BATCH_BYTES: u64 = 65_535;

/// PostgreSQL's shared buffers while one connection loads a table with one
/// index: the requests for index pages come as [`Touch`], those for the heap
/// and its free space map are added.
///
/// An index page that is read is one that exists: the first look at the
/// metapage is such a read.
/// Source: `CopyMultiInsertInfoFlush` in `copyfrom.c`, `heap_insert`,
/// `heap_multi_insert` in `heapam.c`, `RelationGetBufferForTuple` in `hio.c`.
///
/// Not modelled: what a server has in its buffers before the load (260 pages of
/// system catalogs in a new cluster, which go out one by one; putting them in
/// first changes the reads by up to 0.7 %, mostly by less than 0.1 %); rows wider
/// than a quarter of a page; lines of a COPY that differ in length.
#[derive(Clone, Debug)]
pub struct PostgresPool {
    plan: PostgresPlan,
    pool: ClockSweep,
    heap: Heap,
    copy: Option<Copy>,
    rows: u64,
}

/// A running COPY.
#[derive(Clone, Debug)]
struct Copy {
    ring: Ring,
    /// Rows still to come.
    rows: u64,
    /// Rows in the heap and not yet in the index.
    batch_rows: u64,
    /// Pages by which it extended the heap.
    extended_by: u32,
}

impl PostgresPool {
    /// The buffers before the first row.
    pub fn new(plan: PostgresPlan) -> Self {
        Self {
            plan,
            pool: ClockSweep::new(plan.buffers),
            heap: Heap::new(&plan),
            copy: None,
            rows: 0,
        }
    }

    /// The index: `idx_blks_read` is `reads`, in release 15 with `new_pages`;
    /// `idx_blks_hit` is `hits`.
    pub fn index(&self) -> Counts {
        self.sum([Space::Index, Space::IndexInternal, Space::Other])
    }

    /// The heap and its free space map; `heap_blks_read`, `heap_blks_hit` in the same way.
    pub fn heap(&self) -> Counts {
        self.sum([Space::Table, Space::TableInternal])
    }

    /// The buffers.
    pub fn pool(&self) -> &ClockSweep {
        &self.pool
    }

    /// Pages of the heap.
    pub fn heap_pages(&self) -> u32 {
        self.heap.pages()
    }

    /// Pages that the connection wrote to extend a file or to make room.
    ///
    /// `buffers_backend` of `pg_stat_bgwriter` is less by what the background
    /// writer wrote first, and is brought up to date only when half as many
    /// writes as there are buffers have gathered, or at a checkpoint.
    pub fn backend_writes(&self) -> u64 {
        let (index, heap) = (self.index(), self.heap());
        let extended = index.new_pages + u64::from(self.heap.pages() + self.heap.map_pages());
        extended + index.write_backs + heap.write_backs
    }

    fn sum<const N: usize>(&self, spaces: [Space; N]) -> Counts {
        let counts = self.pool.counts();
        spaces.iter().fold(Counts::default(), |sum, &space| {
            let Counts {
                hits,
                reads,
                new_pages,
                write_backs,
                flushes,
            } = counts[space as usize];
            Counts {
                hits: sum.hits + hits,
                reads: sum.reads + reads,
                new_pages: sum.new_pages + new_pages,
                write_backs: sum.write_backs + write_backs,
                flushes: sum.flushes + flushes,
            }
        })
    }

    /// A row of a COPY; the first of a batch brings all the batch into the heap.
    fn copy_row(&mut self, rows: u64, line_bytes: u32) {
        let mut copy = self.copy.take().unwrap_or_else(|| Copy {
            ring: self.pool.bulk_write_ring(heap::PAGE_BYTES),
            rows: rows.max(1),
            batch_rows: 0,
            extended_by: 0,
        });
        if copy.batch_rows == 0 {
            let line_bytes = u64::from(line_bytes.max(1));
            let full = BATCH_BYTES.div_ceil(line_bytes).min(BATCH_ROWS);
            copy.batch_rows = full.min(copy.rows);
            self.heap.insert_batch(&mut copy, &mut self.pool);
        }
        copy.batch_rows -= 1;
        copy.rows -= 1;
        self.copy = Some(copy);
    }
}

impl Sink for PostgresPool {
    const TOUCHES: bool = true;

    #[inline]
    fn begin(&mut self) {
        if self.copy.as_ref().is_some_and(|copy| copy.rows == 0) {
            self.copy = None;
            self.heap.release(&mut self.pool);
        }
        let interval = self.plan.checkpoint_rows.unwrap_or(0);
        if self.rows > 0 && interval > 0 && self.rows.is_multiple_of(interval) {
            self.pool.checkpoint();
        }
        match self.plan.method {
            Method::Insert => self.heap.insert(&mut self.pool),
            Method::Copy { rows, line_bytes } => self.copy_row(rows, line_bytes),
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
