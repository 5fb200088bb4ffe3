//! What happens to a page that is too full, or too empty.

use super::page::{Child, Page};
use super::{ROOT, SqliteTree, cell};
use crate::id::Key;
use crate::store::{Access, Sink, Split};

/// The cells of siblings that are being balanced; kept to save allocations.
#[derive(Clone, Debug)]
pub(super) struct Scratch<K> {
    /// Internal pages and child slots from the root to the page at hand.
    path: Vec<(u32, usize)>,
    /// All cells of the siblings in order, the dividers between them included
    /// unless they are leaves of a table.
    cells: Page<K>,
    /// Cells of one sibling that have to be put in order.
    tail: Vec<(K, u16)>,
    /// Numbers of the siblings.
    pages: Vec<u32>,
    /// Where each sibling's cells end, and the bytes they cost.
    ends: Vec<(usize, u32)>,
}

impl<K> Default for Scratch<K> {
    fn default() -> Self {
        Self {
            path: Vec::new(),
            cells: Page::default(),
            tail: Vec::new(),
            pages: Vec::new(),
            ends: Vec::new(),
        }
    }
}

/// Distributes cells of these costs over as few pages as can be, each with room
/// for `room` bytes. `divider` is 1 if a cell between two pages leaves them for
/// the parent, else 0.
fn distribute(
    cost: impl Fn(usize) -> u32,
    cells: usize,
    room: u32,
    divider: usize,
    ends: &mut Vec<(usize, u32)>,
) {
    ends.clear();
    let mut end = 0;
    loop {
        let mut used = 0;
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
    pub(super) fn balance(&mut self, key: K, sink: &mut impl Sink) {
        self.balances += 1;
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.path.clear();
        let mut page = ROOT;
        for _ in 0..self.level {
            let internal = &self.pages[page as usize];
            let slot = internal.slot(key);
            scratch.path.push((page, slot));
            page = internal.children[slot].page;
        }
        self.pages[page as usize].sort(&mut scratch.tail);
        let mut level = 0;
        loop {
            let (used, room) = (self.pages[page as usize].used, self.room(level));
            if used <= room && (room - used) * 3 <= self.page_bytes * 2 {
                break;
            }
            if page == ROOT {
                if used <= room {
                    break;
                }
                page = self.deepen(level, sink);
                scratch.path.push((ROOT, 0));
            }
            let Some((parent, slot)) = scratch.path.pop() else {
                break;
            };
            if level == 0 && self.appends(page, parent, slot, key) {
                self.append(page, parent, &scratch.path, sink);
            } else {
                self.balance_siblings((parent, slot), level, key, &mut scratch, sink);
            }
            page = parent;
            level += 1;
        }
        self.scratch = scratch;
        self.last_leaf = ROOT;
        while let Some(child) = self.pages[self.last_leaf as usize].children.last() {
            self.last_leaf = child.page;
        }
    }

    /// Whether `key` was put at the end of a table's leaf, and it is its parent's last child.
    fn appends(&self, leaf: u32, parent: u32, slot: usize, key: K) -> bool {
        !self.is_index()
            && self.pages[leaf as usize].keys.last() == Some(&key)
            && self.pages[parent as usize].keys.len() == slot
    }

    /// Moves the last row of a leaf that is its parent's last child to a new leaf.
    fn append(&mut self, leaf: u32, parent: u32, path: &[(u32, usize)], sink: &mut impl Sink) {
        let right = self.allocate(0, sink);
        self.leaf_pages += 1;
        let left = &mut self.pages[leaf as usize];
        let last = left.keys.len() - 1;
        let (keys, bytes) = (left.keys.split_off(last), left.bytes.split_off(last));
        let used = cell::cost(bytes[0], 0);
        left.used -= used;
        left.sorted = last;
        let rowid = left.keys[last - 1];
        let new = &mut self.pages[right as usize];
        (new.keys, new.bytes, new.used, new.sorted) = (keys, bytes, used, 1);
        let above = &mut self.pages[parent as usize];
        let bytes = cell::rowid_bytes(rowid);
        above.keys.push(rowid);
        above.bytes.push(bytes);
        above.used += cell::cost(bytes, 1);
        above.leaves += 1;
        (above.children.iter_mut()).for_each(|child| child.leaves_right += 1);
        above.children.push(Child {
            page: right,
            leaves_right: 0,
        });
        self.count_leaves(path, 1);
        self.touch(parent, 1, Access::Write, sink);
        sink.split(&Split {
            level: 0,
            rightmost: self.is_rightmost(path),
            new_entry_left: false,
            left: leaf,
            right,
            left_entries: self.pages[leaf as usize].keys.len() as u32,
            old_right: None,
        });
    }

    /// Shares the cells of child `slot` of `parent`, and of up to two children
    /// beside it, evenly among them and new pages, if it takes any.
    fn balance_siblings(
        &mut self,
        (parent, slot): (u32, usize),
        level: u32,
        key: K,
        scratch: &mut Scratch<K>,
        sink: &mut impl Sink,
    ) {
        let Scratch {
            path,
            cells,
            tail,
            pages,
            ends,
        } = scratch;
        let divider = usize::from(level > 0 || self.is_index());
        let children = self.pages[parent as usize].children.len();
        let count = children.min(3);
        let first = slot.saturating_sub(1).min(children - count);
        if level == 0 {
            for slot in first..first + count {
                let page = self.pages[parent as usize].children[slot].page;
                self.pages[page as usize].sort(tail);
            }
        }
        self.gather(parent, first, count, divider == 1, cells, pages);
        for &page in pages.iter().rev() {
            self.touch(page, level, Access::Read, sink);
        }
        let cost = |at: usize| cell::cost(cells.bytes[at], level);
        distribute(cost, cells.keys.len(), self.room(level), divider, ends);

        let overflowed = pages[slot - first];
        let rightmost = slot + 1 == children && self.is_rightmost(path);
        while pages.len() < ends.len() {
            pages.push(self.allocate(level, sink));
        }
        for surplus in pages.drain(ends.len()..) {
            self.release(surplus, level, sink);
        }
        pages.sort_unstable();
        self.touch_changed(pages, slot - first, level, sink);
        if level == 0 {
            self.leaf_pages = self.leaf_pages + pages.len() as u64 - count as u64;
        }
        let mut start = 0;
        for (&page, &(end, used)) in pages.iter().zip(&*ends) {
            let page = &mut self.pages[page as usize];
            page.refill(cells, start..end);
            page.used = used;
            start = end + divider;
        }
        for &page in pages.iter().filter(|_| level > 0) {
            let mut children = std::mem::take(&mut self.pages[page as usize].children);
            let leaves = self.number(&mut children, 0);
            let page = &mut self.pages[page as usize];
            (page.children, page.leaves) = (children, leaves);
        }

        // The dividers that leave the siblings, or copies of rowids that stay there.
        let dividers = ends[..ends.len() - 1]
            .iter()
            .map(|&(end, _)| match divider {
                0 => (cells.keys[end - 1], cell::rowid_bytes(cells.keys[end - 1])),
                _ => (cells.keys[end], cells.bytes[end]),
            });
        let above = &mut self.pages[parent as usize];
        let old = first..first + count - 1;
        let cost = |bytes: &[u16]| -> u32 {
            let costs = bytes.iter().map(|&bytes| cell::cost(bytes, level + 1));
            costs.sum()
        };
        above.used -= cost(&above.bytes[old.clone()]);
        above
            .keys
            .splice(old.clone(), dividers.clone().map(|(key, _)| key));
        above
            .bytes
            .splice(old, dividers.clone().map(|(_, bytes)| bytes));
        above.used += cost(&above.bytes[first..first + pages.len() - 1]);
        self.adopt(parent, first, count, pages, path);

        for (added, (bound, _)) in dividers.enumerate().skip(count - 1) {
            sink.split(&Split {
                level,
                rightmost,
                new_entry_left: key <= bound,
                left: overflowed,
                right: pages[added + 1],
                left_entries: self.pages[overflowed as usize].keys.len() as u32,
                old_right: None,
            });
        }
        if parent == ROOT && pages.len() == 1 {
            self.flatten(pages[0], sink);
        }
        self.touch(parent, level + 1, Access::Write, sink);
    }
}
