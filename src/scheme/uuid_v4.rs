//! UUID version 4: 122 random bits.
//!
//! - Layout: random_a 48, ver 4, random_b 12, var 2, random_c 62.
//! - Ids per tick: unbounded, there is no tick.
//! - Lifetime: no epoch and no date of exhaustion; two of n ids collide with a
//!   probability of about n² / 2¹²³.
//! - Rollback: none, the clock is never read.
//! - Source: RFC 9562, section 5.4.

use super::{Field, FieldKind, Limits, Listed, Param, Params, Scheme, SpecError, Stall, WriterError};
use crate::clock::{Clock, Timestamp};
use crate::id::Uuid;
use crate::random::{bits128, fill128};
use rand::Rng;

/// Random UUIDs.
#[derive(Clone, Debug, Default)]
pub struct UuidV4;

impl Listed for UuidV4 {
    const NAME: &'static str = "uuid_v4";
    const ABOUT: &'static str = "122 random bits (RFC 9562, section 5.4)";
    const PARAMS: &'static [Param] = &[];

    fn new(_: &Params) -> Result<Self, SpecError> {
        Ok(Self)
    }
}

impl Scheme for UuidV4 {
    type Id = Uuid;
    type Writer = ();

    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn fields(&self) -> Vec<Field> {
        vec![
            Field::new("random_a", 48, FieldKind::Random),
            Field::new("ver", 4, FieldKind::Fixed),
            Field::new("random_b", 12, FieldKind::Random),
            Field::new("var", 2, FieldKind::Fixed),
            Field::new("random_c", 62, FieldKind::Random),
        ]
    }

    fn limits(&self) -> Limits {
        Limits::default()
    }

    fn writer(&mut self, _: u32) -> Result<(), WriterError> {
        Ok(())
    }

    #[inline]
    fn mint(&mut self, _: &mut (), _: &impl Clock, random: &mut impl Rng) -> Result<Uuid, Stall> {
        Ok(Uuid(bits128(random)).with_version(4))
    }

    fn fill(
        &mut self,
        _: &mut (),
        _: &impl Clock,
        random: &mut impl Rng,
        ids: &mut [Uuid],
    ) -> Result<usize, Stall> {
        fill128(random, ids, |bits| Uuid(bits).with_version(4));
        Ok(ids.len())
    }

    fn timestamp(&self, _: Uuid) -> Option<Timestamp> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::stream;

    #[test]
    fn the_example_of_rfc_9562_appendix_a_3_decodes_to_its_parts() {
        let id = "919108F7-52D1-4320-9BAC-F847DB4148A8".parse().unwrap();
        let values: Vec<_> = UuidV4
            .decode(id)
            .into_iter()
            .map(|(_, value)| value)
            .collect();
        assert_eq!(
            values,
            [0x9191_08F7_52D1, 4, 0x320, 2, 0x1BAC_F847_DB41_48A8]
        );
    }

    #[test]
    fn version_and_variant_are_fixed_and_all_other_bits_vary() {
        let mut random = stream(1, "test", 0);
        let (mut ones, mut zeros) = (0, 0);
        for _ in 0..200 {
            let id = UuidV4.mint(&mut (), &Timestamp(0), &mut random).unwrap();
            assert_eq!((id.version(), id.variant()), (4, 2));
            ones |= id.0;
            zeros |= !id.0;
        }
        assert_eq!(ones & zeros, !(0xf << 76 | 0b11 << 62));
    }
}
