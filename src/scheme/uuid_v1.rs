//! UUID version 1: ticks of 100 ns, a clock sequence and a node.
//!
//! - Layout: time_low 32, time_mid 16, ver 4, time_high 12, var 2, clock_seq 14, node 48: the
//!   fastest bits first, so ids are in the order of their instants for 7 minutes at most.
//! - Ids per tick, lifetime, rollback: as `gregorian` has them.
//! - Source: RFC 9562, section 5.1.

use super::gregorian::{self, GregorianWriter, LOW_FIELDS, Stamp, TICK_FIELDS};
use super::{Field, Limits, Listed, Param, Params, Scheme, SpecError, Stall, WriterError};
use crate::clock::{Clock, Timestamp};
use crate::id::Uuid;
use rand::Rng;

/// UUIDs of time and node.
#[derive(Clone, Debug, Default)]
pub struct UuidV1;

fn id(stamp: Stamp) -> Uuid {
    let time = stamp.version_and_ticks();
    let (low, mid, high) = (time << 32, time >> 32 & 0xffff, time >> 48);
    Uuid(u128::from(low | mid << 16 | high) << 64 | u128::from(stamp.low()))
}

fn ticks(id: Uuid) -> u64 {
    let time = (id.0 >> 64) as u64;
    (time & 0xfff) << 48 | (time >> 16 & 0xffff) << 32 | time >> 32
}

impl Listed for UuidV1 {
    const NAME: &'static str = "uuid_v1";
    const ABOUT: &'static str = "100 ns ticks, the low bits first, clock sequence and node (RFC 9562, section 5.1)";
    const PARAMS: &'static [Param] = &[];

    fn new(_: &Params) -> Result<Self, SpecError> {
        Ok(Self)
    }
}

impl Scheme for UuidV1 {
    type Id = Uuid;
    type Writer = GregorianWriter;

    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn fields(&self) -> Vec<Field> {
        let [ver, high, mid, low] = TICK_FIELDS;
        [low, mid, ver, high].into_iter().chain(LOW_FIELDS).collect()
    }

    fn limits(&self) -> Limits {
        gregorian::limits()
    }

    fn writer(&mut self, _: u32) -> Result<GregorianWriter, WriterError> {
        Ok(GregorianWriter::default())
    }

    fn mint(
        &mut self,
        writer: &mut GregorianWriter,
        clock: &impl Clock,
        random: &mut impl Rng,
    ) -> Result<Uuid, Stall> {
        writer.next(clock, random).map(id)
    }

    fn ascends(&self) -> bool {
        false
    }

    fn timestamp(&self, id: Uuid) -> Option<Timestamp> {
        Some(gregorian::instant(ticks(id)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::gregorian::EXAMPLE;
    use super::*;

    fn values(id: Uuid) -> Vec<u128> {
        let fields = UuidV1.decode(id);
        fields.into_iter().map(|(_, value)| value).collect()
    }

    #[test]
    fn the_example_of_rfc_9562_appendix_a_1_decodes_to_its_parts() {
        let example: Uuid = "C232AB00-9414-11EC-B3C8-9F6BDECED846".parse().unwrap();
        assert_eq!(id(EXAMPLE), example);
        let parts = [0xC232_AB00, 0x9414, 1, 0x1EC, 2, 0x33C8, 0x9F6B_DECE_D846];
        assert_eq!(values(example), parts);
        let instant = Timestamp::from_ms(1_645_557_742_000);
        assert_eq!(UuidV1.timestamp(example), Some(instant));
        assert_eq!((example.version(), example.variant()), (1, 2));
    }

    /// The low bits begin again after 2³² ticks, 429.5 s.
    #[test]
    fn later_ids_may_be_smaller() {
        let later = Stamp {
            ticks: EXAMPLE.ticks + (1 << 31),
            ..EXAMPLE
        };
        assert!(id(later) < id(EXAMPLE));
    }
}
