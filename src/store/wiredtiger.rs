//! WiredTiger's B-tree: [`WiredTiger`].

mod depth;
mod format;
mod page;

use super::{Access, Insert, PageId, Sink, Space, Split, Touch, Uniqueness};
use crate::engine::{EngineError, EngineOptions};
use crate::id::{Column, Key};
use depth::Depths;
use format::Format;
use page::{Page, State};
use std::collections::BTreeSet;

/// WiredTiger's row store: pages take rows in memory, and become pages on disk when they
/// are reconciled.
///
/// A page is reconciled when it is evicted: if more than 5 % of the cache is dirty, the
/// least recently used page, or if it has grown to `memory_page_max` (5 MB or 2 % of
/// the cache), the page itself. At 80 % of that limit a page of appended rows first
/// gives its last row to a new page on its right. What is written is divided into pages
/// of 90 % of `leaf_page_max` and a last pair of about equal ones.
///
/// [`WiredTiger::leaf_pages`] and [`WiredTiger::leaves`] tell what a checkpoint would
/// leave. A leaf that an event or [`WiredTiger::leaf_of`] names is a page in memory.
///
/// Not modelled: the eviction thread's timing (it is taken to keep up with the load; some real
/// loads split many more pages in eviction and end with up to 38 % more leaves, which seems
/// to come from it), its sampling of pages, internal pages in memory, checkpoints during a
/// load, overflow items, compression, deletes, updates. Rules of 3.2.1: `bt_split.c`,
/// `rec_write.c`, `evict_lru.c`, `bt_handle.c`.
#[derive(Clone, Debug)]
pub struct WiredTiger<K> {
    format: Format,
    uniqueness: Uniqueness,
    pages: Vec<Page<K>>,
    /// The pages in order, each with a lower bound of its keys.
    order: Vec<(K, u32)>,
    /// Dirty pages in memory, least recently used first, and their bytes.
    dirty: BTreeSet<(u64, u32)>,
    dirty_bytes: u64,
    /// The same of clean pages.
    clean: BTreeSet<(u64, u32)>,
    clean_bytes: u64,
    depths: Depths,
    rows: u64,
    maximum: Option<K>,
    in_memory_splits: u64,
    eviction_splits: u64,
    pages_read: u64,
    pages_written: u64,
}

impl<K: Key> WiredTiger<K> {
    /// An empty tree. `options.page_bytes` is `leaf_page_max`, 32768 if not given.
    ///
    /// # Errors
    /// A `leaf_page_max` that is no multiple of 4096 or above 1 MiB, a payload that
    /// would go to an overflow page, a fill factor.
    pub fn new(
        column: Column,
        options: EngineOptions,
        cache_bytes: u64,
        uniqueness: Uniqueness,
    ) -> Result<Self, EngineError> {
        let mut tree = Self {
            format: Format::new(column, options, cache_bytes)?,
            uniqueness,
            pages: Vec::new(),
            order: Vec::new(),
            dirty: BTreeSet::new(),
            dirty_bytes: 0,
            clean: BTreeSet::new(),
            clean_bytes: 0,
            depths: Depths::default(),
            rows: 0,
            maximum: None,
            in_memory_splits: 0,
            eviction_splits: 0,
            pages_read: 0,
            pages_written: 0,
        };
        tree.add(0, K::default(), Page::in_memory(Vec::new(), 0));
        Ok(tree)
    }

    /// Inserts `key` and reports it; `false` if it is there already (noticed
    /// only if [`Uniqueness::Checked`]).
    pub fn insert<S: Sink>(&mut self, key: K, sink: &mut S) -> bool {
        let mut slot = self.slot(key);
        if self.uniqueness == Uniqueness::Checked && self.page_at(slot).contains(key) {
            return false;
        }
        if S::TOUCHES {
            sink.begin();
        }
        let split = self.force_eviction(slot, sink);
        if split {
            slot = self.slot(key);
        }
        let number = self.order[slot].1;
        if S::TOUCHES {
            sink.touch(touch(number, Access::Write));
        }
        self.forget(number);
        let page = &mut self.pages[number as usize];
        self.pages_read += u64::from(page.state == State::Disk);
        page.insert(key, self.depths.draw());
        page.used = self.rows + 1;
        self.remember(number);
        let new_maximum = self.maximum.is_none_or(|maximum| key > maximum);
        if new_maximum {
            self.maximum = Some(key);
        }
        self.rows += 1;
        let event = Insert {
            leaf: number,
            edge_distance_leaves: (self.order.len() - 1 - slot) as u32,
            new_maximum,
            split,
            entries: self.pages[number as usize].keys.len() as u32,
        };
        self.evict(number, sink);
        sink.insert(&event);
        true
    }

    /// Inserts `keys`, which are new, in their order.
    pub fn insert_all(&mut self, keys: &[K], sink: &mut impl Sink) {
        for &key in keys {
            self.insert(key, sink);
        }
    }

    /// Where the page of `key` is in the order.
    fn slot(&self, key: K) -> usize {
        let after = self.order.partition_point(|&(bound, _)| bound <= key);
        after.saturating_sub(1)
    }

    fn page_at(&self, slot: usize) -> &Page<K> {
        &self.pages[self.order[slot].1 as usize]
    }

    /// `__evict_force_check`: splits or reconciles the page if it has grown too large.
    fn force_eviction(&mut self, slot: usize, sink: &mut impl Sink) -> bool {
        let page = self.page_at(slot);
        let bytes = page.bytes_without_image(&self.format);
        if bytes < self.format.split_memory_page {
            return false;
        }
        if page.can_split(&self.format) {
            self.split_in_memory(slot, sink);
            return true;
        }
        let large = bytes >= self.format.max_memory_page;
        if large {
            self.reconcile(slot, State::Disk, sink);
        }
        large
    }

    /// Evicts pages other than `current` while the cache is above its targets.
    fn evict(&mut self, current: u32, sink: &mut impl Sink) {
        while self.dirty_bytes > self.format.dirty_target {
            let Some(&(_, number)) = self.dirty.first() else {
                break;
            };
            if number == current {
                break;
            }
            let page = &self.pages[number as usize];
            let Some(slot) = page.keys.first().map(|&key| self.slot(key)) else {
                break;
            };
            if page.can_split(&self.format) {
                self.split_in_memory(slot, sink);
            } else {
                // Below half way to the triggers, what is written also stays in memory.
                self.reconcile(slot, State::Clean, sink);
            }
        }
        while self.clean_bytes + self.dirty_bytes > self.format.target {
            let Some(&(_, number)) = self.clean.first() else {
                break;
            };
            self.forget(number);
            self.pages[number as usize].state = State::Disk;
        }
    }

    /// `__wt_split_insert`: moves the last row of a page to a new one on its right.
    fn split_in_memory(&mut self, slot: usize, sink: &mut impl Sink) {
        let number = self.order[slot].1;
        self.forget(number);
        let page = &mut self.pages[number as usize];
        page.was_split = true;
        let (last, used) = (page.pop_greatest(), page.used);
        self.remember(number);
        if let Some(last) = last {
            self.in_memory_splits += 1;
            let new = self.add(slot + 1, last, Page::in_memory(vec![last], used));
            self.report(number, new, slot + 1, sink);
        }
    }

    /// Writes a page as one page on disk or several, which stay in memory if `state` says so.
    fn reconcile(&mut self, slot: usize, state: State, sink: &mut impl Sink) {
        let number = self.order[slot].1;
        self.forget(number);
        let page = &mut self.pages[number as usize];
        let (mut keys, used) = (page.take(), page.used);
        let written = self.format.reconcile(keys.len());
        self.pages_written += written.len() as u64;
        self.eviction_splits += u64::from(written.len() > 1);
        let rest = keys.split_off(written[0]);
        self.pages[number as usize] = Page::on_disk(keys, state, used);
        self.remember(number);
        let (mut left, mut rest) = (number, &rest[..]);
        for (i, &entries) in written.iter().enumerate().skip(1) {
            let (keys, others) = rest.split_at(entries);
            rest = others;
            let page = Page::on_disk(keys.to_vec(), state, used);
            let new = self.add(slot + i, keys[0], page);
            self.report(left, new, slot + i, sink);
            left = new;
        }
    }

    /// Puts a new page in its place.
    fn add(&mut self, slot: usize, bound: K, page: Page<K>) -> u32 {
        let number = self.pages.len() as u32;
        self.pages.push(page);
        self.order.insert(slot, (bound, number));
        self.remember(number);
        number
    }

    /// Tells of the new page `right` at `slot`.
    fn report<S: Sink>(&self, left: u32, right: u32, slot: usize, sink: &mut S) {
        if S::TOUCHES {
            sink.touch(touch(right, Access::New));
        }
        sink.split(&Split {
            level: 0,
            rightmost: slot + 1 == self.order.len(),
            new_entry_left: true,
            left,
            right,
            left_entries: self.pages[left as usize].keys.len() as u32,
            old_right: None,
        });
    }

    /// Counts a page in the cache.
    fn remember(&mut self, number: u32) {
        let page = &self.pages[number as usize];
        let bytes = page.bytes(&self.format);
        match page.state {
            State::Disk => {}
            State::Clean => {
                self.clean.insert((page.used, number));
                self.clean_bytes += bytes;
            }
            State::Dirty => {
                self.dirty.insert((page.used, number));
                self.dirty_bytes += bytes;
            }
        }
    }

    /// Takes a page out of the cache's counts.
    fn forget(&mut self, number: u32) {
        let page = &self.pages[number as usize];
        let bytes = page.bytes(&self.format);
        match page.state {
            State::Disk => {}
            State::Clean => {
                self.clean.remove(&(page.used, number));
                self.clean_bytes -= bytes;
            }
            State::Dirty => {
                self.dirty.remove(&(page.used, number));
                self.dirty_bytes -= bytes;
            }
        }
    }

    /// Writes all dirty pages, as a checkpoint does; they stay in memory.
    pub fn checkpoint(&mut self, sink: &mut impl Sink) {
        for slot in (0..self.order.len()).rev() {
            let page = self.page_at(slot);
            if page.state == State::Dirty && !page.keys.is_empty() {
                self.reconcile(slot, State::Clean, sink);
            }
        }
    }
}

fn touch(page: u32, access: Access) -> Touch {
    Touch {
        page: PageId::new(Space::Index, page),
        level: 0,
        access,
    }
}

mod shape;
#[cfg(test)]
mod tests;
