//! Ticket blocks: a central counter leased out in blocks (hi/lo, sequence cache).
//!
//! A process takes a block of `size` consecutive ids, uses it up, and visits the centre for
//! the next one: then, or, with `prefetch`, when so much of the block is used; if the next
//! block is not there when this one is used up, callers wait. Each of the fleet's writers is
//! a process of its own unless `processes` says how many they share, in turn (threads of an
//! application); a round trip is measured by the monotonic clock of whoever asks.
//!
//! Hi/lo and the pooled optimizers of object-relational mappers are this scheme (presets `hi_lo`
//! and `pooled`), a cached sequence too; Leaf's segments are preset `leaf_segment`, TinyID's
//! `prefetch=20`.
//!
//! - Layout: sign 1 (always 0), counter 63.
//! - Ids per tick: unbounded, there is no tick; one visit to the centre in `size` ids, and
//!   at most `size` ids a process and round trip.
//! - Lifetime: 2⁶³ − 1 ids, then [`Stall::OutOfRange`]; no epoch, no date of exhaustion.
//! - Rollback: none, no wall clock is read. Ids ascend within a process, not across processes.
//!   A process that starts again loses the rest of its block and the block on its way.
//! - Source: the hi/lo algorithm of object-relational mappers; `CACHE` of SQL sequences.
//!   Leaf's change of a block's size with its age is not modelled.

use super::auto_increment::LAST;
use super::centre::{self, Centre, Request};
use super::{Field, FieldKind, Limits, Listed, Param, Params, Scheme, SpecError, Stall, WriterError};
use crate::clock::{Clock, Timestamp};
use crate::id::Number;
use rand::Rng;
use std::ops::Range;

/// Leases blocks of consecutive ids to its processes.
#[derive(Clone, Debug)]
pub struct TicketBlock {
    size: u64,
    /// Ids of a block that are unused when the next one is asked for; `None`: none is left.
    prefetch: Option<u64>,
    /// Processes that the writers share; each writer has its own if `None`.
    shared_by: Option<u32>,
    centre: Centre,
    /// First id of the next unused block.
    next: u64,
    processes: Vec<Process>,
}

#[derive(Clone, Debug, Default)]
struct Process {
    /// The unused rest of its block.
    block: Range<u64>,
    /// The block after it.
    next: Option<Request<Range<u64>>>,
}

impl TicketBlock {
    /// Asks for the next unused block; the very last one may be shorter.
    fn lease(&mut self, clock: &impl Clock) -> Result<Request<Range<u64>>, Stall> {
        if self.next > LAST {
            return Err(Stall::OutOfRange);
        }
        let start = self.next;
        self.next = (start + self.size).min(LAST + 1);
        Ok(self.centre.send(clock, start..self.next))
    }

    /// The next block of `process`, whose own is used up.
    #[cold]
    fn change(&mut self, process: usize, clock: &impl Clock) -> Result<(), Stall> {
        let request = match self.processes[process].next.take() {
            Some(request) => request,
            None => self.lease(clock)?,
        };
        let received = self.centre.receive(&request, clock);
        let process = &mut self.processes[process];
        match received {
            Ok(block) => {
                process.block = block;
                Ok(())
            }
            Err(stall) => {
                process.next = Some(request);
                Err(stall)
            }
        }
    }
}

impl Listed for TicketBlock {
    const NAME: &'static str = "ticket_block";
    const ABOUT: &'static str = "central counter leased in blocks, 64 bits (hi/lo)";
    const PARAMS: &'static [Param] = &[
        Param {
            name: "size",
            default: "1000",
            about: "ids in a block, 1 to 1000000000",
        },
        Param {
            name: "processes",
            default: "writers",
            about: "processes that hold a block, 1 to 1000000; writers: each is one",
        },
        Param {
            name: "prefetch",
            default: "off",
            about: "per cent of a block used when the next one is asked for, 0 to 100; off: when it is used up",
        },
        centre::RTT,
    ];

    fn new(params: &Params) -> Result<Self, SpecError> {
        let shared_by = match params.text("processes") {
            "writers" => None,
            _ => Some(params.number("processes", 1..=1_000_000)? as u32),
        };
        let size = params.number("size", 1..=1_000_000_000)?;
        let prefetch = match params.text("prefetch") {
            "off" => None,
            _ => Some(
                params
                    .number("prefetch", 0..=100)
                    .map_err(|_| params.refuse("prefetch", "off or a whole number from 0 to 100"))?,
            ),
        };
        Ok(Self {
            size,
            prefetch: prefetch.map(|percent| size * (100 - percent) / 100),
            shared_by,
            centre: Centre::new(params)?,
            next: 1,
            processes: Vec::new(),
        })
    }
}

impl Scheme for TicketBlock {
    type Id = Number;
    /// The number of the writer's process.
    type Writer = usize;

    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn fields(&self) -> Vec<Field> {
        vec![
            Field::new("sign", 1, FieldKind::Fixed),
            Field::new("counter", 63, FieldKind::Counter),
        ]
    }

    fn limits(&self) -> Limits {
        Limits::default()
    }

    /// A new process, or the same one again, without a block.
    fn writer(&mut self, number: u32) -> Result<usize, WriterError> {
        let process = self.shared_by.map_or(number, |processes| number % processes) as usize;
        if process >= self.processes.len() {
            self.processes.resize_with(process + 1, Process::default);
        }
        self.processes[process] = Process::default();
        Ok(process)
    }

    #[inline]
    fn mint(
        &mut self,
        &mut process: &mut usize,
        clock: &impl Clock,
        _: &mut impl Rng,
    ) -> Result<Number, Stall> {
        if self.processes[process].block.is_empty() {
            self.change(process, clock)?;
        }
        let Process { block, next } = &mut self.processes[process];
        let id = block.start;
        block.start += 1;
        if let Some(unused) = self.prefetch
            && next.is_none()
            && block.end - block.start <= unused
        {
            // None is left: callers are told when they need it.
            self.processes[process].next = self.lease(clock).ok();
        }
        Ok(Number(id))
    }

    fn outage(&mut self, from: Timestamp, until: Timestamp) {
        self.centre.outage(from, until);
    }

    fn visits(&self) -> Option<u64> {
        Some(self.centre.visits())
    }

    fn timestamp(&self, _: Number) -> Option<Timestamp> {
        None
    }
}

#[cfg(test)]
mod tests;
