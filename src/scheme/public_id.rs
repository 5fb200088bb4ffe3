//! Public id: 128 random bits for URLs.
//!
//! - Layout: random 128.
//! - Ids per tick: unbounded, there is no tick.
//! - Lifetime: no date of exhaustion; two of n ids collide with a probability of about n² / 2¹²⁹.
//! - Rollback: none, the clock is never read.
//! - Source: common practice: base 62 in the order of ASCII, at full width.

use super::{Field, FieldKind, Limits, Listed, Param, Params, Scheme, SpecError, Stall, WriterError};
use crate::clock::{Clock, Timestamp};
use crate::id::PublicId;
use crate::random::{bits128, fill128};
use rand::Rng;

/// Random ids for URLs.
#[derive(Clone, Debug, Default)]
pub struct PublicIdScheme;

impl Listed for PublicIdScheme {
    const NAME: &'static str = "public_id";
    const ABOUT: &'static str = "128 random bits, 22 characters of base 62, for URLs";
    const PARAMS: &'static [Param] = &[];

    fn new(_: &Params) -> Result<Self, SpecError> {
        Ok(Self)
    }
}

impl Scheme for PublicIdScheme {
    type Id = PublicId;
    type Writer = ();

    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn fields(&self) -> Vec<Field> {
        vec![Field::new("random", 128, FieldKind::Random)]
    }

    fn limits(&self) -> Limits {
        Limits::default()
    }

    fn writer(&mut self, _: u32) -> Result<(), WriterError> {
        Ok(())
    }

    fn mint(
        &mut self,
        _: &mut (),
        _: &impl Clock,
        random: &mut impl Rng,
    ) -> Result<Self::Id, Stall> {
        Ok(PublicId(bits128(random)))
    }

    fn fill(
        &mut self,
        _: &mut (),
        _: &impl Clock,
        random: &mut impl Rng,
        ids: &mut [Self::Id],
    ) -> Result<usize, Stall> {
        fill128(random, ids, PublicId);
        Ok(ids.len())
    }

    fn timestamp(&self, _: Self::Id) -> Option<Timestamp> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::stream;

    #[test]
    fn all_bits_vary() {
        let mut random = stream(1, "test", 0);
        let (mut ones, mut zeros) = (0, 0);
        for _ in 0..200 {
            let id = PublicIdScheme.mint(&mut (), &Timestamp(0), &mut random).unwrap();
            ones |= id.0;
            zeros |= !id.0;
        }
        assert_eq!(ones & zeros, u128::MAX);
    }
}
