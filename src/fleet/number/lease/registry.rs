//! The registry: which number is lent to whom, and until when.

use super::{LeaseRule, MILLION};
use crate::clock::Timestamp;
use crate::random;
use std::collections::{BTreeMap, BTreeSet};

/// A process: a writer, and how often that was restarted.
pub(super) type Owner = (u32, u32);

/// A number on loan.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Lease {
    pub number: u32,
    pub term: u64,
    /// End of the lease before, of the same number: the first key time of this one.
    pub from: Timestamp,
    /// Its end, in true time and in key time.
    pub until: Timestamp,
}

/// A registry without faults of its own. Its wall clock is right; its TTL runs by its monotonic clock.
#[derive(Debug)]
pub(super) struct Registry {
    ttl_ns: u64,
    numbers: u32,
    /// Numbers from here on were never lent.
    unused: u32,
    /// Numbers below that are not lent, with the end of their last lease.
    free: BTreeSet<u32>,
    ends: Vec<Timestamp>,
    lent: BTreeMap<Owner, Lease>,
    owners: Vec<Option<Owner>>,
}

impl Registry {
    pub(super) fn new(rule: &LeaseRule, room: u64, seed: u64) -> Self {
        let mut random = random::stream(seed, "number.registry", 0);
        let fast = i128::from(rate_ppm(&mut random, rule.rate_ppm));
        let ttl_ns = u128::from(rule.ttl_ns) * MILLION / MILLION.saturating_add_signed(fast);
        Self {
            ttl_ns: u64::try_from(ttl_ns).unwrap_or(u64::MAX),
            numbers: u32::try_from(room).unwrap_or(u32::MAX),
            unused: 0,
            free: BTreeSet::new(),
            ends: Vec::new(),
            lent: BTreeMap::new(),
            owners: Vec::new(),
        }
    }

    /// Lends `owner` a number, the lowest that is free, or its own again; `None` if all are lent.
    pub(super) fn lend(
        &mut self,
        owner: Owner,
        now: Timestamp,
        term: impl FnOnce() -> u64,
    ) -> Option<Lease> {
        if let Some(lease) = self.lent.get(&owner) {
            return self.renew(owner, lease.term, now);
        }
        let number = match self.free.pop_first() {
            Some(number) => number,
            None if self.unused < self.numbers => {
                self.ends.push(Timestamp(0));
                self.owners.push(None);
                self.unused += 1;
                self.unused - 1
            }
            None => return None,
        };
        let lease = Lease {
            number,
            term: term(),
            from: self.ends[number as usize],
            until: now.later(self.ttl_ns),
        };
        self.owners[number as usize] = Some(owner);
        self.lent.insert(owner, lease);
        Some(lease)
    }

    /// Prolongs the owner's lease; `None` if it has none of this term any more. A lease
    /// lives until it is freed.
    pub(super) fn renew(&mut self, owner: Owner, term: u64, now: Timestamp) -> Option<Lease> {
        let ttl_ns = self.ttl_ns;
        let lease = self.lent.get_mut(&owner)?;
        if lease.term != term {
            return None;
        }
        lease.until = lease.until.max(now.later(ttl_ns));
        Some(*lease)
    }

    /// When the lease of `number` ends, if it is lent.
    pub(super) fn until(&self, number: u32) -> Option<Timestamp> {
        let owner = (*self.owners.get(number as usize)?)?;
        Some(self.lent.get(&owner)?.until)
    }

    /// Takes back `number`, and tells who had it.
    pub(super) fn free(&mut self, number: u32) -> Option<Owner> {
        let owner = self.owners.get_mut(number as usize)?.take()?;
        if let Some(lease) = self.lent.remove(&owner) {
            self.ends[number as usize] = lease.until;
        }
        self.free.insert(number);
        Some(owner)
    }

    pub(super) fn in_use(&self) -> u64 {
        self.lent.len() as u64
    }
}

/// The error of a clock's rate, uniform within the bound.
pub(super) fn rate_ppm(random: &mut impl rand::Rng, most_ppm: u32) -> i32 {
    random::below(random, 2 * most_ppm + 1) as i32 - most_ppm as i32
}
