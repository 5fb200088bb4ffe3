//! The requests of a tree for pages, in the order of `btree.c` (release 3.40).
//!
//! [`Access::Read`] is a request to the pager. [`Access::Write`] is none: the page
//! is held since its request, and is changed now. A page is held until a page
//! of a higher level of its tree is changed, or the row is done. Of pages of one
//! level, those touched last are given back first.
//!
//! Not modelled: what comparing with a row that has overflow pages asks for; that a
//! page which becomes one of those that a trunk lists is not written. The requests of a
//! removal are not compared with the engine's: it holds its path to the end, and in a
//! table with an index goes to the index before the table.

use super::{Access, FIRST_PAGE, MOST_LEVELS, PageId, Sink, Space, SqliteTree, Touch};
use crate::id::Key;

impl<K: Key> SqliteTree<K> {
    /// Tells that page `page` of `level` is touched.
    #[inline]
    pub(super) fn touch<S: Sink>(&self, page: u32, level: u32, access: Access, sink: &mut S) {
        if S::TOUCHES {
            sink.touch(Touch {
                page: PageId::new(self.space, page),
                level: level as u8,
                access,
            });
        }
    }

    /// Tells that the file's first page is changed: it counts the file's pages and
    /// heads the list of free ones. It is held during a transaction.
    pub(super) fn touch_first_page<S: Sink>(&self, sink: &mut S) {
        touch_other(FIRST_PAGE, Access::Write, sink);
    }

    /// The descent to a leaf.
    #[inline]
    pub(super) fn ask<S: Sink>(&self, leaf: u32, sink: &mut S) {
        if S::TOUCHES {
            let read = |page, level| Touch {
                page: PageId::new(self.space, page),
                level,
                access: Access::Read,
            };
            let mut path = [read(leaf, 0); MOST_LEVELS];
            let (mut first, mut page) = (MOST_LEVELS - 1, leaf);
            for level in 1..=self.level {
                page = self.pages.above(page);
                first -= 1;
                path[first] = read(page, level as u8);
            }
            sink.descend(&path[first..]);
        }
    }

    /// Pages for the rest of a row.
    pub(super) fn ask_for_overflow_pages<S: Sink>(&self, pages: u64, sink: &mut S) {
        if S::TOUCHES {
            for page in self.overflow_pages..self.overflow_pages + pages {
                self.touch_first_page(sink);
                touch_other(FIRST_PAGE + 1 + page as u32, Access::New, sink);
            }
        }
    }

    /// Tells that siblings in the order of their numbers are changed. The page that
    /// overflowed is the last to be given back, the others are in their order.
    pub(super) fn touch_changed<S: Sink>(
        &self,
        pages: &[u32],
        overflowed: usize,
        level: u32,
        sink: &mut S,
    ) {
        if !S::TOUCHES {
            return;
        }
        let last = pages.get(overflowed);
        let others = pages.iter().filter(|&page| Some(page) != last);
        for &page in last.into_iter().chain(others.rev()) {
            self.touch(page, level, Access::Write, sink);
        }
    }
}

fn touch_other<S: Sink>(number: u32, access: Access, sink: &mut S) {
    if S::TOUCHES {
        sink.touch(Touch {
            page: PageId::new(Space::Other, number),
            level: 0,
            access,
        });
    }
}
