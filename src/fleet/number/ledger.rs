//! The account of who held which number, and when.

use crate::clock::Timestamp;
use std::collections::BTreeMap;

/// What happened to the worker numbers of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct NumberTally {
    /// Numbers in use at once, at most: leases count until the registry lets them expire.
    pub most_in_use: u64,
    /// Times that a writer came by a number.
    pub grants: u64,
    /// Leases that expired while the process that held them was alive; 0 of other rules.
    pub lost: u64,
    /// Messages sent to and by the registry, lost ones included. A start that has to wait
    /// for the registry asks once in vain, and again when it can be reached.
    pub messages: u64,
    /// Nanoseconds that writers which were not down had no number, all writers together.
    pub without_ns: u64,
    /// The longest such stretch of one writer.
    pub longest_without_ns: u64,
    /// Nanoseconds during which two or more running writers held one number, all numbers
    /// together; a lease of key times counts until its end in true time.
    pub double_ns: u64,
    /// Number of such stretches.
    pub doubles: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    number: Option<u32>,
    runs: bool,
    /// Since when it has been up without a number.
    without_since: Option<Timestamp>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Use {
    holders: u32,
    running: u32,
    double_since: Timestamp,
}

/// Who holds what, with the sums so far.
#[derive(Debug)]
pub(super) struct Ledger {
    entries: Vec<Entry>,
    uses: BTreeMap<u32, Use>,
    /// Of finished stretches.
    pub(super) tally: NumberTally,
}

impl Ledger {
    pub(super) fn new(writers: u32) -> Self {
        Self {
            entries: vec![Entry::default(); writers as usize],
            uses: BTreeMap::new(),
            tally: NumberTally::default(),
        }
    }

    pub(super) fn granted(&mut self) {
        self.tally.grants += 1;
    }

    /// The registry was asked for a number, and gave it if it was reached.
    pub(super) fn asked(&mut self, answered: bool) {
        self.tally.messages += 1 + u64::from(answered);
    }

    /// The writer has ended; it is without a number, but nobody misses it.
    pub(super) fn down(&mut self, writer: u32, now: Timestamp) {
        self.run(writer, false, now);
        let since = self.entries[writer as usize].without_since.take();
        self.tally.count_without(since, now);
    }

    /// The writer should have a number from now on.
    pub(super) fn up(&mut self, writer: u32, now: Timestamp) {
        let entry = &mut self.entries[writer as usize];
        if entry.number.is_none() {
            entry.without_since.get_or_insert(now);
        }
    }

    /// The writer believes to hold `number`.
    pub(super) fn hold(&mut self, writer: u32, number: Option<u32>, now: Timestamp) {
        let entry = self.entries[writer as usize];
        if entry.number == number {
            return;
        }
        if let Some(old) = entry.number {
            self.count(old, -1, if entry.runs { -1 } else { 0 }, now);
        }
        if let Some(new) = number {
            self.count(new, 1, if entry.runs { 1 } else { 0 }, now);
            self.in_use(self.uses.len() as u64);
        }
        let entry = &mut self.entries[writer as usize];
        entry.number = number;
        match number {
            Some(_) => {
                let since = entry.without_since.take();
                self.tally.count_without(since, now);
            }
            None => entry.without_since = Some(now),
        }
    }

    /// The writer's process runs, or is paused.
    pub(super) fn run(&mut self, writer: u32, runs: bool, now: Timestamp) {
        let entry = &mut self.entries[writer as usize];
        if entry.runs == runs {
            return;
        }
        entry.runs = runs;
        if let Some(number) = entry.number {
            self.count(number, 0, if runs { 1 } else { -1 }, now);
        }
    }

    pub(super) fn in_use(&mut self, numbers: u64) {
        self.tally.most_in_use = self.tally.most_in_use.max(numbers);
    }

    fn count(&mut self, number: u32, holders: i32, running: i32, now: Timestamp) {
        let used = self.uses.entry(number).or_default();
        let was_double = used.running >= 2;
        used.holders = used.holders.saturating_add_signed(holders);
        used.running = used.running.saturating_add_signed(running);
        match (was_double, used.running >= 2) {
            (false, true) => used.double_since = now,
            (true, false) => self.tally.count_double(used.double_since, now),
            _ => {}
        }
        if used.holders == 0 {
            self.uses.remove(&number);
        }
    }

    /// The account, open stretches counted up to `end`.
    pub(super) fn tally(&self, end: Timestamp) -> NumberTally {
        let mut tally = self.tally;
        for entry in &self.entries {
            tally.count_without(entry.without_since, end);
        }
        for used in self.uses.values().filter(|used| used.running >= 2) {
            tally.count_double(used.double_since, end);
        }
        tally
    }
}

impl NumberTally {
    fn count_without(&mut self, since: Option<Timestamp>, end: Timestamp) {
        if let Some(since) = since {
            let ns = end.0.saturating_sub(since.0);
            self.without_ns = self.without_ns.saturating_add(ns);
            self.longest_without_ns = self.longest_without_ns.max(ns);
        }
    }

    fn count_double(&mut self, since: Timestamp, end: Timestamp) {
        let ns = end.0.saturating_sub(since.0);
        self.double_ns = self.double_ns.saturating_add(ns);
        // A stretch of no length is an order of events within an instant.
        self.doubles += u64::from(ns > 0);
    }
}
