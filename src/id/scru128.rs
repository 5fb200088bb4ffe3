//! SCRU128 ids: 128 bits in 25 characters of base 36 (SCRU128 specification).

use super::radix::{self, BASE36};
use super::text::{as_text, digit_values, first};
use super::{Column, Id, ParseError};

const UPPER: &[u8; 36] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
static VALUES: [u32; 256] = digit_values(UPPER, true);
const MAX: &str = "f5lxx1zz5pnorynqglhzmsp33";

/// A SCRU128 id: 48 bits of milliseconds, two counters of 24, 32 random bits.
///
/// ```
/// use idlab::id::Scru128;
/// let id: Scru128 = "036z951mhjikzik2gsl81gr7l".parse()?;
/// assert_eq!(id.0 >> 80, 1_647_687_810_742);
/// # Ok::<(), idlab::id::ParseError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Scru128(pub u128);

impl Id for Scru128 {
    type Key = u128;
    const KIND: &'static str = "SCRU128 id";
    const COLUMN: Column = Column::Bytes(16);
    const TEXT_CHARS: Option<u32> = Some(Self::TEXT_BYTES as u32);
    const TEXT_BYTES: usize = 25;

    fn key(self) -> u128 {
        self.0
    }

    fn from_key(key: u128) -> Self {
        Self(key)
    }

    /// Lower case.
    fn encode(self, out: &mut [u8]) -> usize {
        let out = first::<{ Self::TEXT_BYTES }>(out);
        radix::encode(self.0, BASE36, out);
        Self::TEXT_BYTES
    }

    /// Accepts either case; refuses what does not fit 128 bits.
    fn decode(text: &[u8]) -> Result<Self, ParseError> {
        let value = radix::decode::<36>(text, &VALUES, Self::TEXT_BYTES, "25")?;
        value.map(Self).ok_or(ParseError::Overflow { max: MAX })
    }
}

as_text!(Scru128);

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_published_text_is_read_and_written() {
        let id =
            Scru128(1_647_687_810_742 << 80 | 2_426_999 << 56 | 10_015_760 << 32 | 4_178_443_969);
        assert_eq!("036z951mhjikzik2gsl81gr7l".parse(), Ok(id));
        assert_eq!("036Z951MHJIKZIK2GSL81GR7L".parse(), Ok(id));
        assert_eq!(id.to_string(), "036z951mhjikzik2gsl81gr7l");
    }

    #[test]
    fn the_largest_is_accepted_and_anything_above_refused() {
        assert_eq!(MAX.parse(), Ok(Scru128(u128::MAX)));
        assert_eq!(Scru128(u128::MAX).to_string(), MAX);
        for text in ["f5lxx1zz5pnorynqglhzmsp34", "zzzzzzzzzzzzzzzzzzzzzzzzz"] {
            let error = ParseError::Overflow { max: MAX };
            assert_eq!(text.parse::<Scru128>(), Err(error), "{text}");
        }
    }

    #[test]
    fn foreign_characters_and_lengths_are_named() {
        let (found, position) = ('-', 4);
        let error = ParseError::Character { found, position };
        assert_eq!("036-951mhjikzik2gsl81gr7l".parse::<Scru128>(), Err(error));
        let (expected, found) = ("25", 0);
        let error = ParseError::Length { expected, found };
        assert_eq!("".parse::<Scru128>(), Err(error));
    }

    proptest! {
        #[test]
        fn text_and_value_round_trip_in_the_same_order(a: u128, b: u128) {
            let [id_a, id_b] = [a, b].map(Scru128::from_key);
            let [text_a, text_b] = [id_a, id_b].map(|id| id.to_string());
            prop_assert_eq!(text_a.parse(), Ok(id_a));
            prop_assert_eq!(Scru128::from_key(id_a.key()), id_a);
            prop_assert_eq!(text_a.to_uppercase().parse(), Ok(id_a));
            prop_assert_eq!(text_b.parse(), Ok(id_b));
            prop_assert_eq!(text_a.cmp(&text_b), id_a.cmp(&id_b));
        }

        #[test]
        fn any_text_parses_stably_or_is_refused(text in "\\PC*|\\PC{25}|[0-9a-z]{25}") {
            if let Ok(id) = text.parse::<Scru128>() {
                prop_assert_eq!(id.to_string(), text);
            }
        }
    }
}
