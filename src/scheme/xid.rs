//! xid: seconds, a machine, a process and its counter.
//!
//! - Layout: timestamp 32 (Unix seconds), machine 24, pid 16, counter 24.
//! - Ids per tick, lifetime, rollback: as `process` has them. The library goes on when a
//!   second's 2²⁴ are used up, and then repeats ids; this writer waits.
//! - Modelled: machine (a hash of the host's own id) and pid are drawn at random, so writers
//!   are told apart by 40 random bits, where those of one host have 16 in truth.
//! - Source: rs/xid 1.x.

use super::process::{self, ProcessWriter};
use super::{Field, FieldKind, Limits, Listed, Param, Params, Scheme, SpecError, Stall, WriterError};
use crate::clock::{Clock, Timestamp};
use crate::id::{Id, Xid};
use rand::Rng;

/// xids as rs/xid makes them.
#[derive(Clone, Debug, Default)]
pub struct XidScheme;

impl Listed for XidScheme {
    const NAME: &'static str = "xid";
    const ABOUT: &'static str = "seconds, 24 bits of a machine, 16 of a process, 24 of its counter, 96 bits (rs/xid)";
    const PARAMS: &'static [Param] = &[];

    fn new(_: &Params) -> Result<Self, SpecError> {
        Ok(Self)
    }
}

impl Scheme for XidScheme {
    type Id = Xid;
    type Writer = ProcessWriter;

    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn fields(&self) -> Vec<Field> {
        vec![
            Field::new("timestamp", 32, FieldKind::Timestamp),
            Field::new("machine", 24, FieldKind::Node),
            Field::new("pid", 16, FieldKind::Node),
            Field::new("counter", 24, FieldKind::Counter),
        ]
    }

    fn limits(&self) -> Limits {
        process::limits()
    }

    fn writer(&mut self, _: u32) -> Result<ProcessWriter, WriterError> {
        Ok(ProcessWriter::default())
    }

    fn mint(
        &mut self,
        writer: &mut ProcessWriter,
        clock: &impl Clock,
        random: &mut impl Rng,
    ) -> Result<Xid, Stall> {
        writer.next(clock, random).map(Xid::from_key)
    }

    /// The counter passes its largest value within a second.
    fn ascends(&self) -> bool {
        false
    }

    fn timestamp(&self, id: Xid) -> Option<Timestamp> {
        Some(process::instant(id.key()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_published_id_decodes_to_its_parts() {
        let id = "9m4e2mr0ui3e8a215n4g".parse().unwrap();
        let fields = XidScheme.decode(id);
        let values: Vec<_> = fields.into_iter().map(|(_, value)| value).collect();
        assert_eq!(values, [1_300_816_219, 0x60_f486, 58_408, 4_271_561]);
        let instant = Timestamp::from_ms(1_300_816_219_000);
        assert_eq!(XidScheme.timestamp(id), Some(instant));
    }
}
