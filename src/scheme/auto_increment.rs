//! Auto-increment: a central counter, the baseline of every comparison.
//!
//! - Layout: sign 1 (always 0), counter 63, as a signed `bigint` holds it.
//! - Ids per tick: unbounded, there is no tick; every id costs a visit to the centre.
//! - Lifetime: 2⁶³ − 1 ids, then [`Stall::OutOfRange`]; no epoch, no date of exhaustion.
//! - Rollback: none, the clock is never read.
//! - Source: `SERIAL`, `AUTO_INCREMENT` and identity columns. The gaps that
//!   rolled-back transactions leave are not modelled.

use super::{Field, FieldKind, Limits, Param, Params, Scheme, SpecError, Stall, WriterError};
use crate::clock::{Clock, Timestamp};
use crate::id::Number;
use rand::Rng;

/// The last id of a signed 64-bit column.
pub(super) const LAST: u64 = i64::MAX as u64;

/// One counter that all writers share: 1, 2, 3, …
#[derive(Debug, Default)]
pub struct AutoIncrement {
    last: u64,
}

impl Scheme for AutoIncrement {
    type Id = Number;
    type Writer = ();

    const NAME: &'static str = "auto_increment";
    const ABOUT: &'static str = "central counter, 64 bits (identity columns)";
    const PARAMS: &'static [Param] = &[];

    fn new(_: &Params) -> Result<Self, SpecError> {
        Ok(Self::default())
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

    fn writer(&mut self, _: u32) -> Result<(), WriterError> {
        Ok(())
    }

    fn mint(&mut self, _: &mut (), _: &impl Clock, _: &mut impl Rng) -> Result<Number, Stall> {
        if self.last == LAST {
            return Err(Stall::OutOfRange);
        }
        self.last += 1;
        Ok(Number(self.last))
    }

    fn timestamp(&self, _: Number) -> Option<Timestamp> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::stream;

    #[test]
    fn ids_count_from_one_and_end_with_the_signed_range() {
        let mut random = stream(1, "test", 0);
        let mut next =
            |scheme: &mut AutoIncrement| scheme.mint(&mut (), &Timestamp(0), &mut random);
        let mut scheme = AutoIncrement::default();
        assert_eq!(next(&mut scheme), Ok(Number(1)));
        assert_eq!(next(&mut scheme), Ok(Number(2)));
        scheme.last = LAST - 1;
        assert_eq!(next(&mut scheme), Ok(Number(LAST)));
        assert_eq!(next(&mut scheme), Err(Stall::OutOfRange));
    }
}
