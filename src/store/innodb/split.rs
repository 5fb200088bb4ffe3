//! The rule for full pages: the right sibling, a new root, a division.

use super::page::{Level, NONE, Page};
use super::{InnoDb, room, touch};
use crate::id::Key;
use crate::store::{Access, Sink, Split};

/// How a full page is divided.
struct Division<K> {
    /// Whether the new page is the left one.
    new_on_the_left: bool,
    /// Present records on the left page.
    left: usize,
    /// The lower bound of the right page.
    separator: K,
    new_entry_left: bool,
}

impl<K: Key> InnoDb<K> {
    /// Adds a record to a page that does not accept it.
    #[cold]
    pub(super) fn insert_into_full(
        &mut self,
        level: usize,
        page: u32,
        slot: usize,
        entry: (K, u32),
        sink: &mut impl Sink,
    ) {
        if level + 1 == self.levels.len() {
            self.raise_root(sink);
        }
        if !self.insert_into_sibling(level, page, slot, entry, sink) {
            self.split(level, page, slot, entry, sink);
        }
    }

    /// Puts a new root above the present one, which is written anew: the engine
    /// keeps the root's page and moves its records to a new one.
    fn raise_root(&mut self, sink: &mut impl Sink) {
        let (level, child) = (self.levels.len(), self.root());
        let below = self.levels[level - 1].page_mut(child);
        below.reorganize();
        let bound = below.keys[0];
        self.levels.push(Level::new(0));
        touch(level, 0, Access::New, sink);
        touch(level - 1, child, Access::Write, sink);
        self.put(level, 0, 0, (bound, child));
    }

    /// Makes `entry`, which belongs at the end of `page`, the first of the right
    /// sibling; `false` if it does not belong there or the sibling has no space.
    fn insert_into_sibling(
        &mut self,
        level: usize,
        page: u32,
        slot: usize,
        entry: (K, u32),
        sink: &mut impl Sink,
    ) -> bool {
        let here = self.levels[level].page(page);
        let sibling = here.right;
        if slot < here.keys.len() || sibling == NONE {
            return false;
        }
        let there = self.levels[level].page(sibling);
        if !there.has_garbage() && !self.format.has_space_above(level, there, 1) {
            return false;
        }
        touch(level, sibling, Access::Write, sink);
        self.put(level, sibling, 0, entry);
        self.sibling_inserts += 1;
        self.remove_pointer_to(level, sibling, sink);
        self.insert_pointer(level + 1, (entry.0, sibling), sink);
        true
    }

    /// Divides `page` and adds `entry` to one side.
    fn split(
        &mut self,
        level: usize,
        page: u32,
        slot: usize,
        entry: (K, u32),
        sink: &mut impl Sink,
    ) {
        let division = divide(self.levels[level].page(page), slot, entry.0);
        let Division {
            new_on_the_left,
            left: kept,
            separator,
            new_entry_left,
        } = division;
        let rightmost = page == self.levels[level].rightmost;
        let room = if level == 0 { room(&self.format) } else { 0 };
        let new = self.levels[level].add(page, new_on_the_left, room);
        let (left, right) = if new_on_the_left {
            (new, page)
        } else {
            (page, new)
        };
        touch(level, new, Access::New, sink);
        touch(level, page, Access::Write, sink);
        let beside = match new_on_the_left {
            true => self.levels[level].page(new).left,
            false => self.levels[level].page(new).right,
        };
        touch(level, beside, Access::Write, sink);
        self.splits += 1;
        sink.split(&Split {
            level: level as u32,
            rightmost,
            new_entry_left,
            left,
            right,
            left_entries: kept as u32 + u32::from(new_entry_left),
            old_right: None,
        });
        // The parents first: they decide by the pages as they were.
        if new_on_the_left {
            self.replace_child(level, page, new, sink);
        }
        self.insert_pointer(level + 1, (separator, right), sink);

        let Level { pages, .. } = &mut self.levels[level];
        let Ok([old, fresh]) = pages.get_disjoint_mut([page as usize, new as usize]) else {
            return; // A new page is another page.
        };
        let (keys, children) = if new_on_the_left {
            old.take_start(kept)
        } else {
            old.take_end(kept)
        };
        let moved = 0..keys.len();
        fresh.copy(0, keys, children);
        if !new_on_the_left {
            fresh.last = NONE; // Copied as a whole, not one by one.
        }
        self.adopt(level, new, moved);
        let (target, slot) = match new_entry_left {
            true => (left, slot),
            false => (right, slot - kept),
        };
        self.put(level, target, slot, entry);
        self.recount(level, page);
        self.recount(level, new);
    }
}

/// Where a full page is divided to admit `key` at `slot`.
///
/// Records are equally large and two fit a page, so the new one always finds room
/// on its side; the engine's second attempt, by size, is never needed.
fn divide<K: Key>(page: &Page<K>, slot: usize, key: K) -> Division<K> {
    let records = page.keys.len();
    let at = |left: usize, new_on_the_left| Division {
        new_on_the_left,
        left,
        separator: page.keys[left],
        new_entry_left: slot <= left,
    };
    // The new record is the first of the right page.
    let at_new = || Division {
        new_on_the_left: false,
        left: slot,
        separator: key,
        new_entry_left: false,
    };
    if page.is_after_last(slot) {
        // Ascending: a single record stays above the new one, if there are two.
        match slot + 1 < records {
            true => at(slot + 1, false),
            false => at_new(),
        }
    } else if page.is_before_last(slot) {
        // Descending: the record below the new one goes along, if another is left.
        at(if slot >= 2 { slot - 1 } else { slot }, true)
    } else if records > 1 || slot == 0 {
        at(records / 2, false)
    } else {
        at_new()
    }
}
