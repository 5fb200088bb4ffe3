//! Auto-increment: a central counter, the baseline of every comparison.
//!
//! - Layout: sign 1 (always 0), counter 63, as a signed `bigint` holds it.
//! - Ids per tick: unbounded, there is no tick; every id costs a visit to the centre, and a
//!   writer makes one at a time.
//! - Lifetime: 2⁶³ − 1 ids, then [`Stall::OutOfRange`]; no epoch, no date of exhaustion.
//! - Rollback: none, no wall clock is read. While the centre is down nobody gets an id.
//! - Source: `SERIAL`, `AUTO_INCREMENT` and identity columns. The gaps that
//!   rolled-back transactions leave are not modelled.

use super::centre::{self, Centre, Request};
use super::{Field, FieldKind, Limits, Listed, Param, Params, Scheme, SpecError, Stall, WriterError};
use crate::clock::{Clock, Timestamp};
use crate::id::Number;
use rand::Rng;

/// The last id of a signed 64-bit column.
pub(super) const LAST: u64 = i64::MAX as u64;

/// One counter that all writers share: 1, 2, 3, …
#[derive(Clone, Debug)]
pub struct AutoIncrement {
    last: u64,
    centre: Centre,
}

/// What a writer of auto-increment ids remembers.
#[derive(Debug, Default)]
pub struct AutoIncrementWriter {
    /// The id on its way.
    next: Option<Request<u64>>,
}

impl Listed for AutoIncrement {
    const NAME: &'static str = "auto_increment";
    const ABOUT: &'static str = "central counter, 64 bits (identity columns)";
    const PARAMS: &'static [Param] = &[centre::RTT];

    fn new(params: &Params) -> Result<Self, SpecError> {
        Ok(Self {
            last: 0,
            centre: Centre::new(params)?,
        })
    }
}

impl Scheme for AutoIncrement {
    type Id = Number;
    type Writer = AutoIncrementWriter;

    fn name(&self) -> &'static str {
        Self::NAME
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

    fn writer(&mut self, _: u32) -> Result<AutoIncrementWriter, WriterError> {
        Ok(AutoIncrementWriter::default())
    }

    #[inline]
    fn mint(
        &mut self,
        writer: &mut AutoIncrementWriter,
        clock: &impl Clock,
        _: &mut impl Rng,
    ) -> Result<Number, Stall> {
        let request = match &mut writer.next {
            Some(request) => request,
            None if self.last == LAST => return Err(Stall::OutOfRange),
            next => {
                self.last += 1;
                next.insert(self.centre.send(clock, self.last))
            }
        };
        let id = self.centre.receive(request, clock)?;
        writer.next = None;
        Ok(Number(id))
    }

    fn outage(&mut self, from: Timestamp, until: Timestamp) {
        self.centre.outage(from, until);
    }

    fn visits(&self) -> Option<u64> {
        Some(self.centre.visits())
    }

    fn timestamp(&self, _: Number) -> Option<Timestamp> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::stream;

    fn scheme(spec: &str) -> AutoIncrement {
        let spec = spec.parse().unwrap();
        AutoIncrement::new(&Params::new(&spec, AutoIncrement::PARAMS).unwrap()).unwrap()
    }

    #[test]
    fn ids_count_from_one_and_end_with_the_signed_range() {
        let mut scheme = scheme("auto_increment");
        let mut writer = scheme.writer(0).unwrap();
        let mut random = stream(1, "test", 0);
        let mut next = |scheme: &mut AutoIncrement| scheme.mint(&mut writer, &Timestamp(0), &mut random);
        assert_eq!(next(&mut scheme), Ok(Number(1)));
        assert_eq!(next(&mut scheme), Ok(Number(2)));
        scheme.last = LAST - 1;
        assert_eq!(next(&mut scheme), Ok(Number(LAST)));
        assert_eq!(next(&mut scheme), Err(Stall::OutOfRange));
        assert_eq!(scheme.visits(), Some(3));
    }

    /// A request takes its number along; it waits for the round trip, and at the centre for
    /// the end of an outage.
    #[test]
    fn an_id_takes_a_round_trip_and_none_comes_in_an_outage() {
        let mut scheme = scheme("auto_increment:rtt_us=2");
        let mut writers = [0, 1].map(|number| scheme.writer(number).unwrap());
        let mut random = stream(1, "test", 0);
        let mut mint = |scheme: &mut AutoIncrement, writer: usize, at| {
            scheme.mint(&mut writers[writer], &Timestamp(at), &mut random)
        };
        let waits = |wait_ns| Err(Stall::Exhausted { wait_ns });
        assert_eq!(mint(&mut scheme, 0, 1_000), waits(2_000));
        assert_eq!(mint(&mut scheme, 1, 1_500), waits(2_000));
        // Begins when the first request is served and the second one is still on its way.
        scheme.outage(Timestamp(2_001), Timestamp(10_000));
        assert_eq!(mint(&mut scheme, 0, 3_000), Ok(Number(1)));
        assert_eq!(mint(&mut scheme, 1, 3_500), waits(7_500));
        assert_eq!(mint(&mut scheme, 0, 4_000), waits(7_000));
        assert_eq!(mint(&mut scheme, 0, 11_000), Ok(Number(3)));
        assert_eq!(mint(&mut scheme, 1, 11_000), Ok(Number(2)));
        // Sent so that it arrives when the centre is back.
        assert_eq!(mint(&mut scheme, 0, 11_000), waits(2_000));
        assert_eq!(scheme.visits(), Some(4));
    }
}
