//! A reader that stays behind the oldest open transaction.

use super::{Ledger, Polls, Reader};
use crate::clock::Timestamp;
use crate::measure::fleet::Seen;
use std::cmp::Reverse;

/// Reads, in the order of transactions, those that began before the oldest open one; a
/// transaction begins when its id is minted. Whether one is open is known only when it
/// commits, so the reader keeps 16 bytes a row until the end.
pub(super) struct Xmin<L> {
    polls: Polls,
    /// Begin and commit.
    rows: Vec<(Timestamp, Timestamp)>,
    ledger: L,
}

impl<L: Ledger> Xmin<L> {
    pub(super) fn new(polls: Polls, ledger: L) -> Self {
        Self {
            polls,
            rows: Vec::new(),
            ledger,
        }
    }
}

impl<K, L: Ledger> Reader<K, L> for Xmin<L> {
    #[inline]
    fn see(&mut self, row: &Seen<K>) {
        self.rows.push((row.minted, row.committed));
    }

    fn finish(mut self) -> L {
        let mut began: Vec<u32> = (0..self.rows.len() as u32).collect();
        let row = |place: u32| self.rows[place as usize];
        // Of transactions that begin together, each waits for all.
        began.sort_unstable_by_key(|&place| (row(place).0, Reverse(row(place).1), place));
        let mut closed = vec![Timestamp(0); self.rows.len()];
        let mut latest = Timestamp(0);
        for place in began {
            latest = latest.max(row(place).1);
            closed[place as usize] = latest;
        }
        let mut held_until = Timestamp(0);
        for ((place, (_, committed)), closed) in (0..).zip(self.rows).zip(closed) {
            let (seen, read) = (self.polls.advance(committed), self.polls.reaching(closed));
            self.ledger.read(place, committed, read);
            let since = seen.max(held_until);
            self.ledger.stalled(read.0.saturating_sub(since.0));
            held_until = held_until.max(read);
        }
        self.ledger
    }
}
