//! The file of an InnoDB table: page headers and descriptors of extents, as MariaDB's
//! `fil0fil.h`, `page0page.h` and `fsp0fsp.h` lay them out.

use crate::live::{Tree, apart_percent, decimals, percentiles, put};
use anyhow::{Context, Result};
use std::io::Read;
use std::path::Path;

/// The type of a page of a b-tree, FIL_PAGE_INDEX.
const INDEX_PAGE: u64 = 17855;
/// No page.
const NONE: u64 = 0xffff_ffff;
/// Where records begin: after headers and the two records at the ends.
const RECORDS_AT: u64 = 120;
/// Bytes of a page that are not for records: before them, its trailer and two slots.
const RESERVED: u64 = RECORDS_AT + 8 + 4;

/// The pages of a file, by number; `None` for those of no b-tree.
pub struct File {
    pages: Vec<Option<Page>>,
    page_bytes: u64,
}

struct Page {
    next: u64,
    index: u64,
    level: u64,
    records: u64,
    data_bytes: u64,
    garbage_bytes: u64,
    directory_slots: u64,
    is_first: bool,
    /// Given back to the file since; it still looks as it did.
    is_free: bool,
}

impl Page {
    fn new(page: &[u8], is_free: bool) -> Option<Self> {
        let number = |at: usize, bytes: usize| {
            let digits = page[at..at + bytes].iter();
            digits.fold(0, |number, &digit| number << 8 | u64::from(digit))
        };
        let garbage_bytes = number(46, 2);
        (number(24, 2) == INDEX_PAGE).then(|| Self {
            is_free,
            is_first: number(8, 4) == NONE,
            next: number(12, 4),
            directory_slots: number(38, 2),
            data_bytes: number(40, 2).saturating_sub(RECORDS_AT + garbage_bytes),
            garbage_bytes,
            records: number(54, 2),
            level: number(64, 2),
            index: number(66, 8),
        })
    }
}

/// Whether the page at `number` after a page of descriptors is free: each extent has
/// 24 bytes and then two bits a page, the first of which says so.
fn is_free(descriptors: &[u8], number: usize) -> bool {
    let extent_pages = ((1 << 20) / descriptors.len()).max(64);
    let bitmap_bytes = extent_pages / 4;
    let (extent, bit) = (number / extent_pages, 2 * (number % extent_pages));
    let byte = 150 + extent * (24 + bitmap_bytes) + 24 + bit / 8;
    descriptors[byte] >> (bit % 8) & 1 == 1
}

impl File {
    pub fn read(path: &Path, page_bytes: usize) -> Result<Self> {
        let mut file = std::fs::File::open(path)?;
        let mut page = vec![0; page_bytes];
        let count = file.metadata()?.len() / page_bytes as u64;
        let mut pages = Vec::with_capacity(count as usize);
        let mut descriptors = Vec::new();
        for number in 0..count as usize {
            file.read_exact(&mut page)?;
            // Every so many pages one describes itself and those that follow.
            if number % page_bytes == 0 {
                descriptors.clone_from(&page);
            }
            let is_free = is_free(&descriptors, number % page_bytes);
            pages.push(Page::new(&page, is_free));
        }
        Ok(Self {
            pages,
            page_bytes: page_bytes as u64,
        })
    }

    fn page(&self, number: u64) -> Option<&Page> {
        self.pages.get(number as usize)?.as_ref()
    }

    /// Measures the tree at the page `root`; returns its pages.
    pub fn measure(&self, root: u64, tree: &mut Tree) -> Result<u64> {
        let root = self.page(root).context("the root is no page of a b-tree")?;
        let pages = || {
            let pages = (0..).zip(&self.pages);
            let pages = pages.filter_map(|(number, page)| Some((number, page.as_ref()?)));
            pages.filter(|(_, page)| page.index == root.index)
        };
        let in_use = || pages().filter(|(_, page)| !page.is_free);
        let first = in_use().find(|(_, page)| page.level == 0 && page.is_first);
        let mut numbers = Vec::new();
        let mut next = first.context("no first leaf")?.0;
        // A chain is no longer than the file.
        while next != NONE && numbers.len() < self.pages.len() {
            numbers.push(next);
            next = self
                .page(next)
                .context("a leaf is no page of a b-tree")?
                .next;
        }
        let leaves: Vec<_> = numbers.iter().filter_map(|&leaf| self.page(leaf)).collect();
        let internal: Vec<_> = in_use().filter(|(_, page)| page.level > 0).collect();
        let total = |value: fn(&Page) -> u64| leaves.iter().map(|leaf| value(leaf)).sum::<u64>();
        let mean = |value| total(value) as f64 / leaves.len() as f64;
        let room = (self.page_bytes - RESERVED) as f64;

        put(tree, "root_level", root.level);
        put(tree, "leaf_pages", leaves.len());
        put(tree, "internal_pages", internal.len());
        put(tree, "leaf_records", total(|leaf| leaf.records));
        let data_bytes = mean(|leaf| leaf.data_bytes);
        put(tree, "leaf_data_bytes_mean", decimals(data_bytes, 2));
        let slots = mean(|leaf| leaf.directory_slots);
        put(tree, "leaf_dir_slots_mean", decimals(slots, 2));
        put(
            tree,
            "leaf_fill_pct",
            decimals(100.0 * data_bytes / room, 3),
        );
        let garbage = mean(|leaf| leaf.garbage_bytes);
        put(tree, "leaf_garbage_bytes_mean", decimals(garbage, 2));
        let mut records: Vec<_> = leaves.iter().map(|leaf| leaf.records).collect();
        let [p05, p50, p95] = percentiles(&mut records);
        put(tree, "leaf_recs_p05", p05);
        put(tree, "leaf_recs_p50", p50);
        put(tree, "leaf_recs_p95", p95);
        put(
            tree,
            "leaf_recs_mean",
            decimals(mean(|leaf| leaf.records), 3),
        );
        let apart = decimals(apart_percent(&numbers), 3);
        put(tree, "leaf_noncontiguous_pct", apart);
        let used = internal
            .iter()
            .map(|(_, page)| page.data_bytes)
            .sum::<u64>() as f64;
        let fill = 100.0 * used / (internal.len().max(1) as f64 * room);
        put(tree, "internal_fill_pct", decimals(fill, 3));
        put(tree, "file_pages", self.pages.len());
        put(tree, "index_pages_in_file", pages().count());
        Ok((leaves.len() + internal.len()) as u64)
    }
}
