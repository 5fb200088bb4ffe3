//! What happens to a page that is too full, or too empty.

use super::page::Cells;
use super::{Place, ROOT, SqliteTree, cell};
use crate::id::Key;
use crate::store::{Access, Sink, Split};

/// What balancing needs; kept to save allocations.
#[derive(Clone, Debug)]
pub(super) struct Scratch<K> {
    /// All cells of the siblings in order, the dividers between them included
    /// unless they are leaves of a table.
    cells: Cells<K>,
    /// The new dividers between the siblings.
    pub dividers: Cells<K>,
    /// Cells of one sibling that have to be put in order.
    pub tail: Vec<(K, u16)>,
    /// Numbers of the siblings.
    pages: Vec<u32>,
    /// Where each sibling's cells end, and the bytes they cost.
    ends: Vec<(usize, u32)>,
}

impl<K> Default for Scratch<K> {
    fn default() -> Self {
        Self {
            cells: Cells::default(),
            dividers: Cells::default(),
            tail: Vec::new(),
            pages: Vec::new(),
            ends: Vec::new(),
        }
    }
}

/// Distributes cells of these costs over as few pages as can be, each with room
/// for `room` bytes. `divider` is 1 if a cell between two pages leaves them for
/// the parent, else 0. If all cells cost the same, `uniform` is what.
#[inline]
fn distribute(
    cost: impl Fn(usize) -> u32,
    uniform: Option<u32>,
    cells: usize,
    room: u32,
    divider: usize,
    ends: &mut Vec<(usize, u32)>,
) {
    ends.clear();
    let mut end = 0;
    loop {
        let mut used = 0;
        if let Some(cost) = uniform {
            let fit = ((room / cost) as usize).min(cells - end);
            (used, end) = (fit as u32 * cost, end + fit);
        }
        while end < cells && used + cost(end) <= room {
            used += cost(end);
            end += 1;
        }
        ends.push((end, used));
        if end == cells {
            break;
        }
        end += divider;
    }
    // So far the last page may be empty. From right to left, each page takes
    // cells of its left neighbour as long as it does not become the larger one.
    for right in (1..ends.len()).rev() {
        // SQLite leaves a cell's pointer out of the account if the page is the last.
        let slack = if right + 1 == ends.len() { 2 } else { 0 };
        let (mut end, mut left_used) = ends[right - 1];
        let mut right_used = ends[right].1;
        if let Some(cost) = uniform {
            let moved = (left_used + slack).saturating_sub(right_used) / (2 * cost);
            let moved = moved.max(u32::from(right_used == 0));
            ends[right - 1] = (end - moved as usize, left_used - moved * cost);
            ends[right].1 = right_used + moved * cost;
            continue;
        }
        loop {
            let leaving = cost(end - 1);
            let entering = cost(end - 1 + divider);
            if right_used != 0 && right_used + entering > left_used + slack - leaving {
                break;
            }
            right_used += entering;
            left_used -= leaving;
            end -= 1;
        }
        ends[right - 1] = (end, left_used);
        ends[right].1 = right_used;
    }
}

impl<K: Key> SqliteTree<K> {
    /// Restores order after `key` was put on a leaf that is now too full.
    #[cold]
    pub(super) fn balance(&mut self, place: Place, key: K, sink: &mut impl Sink) {
        self.balances = self.balances.wrapping_add(1);
        let mut scratch = std::mem::take(&mut self.scratch);
        if self.uniform.is_none() {
            self.pages.sort(place.leaf, &mut scratch.tail);
        }
        self.restore(place.leaf, 0, place, key, &mut scratch, sink);
        self.scratch = scratch;
        self.find_last();
    }

    /// Looks up the rightmost leaf anew.
    pub(super) fn find_last(&mut self) {
        self.last = self.directory.last();
        self.last_low = self.directory.low(self.last);
    }

    /// Balances `page` of `level` and the pages above it as long as they are too full or
    /// too empty; returns the level of the first that is neither. `place` is that of `key`.
    pub(super) fn restore(
        &mut self,
        mut page: u32,
        mut level: u32,
        place: Place,
        key: K,
        scratch: &mut Scratch<K>,
        sink: &mut impl Sink,
    ) -> u32 {
        loop {
            let is_overfull = self.pages.used(page) > self.room(level);
            if !is_overfull && (page == ROOT || !self.is_sparse(page, level)) {
                return level;
            }
            if page == ROOT {
                page = self.deepen(level, sink);
            }
            let parent = self.pages.above(page);
            if level == 0 && self.appends(page, parent, key) {
                self.append(page, parent, place, scratch, sink);
            } else {
                self.balance_siblings((parent, page), level, place, key, scratch, sink);
            }
            page = parent;
            // The root takes the level of its only child.
            level = (level + 1).min(self.level);
        }
    }

    /// Whether more than 2/3 of a page's bytes are free.
    pub(super) fn is_sparse(&self, page: u32, level: u32) -> bool {
        let free = self.room(level).saturating_sub(self.pages.used(page));
        free * 3 > self.page_bytes * 2
    }

    /// Whether `key` was put at the end of a table's leaf, and it is its parent's last child.
    fn appends(&self, leaf: u32, parent: u32, key: K) -> bool {
        !self.is_index()
            && self.pages.keys(leaf).last() == Some(&key)
            && self.pages.internal(parent).children.last() == Some(&leaf)
    }

    /// Moves the last row of a leaf that is its parent's last child to a new leaf.
    fn append(
        &mut self,
        leaf: u32,
        parent: u32,
        place: Place,
        scratch: &mut Scratch<K>,
        sink: &mut impl Sink,
    ) {
        let Scratch {
            cells, dividers, ..
        } = scratch;
        let right = self.allocate(0, None, sink);
        self.leaf_pages += 1;
        cells.clear();
        self.pages.append_leaf(leaf, cells);
        let last = cells.keys.len() - 1;
        let cost = cell::cost(self.cell_bytes(cells, last), 0);
        let used = self.pages.used(leaf) - cost;
        let balance = self.balances;
        self.pages.refill_leaf(leaf, cells, 0..last, used, balance);
        self.pages
            .refill_leaf(right, cells, last..last + 1, cost, balance);
        let rowid = cells.keys[last - 1];
        let bytes = cell::rowid_bytes(rowid);
        dividers.clear();
        dividers.keys.push(rowid);
        dividers.bytes.push(bytes);
        let used = self.pages.used(parent) + cell::cost(bytes, 1);
        self.pages.set_used(parent, used);
        let above = self.pages.internal_mut(parent);
        let end = above.keys.len();
        above.replace(end..end, dividers);
        self.adopt(parent, end, 1, &[leaf, right]);
        (self.directory).replace(place.position, 1, &[leaf, right], &dividers.keys);
        self.shapes = self.shapes.wrapping_add(1);
        self.touch(parent, 1, Access::Write, sink);
        sink.split(&Split {
            level: 0,
            rightmost: self.is_rightmost(right),
            new_entry_left: false,
            left: leaf,
            right,
            left_entries: self.pages.entries(leaf),
            old_right: None,
        });
    }

    /// Shares the cells of a child of `parent`, and of up to two children beside
    /// it, evenly among them and new pages, if it takes any. `place` is that of `key`.
    fn balance_siblings(
        &mut self,
        (parent, overflowed): (u32, u32),
        level: u32,
        place: Place,
        key: K,
        scratch: &mut Scratch<K>,
        sink: &mut impl Sink,
    ) {
        let Scratch {
            cells,
            dividers,
            tail,
            pages,
            ends,
        } = scratch;
        let divider = usize::from(level > 0 || self.is_index());
        let slot = self.pages.internal(parent).slot(overflowed);
        let children = self.pages.internal(parent).children.len();
        let count = children.min(3);
        let first = slot.saturating_sub(1).min(children - count);
        for child in &self.pages.internal(parent).children[first..first + count] {
            self.pages.fetch(*child);
        }
        self.gather(parent, first, count, divider == 1, tail, cells, pages);
        for &page in pages.iter().rev() {
            self.touch(page, level, Access::Read, sink);
        }
        let (total, room) = (cells.keys.len(), self.room(level));
        match self.uniform {
            Some(cell) => {
                let cost = cell::cost(cell.local, level);
                distribute(|_| cost, Some(cost), total, room, divider, ends);
            }
            None => {
                let cost = |at: usize| cell::cost(cells.bytes[at], level);
                distribute(cost, None, total, room, divider, ends);
            }
        }

        // Each sibling and where its cells begin and end.
        let mut siblings = [(0, 0, 0); 3];
        let mut start = 0;
        for (sibling, &page) in siblings.iter_mut().zip(&*pages) {
            let end = start + self.entries(page) as usize;
            *sibling = (page, start, end);
            start = end + divider;
        }
        let rightmost = self.is_rightmost(overflowed);
        while pages.len() < ends.len() {
            // The first is to be near the leftmost sibling, any more near the one before.
            let nearby = if pages.len() == count {
                0
            } else {
                pages.len() - 1
            };
            let nearby = pages.get(nearby).copied();
            pages.push(self.allocate(level, nearby, sink));
        }
        let surplus = pages.split_off(ends.len());
        pages.sort_unstable();
        self.touch_changed(pages, slot - first, level, sink);
        if level == 0 {
            self.leaf_pages = self.leaf_pages + pages.len() as u64 - count as u64;
        }
        let mut start = 0;
        for (at, (&page, &(end, used))) in pages.iter().zip(&*ends).enumerate() {
            if level > 0 || siblings.get(at) != Some(&(page, start, end)) {
                self.refill(page, cells, start..end, used, level);
            }
            start = end + divider;
        }

        // The dividers that leave the siblings, or copies of rowids that stay there.
        dividers.clear();
        for &(end, _) in &ends[..ends.len() - 1] {
            let key = cells.keys[end - 1 + divider];
            dividers.keys.push(key);
            match (self.uniform, divider) {
                (Some(_), _) => {}
                (None, 0) => dividers.bytes.push(cell::rowid_bytes(key)),
                (None, _) => dividers.bytes.push(cells.bytes[end]),
            }
        }
        let cost = |bytes: &[u16], count: usize| -> u32 {
            let costs = bytes.iter().map(|&bytes| cell::cost(bytes, level + 1));
            match self.uniform {
                Some(cell) => cell::cost(cell.local, level + 1) * count as u32,
                None => costs.sum(),
            }
        };
        let old = first..first + count - 1;
        let old_bytes = self.pages.internal(parent).bytes.get(old.clone());
        let used = self.pages.used(parent) - cost(old_bytes.unwrap_or_default(), old.len())
            + cost(&dividers.bytes, dividers.keys.len());
        self.pages.set_used(parent, used);
        self.pages.internal_mut(parent).replace(old, dividers);
        self.adopt(parent, first, count, pages);
        if level == 0 {
            let first = self.directory.before(place.position, slot - first);
            (self.directory).replace(first, count, pages, &dividers.keys);
            self.shapes = (self.shapes).wrapping_add(u32::from(pages.len() != count));
        }

        for added in count - 1..dividers.keys.len() {
            sink.split(&Split {
                level,
                rightmost,
                new_entry_left: key <= dividers.keys[added],
                left: overflowed,
                right: pages[added + 1],
                left_entries: self.entries(overflowed),
                old_right: None,
            });
        }
        if parent == ROOT && self.pages.internal(ROOT).keys.is_empty() {
            self.flatten(pages[0], sink);
        }
        for page in surplus {
            self.release(page, level, sink);
        }
        self.touch(parent, level + 1, Access::Write, sink);
    }
}
