//! The list of a pool's pages in InnoDB's order of eviction: [`MidpointLru`].
//!
//! Source: MariaDB 10.11, `storage/innobase/buf/buf0lru.cc` and `include/buf0buf.inl`.

use crate::store::PageId;

/// No frame.
pub(super) const NONE: u32 = u32::MAX;

/// Pages from which on the list has an old part (`BUF_LRU_OLD_MIN_LEN`).
const OLD_MIN_LEN: usize = 512;
/// Part of the list that is old, in 1024ths: `innodb_old_blocks_pct` 37.
const OLD_RATIO: usize = 37 * 1024 / 100;
/// By how much the old part may be longer or shorter than it should be.
const OLD_TOLERANCE: usize = 20;
/// The least length of the young part, less the tolerance.
const NON_OLD_MIN_LEN: usize = 5;
/// `innodb_old_blocks_time`: an old page becomes young by a request only so much
/// later than the first one.
const OLD_BLOCKS_TIME_MS: u64 = 1000;

/// A page in the pool.
#[derive(Clone, Copy, Debug)]
struct Frame {
    page: PageId,
    /// Towards the head, where young pages are.
    previous: u32,
    /// Towards the tail, where pages are evicted.
    next: u32,
    /// Evictions before it came to the head.
    evictions: u64,
    first_request_ms: u64,
    is_old: bool,
    is_dirty: bool,
}

/// InnoDB's midpoint LRU list: pages that are read go behind the young part, new
/// pages to the head. A page asked for again moves to the head if it is old and was
/// first asked for a second ago, or young and a quarter of the young part has passed
/// it; not before anything was evicted.
#[derive(Clone, Debug)]
pub(super) struct MidpointLru {
    frames: Vec<Frame>,
    free: Vec<u32>,
    head: u32,
    tail: u32,
    len: usize,
    /// The first old page, if the list has an old part.
    first_old: u32,
    old_len: usize,
    /// Pages evicted so far.
    evictions: u64,
    /// Evictions after which a young page may move.
    young_evictions: u64,
    /// Where the two scans go on: they move on with a page that is taken away.
    pub scans: [u32; 2],
}

impl MidpointLru {
    /// An empty list of a pool with room for `pages` pages.
    pub fn new(pages: usize) -> Self {
        Self {
            frames: Vec::with_capacity(pages),
            free: Vec::new(),
            head: NONE,
            tail: NONE,
            len: 0,
            first_old: NONE,
            old_len: 0,
            evictions: 0,
            young_evictions: (pages * (1024 - OLD_RATIO) / (1024 * 4)) as u64,
            scans: [NONE; 2],
        }
    }

    /// Pages in the list.
    pub fn len(&self) -> usize {
        self.len
    }

    /// The page next to be evicted.
    pub fn tail(&self) -> u32 {
        self.tail
    }

    /// The page evicted after `frame`.
    pub fn previous(&self, frame: u32) -> u32 {
        self.frames[frame as usize].previous
    }

    pub fn is_old(&self, frame: u32) -> bool {
        self.frames[frame as usize].is_old
    }

    #[inline]
    pub fn is_dirty(&self, frame: u32) -> bool {
        self.frames[frame as usize].is_dirty
    }

    #[inline]
    pub fn set_dirty(&mut self, frame: u32, dirty: bool) {
        self.frames[frame as usize].is_dirty = dirty;
    }

    pub fn page(&self, frame: u32) -> PageId {
        self.frames[frame as usize].page
    }

    /// Puts a page into a free frame: behind the young part if `old`.
    pub fn admit(&mut self, page: PageId, old: bool, now_ms: u64) -> u32 {
        let frame = Frame {
            page,
            previous: NONE,
            next: NONE,
            evictions: 0,
            first_request_ms: now_ms,
            is_old: false,
            is_dirty: false,
        };
        let number = match self.free.pop() {
            Some(number) => {
                self.frames[number as usize] = frame;
                number
            }
            None => {
                self.frames.push(frame);
                self.frames.len() as u32 - 1
            }
        };
        self.add(number, old);
        number
    }

    /// Takes a page out and frees its frame.
    pub fn evict(&mut self, frame: u32) -> PageId {
        self.evictions += 1;
        self.remove(frame);
        self.free.push(frame);
        self.page(frame)
    }

    /// A page is asked for again.
    #[inline]
    pub fn request(&mut self, frame: u32, now_ms: u64) {
        let here = &self.frames[frame as usize];
        let moves = if self.evictions == 0 {
            false
        } else if here.is_old {
            now_ms - here.first_request_ms >= OLD_BLOCKS_TIME_MS
        } else {
            self.evictions >= here.evictions + self.young_evictions
        };
        if moves {
            self.remove(frame);
            self.add(frame, false);
        }
    }

    fn add(&mut self, frame: u32, old: bool) {
        let old = old && self.len >= OLD_MIN_LEN;
        if old {
            let after = self.first_old;
            let next = self.frames[after as usize].next;
            self.link(after, frame);
            self.link(frame, next);
            self.old_len += 1;
        } else {
            let first = self.head;
            self.link(NONE, frame);
            self.link(frame, first);
            self.frames[frame as usize].evictions = self.evictions;
        }
        self.frames[frame as usize].is_old = old;
        self.len += 1;
        if self.len == OLD_MIN_LEN {
            self.frames.iter_mut().for_each(|frame| frame.is_old = true);
            (self.first_old, self.old_len) = (self.head, self.len);
        }
        if self.len >= OLD_MIN_LEN {
            self.adjust_old_part();
        }
    }

    fn remove(&mut self, frame: u32) {
        let Frame {
            previous,
            next,
            is_old,
            ..
        } = self.frames[frame as usize];
        for scan in &mut self.scans {
            if *scan == frame {
                *scan = previous;
            }
        }
        if frame == self.first_old {
            // The engine, too, takes the last young page; there always is one.
            self.first_old = previous;
            self.frames[previous as usize].is_old = true;
            self.old_len += 1;
        }
        self.link(previous, next);
        self.len -= 1;
        if self.len < OLD_MIN_LEN {
            if self.first_old != NONE {
                self.frames
                    .iter_mut()
                    .for_each(|frame| frame.is_old = false);
            }
            (self.first_old, self.old_len) = (NONE, 0);
            return;
        }
        self.old_len -= usize::from(is_old);
        self.adjust_old_part();
    }

    fn adjust_old_part(&mut self) {
        let wanted = (self.len * OLD_RATIO / 1024).min(self.len - OLD_TOLERANCE - NON_OLD_MIN_LEN);
        while self.old_len + OLD_TOLERANCE < wanted {
            self.first_old = self.frames[self.first_old as usize].previous;
            self.frames[self.first_old as usize].is_old = true;
            self.old_len += 1;
        }
        while self.old_len > wanted + OLD_TOLERANCE {
            self.frames[self.first_old as usize].is_old = false;
            self.first_old = self.frames[self.first_old as usize].next;
            self.old_len -= 1;
        }
    }

    /// Makes `previous` and `next` neighbours; one of them may be an end.
    fn link(&mut self, previous: u32, next: u32) {
        match previous {
            NONE => self.head = next,
            _ => self.frames[previous as usize].next = next,
        }
        match next {
            NONE => self.tail = previous,
            _ => self.frames[next as usize].previous = previous,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Space;

    fn full(pages: u32) -> MidpointLru {
        let mut lru = MidpointLru::new(pages as usize);
        for number in 0..pages {
            lru.admit(PageId::new(Space::Index, number), true, 1);
        }
        lru
    }

    /// Pages from the head.
    fn order(lru: &MidpointLru) -> Vec<u32> {
        let frames = std::iter::successors(Some(lru.tail), |&frame| {
            Some(lru.previous(frame)).filter(|&frame| frame != NONE)
        });
        let mut pages: Vec<_> = frames.map(|frame| lru.page(frame).number()).collect();
        assert_eq!(pages.len(), lru.len());
        pages.reverse();
        pages
    }

    #[test]
    fn a_short_list_has_no_old_part() {
        let lru = full(511);
        assert_eq!((lru.old_len, lru.first_old), (0, NONE));
        assert!(order(&lru).into_iter().eq((0..511).rev()));
    }

    #[test]
    fn pages_that_are_read_go_behind_the_young_part() {
        let mut lru = full(512);
        // 512 * 378 / 1024 is 189; all were old, so it stays at the upper tolerance.
        assert_eq!(lru.old_len, 209);
        let first_old = lru.first_old;
        let read = lru.admit(PageId::new(Space::Index, 1000), true, 1);
        assert_eq!(lru.previous(read), first_old);
        let made = lru.admit(PageId::new(Space::Index, 1001), false, 1);
        assert_eq!(lru.head, made);
        let old = lru.frames.iter().filter(|frame| frame.is_old).count();
        assert_eq!(old, lru.old_len);
    }

    #[test]
    fn nothing_moves_before_an_eviction_and_old_pages_wait_a_second() {
        let mut lru = full(1000);
        let tail = lru.tail;
        lru.request(tail, 5000);
        assert_eq!(lru.tail, tail);
        lru.evict(tail);
        let tail = lru.tail;
        lru.request(tail, 1000);
        assert_eq!(lru.tail, tail);
        lru.request(tail, 1001);
        assert_eq!(lru.head, tail);
        // It is young now, and stays where it is until others have left.
        let made = lru.admit(PageId::new(Space::Index, 1000), false, 1001);
        lru.request(tail, 9000);
        assert_eq!(lru.head, made);
        for _ in 0..157 {
            lru.evict(lru.tail);
        }
        lru.request(tail, 9000);
        assert_eq!(lru.head, tail);
    }

    #[test]
    fn the_old_part_goes_with_a_short_list() {
        let mut lru = full(600);
        let mut evicted = 0;
        while lru.len() > 100 {
            lru.evict(lru.tail);
            evicted += 1;
            let old = lru.frames.iter().filter(|frame| frame.is_old).count();
            // Frames that were given up may keep the mark.
            assert!(old >= lru.old_len);
            assert!(lru.len() >= 512 || lru.old_len == 0);
        }
        assert_eq!(evicted, 500);
    }
}
