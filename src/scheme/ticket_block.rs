//! Ticket blocks: a central counter leased out in blocks (hi/lo, sequence cache).
//!
//! The fleet's writers are the processes that lease: each takes a block of
//! `size` consecutive ids, uses it up, and only then visits the centre again.
//!
//! - Layout: sign 1 (always 0), counter 63.
//! - Ids per tick: unbounded, there is no tick; one visit to the centre in `size` ids.
//! - Lifetime: 2⁶³ − 1 ids, then [`Stall::OutOfRange`]; no epoch, no date of exhaustion.
//! - Rollback: none, the clock is never read. Ids ascend within a writer, not across writers.
//! - Source: the hi/lo algorithm of object-relational mappers; `CACHE` of SQL sequences.

use super::auto_increment::LAST;
use super::{Field, FieldKind, Limits, Param, Params, Scheme, SpecError, Stall, WriterError};
use crate::clock::{Clock, Timestamp};
use crate::id::Number;
use rand::Rng;
use std::ops::Range;

/// Leases blocks of consecutive ids to its writers.
#[derive(Debug)]
pub struct TicketBlock {
    size: u64,
    /// First id of the next unused block.
    next: u64,
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
    /// The unused rest of the writer's block.
    type Writer = Range<u64>;

    const NAME: &'static str = "ticket_block";
    const ABOUT: &'static str = "central counter leased in blocks, 64 bits (hi/lo)";
    const PARAMS: &'static [Param] = &[Param {
        name: "size",
        default: "1000",
        about: "ids in a block, 1 to 1000000000",
    }];

    fn new(params: &Params) -> Result<Self, SpecError> {
        let size = params.number("size", 1..=1_000_000_000)?;
        Ok(Self { size, next: 1 })
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

    fn writer(&mut self, _: u32) -> Result<Range<u64>, WriterError> {
        Ok(0..0)
    }

    fn mint(
        &mut self,
        block: &mut Range<u64>,
        _: &impl Clock,
        _: &mut impl Rng,
    ) -> Result<Number, Stall> {
        if block.is_empty() {
            *block = self.lease()?;
        }
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

    fn next(scheme: &mut TicketBlock, block: &mut Range<u64>) -> Result<u64, Stall> {
        let id = scheme.mint(block, &Timestamp(0), &mut stream(1, "test", 0));
        id.map(|id| id.0)
    }

    #[test]
    fn writers_take_turns_in_blocks() {
        let mut scheme = TicketBlock { size: 2, next: 1 };
        let (mut a, mut b) = (scheme.writer(0).unwrap(), scheme.writer(1).unwrap());
        let mut next = |block: &mut _| next(&mut scheme, block).unwrap();
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
    fn the_last_block_ends_with_the_signed_range() {
        let mut scheme = TicketBlock {
            size: 1_000,
            next: LAST,
        };
        let mut block = scheme.writer(0).unwrap();
        assert_eq!(next(&mut scheme, &mut block), Ok(LAST));
        assert_eq!(next(&mut scheme, &mut block), Err(Stall::OutOfRange));
    }
}
