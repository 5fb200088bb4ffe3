//! Public ids: 128 bits in 22 characters of base 62, which need no escape in a URL.

use super::ksuid::DIGITS;
use super::radix;
use super::text::{as_text, digit_values, first};
use super::{Column, Id, ParseError};

static VALUES: [u32; 256] = digit_values(DIGITS, false);
const MAX: &str = "7n42DGM5Tflk9n8mt7Fhc7";

/// A public id: 128 bits that tell nothing.
///
/// ```
/// use idlab::id::PublicId;
/// let id: PublicId = "0000000000000000000010".parse()?;
/// assert_eq!(id, PublicId(62));
/// # Ok::<(), idlab::id::ParseError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct PublicId(pub u128);

impl Id for PublicId {
    type Key = u128;
    const KIND: &'static str = "public id";
    const COLUMN: Column = Column::Bytes(16);
    const TEXT_CHARS: Option<u32> = Some(Self::TEXT_BYTES as u32);
    const TEXT_BYTES: usize = 22;

    fn key(self) -> u128 {
        self.0
    }

    fn from_key(key: u128) -> Self {
        Self(key)
    }

    /// Digits, then upper, then lower case, as ASCII orders them; zeros first.
    fn encode(self, out: &mut [u8]) -> usize {
        let out = first::<{ Self::TEXT_BYTES }>(out);
        radix::encode(self.0, DIGITS, out);
        Self::TEXT_BYTES
    }

    /// Case matters; what does not fit 128 bits is refused: all that begins above `7`, and some of that.
    fn decode(text: &[u8]) -> Result<Self, ParseError> {
        let value = radix::decode::<62>(text, &VALUES, Self::TEXT_BYTES, "22")?;
        value.map(Self).ok_or(ParseError::Overflow { max: MAX })
    }
}

as_text!(PublicId);

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_largest_is_accepted_and_anything_above_refused() {
        assert_eq!(MAX.parse(), Ok(PublicId(u128::MAX)));
        assert_eq!(PublicId(u128::MAX).to_string(), MAX);
        for text in [
            "7n42DGM5Tflk9n8mt7Fhc8",
            "7z00000000000000000000",
            "8000000000000000000000",
            "zzzzzzzzzzzzzzzzzzzzzz",
        ] {
            let error = ParseError::Overflow { max: MAX };
            assert_eq!(text.parse::<PublicId>(), Err(error), "{text}");
        }
    }

    #[test]
    fn foreign_characters_and_lengths_are_named() {
        let (found, position) = ('_', 22);
        let error = ParseError::Character { found, position };
        assert_eq!("000000000000000000000_".parse::<PublicId>(), Err(error));
        let (expected, found) = ("22", 21);
        let error = ParseError::Length { expected, found };
        assert_eq!("000000000000000000000".parse::<PublicId>(), Err(error));
    }

    proptest! {
        #[test]
        fn text_and_value_round_trip_in_the_same_order(a: u128, b: u128) {
            let [id_a, id_b] = [a, b].map(PublicId::from_key);
            let [text_a, text_b] = [id_a, id_b].map(|id| id.to_string());
            prop_assert_eq!(text_a.parse(), Ok(id_a));
            prop_assert_eq!(PublicId::from_key(id_a.key()), id_a);
            prop_assert_eq!(text_b.parse(), Ok(id_b));
            prop_assert_eq!(text_a.cmp(&text_b), id_a.cmp(&id_b));
        }

        #[test]
        fn any_text_parses_stably_or_is_refused(text in "\\PC*|\\PC{22}|[0-9a-zA-Z]{22}") {
            if let Ok(id) = text.parse::<PublicId>() {
                prop_assert_eq!(id.to_string(), text);
            }
        }
    }
}
