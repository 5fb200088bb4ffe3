//! How writers come by their worker numbers, and when one of them has none or two have the same.
//!
//! What happens depends on time, faults and chance alone, never on what is minted: a
//! heap of events in true time that whoever mints moves on by asking.

mod lease;
mod ledger;
mod rule;
pub mod search;

pub use lease::{Holder, LeaseRule};
pub use ledger::NumberTally;
pub use rule::{NumberRule, RuleError};

use super::fault::{Fault, Trouble};
use crate::clock::Timestamp;
use crate::random;
use lease::{Leases, Note};
use ledger::Ledger;
use rand_chacha::ChaCha8Rng;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;
use thiserror::Error;

/// Under which a writer may mint.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Grant {
    /// The worker number.
    pub number: u32,
    /// Another one whenever a number is (re)acquired, larger the later: a writer that
    /// sees a new one starts without memory, and a store may use it as fencing token.
    pub term: u64,
    /// Only timestamps in here may be minted; `None` if any.
    pub key_times: Option<Range<Timestamp>>,
}

/// Why writers cannot be numbered.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum NumberError {
    /// The parameters of the rule contradict each other.
    #[error(transparent)]
    Rule(#[from] RuleError),
    /// Each writer needs a number of its own.
    #[error("{rule} numbers need one for each of {writers} writers, but the scheme has {room}")]
    TooFew {
        /// The rule, as typed.
        rule: String,
        /// Number of writers.
        writers: u32,
        /// Numbers that the scheme has.
        room: u64,
    },
    /// The rule uses numbers that the scheme does not have.
    #[error("{rule} numbers go beyond the {room} of the scheme")]
    NoRoom {
        /// The rule, as typed.
        rule: String,
        /// Numbers that the scheme has.
        room: u64,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Event {
    Fault(Fault),
    /// The process of this life begins.
    Start {
        writer: u32,
        life: u32,
    },
    Resume {
        writer: u32,
    },
    Lease(Note),
}

/// A writer's process.
#[derive(Clone, Copy, Debug, Default)]
struct Process {
    /// Counts restarts.
    life: u32,
    /// False from its end until it is started again.
    up: bool,
    starts: Timestamp,
    paused_until: Timestamp,
    unreachable_until: Timestamp,
}

/// The heap, the processes and the account, which every rule works on.
#[derive(Debug)]
struct World {
    now: Timestamp,
    queue: BinaryHeap<Reverse<(Timestamp, u64, Event)>>,
    queued: u64,
    processes: Vec<Process>,
    outage_until: Timestamp,
    ledger: Ledger,
    terms: u64,
}

impl World {
    fn push(&mut self, at: Timestamp, event: Event) {
        self.queue.push(Reverse((at, self.queued, event)));
        self.queued += 1;
    }

    fn term(&mut self) -> u64 {
        self.terms += 1;
        self.terms
    }

    /// When the writer can reach the registry again; not later than now if it can.
    fn reachable_at(&self, writer: u32) -> Timestamp {
        let cut = self.processes[writer as usize].unreachable_until;
        cut.max(self.outage_until)
    }
}

/// Worker numbers at work.
#[derive(Debug)]
pub struct Numbers {
    rule: NumberRule,
    world: World,
    leases: Option<Leases>,
    grants: Vec<Option<Grant>>,
    random: Vec<ChaCha8Rng>,
    started: u64,
}

impl Numbers {
    /// Numbers by `rule` for `writers`, all started at `start`, of a scheme that has `room` numbers.
    /// Faults of other writers are passed over.
    ///
    /// # Errors
    /// The rule needs more numbers than there are, or contradicts itself.
    pub fn new(
        rule: &NumberRule,
        writers: u32,
        room: u64,
        seed: u64,
        start: Timestamp,
        faults: &[Fault],
    ) -> Result<Self, NumberError> {
        rule.check(writers, room)?;
        let mut world = World {
            now: start,
            queue: BinaryHeap::new(),
            queued: 0,
            processes: vec![Process::default(); writers as usize],
            outage_until: Timestamp(0),
            ledger: Ledger::new(writers),
            terms: 0,
        };
        for fault in faults {
            let known = fault.writer < writers || matches!(fault.trouble, Trouble::Outage { .. });
            if known {
                world.push(fault.at, Event::Fault(*fault));
            }
        }
        for writer in 0..writers {
            world.processes[writer as usize].starts = start;
            world.push(start, Event::Start { writer, life: 0 });
        }
        let leases = match rule {
            NumberRule::Lease(rule) => Some(Leases::new(rule.clone(), writers, room, seed)),
            _ => None,
        };
        let random = match rule {
            NumberRule::Random { .. } => (0..writers)
                .map(|writer| random::stream(seed, "number.random", writer.into()))
                .collect(),
            _ => Vec::new(),
        };
        Ok(Self {
            rule: rule.clone(),
            world,
            leases,
            grants: vec![None; writers as usize],
            random,
            started: 0,
        })
    }

    /// Under which `writer` may mint at true time `now`, which must not go back from call
    /// to call; `None` while its process is paused, down or without a number.
    pub fn grant(&mut self, writer: u32, now: Timestamp) -> Option<Grant> {
        self.advance(now);
        let process = self.world.processes.get(writer as usize)?;
        if !process.up || process.paused_until > now {
            return None;
        }
        match &self.leases {
            Some(leases) => leases.grant(writer, now),
            None => self.grants.get(writer as usize)?.clone(),
        }
    }

    /// True time of the next event, the first at which a grant may change; `None` if none is to come.
    pub fn next_event(&self) -> Option<Timestamp> {
        let Reverse((at, _, _)) = self.world.queue.peek()?;
        Some(*at)
    }

    /// What happened from the start to `end`, which must not be earlier than the last call.
    pub fn tally(&mut self, end: Timestamp) -> NumberTally {
        self.advance(end);
        self.world.ledger.tally(end)
    }

    fn advance(&mut self, now: Timestamp) {
        while let Some(Reverse((at, _, event))) = self.world.queue.peek().copied()
            && at <= now
        {
            self.world.queue.pop();
            self.world.now = at;
            self.happen(event);
        }
    }

    fn happen(&mut self, event: Event) {
        let now = self.world.now;
        match event {
            Event::Fault(fault) => self.fault(fault),
            Event::Start { writer, life } => self.start(writer, life),
            Event::Resume { writer } => {
                let process = self.world.processes[writer as usize];
                if process.up && process.paused_until <= now {
                    self.world.ledger.run(writer, true, now);
                }
            }
            Event::Lease(note) => {
                if let Some(leases) = &mut self.leases {
                    leases.happen(note, &mut self.world);
                }
            }
        }
    }

    fn fault(
        &mut self,
        Fault {
            writer, trouble, ..
        }: Fault,
    ) {
        let world = &mut self.world;
        let now = world.now;
        if let Trouble::Outage { for_ns } = trouble {
            world.outage_until = world.outage_until.max(now.later(for_ns));
            return;
        }
        let process = &mut world.processes[writer as usize];
        match trouble {
            // Numbers depend on monotonic clocks only, and those that matter count suspends.
            Trouble::Step { .. } | Trouble::Outage { .. } => {}
            Trouble::Pause { for_ns } | Trouble::Suspend { for_ns } => {
                process.paused_until = process.paused_until.max(now.later(for_ns));
                let until = process.paused_until;
                if process.up {
                    world.ledger.run(writer, false, now);
                }
                world.push(until, Event::Resume { writer });
            }
            Trouble::Restart { down_ns } => {
                process.life += 1;
                process.up = false;
                process.paused_until = Timestamp(0);
                process.starts = process.starts.max(now.later(down_ns));
                let (life, starts) = (process.life, process.starts);
                self.grants[writer as usize] = None;
                if let Some(leases) = &mut self.leases {
                    leases.end(writer);
                }
                world.ledger.hold(writer, None, now);
                world.ledger.down(writer, now);
                world.push(starts, Event::Start { writer, life });
            }
            Trouble::Partition { for_ns } => {
                process.unreachable_until = process.unreachable_until.max(now.later(for_ns));
            }
        }
    }

    fn start(&mut self, writer: u32, life: u32) {
        let world = &mut self.world;
        let (now, reachable_at) = (world.now, world.reachable_at(writer));
        let process = &mut world.processes[writer as usize];
        if process.life != life {
            return;
        }
        world.ledger.up(writer, now);
        let waits_until = match self.rule {
            NumberRule::Ordinal => process.unreachable_until,
            NumberRule::FailToStart | NumberRule::Counter { .. } => reachable_at,
            _ => Timestamp(0),
        };
        match self.rule {
            NumberRule::ZeroOnOutage | NumberRule::FailToStart | NumberRule::Counter { .. } => {
                world.ledger.asked(reachable_at <= now);
            }
            _ => {}
        }
        if waits_until > now {
            world.push(waits_until, Event::Start { writer, life });
            return;
        }
        process.up = true;
        world.ledger.run(writer, process.paused_until <= now, now);
        let number = match self.rule {
            NumberRule::Fixed | NumberRule::Ordinal | NumberRule::FailToStart => writer,
            NumberRule::ZeroOnOutage if reachable_at > now => 0,
            NumberRule::ZeroOnOutage => writer,
            NumberRule::Random { of } => random::below(&mut self.random[writer as usize], of),
            NumberRule::Counter { of } => (self.started % u64::from(of)) as u32,
            NumberRule::Lease(_) => {
                if let Some(leases) = &mut self.leases {
                    leases.start(writer, world);
                }
                return;
            }
        };
        self.started += 1;
        let term = world.term();
        world.ledger.granted();
        world.ledger.hold(writer, Some(number), now);
        self.grants[writer as usize] = Some(Grant {
            number,
            term,
            key_times: None,
        });
    }
}

#[cfg(test)]
mod tests;
