//! How trials number their writers, with times that fit a schedule's length.

use super::Schedule;
use crate::clock::{NS_PER_MS, NS_PER_S};
use crate::fleet::number::{Holder, LeaseRule, NumberRule};
use crate::fleet::{Fault, Trouble};
use crate::random;

/// How writers come by their numbers in a trial.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Numbering {
    /// By configuration.
    Fixed,
    /// As a StatefulSet.
    Ordinal,
    /// By a registry; without an answer, no start.
    FailToStart,
    /// By a registry; without an answer, number 0.
    ZeroOnOutage,
    /// Two numbers that all lease; holders go on until they are told.
    Background,
    /// The same; holders ask their own clocks before each id.
    OwnClock,
    /// The same; the registry lends intervals of timestamps.
    KeyTime,
}

impl Numbering {
    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Numbering::Fixed => "fixed",
            Numbering::Ordinal => "ordinal",
            Numbering::FailToStart => "fail_to_start",
            Numbering::ZeroOnOutage => "zero_on_outage",
            Numbering::Background => "lease, background",
            Numbering::OwnClock => "lease, own_clock",
            Numbering::KeyTime => "lease, key_time",
        }
    }

    /// Whether more writers share fewer numbers.
    pub(super) fn leases(self) -> bool {
        matches!(
            self,
            Numbering::Background | Numbering::OwnClock | Numbering::KeyTime
        )
    }

    /// The rule for a run as long as the schedule's; `None` if that is too short for leases
    /// that outlast ticks of a millisecond.
    pub(super) fn rule(self, schedule: &Schedule) -> Option<NumberRule> {
        let length_ns = schedule.length_ns;
        let lease = |holder| {
            let long = length_ns >= 100 * NS_PER_MS;
            long.then_some(NumberRule::Lease(LeaseRule {
                ttl_ns: length_ns / 4,
                renew_ns: length_ns / 16,
                takeover_ns: length_ns / 32,
                round_trip_ns: length_ns / 1000,
                loss_ppm: 50_000,
                rate_ppm: 200,
                holder,
            }))
        };
        match self {
            Numbering::Fixed => Some(NumberRule::Fixed),
            Numbering::Ordinal => Some(NumberRule::Ordinal),
            Numbering::FailToStart => Some(NumberRule::FailToStart),
            Numbering::ZeroOnOutage => Some(NumberRule::ZeroOnOutage),
            Numbering::Background => lease(Holder::Background {
                notice_ns: length_ns / 64,
            }),
            Numbering::OwnClock => lease(Holder::OwnClock {
                guard_ns: length_ns / 32,
            }),
            Numbering::KeyTime => lease(Holder::KeyTime),
        }
    }
}

impl Schedule {
    /// The same with ten writers and, besides, up to four partitions from the registry or
    /// outages of it.
    pub(super) fn with_registry(mut self) -> Self {
        self.writers = 10;
        self.length_ns = self.length_ns.min(1000 * NS_PER_S);
        let mut random = random::stream(self.seed, "fleet.registry", self.start.0);
        for _ in 0..=random::below(&mut random, 4) {
            let at = (random::unit(&mut random) * self.length_ns as f64) as u64;
            let for_ns = (random::unit(&mut random) * self.length_ns as f64) as u64;
            self.faults.push(Fault {
                at: self.start.later(at),
                writer: random::below(&mut random, self.writers),
                trouble: match random::below(&mut random, 2) {
                    0 => Trouble::Partition { for_ns },
                    _ => Trouble::Outage { for_ns },
                },
            });
        }
        self.faults.sort();
        self
    }

    /// The same without what sets a wall clock apart from another.
    pub(super) fn with_agreeing_clocks(mut self) -> Self {
        let sets = |fault: &Fault| {
            matches!(
                fault.trouble,
                Trouble::Step { .. } | Trouble::Suspend { .. }
            )
        };
        self.faults.retain(|fault| !sets(fault));
        self
    }
}
