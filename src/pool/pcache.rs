//! SQLite's page cache: [`Pcache`].

use super::table::PageTable;
use super::{CountsBySpace, Pool};
use crate::store::{Access, PageId, Space, Touch};

/// The page cache of one connection to SQLite (`pager.c`, `pcache.c` and `pcache1.c`
/// of release 3.40) with `cache_size` pages, `locking_mode=EXCLUSIVE`, and
/// `journal_mode=OFF` or `WAL`.
///
/// A page is held from its first touch until a page of a higher level of its tree
/// is changed or the statement ends; of one level, pages are given back in
/// the reverse order of their last touches. [`Access::Write`] to a page that is
/// held is no request. Pages of [`Space::Other`] are given back at once, except
/// the file's first page (number 0), which is asked for when a transaction begins and
/// held until its end.
///
/// A clean page that is given back goes to the head of the list of clean pages, a
/// changed one to the head of the list of changed pages. A page that comes in takes
/// the place of the last clean page if at least `cache_size` - 1 pages are here, and
/// memory of its own if no page is clean. Before that, if 9/10 of `cache_size`
/// are changed or held, the last changed page is written and becomes clean (a spill).
/// A commit writes all changed pages; the one that was given back last is the
/// first to become clean, so it is the first of them to leave.
///
/// In SQLite's terms (`sqlite3_db_status`): `CACHE_HIT` is `hits`, `CACHE_MISS` is
/// `reads`, `CACHE_SPILL` is `write_backs`, `CACHE_WRITE` is `write_backs` and `flushes`.
///
/// Not modelled: other journal modes, in which pages that are not safe in the
/// journal yet are spilled after others; limits on memory.
#[derive(Clone, Debug)]
pub struct Pcache {
    cache_size: u32,
    /// The heads of both lists, then the pages that are here.
    frames: Vec<Frame>,
    /// Frames without a page.
    vacant: Vec<u32>,
    /// The frame of each page by its number, or [`NONE`].
    frame_of: PageTable,
    clean_pages: u32,
    changed_pages: u32,
    held: [Held; Space::COUNT],
    /// Whether the file's first page is held.
    in_transaction: bool,
    counts: CountsBySpace,
}

/// A page that is here. While it is not held, it is in the list of clean or of
/// changed pages. The lists are circles; next older than [`CLEAN`] or [`CHANGED`] is
/// the page given back last.
#[derive(Clone, Copy, Debug)]
struct Frame {
    page: PageId,
    newer: u32,
    older: u32,
    changed: bool,
    held: bool,
}

/// The pages of a tree that are held, in the order of their last touches.
///
/// Those of the last statement stay until the present one asks for another page:
/// two statements often begin with the same pages, which need not go to a list and back.
#[derive(Clone, Debug, Default)]
struct Held {
    pages: Vec<HeldPage>,
    /// How many of them, from the first on, the present statement holds.
    present: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct HeldPage {
    page: PageId,
    level: u8,
    frame: u32,
}

const CLEAN: u32 = 0;
const CHANGED: u32 = 1;
const LISTS: u32 = 2;
/// Spaces of the table, the index and further indexes, in the order in which their
/// cursors are closed.
const TREES: [usize; 4] = [
    Space::Table as usize,
    Space::Index as usize,
    Space::Secondary as usize,
    Space::SecondaryInternal as usize,
];
/// No frame: the first is the head of a list.
const NONE: u32 = 0;

fn first_page() -> PageId {
    PageId::new(Space::Other, 0)
}

impl Pcache {
    /// A cache of `cache_size` pages as it is after the tables were made: with
    /// the file's first page and the root of each tree.
    pub fn new(cache_size: u32, roots: &[PageId]) -> Self {
        let list = |list| Frame {
            page: first_page(),
            newer: list,
            older: list,
            changed: false,
            held: false,
        };
        let mut cache = Self {
            cache_size,
            frames: vec![list(CLEAN), list(CHANGED)],
            vacant: Vec::new(),
            frame_of: PageTable::default(),
            clean_pages: 0,
            changed_pages: 0,
            held: Default::default(),
            in_transaction: false,
            counts: CountsBySpace::default(),
        };
        for &page in roots.iter().chain(&[first_page()]) {
            let frame = cache.fetch(page);
            cache.give_back(frame);
        }
        cache
    }

    /// Begins a statement, and a transaction if there is none.
    #[inline]
    pub fn begin(&mut self) {
        for space in TREES {
            self.held[space].present = 0;
        }
        if !self.in_transaction {
            self.end();
            self.in_transaction = true;
            self.ask(first_page(), self.frame(first_page()));
        }
    }

    /// Ends the statement before: what the present one does not hold of its pages is
    /// given back, pages of the table first, then of the index, from the root down.
    #[inline]
    fn end(&mut self) {
        for space in TREES {
            let present = self.held[space].present;
            for at in present..self.held[space].pages.len() {
                self.give_back(self.held[space].pages[at].frame);
            }
            self.held[space].pages.truncate(present);
        }
    }

    /// A statement that has asked for no page of a tree reads those from its root down
    /// to a leaf. The same as [`Pool::touch`] on each, but faster.
    #[inline]
    pub fn descend(&mut self, path: &[Touch]) {
        let Some(space) = path.first().map(|touch| touch.page.space()) else {
            return;
        };
        let held = &mut self.held[space];
        let was = held.pages[held.present..].iter();
        let same = was
            .zip(path)
            .take_while(|(held, touch)| held.page == touch.page)
            .count();
        held.present += same;
        self.counts[space].hits += same as u64;
        let path = &path[same..];
        if path.is_empty() {
            return;
        }
        self.end();
        for &Touch { page, level, .. } in path {
            let frame = self.ask(page, self.frame(page));
            self.held[space].pages.push(HeldPage { page, level, frame });
        }
        self.held[space].present = self.held[space].pages.len();
    }

    /// The frame of a page, or [`NONE`].
    #[inline]
    fn frame(&self, page: PageId) -> u32 {
        self.frame_of.get(page)
    }

    /// Asks for a page that is in `frame`, or not here; holds it and returns its frame.
    #[inline]
    fn ask(&mut self, page: PageId, frame: u32) -> u32 {
        let counts = &mut self.counts[page.space()];
        if frame == NONE {
            counts.reads += 1;
            return self.fetch(page);
        }
        counts.hits += 1;
        if !self.frames[frame as usize].held {
            self.take(frame);
        }
        frame
    }

    /// Takes a frame out of its list.
    #[inline]
    fn take(&mut self, frame: u32) {
        let this = &mut self.frames[frame as usize];
        this.held = true;
        let (newer, older, changed) = (this.newer, this.older, this.changed);
        self.frames[newer as usize].older = older;
        self.frames[older as usize].newer = newer;
        self.clean_pages -= u32::from(!changed);
    }

    /// Puts a frame at the head of its list.
    #[inline]
    fn give_back(&mut self, frame: u32) {
        let changed = self.frames[frame as usize].changed;
        if !changed && self.pages() > self.cache_size {
            self.forget(frame);
            self.vacant.push(frame);
            return;
        }
        let list = if changed { CHANGED } else { CLEAN };
        let older = std::mem::replace(&mut self.frames[list as usize].older, frame);
        self.frames[older as usize].newer = frame;
        let this = &mut self.frames[frame as usize];
        (this.newer, this.older, this.held) = (list, older, false);
        self.clean_pages += u32::from(!changed);
    }

    /// Pages that are here.
    #[inline]
    fn pages(&self) -> u32 {
        self.frames.len() as u32 - LISTS - self.vacant.len() as u32
    }

    fn forget(&mut self, frame: u32) {
        let page = self.frames[frame as usize].page;
        self.frame_of.set(page, NONE);
    }

    /// Brings a page in, which is held from now on, and returns its frame.
    fn fetch(&mut self, page: PageId) -> u32 {
        let pinned = self.pages() - self.clean_pages;
        let limit = (u64::from(self.cache_size) * 9 / 10) as u32;
        if self.changed_pages > 0 && pinned >= limit {
            self.spill();
        }
        let last_clean = self.frames[CLEAN as usize].newer;
        let frame = if last_clean != CLEAN && self.pages() + 1 >= self.cache_size {
            self.take(last_clean);
            self.forget(last_clean);
            last_clean
        } else if let Some(frame) = self.vacant.pop() {
            frame
        } else {
            self.frames.push(self.frames[CLEAN as usize]);
            self.frames.len() as u32 - 1
        };
        let this = &mut self.frames[frame as usize];
        (this.page, this.changed, this.held) = (page, false, true);
        self.frame_of.set(page, frame);
        frame
    }

    #[inline]
    fn change(&mut self, frame: u32) {
        let this = &mut self.frames[frame as usize];
        self.changed_pages += u32::from(!this.changed);
        this.changed = true;
    }

    /// Writes a changed page that is in no list; returns its space.
    fn write(&mut self, frame: u32) -> usize {
        let this = &mut self.frames[frame as usize];
        this.changed = false;
        self.changed_pages -= 1;
        this.page.space()
    }

    /// Writes the last of the changed pages that are not held.
    fn spill(&mut self) {
        let frame = self.frames[CHANGED as usize].newer;
        if frame != CHANGED {
            self.take(frame);
            let space = self.write(frame);
            self.counts[space].write_backs += 1;
            self.give_back(frame);
        }
    }

    /// Holds a frame as the last of its tree, after giving back those of lower levels.
    #[inline]
    fn hold(&mut self, frame: u32, touch: Touch, was_held: bool) {
        let space = touch.page.space();
        if was_held {
            self.held[space].pages.retain(|held| held.frame != frame);
        }
        while let Some(below) = self.held[space]
            .pages
            .pop_if(|last| last.level < touch.level)
        {
            self.give_back(below.frame);
        }
        let held = &mut self.held[space];
        held.pages.push(HeldPage {
            page: touch.page,
            level: touch.level,
            frame,
        });
        held.present = held.pages.len();
    }

    /// Whether a touch is the next of a statement that so far does what the last did, or
    /// changes the page that was asked for last.
    #[inline]
    fn repeats(&mut self, touch: Touch) -> bool {
        let space = touch.page.space();
        let held = &mut self.held[space];
        let at = match touch.access {
            Access::Read => held.present,
            _ => held.present.wrapping_sub(1),
        };
        let Some(&HeldPage { page, level, frame }) = held.pages.get(at) else {
            return false;
        };
        if (page, level) != (touch.page, touch.level) {
            return false;
        }
        match touch.access {
            Access::Read => {
                held.present += 1;
                self.counts[space].hits += 1;
            }
            Access::Write => self.change(frame),
            Access::New | Access::Free => return false,
        }
        true
    }

    /// A touch of another page than the last statement's.
    #[inline(never)]
    fn differs(&mut self, touch: Touch) {
        if TREES
            .iter()
            .any(|&space| self.held[space].present < self.held[space].pages.len())
        {
            self.end();
        }
        let page = touch.page;
        let mut frame = self.frame(page);
        let was_held = frame != NONE && self.frames[frame as usize].held;
        match touch.access {
            Access::Read => frame = self.ask(page, frame),
            Access::New => {
                self.counts[page.space()].new_pages += 1;
                if frame == NONE {
                    frame = self.fetch(page);
                } else if !was_held {
                    self.take(frame);
                }
                self.change(frame);
            }
            Access::Write | Access::Free => {
                if !was_held {
                    frame = self.ask(page, frame);
                }
                self.change(frame);
            }
        }
        if page.space() != Space::Other as usize {
            self.hold(frame, touch, was_held);
        } else if page != first_page() {
            self.give_back(frame);
        } else if !was_held {
            self.in_transaction = true;
        }
    }
}

impl Pool for Pcache {
    #[inline]
    fn touch(&mut self, touch: Touch) {
        if !self.repeats(touch) {
            self.differs(touch);
        }
    }

    fn commit(&mut self) {
        for space in TREES {
            self.held[space].present = 0;
        }
        self.end();
        loop {
            let frame = self.frames[CHANGED as usize].older;
            if frame == CHANGED {
                break;
            }
            self.take(frame);
            let space = self.write(frame);
            self.counts[space].flushes += 1;
            self.give_back(frame);
        }
        if std::mem::take(&mut self.in_transaction) {
            let frame = self.frame(first_page());
            if self.frames[frame as usize].changed {
                let space = self.write(frame);
                self.counts[space].flushes += 1;
            }
            self.give_back(frame);
        }
    }

    fn counts(&self) -> &CountsBySpace {
        &self.counts
    }
}

#[cfg(test)]
mod tests;
