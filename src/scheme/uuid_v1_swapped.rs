//! Version 1 UUIDs as MySQL's `UUID_TO_BIN(u, 1)` stores them: the time's groups turned round.
//!
//! - Layout: ver 4, time_high 12, time_mid 16, time_low 32, var 2, clock_seq 14, node 48. The
//!   text is that of the stored bytes, as `HEX` and not as `BIN_TO_UUID(b, 1)` shows them.
//! - Ids per tick, lifetime, rollback: as `gregorian` has them.
//! - Source: MySQL 8.0 reference manual, `UUID_TO_BIN`.

use super::gregorian::{self, GregorianWriter, LOW_FIELDS, Stamp, TICK_FIELDS};
use super::{Field, Limits, Listed, Param, Params, Scheme, SpecError, Stall, WriterError};
use crate::clock::{Clock, Timestamp};
use crate::id::Uuid;
use rand::Rng;

/// UUIDs of time and node in MySQL's order.
#[derive(Clone, Debug, Default)]
pub struct UuidV1Swapped;

fn id(stamp: Stamp) -> Uuid {
    Uuid(u128::from(stamp.version_and_ticks()) << 64 | u128::from(stamp.low()))
}

impl Listed for UuidV1Swapped {
    const NAME: &'static str = "uuid_v1_swapped";
    const ABOUT: &'static str = "version 1 UUIDs with their time in order (MySQL 8.0, UUID_TO_BIN(u, 1))";
    const PARAMS: &'static [Param] = &[];

    fn new(_: &Params) -> Result<Self, SpecError> {
        Ok(Self)
    }
}

impl Scheme for UuidV1Swapped {
    type Id = Uuid;
    type Writer = GregorianWriter;

    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn fields(&self) -> Vec<Field> {
        TICK_FIELDS.into_iter().chain(LOW_FIELDS).collect()
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
        Some(gregorian::instant((id.0 >> 64) as u64 & ((1 << 60) - 1)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::gregorian::EXAMPLE;
    use super::*;

    fn values(id: Uuid) -> Vec<u128> {
        let fields = UuidV1Swapped.decode(id);
        fields.into_iter().map(|(_, value)| value).collect()
    }

    /// 6ccd780c-baba-1026-9564-5b8c656024db, swapped.
    #[test]
    fn the_example_of_the_manual_decodes_to_its_parts() {
        let example: Uuid = "1026BABA6CCD780C95645B8C656024DB".parse().unwrap();
        let parts = [1, 0x026, 0xBABA, 0x6CCD_780C, 2, 0x1564, 0x5B8C_6560_24DB];
        assert_eq!(values(example), parts);
    }

    #[test]
    fn the_example_of_rfc_9562_appendix_a_1_is_swapped() {
        let example: Uuid = "11EC9414-C232-AB00-B3C8-9F6BDECED846".parse().unwrap();
        assert_eq!(id(EXAMPLE), example);
        let instant = Timestamp::from_ms(1_645_557_742_000);
        assert_eq!(UuidV1Swapped.timestamp(example), Some(instant));
    }
}
