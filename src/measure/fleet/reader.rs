//! Readers: programs that page through the rows by id, and what becomes of each row.
//!
//! A [`Reader`] takes the rows in the order of their commit and polls in simulated time.
//! At a poll it sees what is committed by then, and decides which of it it reads; a row
//! that it will never read is skipped.

mod cursor;
mod gap;
mod kind;
mod lossless;
mod overlap;
mod report;
mod xmin;

pub use kind::{AnyReader, READER_KINDS, ReaderError, ReaderKind};
pub use lossless::smallest_lossless_lag;
pub use report::*;

use super::Seen;
use crate::clock::Timestamp;
use hdrhistogram::Histogram;

/// A program that reads rows as they are committed.
pub trait Reader<K, L> {
    /// Takes the next row in the order of commit.
    fn see(&mut self, row: &Seen<K>);

    /// What became of the rows; polls go on until none waits.
    fn finish(self) -> L;
}

/// What becomes of rows, as a reader decides it. `place`s are in the order of commit, from 0.
pub trait Ledger {
    /// A row is read, for the first time.
    fn read(&mut self, place: u64, committed: Timestamp, at: Timestamp);

    /// A row will never be read.
    fn skipped(&mut self, place: u64);

    /// A poll returns so many rows that were read before.
    fn read_twice(&mut self, rows: u64);

    /// So long the reader saw rows that it held back because of others.
    fn stalled(&mut self, ns: u64);
}

/// When a reader polls.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Polls {
    /// The poll that the reader has come to.
    now: Timestamp,
    every_ns: u64,
}

impl Polls {
    /// A poll at `first`, and one each `every_ns` after it; 0: whenever there is a row.
    pub fn new(first: Timestamp, every_ns: u64) -> Self {
        let now = first;
        Self { now, every_ns }
    }

    /// Whether the reader never rests.
    fn restless(&self) -> bool {
        self.every_ns == 0
    }

    /// The first poll at `at` or later, from the present one on.
    fn reaching(&self, at: Timestamp) -> Timestamp {
        let ahead_ns = at.0.saturating_sub(self.now.0);
        if self.restless() {
            self.now.later(ahead_ns)
        } else if ahead_ns == 0 {
            self.now
        } else if ahead_ns <= self.every_ns {
            self.now.later(self.every_ns)
        } else {
            let polls = ahead_ns.div_ceil(self.every_ns);
            self.now.later(polls.saturating_mul(self.every_ns))
        }
    }

    /// Comes to the first poll at `at` or later.
    #[inline]
    fn advance(&mut self, at: Timestamp) -> Timestamp {
        if at > self.now {
            self.now = self.reaching(at);
        }
        self.now
    }
}

/// Totals of what became of the rows.
#[derive(Clone, PartialEq, Debug)]
pub struct Read {
    /// Rows read.
    pub read_rows: u64,
    /// Rows that were committed and never read.
    pub skipped_rows: u64,
    /// Times that a row was returned again.
    pub read_twice_rows: u64,
    /// From commit to reading, of rows read: three digits of each.
    pub delay_ns: Histogram<u64>,
    /// The longest of these, exact.
    pub delay_max_ns: u64,
    /// Time in which the reader saw rows that it held back because of others.
    pub stalled_ns: u64,
}

impl Default for Read {
    fn default() -> Self {
        Self {
            read_rows: 0,
            skipped_rows: 0,
            read_twice_rows: 0,
            delay_ns: Histogram::new(3).expect("0 to 5 digits are possible"),
            delay_max_ns: 0,
            stalled_ns: 0,
        }
    }
}

impl Ledger for Read {
    #[inline]
    fn read(&mut self, _: u64, committed: Timestamp, at: Timestamp) {
        let delay_ns = at.0 - committed.0;
        self.read_rows += 1;
        self.delay_max_ns = self.delay_max_ns.max(delay_ns);
        // It grows as it needs to.
        self.delay_ns.record(delay_ns).ok();
    }

    #[inline]
    fn skipped(&mut self, _: u64) {
        self.skipped_rows += 1;
    }

    fn read_twice(&mut self, rows: u64) {
        self.read_twice_rows += rows;
    }

    fn stalled(&mut self, ns: u64) {
        self.stalled_ns = self.stalled_ns.saturating_add(ns);
    }
}

#[cfg(test)]
mod tests;
