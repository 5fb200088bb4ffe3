//! InnoDB's buffer pool: [`InnoDbPool`].
//!
//! Sources: MariaDB 10.11, `storage/innobase/buf/buf0buf.cc`, `buf0lru.cc` and
//! `buf0flu.cc`.

mod load;

use super::innodb_lru::{MidpointLru, NONE};
use super::table::PageTable;
use super::{Counts, CountsBySpace, Pool};
use crate::store::{Access, PageId, Space, Touch};
pub use load::InnoDbLoad;

/// `innodb_lru_scan_depth`: free pages at which the cleaner stops; it starts below half.
const LRU_SCAN_DEPTH: usize = 1536;
/// Pages up to which the cleaner is not called (`BUF_LRU_MIN_LEN`).
const LRU_MIN_LEN: usize = 256;
/// `innodb_io_capacity_max`: pages the cleaner writes in one pass.
const IO_CAPACITY_MAX: u32 = 2000;
/// Pages that an insert without a free frame looks at for a clean one.
const SCAN_THRESHOLD: u32 = 100;

/// Which scan of the list.
const CLEANER: usize = 0;
const INSERT: usize = 1;

/// How fast the machine is, in ns. Of these numbers no rule of the engine decides;
/// only their ratios matter much.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InnoDbCosts {
    /// A row, from one to the next, when every page is in the pool.
    pub insert_ns: u64,
    /// Reading a page.
    pub read_ns: u64,
    /// Writing a page, in the page cleaner's thread.
    pub write_ns: u64,
    /// How long inserts run before the cleaner catches up with them: threads on busy
    /// cores take turns.
    pub turn_ns: u64,
}

impl InnoDbCosts {
    /// Two cores shared with other work, as for the reference loads. Round numbers that
    /// suit their random keys, not found otherwise: on another machine those loads
    /// differ by 10 %. Loads in some order of time do not depend on them.
    pub const BUSY: Self = Self {
        insert_ns: 20_000,
        read_ns: 10_000,
        write_ns: 25_000,
        turn_ns: 20_000_000,
    };
}

/// InnoDB's buffer pool with its page cleaner, 16 KiB pages, one instance.
///
/// * Of each 8 MiB five pages go to the descriptors of the other 507.
/// * The cleaner, a thread of its own, starts when fewer than 768 pages are free. It
///   passes over the list from the tail on: clean pages become free, dirty ones are
///   written and become free in a later pass. It goes on until 1536 pages are free or
///   a twentieth of the pool (at most 256 pages) is left. So a small pool is emptied again and again.
/// * An insert that needs a page takes a free one. If there is none, it looks for a
///   clean one at the tail; if there is none either, it waits for the cleaner.
///
/// How full the pool is on the average is thus a race of the two threads, decided by
/// [`InnoDbCosts`], and the engine's own figures vary with it: of the same 10⁶ random rows
/// in 24 MiB MariaDB read 662,000 to 750,000 leaves, as other work on the machine went.
/// The clock also serves the rule that an old page becomes young only a second after its
/// first request. Not modelled: flushing because of the age of the log (it makes pools that
/// hold most of the table write more), read-ahead, several connections.
#[derive(Clone, Debug)]
pub struct InnoDbPool {
    costs: InnoDbCosts,
    /// One more than the frame of each page.
    table: PageTable,
    lru: MidpointLru,
    free_pages: usize,
    /// Pages that the cleaner leaves in the list.
    least_pages: usize,
    now_ns: u64,
    now_ms: u64,
    /// When the cleaner catches up next.
    turn_ns: u64,
    cleaner: Cleaner,
    /// Whether a look at the tail may help.
    scan_may_help: bool,
    counts: CountsBySpace,
}

/// The page cleaner's thread.
#[derive(Clone, Copy, Debug)]
struct Cleaner {
    is_active: bool,
    /// When it does its next step.
    next_ns: u64,
    /// What it may still write in this pass, and at first.
    quota: u32,
    limit: u32,
}

impl InnoDbPool {
    /// Pages of a pool of `mebibytes`, a multiple of 8.
    pub fn pages(mebibytes: u32) -> usize {
        mebibytes as usize / 8 * 507
    }

    /// An empty pool of at least 8 `mebibytes`.
    pub fn new(mebibytes: u32, costs: InnoDbCosts) -> Self {
        let pages = Self::pages(mebibytes.max(8));
        Self {
            costs,
            table: PageTable::default(),
            lru: MidpointLru::new(pages),
            free_pages: pages,
            least_pages: (pages / 20 - 1).min(LRU_MIN_LEN),
            now_ns: 0,
            now_ms: 0,
            turn_ns: 0,
            cleaner: Cleaner {
                is_active: false,
                next_ns: 0,
                quota: 0,
                limit: 0,
            },
            scan_may_help: true,
            counts: CountsBySpace::default(),
        }
    }

    /// Pages in the pool.
    pub fn len(&self) -> usize {
        self.lru.len()
    }

    /// Whether there is no page in the pool.
    pub fn is_empty(&self) -> bool {
        self.lru.len() == 0
    }

    /// Puts a clean page into the pool as a server has some from its start.
    fn warm(&mut self, page: PageId) {
        let level = 0;
        let access = Access::New;
        self.touch(Touch {
            page,
            level,
            access,
        });
        if let Some(frame) = self.frame(page) {
            self.lru.set_dirty(frame, false);
        }
        self.counts = [Counts::default(); Space::COUNT];
    }

    /// A row comes: time passes.
    #[inline]
    pub fn row(&mut self) {
        self.pass_time(self.costs.insert_ns);
    }

    #[inline]
    fn pass_time(&mut self, ns: u64) {
        self.now_ns += ns;
        self.now_ms = self.now_ns / 1_000_000;
        if self.now_ns >= self.turn_ns {
            self.catch_up();
        }
    }

    /// The cleaner does what it could have done by now.
    #[cold]
    fn catch_up(&mut self) {
        self.turn_ns = self.now_ns + self.costs.turn_ns;
        while self.cleaner.is_active && self.cleaner.next_ns <= self.now_ns {
            self.clean_step();
        }
    }

    /// Adds a page that is not in the pool.
    #[cold]
    fn admit(&mut self, touch: Touch) -> u32 {
        self.take_free_page();
        let is_new = touch.access == Access::New;
        let frame = self.lru.admit(touch.page, !is_new, self.now_ms);
        self.table.set(touch.page, frame + 1);
        let counts = &mut self.counts[touch.page.space()];
        if is_new {
            counts.new_pages += 1;
        } else {
            counts.reads += 1;
            self.pass_time(self.costs.read_ns);
        }
        frame
    }

    /// `buf_LRU_get_free_block`.
    fn take_free_page(&mut self) {
        while self.free_pages == 0 && self.scan_may_help {
            self.scan_may_help = self.evict_clean_page();
        }
        while self.free_pages == 0 {
            self.wake_cleaner();
            self.now_ns = self.now_ns.max(self.cleaner.next_ns);
            self.clean_step();
        }
        self.free_pages -= 1;
        if self.cleaner_is_needed() {
            self.wake_cleaner();
        }
    }

    fn evict_clean_page(&mut self) -> bool {
        let scan = self.lru.scans[INSERT];
        if scan == NONE || self.lru.is_old(scan) {
            self.lru.scans[INSERT] = self.lru.tail();
        }
        for _ in 0..SCAN_THRESHOLD {
            let frame = self.lru.scans[INSERT];
            if frame == NONE {
                break;
            }
            self.lru.scans[INSERT] = self.lru.previous(frame);
            if !self.lru.is_dirty(frame) {
                self.evict(frame);
                return true;
            }
        }
        false
    }

    #[inline]
    fn frame(&self, page: PageId) -> Option<u32> {
        self.table.get(page).checked_sub(1)
    }

    fn evict(&mut self, frame: u32) {
        let page = self.lru.evict(frame);
        self.table.set(page, 0);
        self.free_pages += 1;
        self.scan_may_help = true;
    }

    fn cleaner_is_needed(&self) -> bool {
        !self.scan_may_help || self.lru.len() > LRU_MIN_LEN && self.free_pages < LRU_SCAN_DEPTH / 2
    }

    fn wake_cleaner(&mut self) {
        if !self.cleaner.is_active {
            self.cleaner.is_active = true;
            self.cleaner.next_ns = self.now_ns;
            self.start_pass(IO_CAPACITY_MAX);
        }
    }

    fn start_pass(&mut self, limit: u32) {
        (self.cleaner.quota, self.cleaner.limit) = (limit, limit);
        self.lru.scans[CLEANER] = self.lru.tail();
    }

    /// The cleaner looks at one page (`buf_flush_LRU_list_batch`).
    fn clean_step(&mut self) {
        let frame = self.lru.scans[CLEANER];
        let done = frame == NONE
            || self.lru.len() <= self.least_pages
            || self.free_pages >= LRU_SCAN_DEPTH;
        if !done && !self.lru.is_dirty(frame) {
            self.lru.scans[CLEANER] = self.lru.previous(frame);
            self.evict(frame);
        } else if !done && self.cleaner.quota > 0 {
            self.lru.scans[CLEANER] = self.lru.previous(frame);
            self.cleaner.quota -= 1;
            self.write(frame);
        } else if self.cleaner.quota == 0 && self.cleaner.limit > 0 {
            // What may be written is written: a second pass only frees.
            self.start_pass(0);
        } else if self.cleaner_is_needed() {
            // The last write of a pass ends before the next pass begins.
            self.cleaner.next_ns += self.costs.write_ns.max(1);
            self.start_pass(IO_CAPACITY_MAX);
        } else {
            self.cleaner.is_active = false;
        }
    }

    fn write(&mut self, frame: u32) {
        self.lru.set_dirty(frame, false);
        self.counts[self.lru.page(frame).space()].write_backs += 1;
        self.cleaner.next_ns += self.costs.write_ns.max(1);
    }
}

impl Pool for InnoDbPool {
    #[inline]
    fn touch(&mut self, touch: Touch) {
        let frame = match self.frame(touch.page) {
            Some(frame) => {
                self.counts[touch.page.space()].hits += 1;
                self.lru.request(frame, self.now_ms);
                frame
            }
            _ if touch.access == Access::Free => return,
            _ => self.admit(touch),
        };
        match touch.access {
            Access::Read => {}
            Access::Write | Access::New => self.lru.set_dirty(frame, true),
            // The engine does not write a page that was given up.
            Access::Free => self.lru.set_dirty(frame, false),
        }
    }

    /// Writes all changed pages, in no time.
    fn checkpoint(&mut self) {
        let mut frame = self.lru.tail();
        while frame != NONE {
            if self.lru.is_dirty(frame) {
                self.lru.set_dirty(frame, false);
                self.counts[self.lru.page(frame).space()].flushes += 1;
            }
            frame = self.lru.previous(frame);
        }
    }

    fn counts(&self) -> &CountsBySpace {
        &self.counts
    }
}

#[cfg(test)]
mod tests;
