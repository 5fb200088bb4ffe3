//! Ticket blocks: a central counter leased out in blocks (hi/lo, sequence cache).
//!
//! A process takes a block of `size` consecutive ids, uses it up, and only then
//! visits the centre again. Each of the fleet's writers is a process of its own
//! unless `processes` says how many they share, in turn (threads of an application).
//!
//! - Layout: sign 1 (always 0), counter 63.
//! - Ids per tick: unbounded, there is no tick; one visit to the centre in `size` ids.
//! - Lifetime: 2⁶³ − 1 ids, then [`Stall::OutOfRange`]; no epoch, no date of exhaustion.
//! - Rollback: none, the clock is never read. Ids ascend within a process, not across processes.
//! - Source: the hi/lo algorithm of object-relational mappers; `CACHE` of SQL sequences.

use super::auto_increment::LAST;
use super::{Field, FieldKind, Limits, Param, Params, Scheme, SpecError, Stall, WriterError};
use crate::clock::{Clock, Timestamp};
use crate::id::Number;
use rand::Rng;
use std::ops::Range;

/// Leases blocks of consecutive ids to its processes.
#[derive(Debug)]
pub struct TicketBlock {
    size: u64,
    /// Processes that the writers share; each writer has its own if `None`.
    processes: Option<u32>,
    /// First id of the next unused block.
    next: u64,
    /// The unused rest of each process's block.
    blocks: Vec<Range<u64>>,
}

impl TicketBlock {
    /// The next unused block; the very last one may be shorter.
    fn lease(&mut self) -> Result<Range<u64>, Stall> {
        if self.next > LAST {
            return Err(Stall::OutOfRange);
        }
        let start = self.next;
        self.next = (start + self.size).min(LAST + 1);
        Ok(start..self.next)
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
    ];

    fn new(params: &Params) -> Result<Self, SpecError> {
        let processes = match params.text("processes") {
            "writers" => None,
            _ => Some(params.number("processes", 1..=1_000_000)? as u32),
        };
        Ok(Self {
            size: params.number("size", 1..=1_000_000_000)?,
            processes,
            next: 1,
            blocks: Vec::new(),
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

    fn writer(&mut self, number: u32) -> Result<usize, WriterError> {
        let process = self.processes.map_or(number, |processes| number % processes) as usize;
        let known = self.blocks.len().max(process + 1);
        self.blocks.resize(known, 0..0);
        Ok(process)
    }

    fn mint(
        &mut self,
        process: &mut usize,
        _: &impl Clock,
        _: &mut impl Rng,
    ) -> Result<Number, Stall> {
        if self.blocks[*process].is_empty() {
            self.blocks[*process] = self.lease()?;
        }
        let block = &mut self.blocks[*process];
        let id = block.start;
        block.start += 1;
        Ok(Number(id))
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

    #[test]
    fn the_last_block_ends_with_the_signed_range() {
        let mut scheme = scheme("ticket_block");
        scheme.next = LAST;
        let mut process = scheme.writer(0).unwrap();
        assert_eq!(next(&mut scheme, &mut process), Ok(LAST));
        assert_eq!(next(&mut scheme, &mut process), Err(Stall::OutOfRange));
    }
}
