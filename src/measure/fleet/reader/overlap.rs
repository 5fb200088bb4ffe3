//! A reader that returns to a time before its cursor and removes what it has already.

use super::{Ledger, Polls, Reader};
use crate::clock::Timestamp;
use crate::measure::fleet::Seen;
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

/// `id > last_seen or key_time > newest - width`, where `newest` is the largest key time
/// that was read; ids of that window are remembered.
pub(super) struct Overlap<K, L> {
    polls: Polls,
    width_ns: u64,
    /// Largest id and key time of the polls before the present one, and with it.
    before: Option<(K, Timestamp)>,
    until_now: Option<(K, Timestamp)>,
    /// Rows of the window, and their ids.
    window: BinaryHeap<Reverse<(Timestamp, K)>>,
    ids: BTreeSet<K>,
    places: u64,
    ledger: L,
}

impl<K: Copy + Ord, L: Ledger> Overlap<K, L> {
    pub(super) fn new(polls: Polls, width_ns: u64, ledger: L) -> Self {
        Self {
            polls,
            width_ns,
            before: None,
            until_now: None,
            window: BinaryHeap::new(),
            ids: BTreeSet::new(),
            places: 0,
            ledger,
        }
    }

    /// Whether a time is in the window of `newest`.
    fn again(&self, key_time: Timestamp, newest: Timestamp) -> bool {
        key_time.later(self.width_ns) > newest
    }

    /// Moves cursor and window on, and polls so many times.
    fn poll(&mut self, polls: u64) {
        self.before = self.until_now;
        let Some((_, newest)) = self.before else {
            return;
        };
        while let Some(Reverse((key_time, key))) = self.window.peek().copied()
            && !self.again(key_time, newest)
        {
            self.window.pop();
            self.ids.remove(&key);
        }
        let rows = self.window.len() as u64;
        self.ledger.read_twice(rows.saturating_mul(polls));
    }
}

impl<K: Copy + Ord, L: Ledger> Reader<K, L> for Overlap<K, L> {
    fn see(&mut self, row: &Seen<K>) {
        let place = self.places;
        self.places += 1;
        let last_ns = self.polls.now.0;
        let now = self.polls.advance(row.committed);
        if now.0 > last_ns {
            let polls = (now.0 - last_ns).checked_div(self.polls.every_ns);
            self.poll(polls.unwrap_or(1));
        }
        let returned = self.before.is_none_or(|(last_seen, newest)| {
            row.key > last_seen || self.again(row.key_time, newest)
        });
        if !returned || !self.ids.insert(row.key) {
            return self.ledger.skipped(place);
        }
        let (largest, newest) = self.until_now.unwrap_or((row.key, row.key_time));
        self.until_now = Some((largest.max(row.key), newest.max(row.key_time)));
        self.window.push(Reverse((row.key_time, row.key)));
        self.ledger.read(place, row.committed, now);
    }

    fn finish(self) -> L {
        self.ledger
    }
}
