//! The least recently used page goes first.

use super::list::Lists;
use super::table::PageTable;
use super::{CountsBySpace, Pool};
use crate::store::{Access, PageId, Space, Touch};

const USED: u32 = 0;
const FREE: u32 = 1;
const LISTS: u32 = 2;

#[derive(Clone, Copy, Debug)]
struct Frame {
    page: PageId,
    dirty: bool,
}

/// A pool that makes room by giving up the page that was asked for longest ago.
///
/// Not modelled: pages read ahead, pages written before they must be.
#[derive(Clone, Debug)]
pub struct Lru {
    free_pages: u32,
    /// The frame of each page that is here.
    frame_of: PageTable,
    frames: Lists<Frame>,
    counts: CountsBySpace,
}

impl Lru {
    /// An empty pool of `pages` pages, at least one.
    pub fn new(pages: u32) -> Self {
        let blank = Frame {
            page: PageId::new(Space::Other, 0),
            dirty: false,
        };
        Self {
            free_pages: pages.max(1),
            frame_of: PageTable::default(),
            frames: Lists::new(LISTS, blank),
            counts: CountsBySpace::default(),
        }
    }

    /// A frame for `page`, which is not here.
    fn admit(&mut self, page: PageId) -> u32 {
        let blank = Frame { page, dirty: false };
        let frame = if let Some(frame) = self.frames.first(FREE) {
            frame
        } else if self.free_pages > 0 {
            self.free_pages -= 1;
            self.frames.add(blank)
        } else {
            let frame = self.frames.last(USED).unwrap_or_default();
            let old = self.frames[frame];
            self.frame_of.set(old.page, 0);
            self.counts[old.page.space()].write_backs += u64::from(old.dirty);
            frame
        };
        self.frames[frame] = blank;
        self.frame_of.set(page, frame);
        frame
    }
}

impl Pool for Lru {
    #[inline]
    fn touch(&mut self, touch: Touch) {
        let page = touch.page;
        let mut frame = self.frame_of.get(page);
        let counts = &mut self.counts[page.space()];
        match (touch.access, frame) {
            (Access::Free, 0) => return,
            (Access::Free, _) => {
                self.frame_of.set(page, 0);
                self.frames[frame].dirty = false;
                self.frames.move_after(FREE, frame);
                return;
            }
            (Access::New, _) => counts.new_pages += 1,
            (_, 0) => counts.reads += 1,
            (_, _) => counts.hits += 1,
        }
        if frame == 0 {
            frame = self.admit(page);
        }
        self.frames.move_after(USED, frame);
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
    use super::super::Counts;
    use super::*;
    use proptest::prelude::*;

    /// The same rules on a list in order, newest last.
    #[derive(Default)]
    struct Naive {
        pages: Vec<(u32, bool)>,
        counts: Counts,
    }

    impl Naive {
        fn touch(&mut self, size: usize, page: u32, access: Access) {
            let found = self.pages.iter().position(|&(other, _)| other == page);
            let dirty = found.is_some_and(|at| self.pages.remove(at).1);
            match (access, found) {
                (Access::Free, _) => return,
                (Access::New, _) => self.counts.new_pages += 1,
                (_, None) => self.counts.reads += 1,
                (_, Some(_)) => self.counts.hits += 1,
            }
            if self.pages.len() == size {
                self.counts.write_backs += u64::from(self.pages.remove(0).1);
            }
            self.pages.push((page, dirty || access != Access::Read));
        }
    }

    proptest! {
        #[test]
        fn it_is_the_list_in_order(
            size in 1u32..12,
            touches in prop::collection::vec((0u32..20, 0u32..12), 0..400),
        ) {
            let mut pool = Lru::new(size);
            let mut naive = Naive::default();
            for (number, kind) in touches {
                let access = match kind {
                    0 => Access::Free,
                    1 => Access::New,
                    2..6 => Access::Write,
                    6..11 => Access::Read,
                    _ => {
                        pool.checkpoint();
                        for (_, dirty) in &mut naive.pages {
                            naive.counts.flushes += u64::from(std::mem::take(dirty));
                        }
                        continue;
                    }
                };
                let page = PageId::new(Space::Table, number);
                pool.touch(Touch { page, level: 0, access });
                naive.touch(size as usize, number, access);
                prop_assert_eq!(pool.counts()[Space::Table as usize], naive.counts);
            }
        }
    }
}
