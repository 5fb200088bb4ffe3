//! A reader of a dense sequence that waits at a missing number.

use super::{Ledger, Polls, Reader};
use crate::clock::Timestamp;
use crate::id::Key;
use crate::measure::fleet::Seen;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// Reads the numbers from 1 on up to the first that is missing. A number is missed from
/// the first poll that sees a larger one, and given up at the first poll `timeout_ns` later.
pub(super) struct Gap<L> {
    polls: Polls,
    timeout_ns: u64,
    /// The number to read next.
    next: u128,
    /// Rows behind a missing number: number, place, commit.
    held: BinaryHeap<Reverse<(u128, u64, Timestamp)>>,
    held_since: Option<Timestamp>,
    /// Polls at which the largest number grew, and to which.
    grown: VecDeque<(u128, Timestamp)>,
    places: u64,
    ledger: L,
}

impl<L: Ledger> Gap<L> {
    pub(super) fn new(polls: Polls, timeout_ns: u64, ledger: L) -> Self {
        Self {
            polls,
            timeout_ns,
            next: 1,
            held: BinaryHeap::new(),
            held_since: None,
            grown: VecDeque::new(),
            places: 0,
            ledger,
        }
    }

    /// Reads the rows without a gap before them.
    fn drain(&mut self, now: Timestamp) {
        while let Some(Reverse((number, place, committed))) = self.held.peek().copied() {
            if number > self.next {
                self.held_since.get_or_insert(now);
                return;
            }
            self.held.pop();
            // Of a number that comes twice, the first counts.
            if number < self.next {
                self.ledger.skipped(place);
            } else {
                self.ledger.read(place, committed, now);
                self.next = number.saturating_add(1);
            }
        }
        if let Some(since) = self.held_since.take() {
            self.ledger.stalled(now.0 - since.0);
        }
    }

    /// Gives up the gaps that are due before `end`.
    fn give_up(&mut self, end: Option<Timestamp>) {
        while let Some(Reverse((held, ..))) = self.held.peek() {
            let held = *held;
            while let Some((largest, _)) = self.grown.front()
                && *largest < self.next
            {
                self.grown.pop_front();
            }
            let Some((largest, missed)) = self.grown.front().copied() else {
                return;
            };
            let due = self.polls.reaching(missed.later(self.timeout_ns));
            if end.is_some_and(|end| due >= end) {
                return;
            }
            self.polls.advance(due);
            self.next = held.min(largest.saturating_add(1));
            self.drain(due);
        }
    }
}

impl<K: Key, L: Ledger> Reader<K, L> for Gap<L> {
    fn see(&mut self, row: &Seen<K>) {
        let (number, place) = (row.key.field(0, 128), self.places);
        self.places += 1;
        let poll = self.polls.reaching(row.committed);
        if poll > self.polls.now {
            self.give_up(Some(poll));
        }
        let now = self.polls.advance(row.committed);
        if number < self.next {
            return self.ledger.skipped(place);
        }
        match self.grown.back_mut() {
            Some((largest, _)) if number <= *largest => {}
            Some((largest, missed)) if *missed == now => *largest = number,
            _ => self.grown.push_back((number, now)),
        }
        self.held.push(Reverse((number, place, row.committed)));
        self.drain(now);
    }

    fn finish(mut self) -> L {
        <Self>::give_up(&mut self, None);
        self.ledger
    }
}
