//! CockroachDB's `unique_rowid()`: the default of SERIAL columns.
//!
//! - Layout: sign 1 (always 0), timestamp 48, instance 15. The timestamp counts ticks of
//!   10 µs since 2015-01-01; the instance (node) is in the low bits, so that all nodes
//!   append to the same end.
//! - Ids per tick: one a writer; a second one takes the next tick, as the function does,
//!   and so runs ahead of the clock under load.
//! - Lifetime: 2⁴⁸ ticks, 89 years: until 2104.
//! - Rollback: the timestamp never goes back within a writer: it goes on from the last one.
//! - Source: `GenerateUniqueInt` in CockroachDB's `builtins`; its documentation of SERIAL.

use super::{Field, FieldKind, Limits, Listed, Param, Params, Scheme, SpecError, Stall, WriterError};
use crate::clock::{Clock, NS_PER_MS, Timestamp};
use crate::id::{Id, Key, Number};
use rand::Rng;

const TIMESTAMP_BITS: u32 = 48;
const INSTANCE_BITS: u32 = 15;
const TICK_NS: u64 = 10_000;
/// 2015-01-01T00:00:00Z.
const EPOCH_MS: u64 = 1_420_070_400_000;

/// Timestamp, then instance.
#[derive(Clone, Debug)]
pub struct UniqueRowid;

/// What an instance remembers.
#[derive(Debug)]
pub struct Instance {
    number: u64,
    last_tick: u64,
}

impl Listed for UniqueRowid {
    const NAME: &'static str = "unique_rowid";
    const ABOUT: &'static str = "10 µs ticks, instance, 64 bits (CockroachDB SERIAL)";
    const PARAMS: &'static [Param] = &[];

    fn new(_: &Params) -> Result<Self, SpecError> {
        Ok(Self)
    }
}

impl Scheme for UniqueRowid {
    type Id = Number;
    type Writer = Instance;

    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn fields(&self) -> Vec<Field> {
        vec![
            Field::new("sign", 1, FieldKind::Fixed),
            Field::new("timestamp", TIMESTAMP_BITS, FieldKind::Timestamp),
            Field::new("instance", INSTANCE_BITS, FieldKind::Node),
        ]
    }

    fn limits(&self) -> Limits {
        Limits {
            ids_per_tick: Some(1),
            tick_ns: Some(TICK_NS),
            exhausted_unix_ms: Some(EPOCH_MS + ((TICK_NS << TIMESTAMP_BITS) - 1) / NS_PER_MS),
            writers: Some(1 << INSTANCE_BITS),
        }
    }

    fn writer(&mut self, number: u32) -> Result<Instance, WriterError> {
        let max = (1 << INSTANCE_BITS) - 1;
        if u64::from(number) > max {
            return Err(WriterError {
                scheme: Self::NAME,
                number,
                max,
            });
        }
        Ok(Instance {
            number: number.into(),
            last_tick: 0,
        })
    }

    #[inline]
    fn mint(
        &mut self,
        writer: &mut Instance,
        clock: &impl Clock,
        _: &mut impl Rng,
    ) -> Result<Number, Stall> {
        let since_ns = clock.now().0.checked_sub(EPOCH_MS * NS_PER_MS);
        let tick = since_ns.ok_or(Stall::OutOfRange)? / TICK_NS;
        let tick = tick.max(writer.last_tick + 1);
        if tick >> TIMESTAMP_BITS != 0 {
            return Err(Stall::OutOfRange);
        }
        writer.last_tick = tick;
        Ok(Number(tick << INSTANCE_BITS | writer.number))
    }

    fn resume(&self, writer: &mut Instance, floor: Timestamp) {
        let since_ns = floor.0.saturating_sub(EPOCH_MS * NS_PER_MS);
        writer.last_tick = writer.last_tick.max(since_ns / TICK_NS);
    }

    fn timestamp(&self, id: Number) -> Option<Timestamp> {
        let tick = id.key().field(INSTANCE_BITS, TIMESTAMP_BITS) as u64;
        Some(Timestamp(EPOCH_MS * NS_PER_MS + tick * TICK_NS))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::stream;

    #[test]
    fn ticks_and_instances_are_where_they_belong_and_a_busy_tick_runs_ahead() {
        let mut scheme = UniqueRowid;
        let mut writer = scheme.writer(3).unwrap();
        let mut random = stream(1, "test", 0);
        let at = |tick: u64| Timestamp(EPOCH_MS * NS_PER_MS + tick * TICK_NS + 5);
        let mut next = |tick| scheme.mint(&mut writer, &at(tick), &mut random).map(|id| id.0);
        let ids = [next(7), next(7), next(8), next(4), next(20)];
        assert_eq!(
            ids.map(|id| id.map(|id| (id >> 15, id & 0x7fff))),
            [7, 8, 9, 10, 20].map(|tick| Ok((tick, 3)))
        );
        assert_eq!(scheme.timestamp(Number(7 << 15 | 3)), Some(Timestamp(at(7).0 - 5)));
        let before = Timestamp(EPOCH_MS * NS_PER_MS - 1);
        let mut writer = scheme.writer(0).unwrap();
        assert_eq!(scheme.mint(&mut writer, &before, &mut random), Err(Stall::OutOfRange));
        assert!(scheme.writer(1 << 15).is_err());
    }
}
