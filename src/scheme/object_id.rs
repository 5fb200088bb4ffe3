//! ObjectId: seconds, 40 bits of a process, a counter.
//!
//! - Layout: timestamp 32 (Unix seconds), process 40 (random, drawn once), counter 24.
//! - Ids per tick, lifetime, rollback: as `process` has them. Drivers go on when a second's
//!   2²⁴ are used up, and then repeat ids; this writer waits.
//! - Source: BSON ObjectId specification of the MongoDB drivers (mongodb/specifications).

use super::process::{self, ProcessWriter};
use super::{Field, FieldKind, Limits, Listed, Param, Params, Scheme, SpecError, Stall, WriterError};
use crate::clock::{Clock, Timestamp};
use crate::id::{Id, ObjectId};
use rand::Rng;

/// ObjectIds as the drivers of MongoDB make them.
#[derive(Clone, Debug, Default)]
pub struct ObjectIdScheme;

impl Listed for ObjectIdScheme {
    const NAME: &'static str = "object_id";
    const ABOUT: &'static str = "seconds, 40 random bits of a process, 24 of its counter, 96 bits (MongoDB)";
    const PARAMS: &'static [Param] = &[];

    fn new(_: &Params) -> Result<Self, SpecError> {
        Ok(Self)
    }
}

impl Scheme for ObjectIdScheme {
    type Id = ObjectId;
    type Writer = ProcessWriter;

    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn fields(&self) -> Vec<Field> {
        vec![
            Field::new("timestamp", 32, FieldKind::Timestamp),
            Field::new("process", 40, FieldKind::Node),
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
    ) -> Result<ObjectId, Stall> {
        writer.next(clock, random).map(ObjectId::from_key)
    }

    /// The counter passes its largest value within a second.
    fn ascends(&self) -> bool {
        false
    }

    fn timestamp(&self, id: ObjectId) -> Option<Timestamp> {
        Some(process::instant(id.key()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_published_id_decodes_to_its_parts() {
        let id = "507f1f77bcf86cd799439011".parse().unwrap();
        let fields = ObjectIdScheme.decode(id);
        let values: Vec<_> = fields.into_iter().map(|(_, value)| value).collect();
        assert_eq!(values, [1_350_508_407, 0xbc_f86c_d799, 0x43_9011]);
        let instant = Timestamp::from_ms(1_350_508_407_000);
        assert_eq!(ObjectIdScheme.timestamp(id), Some(instant));
    }
}
