//! cuid2: a letter and 23 characters of base 36.
//!
//! - Layout: hash 124, of which 26 · 36²³ values occur.
//! - Ids per tick: unbounded, there is no tick.
//! - Lifetime: no date of exhaustion; two of n ids collide with a probability of about
//!   n² / (2 · 26 · 36²³), that is n² / 2¹²⁴·⁶.
//! - Rollback: none, no id shows the clock.
//! - Modelled: the library hashes clock, salt, counter and host with SHA-3 and puts a random
//!   letter before the digits. What comes out is taken as uniform over all texts, and costs no
//!   hash here.
//! - Source: paralleldrive/cuid2 2.x, default length.

use super::{Field, FieldKind, Limits, Listed, Param, Params, Scheme, SpecError, Stall, WriterError};
use crate::clock::{Clock, Timestamp};
use crate::id::{Cuid2, Id};
use crate::random::bits128;
use rand::Rng;

/// Cuid2s of the default length.
#[derive(Clone, Debug, Default)]
pub struct Cuid2Scheme;

impl Listed for Cuid2Scheme {
    const NAME: &'static str = "cuid2";
    const ABOUT: &'static str = "a hash, 24 characters of base 36 (paralleldrive/cuid2)";
    const PARAMS: &'static [Param] = &[];

    fn new(_: &Params) -> Result<Self, SpecError> {
        Ok(Self)
    }
}

impl Scheme for Cuid2Scheme {
    type Id = Cuid2;
    type Writer = ();

    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn fields(&self) -> Vec<Field> {
        vec![Field::new("hash", Cuid2::BITS, FieldKind::Random)]
    }

    fn limits(&self) -> Limits {
        Limits::default()
    }

    fn writer(&mut self, _: u32) -> Result<(), WriterError> {
        Ok(())
    }

    /// Draws until the bits are those of a text, 1.3 times on average.
    fn mint(&mut self, _: &mut (), _: &impl Clock, random: &mut impl Rng) -> Result<Cuid2, Stall> {
        loop {
            let bits = bits128(random) >> (128 - Cuid2::BITS);
            if bits < Cuid2::COUNT {
                return Ok(Cuid2::from_key(bits));
            }
        }
    }

    fn timestamp(&self, _: Cuid2) -> Option<Timestamp> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::stream;

    /// 3,000 letters, each within 7 standard errors of its share.
    #[test]
    fn all_letters_come_first_equally_often() {
        let mut random = stream(1, "test", 0);
        let mut counts = [0; 26];
        for _ in 0..26 * 3000 {
            let id = Cuid2Scheme.mint(&mut (), &Timestamp(0), &mut random).unwrap();
            counts[usize::from(id.to_string().as_bytes()[0] - b'a')] += 1;
        }
        assert!(counts.iter().all(|count| (2615..=3385).contains(count)), "{counts:?}");
    }
}
