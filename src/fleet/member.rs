//! One writer of a fleet: its clock, its calls, and what happens to it.

use super::fault::{Fault, Trouble};
use super::memory::Memory;
use crate::clock::{Clock, ModelClock, Timestamp};
use std::collections::VecDeque;

/// A call for an id.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call {
    /// Its number in the order of arrival.
    pub number: u64,
    /// When it came.
    pub asked: Timestamp,
}

pub(super) enum MemberClock {
    /// True time, so many nanoseconds off.
    Offset(i64),
    Model(Box<ModelClock>),
}

impl MemberClock {
    #[inline]
    fn read(&mut self, now: Timestamp) -> Timestamp {
        match self {
            MemberClock::Offset(ns) => Timestamp(now.0.saturating_add_signed(*ns)),
            MemberClock::Model(clock) => clock.read(now),
        }
    }

    fn step(&mut self, at: Timestamp, by_ns: i64) {
        match self {
            MemberClock::Offset(ns) => *ns = ns.saturating_add(by_ns),
            MemberClock::Model(clock) => clock.step(at, by_ns),
        }
    }

    fn suspend(&mut self, at: Timestamp, for_ns: u64) {
        match self {
            MemberClock::Offset(ns) => *ns = ns.saturating_sub_unsigned(for_ns),
            MemberClock::Model(clock) => clock.suspend(at, for_ns),
        }
    }
}

/// What a writer's clocks read at an instant.
pub(super) struct Reading<'a> {
    wall: Timestamp,
    at: Timestamp,
    clock: &'a MemberClock,
}

impl Clock for Reading<'_> {
    #[inline]
    fn now(&self) -> Timestamp {
        self.wall
    }

    fn monotonic(&self) -> Timestamp {
        match self.clock {
            MemberClock::Offset(_) => self.at,
            MemberClock::Model(clock) => clock.monotonic_when_read(self.at),
        }
    }
}

/// Times in which a writer has no id to give: from the first call that waits or is refused to
/// the next id.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Outages {
    /// How many.
    pub count: u64,
    /// All together.
    pub total_ns: u64,
    /// The longest.
    pub longest_ns: u64,
    /// Writers that had any.
    pub writers: u64,
    since: Option<Timestamp>,
}

impl Outages {
    /// A call of `asked` waits or is refused.
    pub(super) fn begin(&mut self, asked: Timestamp) {
        self.since.get_or_insert(asked);
    }

    /// An id is given at `now`, or the run ends.
    #[inline]
    pub(super) fn end(&mut self, now: Timestamp) {
        if let Some(since) = self.since.take() {
            let ns = now.0.saturating_sub(since.0);
            if ns == 0 {
                return;
            }
            self.count += 1;
            self.total_ns = self.total_ns.saturating_add(ns);
            self.longest_ns = self.longest_ns.max(ns);
            self.writers = 1;
        }
    }

    /// Those of several writers together.
    pub(super) fn and(self, other: Self) -> Self {
        Self {
            count: self.count + other.count,
            total_ns: self.total_ns.saturating_add(other.total_ns),
            longest_ns: self.longest_ns.max(other.longest_ns),
            writers: self.writers + other.writers,
            since: None,
        }
    }
}

pub(super) struct Member<W> {
    pub clock: MemberClock,
    /// What its generator remembers; `None` until it has a number.
    pub state: Option<W>,
    /// The grant under which it mints.
    pub term: u64,
    /// Calls that wait until it is free, the first one being served.
    pub waiting: VecDeque<Call>,
    /// Readings that were less than the one before.
    pub steps_back: u64,
    /// Time without an id to give.
    pub outages: Outages,
    last_reading: Timestamp,
    /// What is to happen to it, in order.
    faults: VecDeque<Fault>,
    /// When the next of that happens, or its clock is stored.
    next_event: Timestamp,
    /// Its process is down until then, and has forgotten all calls from before.
    down_until: Timestamp,
    /// Its process stands still until then.
    stopped_until: Timestamp,
    memory: Memory,
    /// Instants up to here are taken to be used after a restart; `None`: nothing is stored.
    floor: Option<Timestamp>,
    next_store: Timestamp,
}

const NEVER: Timestamp = Timestamp(u64::MAX);

impl<W> Member<W> {
    pub fn new(
        clock: MemberClock,
        start: Timestamp,
        memory: Memory,
        faults: VecDeque<Fault>,
    ) -> Self {
        let mut member = Self {
            clock,
            state: None,
            term: 0,
            waiting: VecDeque::new(),
            steps_back: 0,
            outages: Outages::default(),
            last_reading: Timestamp(0),
            faults,
            next_event: NEVER,
            down_until: start,
            stopped_until: start,
            memory,
            floor: None,
            next_store: match memory {
                Memory::Stored { every_ns } => start.later(every_ns),
                _ => NEVER,
            },
        };
        member.next_event = member.upcoming();
        member
    }

    fn upcoming(&self) -> Timestamp {
        let fault = self.faults.front().map_or(NEVER, |fault| fault.at);
        let restart = match &self.clock {
            MemberClock::Offset(_) => None,
            MemberClock::Model(clock) => clock.next_restart(),
        };
        fault.min(self.next_store).min(restart.unwrap_or(NEVER))
    }

    /// Lets everything happen that is due at `now`; `false` if a call of `asked` dies of it.
    #[inline]
    pub fn catch_up(&mut self, now: Timestamp, asked: Timestamp) -> bool {
        if self.next_event <= now {
            self.happen(now);
        }
        // Asked before a restart, or of a process that is down.
        asked >= self.down_until
    }

    /// Until when its machine or process stands still.
    #[inline]
    pub fn stopped_until(&mut self, now: Timestamp) -> Option<Timestamp> {
        let process = (self.stopped_until > now).then_some(self.stopped_until);
        match &mut self.clock {
            MemberClock::Offset(_) => process,
            MemberClock::Model(clock) => process.max(clock.stopped_until(now)),
        }
    }

    /// What its clocks read at `now`.
    #[inline]
    pub fn read(&mut self, now: Timestamp) -> (Reading<'_>, &mut Option<W>) {
        let wall = self.clock.read(now);
        self.steps_back += u64::from(wall < self.last_reading);
        self.last_reading = wall;
        let reading = Reading {
            wall,
            at: now,
            clock: &self.clock,
        };
        (reading, &mut self.state)
    }

    /// An id of this instant is about to be handed out.
    #[inline]
    pub fn used(&mut self, instant: impl FnOnce() -> Timestamp) {
        match self.memory {
            Memory::Lost | Memory::Wait { .. } | Memory::Stored { .. } => {}
            Memory::Every => self.floor = self.floor.max(Some(instant())),
            Memory::Reserved { ahead_ns } => {
                let instant = instant();
                if Some(instant) > self.floor {
                    self.floor = Some(instant.later(ahead_ns));
                }
            }
        }
    }

    /// Instants up to here may have been used before the restart.
    pub fn floor(&self) -> Option<Timestamp> {
        self.floor
    }

    #[cold]
    fn happen(&mut self, now: Timestamp) {
        while self.next_event <= now {
            let at = self.next_event;
            let restarts = match &mut self.clock {
                MemberClock::Offset(_) => false,
                MemberClock::Model(clock) => {
                    clock.next_restart() == Some(at) && {
                        clock.read(at);
                        true
                    }
                }
            };
            if restarts {
                self.restart(at, 0);
            } else if self.next_store == at {
                self.floor = self.floor.max(Some(self.clock.read(at)));
                if let Memory::Stored { every_ns } = self.memory {
                    self.next_store = at.later(every_ns.max(1));
                }
            } else if let Some(fault) = self.faults.pop_front_if(|fault| fault.at <= at) {
                self.suffer(fault);
            }
            self.next_event = self.upcoming();
        }
    }

    fn suffer(&mut self, fault: Fault) {
        match fault.trouble {
            Trouble::Step { by_ns } => self.clock.step(fault.at, by_ns),
            Trouble::Pause { for_ns } => self.stop(fault.at, for_ns),
            Trouble::Suspend { for_ns } => {
                self.clock.suspend(fault.at, for_ns);
                self.stop(fault.at, for_ns);
            }
            Trouble::Restart { down_ns } => self.restart(fault.at, down_ns),
            // The registry of numbers knows of these.
            Trouble::Partition { .. } | Trouble::Outage { .. } => {}
        }
    }
    fn stop(&mut self, at: Timestamp, for_ns: u64) {
        self.stopped_until = self.stopped_until.max(at.later(for_ns));
    }

    fn restart(&mut self, at: Timestamp, down_ns: u64) {
        self.state = None;
        let wait_ns = match self.memory {
            Memory::Wait { for_ns } => for_ns,
            _ => 0,
        };
        self.down_until = self.down_until.max(at.later(down_ns).later(wait_ns));
    }
}
