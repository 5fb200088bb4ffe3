//! The operating system's page cache.

use super::list::Lists;
use super::table::PageTable;
use super::{CountsBySpace, Pool};
use crate::store::{Access, PageId, Space, Touch};

const INACTIVE: u32 = 0;
const ACTIVE: u32 = 1;
const FREE: u32 = 2;
const LISTS: u32 = 3;

/// Marks a number in the table as a shadow entry: the pool's age when the page was given up.
const SHADOW: u32 = 1 << 31;

#[derive(Clone, Copy, Debug)]
struct Frame {
    page: PageId,
    dirty: bool,
    active: bool,
    referenced: bool,
}

/// Linux's page cache with two lists, for files read and written by system calls.
///
/// A page enters at the head of the inactive list. A touch sets its reference
/// bit; a touch that finds the bit set moves it to the head of the active list. A touch
/// of an active page does not move it. Room is made at the tail of the inactive
/// list, whether the bit is set or not. To that list the active list's tail passes
/// pages on, with their bits, while inactive pages × √(10 × GiB of the pool) are
/// fewer than active ones (√ rounded down, 1 below 1 GiB).
///
/// A page that was given up leaves the pool's age: pages given up or made active
/// till then. If it comes back before the pool has aged by more than the length of
/// the active list (its refault distance), it goes to the active list at once, and
/// one active page is passed on at the next chance. Pages that are written without
/// being read ([`Access::New`]) never do.
/// Source: Linux 6.x without its multi-generational lists: `mm/workingset.c`, `mm/vmscan.c`
/// (`inactive_is_low`, `shrink_active_list`, `folio_check_references`), `mm/swap.c`
/// (`folio_mark_accessed`), `mm/filemap.c` (`filemap_add_folio`).
///
/// Not modelled: scans in batches, in which a refault passes on active pages in
/// proportion to the lists' lengths; memory that is not file pages; flusher
/// threads (a dirty page is written when it is given up); read-ahead; mapped files.
#[derive(Clone, Debug)]
pub struct TwoList {
    free_pages: u32,
    /// Active pages that one inactive page balances.
    ratio: u64,
    inactive: u32,
    active: u32,
    /// Pages given up or made active so far, modulo 2³¹.
    age: u32,
    /// Whether a page came back to the active list since room was last made.
    refault: bool,
    /// The frame of each page that is here, the shadow entry of one that was.
    place_of: PageTable,
    frames: Lists<Frame>,
    counts: CountsBySpace,
}

impl TwoList {
    /// An empty cache of `pages` pages, at least one, of `page_bytes` bytes.
    pub fn new(pages: u32, page_bytes: u32) -> Self {
        let blank = Frame {
            page: PageId::new(Space::Other, 0),
            dirty: false,
            active: false,
            referenced: false,
        };
        let gib = (u64::from(pages) * u64::from(page_bytes)) >> 30;
        Self {
            free_pages: pages.max(1),
            ratio: (10 * gib).isqrt().max(1),
            inactive: 0,
            active: 0,
            age: 0,
            refault: false,
            place_of: PageTable::default(),
            frames: Lists::new(LISTS, blank),
            counts: CountsBySpace::default(),
        }
    }

    fn activate(&mut self, frame: u32) {
        self.active += 1;
        self.age = (self.age + 1) % SHADOW;
        self.frames.move_after(ACTIVE, frame);
        self.frames[frame].active = true;
    }

    /// Passes the tail of the active list on.
    fn deactivate(&mut self) {
        if let Some(frame) = self.frames.last(ACTIVE) {
            self.active -= 1;
            self.inactive += 1;
            self.frames.move_after(INACTIVE, frame);
            self.frames[frame].active = false;
        }
    }

    /// Gives up a page; its frame.
    fn reclaim(&mut self) -> u32 {
        if std::mem::take(&mut self.refault) {
            self.deactivate();
        }
        while u64::from(self.inactive) * self.ratio < u64::from(self.active) {
            self.deactivate();
        }
        let frame = self.frames.last(INACTIVE).unwrap_or_default();
        let old = self.frames[frame];
        self.inactive -= 1;
        self.place_of.set(old.page, SHADOW | self.age);
        self.age = (self.age + 1) % SHADOW;
        self.counts[old.page.space()].write_backs += u64::from(old.dirty);
        frame
    }

    /// A frame for `page`, which is not here; `place` is its entry in the table.
    fn admit(&mut self, page: PageId, place: u32, access: Access) -> u32 {
        let blank = Frame {
            page,
            dirty: false,
            active: false,
            referenced: true,
        };
        let frame = if let Some(frame) = self.frames.first(FREE) {
            frame
        } else if self.free_pages > 0 {
            self.free_pages -= 1;
            self.frames.add(blank)
        } else {
            self.reclaim()
        };
        self.frames[frame] = blank;
        self.place_of.set(page, frame);
        let refault_distance = self.age.wrapping_sub(place) % SHADOW;
        if place >= SHADOW && access != Access::New && refault_distance <= self.active {
            self.refault = true;
            self.activate(frame);
        } else {
            self.inactive += 1;
            self.frames.move_after(INACTIVE, frame);
        }
        frame
    }

    fn free(&mut self, frame: u32) {
        let Frame { page, active, .. } = self.frames[frame];
        *(if active {
            &mut self.active
        } else {
            &mut self.inactive
        }) -= 1;
        self.place_of.set(page, 0);
        self.frames[frame].dirty = false;
        self.frames.move_after(FREE, frame);
    }
}

impl Pool for TwoList {
    #[inline]
    fn touch(&mut self, touch: Touch) {
        let page = touch.page;
        let place = self.place_of.get(page);
        let here = place != 0 && place < SHADOW;
        let counts = &mut self.counts[page.space()];
        match (touch.access, here) {
            (Access::Free, true) => return self.free(place),
            (Access::Free, false) if place == 0 => return,
            (Access::Free, false) => {
                self.place_of.set(page, 0);
                return;
            }
            (Access::New, _) => counts.new_pages += 1,
            (_, false) => counts.reads += 1,
            (_, true) => counts.hits += 1,
        }
        let frame = if here {
            let frame = &mut self.frames[place];
            let again = std::mem::replace(&mut frame.referenced, true);
            if again && !frame.active {
                frame.referenced = false;
                self.inactive -= 1;
                self.activate(place);
            }
            place
        } else {
            self.admit(page, place, touch.access)
        };
        self.frames[frame].dirty |= touch.access != Access::Read;
    }

    fn checkpoint(&mut self) {
        for frame in self.frames.items_mut() {
            let dirty = std::mem::take(&mut frame.dirty);
            self.counts[frame.page.space()].flushes += u64::from(dirty);
        }
    }

    fn counts(&self) -> &CountsBySpace {
        &self.counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE_BYTES: u32 = 4096;

    fn read(pool: &mut TwoList, pages: impl IntoIterator<Item = u32>) -> u64 {
        let before = pool.counts[Space::Index as usize].reads;
        for number in pages {
            pool.touch(Touch {
                page: PageId::new(Space::Index, number),
                level: 0,
                access: Access::Read,
            });
        }
        pool.counts[Space::Index as usize].reads - before
    }

    fn list(pool: &TwoList, number: u32) -> Option<bool> {
        let place = pool.place_of.get(PageId::new(Space::Index, number));
        (place != 0 && place < SHADOW).then(|| pool.frames[place].active)
    }

    #[test]
    fn pages_touched_twice_outlive_a_scan() {
        let mut pool = TwoList::new(8, PAGE_BYTES);
        assert_eq!(read(&mut pool, [1, 2, 3, 1, 2]), 3);
        assert_eq!(
            [1, 2, 3].map(|page| list(&pool, page)),
            [Some(true), Some(true), Some(false)]
        );
        assert_eq!(read(&mut pool, 100..200), 100);
        assert_eq!(read(&mut pool, [1, 2, 3]), 1);
    }

    #[test]
    fn the_active_list_may_not_outgrow_the_inactive_one() {
        let mut pool = TwoList::new(8, PAGE_BYTES);
        read(&mut pool, (0..8).flat_map(|page| [page, page]));
        assert_eq!((pool.inactive, pool.active), (0, 8));
        read(&mut pool, [8]);
        // Four went over, oldest first; one of them left.
        assert_eq!((pool.inactive, pool.active), (4, 4));
        assert_eq!(
            [0, 1, 4].map(|page| list(&pool, page)),
            [None, Some(false), Some(true)]
        );
        // 4 GiB: √40 active pages for each inactive one.
        assert_eq!(TwoList::new(1 << 20, PAGE_BYTES).ratio, 6);
    }

    #[test]
    fn a_page_that_comes_back_soon_is_active_at_once() {
        let mut pool = TwoList::new(8, PAGE_BYTES);
        read(&mut pool, [1, 1, 2, 2, 3, 3, 4, 5, 6, 7, 8]);
        assert_eq!((pool.inactive, pool.active), (5, 3));
        // 9 pushes 4 out, 10 pushes 5 out: 4 comes back at a distance of 3, with room made for it.
        read(&mut pool, [9, 10, 4]);
        assert_eq!(list(&pool, 4), Some(true));
        // The next read passes one on for it, the oldest.
        assert_eq!(list(&pool, 1), Some(true));
        read(&mut pool, [11]);
        assert_eq!(list(&pool, 1), Some(false));
        // Too far back: more pages went since than the active list holds.
        read(&mut pool, 20..26);
        assert_eq!(read(&mut pool, [5]), 1);
        assert_eq!(list(&pool, 5), Some(false));
    }

    #[test]
    fn changed_pages_are_written_once_and_given_up_ones_never() {
        let mut pool = TwoList::new(2, PAGE_BYTES);
        let mut touch = |number, access| {
            let page = PageId::new(Space::Index, number);
            pool.touch(Touch {
                page,
                level: 0,
                access,
            });
            pool.counts[Space::Index as usize]
        };
        touch(1, Access::New);
        touch(2, Access::Write);
        touch(2, Access::Free);
        touch(3, Access::Read);
        let counts = touch(4, Access::New);
        assert_eq!(
            (counts.reads, counts.new_pages, counts.write_backs),
            (2, 2, 1)
        );
        pool.checkpoint();
        pool.checkpoint();
        assert_eq!(pool.counts[Space::Index as usize].flushes, 1);
    }
}
