//! nanoid: 21 random characters of 64.
//!
//! - Layout: random 126.
//! - Ids per tick: unbounded, there is no tick.
//! - Lifetime: no date of exhaustion; two of n ids collide with a probability of about n² / 2¹²⁷.
//! - Rollback: none, the clock is never read.
//! - Source: ai/nanoid 5, default size and alphabet.

use super::{Field, FieldKind, Limits, Listed, Param, Params, Scheme, SpecError, Stall, WriterError};
use crate::clock::{Clock, Timestamp};
use crate::id::{Id, NanoId};
use crate::random::{bits128, fill128};
use rand::Rng;

/// Nano ids of the default size.
#[derive(Clone, Debug, Default)]
pub struct NanoIdScheme;

impl Listed for NanoIdScheme {
    const NAME: &'static str = "nanoid";
    const ABOUT: &'static str = "126 random bits, 21 characters (ai/nanoid)";
    const PARAMS: &'static [Param] = &[];

    fn new(_: &Params) -> Result<Self, SpecError> {
        Ok(Self)
    }
}

impl Scheme for NanoIdScheme {
    type Id = NanoId;
    type Writer = ();

    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn fields(&self) -> Vec<Field> {
        vec![Field::new("random", 126, FieldKind::Random)]
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
        Ok(NanoId::from_key(bits128(random)))
    }

    fn fill(
        &mut self,
        _: &mut (),
        _: &impl Clock,
        random: &mut impl Rng,
        ids: &mut [Self::Id],
    ) -> Result<usize, Stall> {
        fill128(random, ids, NanoId::from_key);
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
            let id = NanoIdScheme.mint(&mut (), &Timestamp(0), &mut random).unwrap();
            ones |= id.key();
            zeros |= !id.key();
        }
        assert_eq!(ones & zeros, (1 << 126) - 1);
    }
}
