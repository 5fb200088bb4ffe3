//! Ticket blocks: a central counter leased out in blocks (hi/lo, sequence cache).
//!
//! A process takes a block of `size` consecutive ids, uses it up, and visits the centre for
//! the next one: then, or, with `prefetch`, when so much of the block is used; if the next
//! block is not there when this one is used up, callers wait. Each of the fleet's writers is
//! a process of its own unless `processes` says how many they share, in turn (threads of an
//! application); a round trip is measured by the monotonic clock of whoever asks.
//!
//! Hi/lo and the pooled optimizers of object-relational mappers are this scheme (Hibernate:
//! `size=50`), a cached sequence too; Leaf's segments are `prefetch=10`, TinyID's `prefetch=20`.
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
use super::{Field, FieldKind, Limits, Param, Params, Scheme, SpecError, Stall, WriterError};
use crate::clock::{Clock, Timestamp};
use crate::id::Number;
use rand::Rng;
use std::ops::Range;

/// Leases blocks of consecutive ids to its processes.
#[derive(Debug)]
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

#[derive(Debug, Default)]
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

impl Scheme for TicketBlock {
    type Id = Number;
    /// The number of the writer's process.
    type Writer = usize;

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
mod tests {
    use super::*;
    use crate::random::stream;

    fn scheme(spec: &str) -> TicketBlock {
        let spec = spec.parse().unwrap();
        TicketBlock::new(&Params::new(&spec, TicketBlock::PARAMS).unwrap()).unwrap()
    }

    fn next(scheme: &mut TicketBlock, process: &mut usize) -> Result<u64, Stall> {
        let id = scheme.mint(process, &Timestamp(0), &mut stream(1, "test", 0));
        id.map(|id| id.0)
    }

    #[test]
    fn writers_take_turns_in_blocks() {
        let mut scheme = scheme("ticket_block:size=2");
        let (mut a, mut b) = (scheme.writer(0).unwrap(), scheme.writer(1).unwrap());
        let mut next = |process: &mut _| next(&mut scheme, process).unwrap();
        let ids = [
            next(&mut a),
            next(&mut b),
            next(&mut a),
            next(&mut a),
            next(&mut b),
        ];
        assert_eq!(ids, [1, 3, 2, 5, 4]);
    }

    #[test]
    fn writers_of_one_process_share_its_block() {
        let mut scheme = scheme("ticket_block:size=10:processes=2");
        let mut writers: Vec<_> = (0..4).map(|writer| scheme.writer(writer).unwrap()).collect();
        let ids: Vec<_> = writers.iter_mut().map(|writer| next(&mut scheme, writer).unwrap()).collect();
        assert_eq!(ids, [1, 11, 2, 12]);
    }

    fn mint(scheme: &mut TicketBlock, process: &mut usize, at: u64) -> Result<u64, Stall> {
        let id = scheme.mint(process, &Timestamp(at), &mut stream(1, "test", 0));
        id.map(|id| id.0)
    }

    fn waits(wait_ns: u64) -> Result<u64, Stall> {
        Err(Stall::Exhausted { wait_ns })
    }

    /// The second block is asked for with the fifth id of ten, at 5,000 ns.
    #[test]
    fn the_next_block_comes_while_this_one_is_used() {
        let mut scheme = scheme("ticket_block:size=10:prefetch=50:rtt_us=3");
        let mut process = scheme.writer(0).unwrap();
        assert_eq!(mint(&mut scheme, &mut process, 0), waits(3_000));
        for id in 1..=10 {
            assert_eq!(mint(&mut scheme, &mut process, 3_000 + 500 * id), Ok(id));
            assert_eq!(scheme.visits(), Some(if id < 5 { 1 } else { 2 }));
        }
        assert_eq!(mint(&mut scheme, &mut process, 8_499), waits(1));
        assert_eq!(mint(&mut scheme, &mut process, 8_500), Ok(11));
    }

    #[test]
    fn blocks_in_hand_outlast_an_outage_and_requests_wait_for_its_end() {
        let mut scheme = scheme("ticket_block:size=2");
        let (mut a, mut b) = (scheme.writer(0).unwrap(), scheme.writer(1).unwrap());
        assert_eq!(mint(&mut scheme, &mut a, 10), Ok(1));
        assert_eq!(mint(&mut scheme, &mut b, 10), Ok(3));
        assert_eq!(mint(&mut scheme, &mut b, 11), Ok(4));
        scheme.outage(Timestamp(20), Timestamp(100));
        assert_eq!(mint(&mut scheme, &mut b, 20), waits(80));
        assert_eq!(mint(&mut scheme, &mut a, 30), Ok(2));
        assert_eq!(mint(&mut scheme, &mut a, 99), waits(1));
        assert_eq!(mint(&mut scheme, &mut a, 100), Ok(7));
        assert_eq!(mint(&mut scheme, &mut b, 100), Ok(5));
        assert_eq!(scheme.visits(), Some(4));
    }

    #[test]
    fn a_process_that_starts_again_has_lost_its_blocks() {
        let mut scheme = scheme("ticket_block:size=4:prefetch=25");
        let mut process = scheme.writer(0).unwrap();
        assert_eq!(next(&mut scheme, &mut process), Ok(1));
        let mut process = scheme.writer(0).unwrap();
        // 2 to 4 were in use, 5 to 8 ready.
        assert_eq!(next(&mut scheme, &mut process), Ok(9));
    }

    #[test]
    fn a_prefetch_is_a_share_or_off() {
        let refused = |text: &str| {
            let spec = format!("ticket_block:prefetch={text}").parse().unwrap();
            let params = Params::new(&spec, TicketBlock::PARAMS).unwrap();
            TicketBlock::new(&params).unwrap_err().to_string()
        };
        assert!(refused("101").ends_with("expected off or a whole number from 0 to 100"));
        assert!(refused("on").starts_with("ticket_block: prefetch=on is not valid"));
    }

    #[test]
    fn the_last_block_ends_with_the_signed_range() {
        let mut scheme = scheme("ticket_block:prefetch=0");
        scheme.next = LAST;
        let mut process = scheme.writer(0).unwrap();
        assert_eq!(next(&mut scheme, &mut process), Ok(LAST));
        assert_eq!(next(&mut scheme, &mut process), Err(Stall::OutOfRange));
    }
}
