//! Readers that page with `key > last_seen order by key`, perhaps behind a lag window.

use super::{Ledger, Polls, Reader};
use crate::clock::Timestamp;
use crate::measure::fleet::Seen;
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};
use std::marker::PhantomData;
use std::num::NonZeroU32;

/// What a cursor compares, and how many cursors there are.
pub(super) trait By<K> {
    type Key: Copy + Ord;

    fn key(row: &Seen<K>) -> Self::Key;

    /// Which cursor pages over the row.
    fn slot(row: &Seen<K>) -> u32;
}

/// One cursor, over ids.
pub(super) struct Id;

impl<K: Copy + Ord> By<K> for Id {
    type Key = K;

    #[inline]
    fn key(row: &Seen<K>) -> K {
        row.key
    }

    #[inline]
    fn slot(_: &Seen<K>) -> u32 {
        0
    }
}

/// One cursor, over pairs of time and id.
pub(super) struct TimeAndId;

impl<K: Copy + Ord> By<K> for TimeAndId {
    type Key = (Timestamp, K);

    #[inline]
    fn key(row: &Seen<K>) -> (Timestamp, K) {
        (row.key_time, row.key)
    }

    #[inline]
    fn slot(_: &Seen<K>) -> u32 {
        0
    }
}

/// A cursor a writer, over ids.
pub(super) struct IdOfWriter;

impl<K: Copy + Ord> By<K> for IdOfWriter {
    type Key = K;

    #[inline]
    fn key(row: &Seen<K>) -> K {
        row.key
    }

    #[inline]
    fn slot(row: &Seen<K>) -> u32 {
        row.writer
    }
}

/// A row on its way to the reader; the order is that of reading a page.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Mark<K> {
    key: K,
    place: u64,
    slot: u32,
    committed: Timestamp,
}

/// From when on a row may be read, and its place.
type Young<K> = (Timestamp, u64, Mark<K>);

#[derive(Clone, Copy, Debug)]
struct Slot<K> {
    poll: Timestamp,
    /// The largest key of the polls before `poll`.
    last_seen: Option<K>,
    /// The largest key, `poll` included.
    largest: Option<K>,
}

pub(super) struct Cursor<K, B: By<K>, L> {
    polls: Polls,
    lag_ns: u64,
    /// Rows behind the lag window, by the time at which they may be read.
    young: BinaryHeap<Reverse<Young<B::Key>>>,
    slots: Vec<Slot<B::Key>>,
    pages: Option<Pages<B::Key>>,
    places: u64,
    ledger: L,
    by: PhantomData<(K, B)>,
}

impl<K, B: By<K>, L: Ledger> Cursor<K, B, L> {
    pub(super) fn new(polls: Polls, lag_ns: u64, page: Option<NonZeroU32>, ledger: L) -> Self {
        let pages = |limit: NonZeroU32| Pages {
            limit: limit.get(),
            there: BTreeSet::new(),
        };
        Self {
            polls,
            lag_ns,
            young: BinaryHeap::new(),
            slots: Vec::new(),
            // A reader who never rests asks for the next page at once.
            pages: page.filter(|_| !polls.restless()).map(pages),
            places: 0,
            ledger,
            by: PhantomData,
        }
    }

    /// Takes a row that may be read from `at` on; `at` does not descend.
    #[inline]
    fn take(&mut self, at: Timestamp, mark: Mark<B::Key>) {
        let slot = mark.slot as usize;
        if slot >= self.slots.len() {
            let none = Slot {
                poll: Timestamp(0),
                last_seen: None,
                largest: None,
            };
            self.slots.resize(slot + 1, none);
        }
        if let Some(pages) = &mut self.pages {
            let poll = self.polls.reaching(at);
            pages.until(poll, &mut self.polls, &mut self.slots, &mut self.ledger);
            if Some(mark.key) <= self.slots[slot].last_seen {
                self.ledger.skipped(mark.place);
            } else {
                pages.there.insert(mark);
            }
            return;
        }
        let poll = self.polls.advance(at);
        let slot = &mut self.slots[slot];
        if poll > slot.poll {
            slot.poll = poll;
            slot.last_seen = slot.largest;
        }
        if Some(mark.key) <= slot.last_seen {
            self.ledger.skipped(mark.place);
        } else {
            slot.largest = slot.largest.max(Some(mark.key));
            self.ledger.read(mark.place, mark.committed, poll);
        }
    }

    /// Takes the rows that leave the lag window by `now`.
    fn ripen(&mut self, now: Timestamp) {
        while let Some(Reverse((at, _, mark))) = self.young.peek().copied()
            && at <= now
        {
            self.young.pop();
            self.take(at, mark);
        }
    }
}

impl<K, B: By<K>, L: Ledger> Reader<K, L> for Cursor<K, B, L> {
    #[inline]
    fn see(&mut self, row: &Seen<K>) {
        let mark = Mark {
            key: B::key(row),
            place: self.places,
            slot: B::slot(row),
            committed: row.committed,
        };
        self.places += 1;
        if self.lag_ns == 0 {
            return self.take(row.committed, mark);
        }
        self.ripen(row.committed);
        let at = row.key_time.later(self.lag_ns);
        if at <= row.committed {
            self.take(row.committed, mark);
        } else {
            self.young.push(Reverse((at, mark.place, mark)));
        }
    }

    fn finish(mut self) -> L {
        self.ripen(Timestamp(u64::MAX));
        if let Some(pages) = &mut self.pages {
            while !pages.there.is_empty() {
                pages.poll(&mut self.polls, &mut self.slots, &mut self.ledger);
            }
        }
        self.ledger
    }
}

/// Rows that wait for a page.
struct Pages<K> {
    limit: u32,
    there: BTreeSet<Mark<K>>,
}

impl<K: Copy + Ord> Pages<K> {
    /// Polls until `end`, that poll not included.
    fn until(
        &mut self,
        end: Timestamp,
        polls: &mut Polls,
        slots: &mut [Slot<K>],
        ledger: &mut impl Ledger,
    ) {
        while polls.now < end && !self.there.is_empty() {
            self.poll(polls, slots, ledger);
        }
        polls.advance(end);
    }

    /// Reads a page, and goes on to the next poll.
    fn poll(&mut self, polls: &mut Polls, slots: &mut [Slot<K>], ledger: &mut impl Ledger) {
        let now = polls.now;
        polls.now = now.later(polls.every_ns);
        let mut last = None;
        for _ in 0..self.limit {
            let Some(mark) = self.there.pop_first() else {
                return;
            };
            slots[mark.slot as usize].last_seen = Some(mark.key);
            ledger.read(mark.place, mark.committed, now);
            last = Some(mark.key);
        }
        // Rows of the page's last key that it has no place for.
        let same = self.there.iter().take_while(|mark| Some(mark.key) == last);
        let behind = same.filter(|mark| slots[mark.slot as usize].last_seen == last);
        let behind: Vec<Mark<K>> = behind.copied().collect();
        for mark in behind {
            self.there.remove(&mark);
            ledger.skipped(mark.place);
        }
    }
}
