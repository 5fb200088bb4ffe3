//! The heap of a table and its free space map.

use super::super::{ClockSweep, Pool};
use super::{Copy, PostgresPlan, Release};
use crate::id::Column;
use crate::store::{Access, PageId, Space, Touch};
use std::ops::Range;

pub(super) const PAGE_BYTES: u32 = 8192;
const PAGE_HEADER_BYTES: u32 = 24;
/// 23 bytes and no null bitmap, rounded up.
const TUPLE_HEADER_BYTES: u32 = 24;
const LINE_POINTER_BYTES: u32 = 4;
const MAX_ALIGN: u32 = 8;

/// Most pages that a heap is extended by at once (`MAX_BUFFERS_TO_EXTEND_BY`).
const MOST_EXTENDED: u32 = 64;
/// Processes besides the connections, with release 18's settings: 16 autovacuum
/// worker slots, 8 workers, 10 WAL senders, 2 special workers, 38 auxiliary ones.
const OTHER_PROCESSES: u32 = 16 + 8 + 10 + 2 + 38;
/// Pins that a connection is taken to hold already (`REFCOUNT_ARRAY_ENTRIES`).
const PINS_HELD: u32 = 8;

/// Heap pages that a lowest page of the map is for (`SlotsPerFSMPage`).
const MAP_SLOTS: u32 = 4069;
const MAP_ROOT: u32 = 0;
const MAP_MIDDLE: u32 = 1;
const MAP_LOWEST: u32 = 2;

/// A heap that only grows.
///
/// Its rows are equally wide. When the last page is full that is noted in the
/// map, which is then searched in vain, and the heap is extended.
#[derive(Clone, Debug)]
pub(super) struct Heap {
    release: Release,
    page_rows: u32,
    /// Pages made.
    pages: u32,
    /// Those of them that have rows.
    used: u32,
    /// Rows of the last of these.
    last_rows: u32,
    /// Whether that is pinned.
    holds: bool,
    /// Pages of the map.
    map_pages: u32,
    /// Lowest pages of the map of which the upper ones promise room that is used by now.
    stale: Range<u32>,
}

fn page(number: u32) -> PageId {
    PageId::new(Space::Table, number)
}

fn touch(number: u32, access: Access) -> Touch {
    Touch {
        page: page(number),
        level: 0,
        access,
    }
}

/// Rows of a page of PostgreSQL's heap, 8 KiB, for a table of an id and a text.
pub fn heap_page_rows(column: Column, payload_bytes: u32) -> u32 {
    let id_end = match column {
        Column::Bigint => TUPLE_HEADER_BYTES + 8,
        Column::Uuid => TUPLE_HEADER_BYTES + 16,
        Column::Bytes(n) | Column::Text(n) => value_end(TUPLE_HEADER_BYTES, n),
    };
    let tuple_bytes = value_end(id_end, payload_bytes).next_multiple_of(MAX_ALIGN);
    ((PAGE_BYTES - PAGE_HEADER_BYTES) / (tuple_bytes + LINE_POINTER_BYTES)).max(1)
}

/// Where a value of variable length ends that comes after `start`.
fn value_end(start: u32, bytes: u32) -> u32 {
    // Below 127 bytes the length takes 1 byte, else 4, aligned.
    if bytes < 127 {
        start + 1 + bytes
    } else {
        start.next_multiple_of(4) + 4 + bytes
    }
}

impl Heap {
    pub fn new(plan: &PostgresPlan) -> Self {
        Self {
            release: plan.release,
            page_rows: heap_page_rows(plan.column, plan.payload_bytes),
            pages: 0,
            used: 0,
            last_rows: 0,
            holds: false,
            map_pages: 0,
            stale: 0..0,
        }
    }

    /// Pages of the heap.
    pub fn pages(&self) -> u32 {
        self.pages
    }

    /// Pages of its free space map.
    pub fn map_pages(&self) -> u32 {
        self.map_pages
    }

    fn is_full(&self) -> bool {
        self.used == 0 || self.last_rows == self.page_rows
    }

    /// Inserts a row.
    #[inline]
    pub fn insert(&mut self, pool: &mut ClockSweep) {
        if self.used > 0 {
            pool.touch(touch(self.used - 1, Access::Write));
        }
        if self.is_full() {
            self.leave_page(pool);
            pool.touch(touch(self.used, Access::New));
            self.pages += 1;
            self.start_page();
        }
        self.last_rows += 1;
    }

    /// Inserts the rows of a batch.
    pub fn insert_batch(&mut self, copy: &mut Copy, pool: &mut ClockSweep) {
        if !self.holds && self.used > 0 {
            pool.touch_in_ring(touch(self.used - 1, Access::Write), &mut copy.ring);
            self.hold(pool);
        }
        let mut rows = copy.batch_rows as u32;
        while rows > 0 {
            if self.is_full() {
                self.leave_page(pool);
                if self.used == self.pages {
                    self.extend(rows.div_ceil(self.page_rows), copy, pool);
                } else {
                    pool.touch_in_ring(touch(self.used, Access::Write), &mut copy.ring);
                }
                self.start_page();
                self.hold(pool);
            }
            let here = rows.min(self.page_rows - self.last_rows);
            self.last_rows += here;
            rows -= here;
        }
    }

    /// Keeps the last page pinned, as a COPY does.
    fn hold(&mut self, pool: &mut ClockSweep) {
        pool.pin(page(self.used - 1));
        self.holds = true;
    }

    /// Ends that.
    pub fn release(&mut self, pool: &mut ClockSweep) {
        if std::mem::take(&mut self.holds) {
            pool.unpin(page(self.used - 1));
        }
    }

    fn start_page(&mut self) {
        self.used += 1;
        self.last_rows = 0;
    }

    /// The last page is full: looks for another one, in vain unless the heap was
    /// extended ahead.
    fn leave_page(&mut self, pool: &mut ClockSweep) {
        if self.used == 0 {
            return;
        }
        let last = self.used - 1;
        self.record(last, pool);
        if self.used == self.pages {
            self.search(pool);
        }
        self.release(pool);
    }

    /// Makes at least the `wanted` pages, as far as the release lets it.
    fn extend(&mut self, wanted: u32, copy: &mut Copy, pool: &mut ClockSweep) {
        let by = self.extend_by(wanted, copy, pool);
        let (first, end) = (self.pages, self.pages + by);
        for number in first..end {
            pool.touch_in_ring(touch(number, Access::New), &mut copy.ring);
            pool.pin(page(number));
        }
        for number in first..end {
            pool.unpin(page(number));
        }
        for number in first + wanted.min(by)..end {
            self.record(number, pool);
        }
        self.promise(first + wanted..end - 1, pool);
        self.pages = end;
        copy.extended_by += by;
    }

    /// Source: `RelationAddBlocks` in `hio.c`, `LimitAdditionalPins` in `bufmgr.c` (release 18).
    fn extend_by(&self, wanted: u32, copy: &Copy, pool: &ClockSweep) -> u32 {
        let Release::Postgres18 { max_connections } = self.release else {
            return 1;
        };
        let share = pool.buffers() as u32 / max_connections.saturating_add(OTHER_PROCESSES);
        let pins = share.saturating_sub(PINS_HELD).max(1);
        wanted.max(copy.extended_by).min(MOST_EXTENDED).min(pins)
    }

    /// Notes the free space of a heap page in the map (`fsm_set_and_search`).
    fn record(&mut self, heap_page: u32, pool: &mut ClockSweep) {
        let lowest = MAP_LOWEST + heap_page / MAP_SLOTS;
        if lowest < self.map_pages {
            return touch_map(lowest, Access::Write, pool);
        }
        match self.release {
            // The file is extended past the buffers, then the page is read.
            Release::Postgres15 => touch_map(lowest, Access::Write, pool),
            Release::Postgres18 { .. } => {
                (self.map_pages..=lowest).for_each(|page| touch_map(page, Access::New, pool));
            }
        }
        self.map_pages = lowest + 1;
    }

    /// Looks for room, from the root down (`fsm_search`). Each stale promise is
    /// followed to the end, corrected on the page above, and the search begins anew.
    fn search(&mut self, pool: &mut ClockSweep) {
        let stale = std::mem::take(&mut self.stale);
        let any = !stale.is_empty();
        for lowest in stale {
            touch_map(MAP_ROOT, Access::Read, pool);
            touch_map(MAP_MIDDLE, Access::Read, pool);
            touch_map(lowest, Access::Read, pool);
            touch_map(MAP_MIDDLE, Access::Write, pool);
        }
        if any {
            touch_map(MAP_ROOT, Access::Read, pool);
            touch_map(MAP_MIDDLE, Access::Read, pool);
            touch_map(MAP_ROOT, Access::Write, pool);
        }
        touch_map(MAP_ROOT, Access::Read, pool);
    }

    /// Tells the upper pages of the map of pages made ahead (`FreeSpaceMapVacuumRange`).
    fn promise(&mut self, pages: Range<u32>, pool: &mut ClockSweep) {
        if pages.is_empty() {
            return;
        }
        let lowest = |page| MAP_LOWEST + page / MAP_SLOTS;
        self.stale = lowest(pages.start)..lowest(pages.end - 1) + 1;
        touch_map(MAP_ROOT, Access::Write, pool);
        touch_map(MAP_MIDDLE, Access::Write, pool);
        for page in self.stale.clone() {
            touch_map(page, Access::Write, pool);
        }
    }
}

fn touch_map(number: u32, access: Access, pool: &mut ClockSweep) {
    pool.touch(Touch {
        page: PageId::new(Space::TableInternal, number),
        level: 0,
        access,
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1,000,000 rows with a payload of 100 bytes take 17,242, 18,182, 18,182
    /// and 19,231 pages in PostgreSQL 15.20.
    #[test]
    fn rows_of_a_page_are_the_engine_s() {
        for (column, pages) in [
            (Column::Bigint, 17_242),
            (Column::Uuid, 18_182),
            (Column::Bytes(16), 18_182),
            (Column::Bytes(20), 19_231),
        ] {
            assert_eq!(1_000_000_u32.div_ceil(heap_page_rows(column, 100)), pages);
        }
        assert_eq!(heap_page_rows(Column::Bigint, 126), 49);
        assert_eq!(heap_page_rows(Column::Bigint, 127), 47);
        assert_eq!(heap_page_rows(Column::Bigint, 20_000), 1);
    }
}
