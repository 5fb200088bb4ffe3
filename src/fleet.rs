//! Fleets: writers, each with its own clock, that issue one stream of ids.
//!
//! Ids are asked for at a total rate; the writer of each reads its own clock and mints,
//! waits, or refuses; the row is inserted after a delay. What happens comes out in the order
//! of true time: rows when they are inserted, refusals when they are made. All of it is
//! whole nanoseconds on two binary heaps, of rows on their way and of writers that wait;
//! every clock, delay and fault has a random stream of its own.

mod arrival;
mod event;
mod fault;
mod generator;
mod latency;
mod member;
mod memory;
pub mod number;
mod spec;
mod text;
mod trial;

pub use arrival::{Arrivals, BURST};
pub use event::{Cause, Event, Issued, Refused};
pub use fault::{Fault, FaultPlan, MAX_FAULTS, PlanError, Trouble};
pub use generator::{Generator, Pace};
pub use latency::{LATENCIES, Latency, LatencyError};
pub use member::Outages;
pub use memory::{MEMORIES, Memory, MemoryError};
pub use spec::{Clocks, Conduct, FleetError, FleetSpec, MAX_IN_FLIGHT_ROWS, START};
pub use trial::{
    Against, MOST_FAULTS, Numbering, Policy, SAFE_NUMBERS, SAFE_POLICIES, Schedule, Trial,
    UNSAFE_NUMBERS, UNSAFE_POLICIES, shrink,
};

use crate::clock::{Clock, Timestamp};
use crate::id::Id;
use crate::random;
use crate::scheme::{Scheme, Stall, Visitor, WriterError};
use crate::source::{AnySource, Source, SourceError, Stream};
use arrival::ArrivalStream;
use member::{Call, Member, MemberClock};
use number::{NumberRule, NumberTally, Numbers};
use rand_chacha::ChaCha8Rng;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What became of a call.
enum Answer<I> {
    Minted(I),
    Refused(Cause),
    /// To be asked again then.
    Later(Timestamp),
}

/// A fleet at work.
pub struct Fleet<S: Scheme> {
    scheme: S,
    spec: FleetSpec,
    /// The longest that a clock may be behind for a call to wait, and how many times as long it waits.
    patience: (u64, u32),
    members: Vec<Member<S::Writer>>,
    arrivals: ArrivalStream,
    /// Rows on their way.
    pending: BinaryHeap<Reverse<Issued<S::Id>>>,
    /// Writers whose calls wait, and until when.
    waiting: BinaryHeap<Reverse<(Timestamp, u32)>>,
    refused: Option<Refused>,
    /// `None`: each writer has its own for ever.
    numbers: Option<Numbers>,
    /// Outages of the centre to come, the next one last.
    outages: Vec<Fault>,
    /// One that all writers share, or one a writer.
    delays: Vec<ChaCha8Rng>,
    randomness: ChaCha8Rng,
}

const NEVER: Timestamp = Timestamp(u64::MAX);

impl<S: Scheme> Fleet<S> {
    /// A fleet of `spec.writers` writers of `scheme`.
    ///
    /// # Errors
    /// More writers than the scheme has numbers for, more ids than they can
    /// issue, too many rows on their way, or a rollback that the scheme cannot follow.
    pub fn new(mut scheme: S, spec: FleetSpec) -> Result<Self, FleetError> {
        spec.check(scheme.name(), &scheme.limits())?;
        let patience = match spec.conduct.refuse {
            true => spec.conduct.rollback.unwrap_or_default().patience(),
            false => (u64::MAX, 1),
        };
        if let Some(rollback) = spec.conduct.rollback {
            scheme
                .set_rollback(rollback)
                .map_err(FleetError::Rollback)?;
        }
        let (seed, phase) = (spec.seed, spec.phase);
        let rule = &spec.conduct.numbers;
        let numbers = match scheme.limits().writers {
            Some(room) if *rule != NumberRule::Fixed => {
                let (writers, faults) = (spec.writers, &spec.conduct.faults);
                let numbers = Numbers::new(rule, writers, room, seed, spec.start, faults);
                let scheme = scheme.name();
                Some(numbers.map_err(|error| FleetError::Number { scheme, error })?)
            }
            _ => None,
        };
        let offsets = spec.offsets_ns().unwrap_or_default();
        let clock = |number: u32| match &spec.clocks {
            Clocks::Offset { .. } => {
                MemberClock::Offset(offsets.get(number as usize).copied().unwrap_or_default())
            }
            Clocks::Model(model) => {
                MemberClock::Model(Box::new(model.start(seed, number, spec.start)))
            }
        };
        let members = (0..spec.writers).map(|number| {
            let faults = spec.conduct.faults.iter();
            let faults = faults.filter(|fault| fault.writer == number).copied();
            let memory = spec.conduct.memory;
            let mut member = Member::new(clock(number), spec.start, memory, faults.collect());
            if numbers.is_none() {
                member.state = Some(scheme.writer(number)?);
            }
            Ok(member)
        });
        let members = members.collect::<Result<_, WriterError>>()?;
        let faults = spec.conduct.faults.iter().rev();
        let outages = faults.filter(|fault| matches!(fault.trouble, Trouble::Outage { .. }));
        let outages = outages.copied().collect();
        let delays = match spec.clocks {
            Clocks::Offset { .. } => vec![random::stream(seed, "fleet.delay", phase)],
            Clocks::Model(_) => {
                let writers = u64::from(spec.writers);
                let first = phase * writers;
                let delay = |number| random::stream(seed, "fleet.commit", first + number);
                (0..writers).map(delay).collect()
            }
        };
        Ok(Self {
            scheme,
            patience,
            members,
            arrivals: ArrivalStream::new(
                spec.arrivals,
                spec.writers,
                spec.rate,
                spec.start,
                random::stream(seed, "fleet.arrival", phase),
            ),
            pending: BinaryHeap::new(),
            waiting: BinaryHeap::new(),
            refused: None,
            numbers,
            outages,
            delays,
            randomness: random::stream(seed, "fleet.id", phase),
            spec,
        })
    }

    /// The scheme.
    pub fn scheme(&self) -> &S {
        &self.scheme
    }

    /// Readings of a writer's clock, so far, that were less than the one before.
    pub fn steps_back(&self) -> u64 {
        self.members.iter().map(|member| member.steps_back).sum()
    }

    /// What happened to the writers' numbers up to `end`, if they were given any.
    pub fn numbers(&mut self, end: Timestamp) -> Option<NumberTally> {
        self.numbers.as_mut().map(|numbers| numbers.tally(end))
    }

    /// Times, up to `end`, in which a writer had no id to give; all writers together.
    pub fn outages(&self, end: Timestamp) -> Outages {
        let ended = self.members.iter().map(|member| {
            let mut outages = member.outages;
            outages.end(end);
            outages
        });
        ended.fold(Outages::default(), Outages::and)
    }

    /// The next id in the order of insertion; refusals are passed over.
    ///
    /// # Errors
    /// The scheme can issue no more ids.
    pub fn issue(&mut self) -> Result<Issued<S::Id>, FleetError> {
        loop {
            if let Some(Event::Row(issued)) = self.event_before(NEVER)? {
                return Ok(issued);
            }
        }
    }

    /// The next that happens to ids asked for before `end`; `None` after the last of them.
    ///
    /// # Errors
    /// The scheme can issue no more ids, in a fleet whose calls wait for ever.
    #[inline]
    pub fn event_before(&mut self, end: Timestamp) -> Result<Option<Event<S::Id>>, FleetError> {
        loop {
            if let Some(refused) = self.refused.take() {
                return Ok(Some(Event::Refused(refused)));
            }
            let (arrival, writer) = self.arrivals.next;
            let arrival = if arrival < end { arrival } else { NEVER };
            let wake = self.waiting.peek().map_or(NEVER, |Reverse((at, _))| *at);
            let next = arrival.min(wake);
            // A row can be inserted no earlier than the next call.
            if let Some(Reverse(first)) = self.pending.peek()
                && first.inserted <= next
            {
                return Ok(self.pending.pop().map(|Reverse(first)| Event::Row(first)));
            }
            if next == NEVER {
                return Ok(None);
            }
            self.begin_outages(next);
            if wake <= arrival {
                if let Some(Reverse((at, writer))) = self.waiting.pop() {
                    self.wake(writer, at)?;
                }
            } else {
                let (number, asked, _) = self.arrivals.take();
                self.call(writer, Call { number, asked })?;
            }
        }
    }

    /// Tells the scheme of outages of its centre that have begun.
    #[inline]
    fn begin_outages(&mut self, now: Timestamp) {
        while let Some(&Fault { at, trouble, .. }) = self.outages.last()
            && at <= now
        {
            if let Trouble::Outage { for_ns } = trouble {
                self.scheme.outage(at, at.later(for_ns));
            }
            self.outages.pop();
        }
    }

    /// A call comes to `writer`.
    #[inline]
    fn call(&mut self, writer: u32, call: Call) -> Result<(), FleetError> {
        if !self.members[writer as usize].waiting.is_empty() {
            self.members[writer as usize].waiting.push_back(call);
            return Ok(());
        }
        match self.attempt(writer, call.asked, call.asked)? {
            Answer::Later(until) => {
                let member = &mut self.members[writer as usize];
                member.outages.begin(call.asked);
                member.waiting.push_back(call);
                self.waiting.push(Reverse((until, writer)));
            }
            answer => self.settle(writer, call.asked, call, answer),
        }
        Ok(())
    }

    /// The first of the calls that wait for `writer` is tried again.
    #[cold]
    fn wake(&mut self, writer: u32, now: Timestamp) -> Result<(), FleetError> {
        let Some(&call) = self.members[writer as usize].waiting.front() else {
            return Ok(());
        };
        match self.attempt(writer, now, call.asked)? {
            Answer::Later(until) => self.waiting.push(Reverse((until, writer))),
            answer => {
                let waiting = &mut self.members[writer as usize].waiting;
                waiting.pop_front();
                if !waiting.is_empty() {
                    self.waiting.push(Reverse((now, writer)));
                }
                self.settle(writer, now, call, answer);
            }
        }
        Ok(())
    }

    /// What becomes of a call of `asked` that is tried at `now`.
    #[inline]
    fn attempt(
        &mut self,
        writer: u32,
        now: Timestamp,
        asked: Timestamp,
    ) -> Result<Answer<S::Id>, FleetError> {
        let member = &mut self.members[writer as usize];
        if !member.catch_up(now, asked) {
            return Ok(Answer::Refused(Cause::Down));
        }
        if let Some(until) = member.stopped_until(now) {
            return Ok(Answer::Later(until));
        }
        let (mut number, mut key_times) = (writer, None);
        if let Some(numbers) = &mut self.numbers {
            let Some(grant) = numbers.grant(writer, now) else {
                return Ok(Answer::Refused(Cause::NoNumber));
            };
            if grant.term != member.term {
                member.term = grant.term;
                member.state = None;
            }
            (number, key_times) = (grant.number, grant.key_times);
        }
        if member.state.is_none() {
            let mut state = self.scheme.writer(number)?;
            if let Some(floor) = member.floor() {
                self.scheme.resume(&mut state, floor);
            }
            member.state = Some(state);
        }
        let (reading, state) = member.read(now);
        let Some(state) = state else {
            return Ok(Answer::Refused(Cause::Down));
        };
        let minted = self.scheme.mint(state, &reading, &mut self.randomness);
        let wall = reading.now();
        Ok(match minted {
            Ok(id) => {
                let instant = || self.scheme.timestamp(id).unwrap_or(wall);
                member.used(instant);
                match key_times {
                    Some(times) if !times.contains(&instant()) => Answer::Refused(Cause::NoNumber),
                    _ => Answer::Minted(id),
                }
            }
            Err(Stall::Exhausted { wait_ns }) => Answer::Later(now.later(wait_ns)),
            Err(Stall::ClockBehind { wait_ns }) => {
                let (most_ns, times) = self.patience;
                if wait_ns <= most_ns {
                    Answer::Later(now.later(wait_ns.saturating_mul(times.into())))
                } else {
                    Answer::Refused(Cause::ClockBehind)
                }
            }
            Err(Stall::OutOfRange) if self.spec.conduct.refuse => {
                Answer::Refused(Cause::OutOfRange)
            }
            Err(stall @ Stall::OutOfRange) => {
                return Err(FleetError::Stalled {
                    scheme: self.scheme.name(),
                    now_ms: wall.ms(),
                    stall,
                });
            }
        })
    }

    /// A call is answered at `now`.
    #[inline]
    fn settle(&mut self, writer: u32, now: Timestamp, call: Call, answer: Answer<S::Id>) {
        let outages = &mut self.members[writer as usize].outages;
        match answer {
            Answer::Minted(id) => {
                outages.end(now);
                let stream = writer as usize % self.delays.len();
                let random = &mut self.delays[stream];
                let delay_ns = self.spec.latency.draw(random);
                let aborts = self.spec.abort_ppm;
                if aborts > 0 && random::below(random, 1_000_000) < aborts {
                    return;
                }
                self.pending.push(Reverse(Issued {
                    inserted: now.later(delay_ns),
                    number: call.number,
                    id,
                    asked: call.asked,
                    minted: now,
                    writer,
                }));
            }
            Answer::Refused(cause) => {
                outages.begin(call.asked);
                self.refused = Some(Refused {
                    at: now,
                    asked: call.asked,
                    writer,
                    cause,
                });
            }
            Answer::Later(_) => {}
        }
    }
}

impl<S: Scheme> Source<<S::Id as Id>::Key> for Fleet<S> {
    fn fill(&mut self, keys: &mut Vec<<S::Id as Id>::Key>, rows: usize) -> Result<(), SourceError> {
        for _ in 0..rows {
            let issued = self
                .issue()
                .map_err(|error| SourceError(error.to_string()))?;
            keys.push(issued.id.key());
        }
        Ok(())
    }
}

/// A [`Visitor`] that makes a fleet's stream of a scheme known by name.
pub struct IntoStream(pub FleetSpec);

impl Visitor for IntoStream {
    type Output = Result<Stream, FleetError>;

    fn visit<S: Scheme>(self, scheme: S) -> Self::Output {
        Ok(Stream {
            column: scheme.column(),
            text_chars: scheme.text_chars(),
            keys: AnySource::new(Box::new(Fleet::new(scheme, self.0)?)),
        })
    }
}

#[cfg(test)]
mod tests;
