//! Sizes in memory and on disk, and how a reconciliation divides: [`Format`].

use crate::engine::{EngineError, EngineOptions};
use crate::id::Column;
use crate::names::plural;

/// A page header and a block header.
const HEADER: u32 = 28 + 12;
/// `allocation_size`.
const ALLOCATION: u32 = 4096;
/// `memory_page_max`.
const MEMORY_PAGE_MAX: u64 = 5 << 20;

/// Sizes in bytes, and shares of the cache.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Format {
    /// `leaf_page_max`.
    pub leaf_page_max: u32,
    /// Of an entry on disk.
    pub cell: u32,
    /// Of an entry inserted in memory, less its pointers in a skip list.
    inserted: u32,
    /// Entries of a page as it is made from a larger one.
    split_entries: u32,
    /// Entries that the last but one keeps at least.
    min_entries: u32,
    /// Where a page in memory is split if rows are appended.
    pub split_memory_page: u64,
    /// Where it is evicted.
    pub max_memory_page: u64,
    /// `eviction_dirty_target`: where dirty pages begin to be evicted.
    pub dirty_target: u64,
    /// `eviction_target`: where clean pages begin to be evicted.
    pub target: u64,
}

/// `__wt_split_page_size`: a share of a page in whole allocation units if it can be.
fn split_size(percent: u32, page: u32) -> u32 {
    let exact = page / 100 * percent + page % 100 * percent / 100;
    match (exact + ALLOCATION / 2) / ALLOCATION * ALLOCATION {
        0 => exact,
        rounded if rounded == page => exact,
        rounded => rounded,
    }
}

/// Bytes of a cell: the descriptor holds a length below 64; a longer one follows, packed.
fn cell(bytes: u32) -> u32 {
    let length = match bytes {
        0..64 => 0,
        64..128 => 1,
        128..8320 => 2,
        _ => 3,
    };
    1 + length + bytes
}

impl Format {
    pub fn new(
        column: Column,
        options: EngineOptions,
        cache_bytes: u64,
    ) -> Result<Self, EngineError> {
        let refuse = |option, message: String| {
            Err(EngineError {
                option: Some(option),
                message: format!("wiredtiger: {message}"),
            })
        };
        let page = options.page_bytes.unwrap_or(32768);
        if !page.is_multiple_of(ALLOCATION) || !(ALLOCATION..=1 << 20).contains(&page) {
            let message = format!(
                "a leaf_page_max of {} is not valid, expected a multiple of {ALLOCATION} up to 1048576",
                plural(page, "byte")
            );
            return refuse("page_bytes", message);
        }
        if options.fill_factor_percent.is_some() {
            return refuse("fill_factor", "there is no fill factor".to_owned());
        }
        let (key, payload) = (column.value_bytes(), options.payload_bytes);
        let (split, min) = (split_size(90, page), split_size(50, page));
        // Larger values are kept on overflow pages.
        if payload > split / 2 || cell(key) + cell(payload) > min - HEADER {
            let message = format!(
                "a key of {} and a payload of {} are too large for a page of {page}",
                plural(key, "byte"),
                plural(payload, "byte")
            );
            return refuse(options.to_blame(column), message);
        }
        // An empty value has no cell.
        let cell = cell(key) + if payload == 0 { 0 } else { cell(payload) };
        // The limit for a page is an upper bound in terms of the cache, too: the dirty
        // trigger of 20 % less a factor of 10.
        let max_memory_page = MEMORY_PAGE_MAX.min(cache_bytes / 50).max(u64::from(page));
        Ok(Self {
            leaf_page_max: page,
            cell,
            // WT_INSERT, the key, and WT_UPDATE with the value in units of 32 bytes.
            inserted: 16 + key + (38 + payload).next_multiple_of(32),
            split_entries: (split - HEADER) / cell,
            min_entries: (min - HEADER) / cell,
            split_memory_page: max_memory_page / 10 * 8,
            max_memory_page,
            dirty_target: cache_bytes / 20,
            target: cache_bytes / 5 * 4,
        })
    }

    /// Bytes of the page of so many entries on disk.
    pub fn image(&self, entries: usize) -> u64 {
        u64::from(HEADER) + entries as u64 * u64::from(self.cell)
    }

    /// Bytes of so many entries inserted in memory, less their pointers.
    pub fn inserted(&self, entries: usize) -> u64 {
        entries as u64 * u64::from(self.inserted)
    }

    /// Entries of each page that is written for a page in memory.
    ///
    /// `__wt_rec_split`: pages of the split size while entries come. The last two are
    /// one if that fits a page; if not, and the last is smaller than half a page, it gets
    /// all of the one before beyond that.
    pub fn reconcile(&self, entries: usize) -> Vec<usize> {
        let split = self.split_entries as usize;
        if self.image(entries) <= u64::from(self.leaf_page_max) {
            return vec![entries];
        }
        let mut pages = vec![split; (entries - 1) / split];
        let last = entries - pages.len() * split;
        if let Some(before) = pages.last_mut() {
            let both = *before + last;
            if self.image(both) <= u64::from(self.leaf_page_max) {
                *before = both;
                return pages;
            }
            if last < self.min_entries as usize {
                *before = self.min_entries as usize;
                pages.push(both - self.min_entries as usize);
                return pages;
            }
        }
        pages.push(last);
        pages
    }
}
