//! SQL Server's `NEWSEQUENTIALID`: version 1 UUIDs with the bytes of three groups turned round.
//!
//! - Layout, in the order that SQL Server compares: node 48, var 2, clock_seq 14, ver 4,
//!   time_high 12, time_mid 16, time_low 32. So ids of one node are in the order of their
//!   instants, and each node has a place of its own.
//! - Ids per tick, lifetime, rollback: as `gregorian` has them. Windows takes a MAC address as
//!   node, if there is one, and may begin lower after a restart.
//! - Source: Transact-SQL reference, `NEWSEQUENTIALID`, and `UuidCreateSequential`, on which
//!   it builds; the turned bytes as seen in SQL Server 2005 and later.

use super::gregorian::{self, GregorianWriter, LOW_FIELDS, Stamp, TICK_FIELDS};
use super::{Field, Limits, Listed, Param, Params, Scheme, SpecError, Stall, WriterError};
use crate::clock::{Clock, Timestamp};
use crate::id::{Id, SqlGuid};
use rand::Rng;

/// GUIDs of node and time.
#[derive(Clone, Debug, Default)]
pub struct NewSequentialId;

fn id(stamp: Stamp) -> SqlGuid {
    let time = stamp.version_and_ticks();
    SqlGuid::from_key(u128::from(stamp.low().rotate_left(16)) << 64 | u128::from(time))
}

impl Listed for NewSequentialId {
    const NAME: &'static str = "newsequentialid";
    const ABOUT: &'static str = "version 1 UUIDs with turned bytes, ordered by node, then time (SQL Server)";
    const PARAMS: &'static [Param] = &[];

    fn new(_: &Params) -> Result<Self, SpecError> {
        Ok(Self)
    }
}

impl Scheme for NewSequentialId {
    type Id = SqlGuid;
    type Writer = GregorianWriter;

    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn fields(&self) -> Vec<Field> {
        LOW_FIELDS[2..]
            .iter()
            .chain(&LOW_FIELDS[..2])
            .chain(&TICK_FIELDS)
            .copied()
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
    ) -> Result<SqlGuid, Stall> {
        writer.next(clock, random).map(id)
    }

    fn timestamp(&self, id: SqlGuid) -> Option<Timestamp> {
        Some(gregorian::instant(id.key() as u64 & ((1 << 60) - 1)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::gregorian::EXAMPLE;
    use super::*;

    fn values(id: SqlGuid) -> Vec<u128> {
        let fields = NewSequentialId.decode(id);
        fields.into_iter().map(|(_, value)| value).collect()
    }

    #[test]
    fn the_example_of_rfc_9562_appendix_a_1_has_turned_bytes() {
        let example: SqlGuid = "00AB32C2-1494-EC11-B3C8-9F6BDECED846".parse().unwrap();
        assert_eq!(id(EXAMPLE), example);
        let parts = [0x9F6B_DECE_D846, 2, 0x33C8, 1, 0x1EC, 0x9414, 0xC232_AB00];
        assert_eq!(values(example), parts);
        let instant = Timestamp::from_ms(1_645_557_742_000);
        assert_eq!(NewSequentialId.timestamp(example), Some(instant));
    }

    /// Three rows of one table in 2008.
    #[test]
    fn published_ids_follow_one_another_tick_by_tick() {
        let ticks = [0x63, 0x64, 0x65].map(|byte| {
            let text = format!("{byte:X}DD0AD3-A111-DD11-B2EB-005056AE063C");
            id_ticks(text.parse().unwrap())
        });
        assert_eq!(ticks, [ticks[0], ticks[0] + 1, ticks[0] + 2]);
        let year = 365 * 86_400 * 10_000_000;
        assert_eq!((ticks[0] - gregorian::UNIX_TICKS) / year, 38);
    }

    fn id_ticks(id: SqlGuid) -> u64 {
        id.key() as u64 & ((1 << 60) - 1)
    }
}
