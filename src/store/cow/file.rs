//! The file of an LMDB environment: [`LmdbFile`].

use crate::store::{Insert, Sink, Space, Split, Touch};
use std::collections::VecDeque;

/// Counts the pages that LMDB 0.9 writes and how long its file gets, from the touches of a
/// [`CowTree`](super::CowTree).
///
/// A page is copied when a transaction first changes it, and the old one is free. Pages
/// that transaction n freed may be used again by transaction n + 2; others come from the
/// end of the file. A commit writes the list of what it freed, and what is left of older
/// lists, as records of the tree of free pages: a leaf, or pages of their own above 2038
/// bytes.
///
/// Page numbers are not kept, so that a long list always finds pages beside each other.
/// Not modelled: readers, overflow pages of payloads, more than one leaf of free pages.
#[derive(Clone, Debug)]
pub struct LmdbFile {
    rows_per_transaction: u64,
    rows: u64,
    transaction: u64,
    /// The transaction that last wrote a page, 0 if none, by space and number.
    written_by: [Vec<u64>; Space::COUNT],
    /// Pages that this transaction freed.
    freed: u64,
    /// Pages that hold the lists of free pages.
    list_pages: u64,
    /// Transactions and the pages they freed.
    lists: VecDeque<(u64, u64)>,
    /// Free pages at hand.
    reusable: u64,
    file_pages: u64,
    pages_written: u64,
}

/// Pages of 4096 bytes: a node above 2038 bytes goes to pages of its own.
const PAGE_BYTES: u64 = 4096;
const NODE_BYTES: u64 = 2038;
const META_PAGES: u64 = 2;

impl LmdbFile {
    /// A new environment of 4096-byte pages, with so many rows a transaction (at least 1).
    pub fn new(rows_per_transaction: u64) -> Self {
        Self {
            rows_per_transaction: rows_per_transaction.max(1),
            rows: 0,
            transaction: 1,
            written_by: Default::default(),
            freed: 0,
            list_pages: 0,
            lists: VecDeque::new(),
            reusable: 0,
            file_pages: META_PAGES,
            pages_written: 0,
        }
    }

    /// Commits the transaction; this happens by itself when the first row of the next one comes.
    pub fn commit(&mut self) {
        let freed = self.freed + self.list_pages;
        self.list_pages = 1 + record_pages(freed) + record_pages(self.reusable);
        for _ in 0..self.list_pages {
            self.take_page();
        }
        self.lists.push_back((self.transaction, freed));
        self.pages_written += 1;
        self.freed = 0;
        self.transaction += 1;
    }

    /// Writes a page to a free one, or to the end of the file.
    fn take_page(&mut self) {
        while self.reusable == 0 {
            match self.lists.front() {
                Some(&(transaction, freed)) if transaction + 2 <= self.transaction => {
                    self.reusable = freed;
                    self.lists.pop_front();
                }
                _ => break,
            }
        }
        match self.reusable {
            0 => self.file_pages += 1,
            _ => self.reusable -= 1,
        }
        self.pages_written += 1;
    }

    /// Pages of the file, used once or free again.
    pub fn file_pages(&self) -> u64 {
        self.file_pages
    }

    /// Pages written by commits so far: of the tree, free lists and a metapage each.
    pub fn pages_written(&self) -> u64 {
        self.pages_written
    }

    /// Transactions committed.
    pub fn commits(&self) -> u64 {
        self.transaction - 1
    }
}

/// Pages of their own for a list of so many pages: the count and 8 bytes for each.
fn record_pages(pages: u64) -> u64 {
    let bytes = 8 * (pages + 1);
    match 8 + 8 + bytes > NODE_BYTES {
        true => (16 + bytes).div_ceil(PAGE_BYTES),
        false => 0,
    }
}

impl Sink for LmdbFile {
    const TOUCHES: bool = true;

    fn begin(&mut self) {
        if self.rows > 0 && self.rows.is_multiple_of(self.rows_per_transaction) {
            self.commit();
        }
        self.rows += 1;
    }

    fn touch(&mut self, touch: Touch) {
        let pages = &mut self.written_by[touch.page.space()];
        let number = touch.page.number() as usize;
        if pages.len() <= number {
            pages.resize(number + 1, 0);
        }
        let before = std::mem::replace(&mut pages[number], self.transaction);
        if before != self.transaction {
            self.freed += u64::from(before > 0);
            self.take_page();
        }
    }

    fn insert(&mut self, _: &Insert) {}

    fn split(&mut self, _: &Split) {}
}
