//! Bit-reversed: a central counter with the order of its bits turned round, so that numbers that
//! follow each other are far apart: half the range, then a quarter of it, and so on.
//!
//! - Layout: sign 1 (always 0), counter 63, its lowest bit first.
//! - Ids per tick: unbounded, there is no tick; one visit to the centre for `size` ids.
//! - Lifetime: 2⁶³ − 1 ids, then [`Stall::OutOfRange`]; no epoch.
//! - Rollback: none, no wall clock is read. Ids do not ascend; no two are equal, as each is
//!   turned back into its counter.
//! - Source: Spanner's sequences of kind `bit_reversed_positive`, GoogleSQL reference. How many
//!   numbers it leases at a time is not published.

use super::{
    Field, Limits, Listed, Param, Params, Scheme, SpecError, Stall, TicketBlock, WriterError,
};
use crate::clock::{Clock, Timestamp};
use crate::id::Number;
use rand::Rng;

/// A counter, lowest bit first.
#[derive(Clone, Debug)]
pub struct BitReversed {
    tickets: TicketBlock,
}

/// The counter's id, and the id's counter (63 bits).
fn reversed(number: u64) -> u64 {
    number.reverse_bits() >> 1
}

impl Listed for BitReversed {
    const NAME: &'static str = "bit_reversed";
    const ABOUT: &'static str =
        "central counter, lowest bit first, 64 bits (Spanner bit_reversed_positive)";
    const PARAMS: &'static [Param] = &[
        Param {
            default: "1",
            ..TicketBlock::PARAMS[0]
        },
        TicketBlock::PARAMS[1],
        TicketBlock::PARAMS[2],
        TicketBlock::PARAMS[3],
    ];

    fn new(params: &Params) -> Result<Self, SpecError> {
        let tickets = TicketBlock::new(params)?;
        Ok(Self { tickets })
    }
}

impl Scheme for BitReversed {
    type Id = Number;
    /// The number of the writer's process.
    type Writer = usize;

    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn fields(&self) -> Vec<Field> {
        self.tickets.fields()
    }

    fn limits(&self) -> Limits {
        self.tickets.limits()
    }

    fn writer(&mut self, number: u32) -> Result<usize, WriterError> {
        self.tickets.writer(number)
    }

    #[inline]
    fn mint(
        &mut self,
        writer: &mut usize,
        clock: &impl Clock,
        random: &mut impl Rng,
    ) -> Result<Number, Stall> {
        let Number(counter) = self.tickets.mint(writer, clock, random)?;
        Ok(Number(reversed(counter)))
    }

    fn outage(&mut self, from: Timestamp, until: Timestamp) {
        self.tickets.outage(from, until);
    }

    fn visits(&self) -> Option<u64> {
        self.tickets.visits()
    }

    fn ascends(&self) -> bool {
        false
    }

    fn timestamp(&self, _: Number) -> Option<Timestamp> {
        None
    }

    /// The counter as it counts.
    fn decode(&self, id: Number) -> Vec<(Field, u128)> {
        let values = [id.0 >> 63, reversed(id.0)].map(u128::from);
        self.fields().into_iter().zip(values).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::stream;

    #[test]
    fn numbers_are_those_of_spanner_and_decode_to_their_counter() {
        let spec = "bit_reversed:size=2".parse().unwrap();
        let params = Params::new(&spec, BitReversed::PARAMS).unwrap();
        let mut scheme = BitReversed::new(&params).unwrap();
        let mut writer = scheme.writer(0).unwrap();
        let mut random = stream(1, "test", 0);
        let mut mint = || scheme.mint(&mut writer, &Timestamp(0), &mut random).unwrap();
        let ids = [mint(), mint(), mint()];
        // The third is one that a real sequence gave.
        let expected = [1 << 62, 1 << 61, 6_917_529_027_641_081_856];
        assert_eq!(ids.map(|id| id.0), expected);
        for (counter, id) in (1..).zip(ids) {
            let values = scheme.decode(id).into_iter().map(|(_, value)| value);
            assert_eq!(values.collect::<Vec<_>>(), [0, counter]);
        }
        assert_eq!(scheme.visits(), Some(2));
    }

    #[test]
    fn reversing_twice_changes_nothing_and_the_sign_stays_zero() {
        for counter in [1, 2, 3, 1 << 40, (1 << 63) - 1, 0x1234_5678_9abc_def0] {
            assert_eq!(reversed(reversed(counter)), counter);
            assert!(reversed(counter) < 1 << 63);
        }
    }
}
