//! PostgreSQL's shared buffers: a clock sweep over usage counts, and rings.

use super::table::PageTable;
use super::{CountsBySpace, Pool};
use crate::store::{Access, PageId, Touch};

/// Highest usage count (`BM_MAX_USAGE_COUNT`).
const MAX_USAGE: u8 = 5;
/// Largest ring of a bulk write (`BAS_BULKWRITE`).
const BULK_WRITE_BYTES: u64 = 16 << 20;
/// A ring takes one in so many buffers at most.
const RING_SHARE: usize = 8;
/// No buffer.
const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug, Default)]
struct Buffer {
    page: Option<PageId>,
    usage: u8,
    pinned: bool,
    dirty: bool,
}

/// PostgreSQL's buffer manager as one connection meets it.
///
/// A page enters with usage count 1 and each request adds 1, up to 5. Free
/// buffers are taken first; without any, the hand goes round, takes 1 off every
/// count it passes and stops where there is none left.
/// Source: `BufferAlloc`, `PinBuffer` in `bufmgr.c`, `StrategyGetBuffer` in
/// `freelist.c` (releases 12 to 18).
///
/// Not modelled: other connections; pins for the time of one request; the
/// background writer, which writes some pages before a connection has to. It
/// takes none out, but where it has one pinned a ring takes another buffer: up to
/// 0.4 % more reads in loads that were measured with it and without.
#[derive(Clone, Debug)]
pub struct ClockSweep {
    buffers: Vec<Buffer>,
    /// One more than the buffer of each page.
    table: PageTable,
    /// Buffers without a page, the next one last.
    free: Vec<u32>,
    hand: usize,
    pins: usize,
    counts: CountsBySpace,
}

/// The buffers that a bulk operation keeps to (`BufferAccessStrategy`).
///
/// A page that is not in the pool goes into the buffer of the next slot,
/// whatever page that holds by now, if its usage count is at most 1; else the
/// pool chooses a buffer, which takes the slot.
#[derive(Clone, Debug)]
pub struct Ring {
    slots: Vec<u32>,
    current: usize,
}

impl ClockSweep {
    /// An empty pool of `buffers` pages (one at least).
    pub fn new(buffers: usize) -> Self {
        let buffers = buffers.max(1);
        Self {
            buffers: vec![Buffer::default(); buffers],
            table: PageTable::default(),
            free: (0..buffers as u32).rev().collect(),
            hand: 0,
            pins: 0,
            counts: CountsBySpace::default(),
        }
    }

    /// Number of buffers.
    pub fn buffers(&self) -> usize {
        self.buffers.len()
    }

    /// A ring for writing many pages of `page_bytes`.
    pub fn bulk_write_ring(&self, page_bytes: u32) -> Ring {
        let pages = (BULK_WRITE_BYTES / u64::from(page_bytes.max(1))) as usize;
        Ring {
            slots: vec![NONE; pages.min(self.buffers.len() / RING_SHARE).max(1)],
            current: 0,
        }
    }

    /// Asks for a page within a bulk operation, which raises no usage count above 1.
    pub fn touch_in_ring(&mut self, touch: Touch, ring: &mut Ring) {
        self.request(touch, Some(ring));
    }

    /// Keeps a page where it is; not more than half of the buffers can be kept.
    pub fn pin(&mut self, page: PageId) {
        if let Some(at) = self.find(page)
            && self.pins < self.buffers.len() / 2
            && !std::mem::replace(&mut self.buffers[at].pinned, true)
        {
            self.pins += 1;
        }
    }

    /// Ends [`ClockSweep::pin`].
    pub fn unpin(&mut self, page: PageId) {
        if let Some(at) = self.find(page)
            && std::mem::take(&mut self.buffers[at].pinned)
        {
            self.pins -= 1;
        }
    }

    #[inline]
    fn find(&self, page: PageId) -> Option<usize> {
        self.table.get(page).checked_sub(1).map(|at| at as usize)
    }

    #[inline]
    fn request(&mut self, touch: Touch, ring: Option<&mut Ring>) {
        let Touch { page, access, .. } = touch;
        let Some(at) = self.find(page) else {
            return self.bring(page, access, ring);
        };
        if access == Access::Free {
            return self.give_up(page, at);
        }
        self.counts[page.space()].hits += 1;
        let buffer = &mut self.buffers[at];
        buffer.dirty |= access != Access::Read;
        let most = if ring.is_some() { 1 } else { MAX_USAGE };
        if !buffer.pinned && buffer.usage < most {
            buffer.usage += 1;
        }
    }

    /// Puts a page that is not in the pool into a buffer.
    fn bring(&mut self, page: PageId, access: Access, ring: Option<&mut Ring>) {
        let counts = &mut self.counts[page.space()];
        match access {
            Access::Read | Access::Write => counts.reads += 1,
            Access::New => counts.new_pages += 1,
            Access::Free => return,
        }
        let at = match ring {
            Some(ring) => self.victim_in_ring(ring),
            None => self.victim(),
        };
        let fresh = Buffer {
            page: Some(page),
            usage: 1,
            pinned: false,
            dirty: access != Access::Read,
        };
        let old = std::mem::replace(&mut self.buffers[at as usize], fresh);
        if let Some(old_page) = old.page {
            self.counts[old_page.space()].write_backs += u64::from(old.dirty);
            self.table.set(old_page, 0);
        }
        self.table.set(page, at + 1);
    }

    fn victim_in_ring(&mut self, ring: &mut Ring) -> u32 {
        ring.current = (ring.current + 1) % ring.slots.len();
        let slot = ring.slots[ring.current];
        let buffer = self.buffers.get(slot as usize);
        if buffer.is_some_and(|buffer| !buffer.pinned && buffer.usage <= 1) {
            return slot;
        }
        let at = self.victim();
        ring.slots[ring.current] = at;
        at
    }

    fn victim(&mut self) -> u32 {
        while let Some(at) = self.free.pop() {
            // A ring may have used it since.
            if self.buffers[at as usize].page.is_none() {
                return at;
            }
        }
        loop {
            let at = self.hand;
            self.hand = (at + 1) % self.buffers.len();
            let buffer = &mut self.buffers[at];
            match (buffer.pinned, buffer.usage) {
                (true, _) => {}
                (false, 0) => return at as u32,
                (false, _) => buffer.usage -= 1,
            }
        }
    }

    /// Forgets a page; its buffer is the next to be used.
    fn give_up(&mut self, page: PageId, at: usize) {
        self.unpin(page);
        self.buffers[at] = Buffer::default();
        self.table.set(page, 0);
        self.free.push(at as u32);
    }
}

impl Pool for ClockSweep {
    #[inline]
    fn touch(&mut self, touch: Touch) {
        self.request(touch, None);
    }

    fn checkpoint(&mut self) {
        for buffer in &mut self.buffers {
            if let Some(page) = buffer.page
                && std::mem::take(&mut buffer.dirty)
            {
                self.counts[page.space()].flushes += 1;
            }
        }
    }

    fn counts(&self) -> &CountsBySpace {
        &self.counts
    }
}

#[cfg(test)]
mod tests {
    use super::super::Counts;
    use super::*;
    use crate::store::Space;

    fn page(number: u32) -> PageId {
        PageId::new(Space::Index, number)
    }

    fn touch(number: u32, access: Access) -> Touch {
        Touch {
            page: page(number),
            level: 0,
            access,
        }
    }

    /// Pages and usage counts by buffer.
    fn state(pool: &ClockSweep) -> Vec<(u32, u8)> {
        let buffers = pool.buffers.iter();
        buffers
            .map(|buffer| (buffer.page.map_or(NONE, PageId::number), buffer.usage))
            .collect()
    }

    fn counts(pool: &ClockSweep) -> Counts {
        pool.counts()[Space::Index as usize]
    }

    #[test]
    fn the_hand_takes_one_off_and_stops_at_none() {
        let mut pool = ClockSweep::new(4);
        for number in [0, 1, 2, 3, 0] {
            pool.touch(touch(number, Access::Read));
        }
        assert_eq!(state(&pool), [(0, 2), (1, 1), (2, 1), (3, 1)]);
        // Once round, page 0 again, then page 1 has none left.
        pool.touch(touch(4, Access::Write));
        assert_eq!(state(&pool), [(0, 0), (4, 1), (2, 0), (3, 0)]);
        for _ in 0..9 {
            pool.touch(touch(4, Access::Read));
        }
        pool.touch(touch(2, Access::Read));
        pool.touch(touch(5, Access::New));
        // The hand stood at page 2, which has one again.
        assert_eq!(state(&pool), [(0, 0), (4, 5), (2, 0), (5, 1)]);
        pool.touch(touch(6, Access::Read));
        pool.touch(touch(7, Access::Read));
        assert_eq!(state(&pool), [(6, 1), (4, 4), (7, 1), (5, 1)]);
        let expected = Counts {
            hits: 11,
            reads: 7,
            new_pages: 1,
            write_backs: 0,
            flushes: 0,
        };
        assert_eq!(counts(&pool), expected);
    }

    #[test]
    fn what_was_changed_is_written_once() {
        let mut pool = ClockSweep::new(2);
        pool.touch(touch(0, Access::New));
        pool.touch(touch(1, Access::Write));
        pool.checkpoint();
        pool.checkpoint();
        pool.touch(touch(1, Access::Write));
        pool.touch(touch(2, Access::Read));
        pool.touch(touch(3, Access::Read));
        let counts = counts(&pool);
        assert_eq!((counts.flushes, counts.write_backs), (2, 1));
    }

    #[test]
    fn a_page_given_up_leaves_its_buffer_to_the_next() {
        let mut pool = ClockSweep::new(3);
        for number in 0..3 {
            pool.touch(touch(number, Access::New));
        }
        pool.touch(touch(1, Access::Free));
        pool.touch(touch(1, Access::Free));
        pool.touch(touch(9, Access::Read));
        assert_eq!(state(&pool), [(0, 1), (9, 1), (2, 1)]);
        assert_eq!(counts(&pool).write_backs, 0);
    }

    #[test]
    fn pinned_pages_stay() {
        let mut pool = ClockSweep::new(4);
        for number in 0..4 {
            pool.touch(touch(number, Access::Read));
        }
        (0..4).for_each(|number| pool.pin(page(number)));
        (4..9).for_each(|number| pool.touch(touch(number, Access::Read)));
        assert!(pool.find(page(0)).is_some() && pool.find(page(1)).is_some());
        assert!(pool.find(page(2)).is_none() && pool.find(page(3)).is_none());
        pool.unpin(page(0));
        (9..14).for_each(|number| pool.touch(touch(number, Access::Read)));
        assert!(pool.find(page(0)).is_none() && pool.find(page(1)).is_some());
    }

    #[test]
    fn a_ring_reuses_its_buffers_whatever_is_in_them_unless_used_more() {
        let mut pool = ClockSweep::new(16);
        let mut ring = pool.bulk_write_ring(8192);
        assert_eq!(ring.slots.len(), 2);
        for number in 0..4 {
            pool.touch_in_ring(touch(number, Access::New), &mut ring);
            pool.touch_in_ring(touch(number, Access::Write), &mut ring);
        }
        // Slot 1, slot 0, and again.
        assert_eq!(state(&pool)[..3], [(2, 1), (3, 1), (NONE, 0)]);
        // Somebody else uses page 2: it keeps its buffer, the slot gets another.
        pool.touch(touch(2, Access::Read));
        pool.touch_in_ring(touch(4, Access::New), &mut ring);
        assert_eq!(state(&pool)[..3], [(2, 2), (3, 1), (4, 1)]);
        // The rest is filled; the hand goes round once and page 3 gives way to page 18.
        (5..18).for_each(|number| pool.touch(touch(number, Access::Read)));
        pool.touch(touch(18, Access::Read));
        assert_eq!(state(&pool)[..3], [(2, 0), (18, 1), (4, 0)]);
        // Now the ring takes page 18's buffer for page 19.
        pool.touch_in_ring(touch(19, Access::New), &mut ring);
        assert_eq!(state(&pool)[..3], [(2, 0), (19, 1), (4, 0)]);
    }
}
