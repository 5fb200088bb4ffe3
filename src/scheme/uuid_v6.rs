//! UUID version 6: version 1 with the slowest bits of its ticks first.
//!
//! - Layout: time_high 32, time_mid 16, ver 4, time_low 12, var 2, clock_seq 14, node 48.
//! - Ids per tick, lifetime, rollback: as `gregorian` has them.
//! - Source: RFC 9562, section 5.6.

use super::gregorian::{self, GregorianWriter, LOW_FIELDS, Stamp};
use super::{Field, FieldKind, Limits, Listed, Param, Params, Scheme, SpecError, Stall, WriterError};
use crate::clock::{Clock, Timestamp};
use crate::id::Uuid;
use rand::Rng;

/// UUIDs of time and node, ordered by time.
#[derive(Clone, Debug, Default)]
pub struct UuidV6;

fn id(stamp: Stamp) -> Uuid {
    let time = stamp.ticks >> 12 << 16 | stamp.ticks & 0xfff;
    Uuid(u128::from(time) << 64 | u128::from(stamp.low())).with_version(6)
}

impl Listed for UuidV6 {
    const NAME: &'static str = "uuid_v6";
    const ABOUT: &'static str = "100 ns ticks in order, clock sequence and node (RFC 9562, section 5.6)";
    const PARAMS: &'static [Param] = &[];

    fn new(_: &Params) -> Result<Self, SpecError> {
        Ok(Self)
    }
}

impl Scheme for UuidV6 {
    type Id = Uuid;
    type Writer = GregorianWriter;

    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn fields(&self) -> Vec<Field> {
        let of_time = |name, bits| Field::new(name, bits, FieldKind::Timestamp);
        [
            of_time("time_high", 32),
            of_time("time_mid", 16),
            Field::new("ver", 4, FieldKind::Fixed),
            of_time("time_low", 12),
        ]
        .into_iter()
        .chain(LOW_FIELDS)
        .collect()
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

    fn timestamp(&self, id: Uuid) -> Option<Timestamp> {
        Some(gregorian::instant((id.0 >> 80 << 12 | id.0 >> 64 & 0xfff) as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::super::gregorian::EXAMPLE;
    use super::*;

    fn values(id: Uuid) -> Vec<u128> {
        let fields = UuidV6.decode(id);
        fields.into_iter().map(|(_, value)| value).collect()
    }

    #[test]
    fn the_example_of_rfc_9562_appendix_a_5_decodes_to_its_parts() {
        let example: Uuid = "1EC9414C-232A-6B00-B3C8-9F6BDECED846".parse().unwrap();
        assert_eq!(id(EXAMPLE), example);
        let parts = [0x1EC9_414C, 0x232A, 6, 0xB00, 2, 0x33C8, 0x9F6B_DECE_D846];
        assert_eq!(values(example), parts);
        let instant = Timestamp::from_ms(1_645_557_742_000);
        assert_eq!(UuidV6.timestamp(example), Some(instant));
        assert_eq!((example.version(), example.variant()), (6, 2));
    }
}
