//! Nano ids: 126 bits in 21 characters of base 64 for URLs (nanoid).

use super::radix::{self, ORDERED64};
use super::text::{as_text, digit_values, first};
use super::{Column, Id, ParseError, low_bits};

static VALUES: [u32; 256] = digit_values(ORDERED64, false);

/// A nano id: 126 random bits.
///
/// The characters have the values of their order in ASCII, not in the library's alphabet: of
/// random ones only the text is known, and so it sorts as its column does.
///
/// ```
/// use idlab::id::{Id, NanoId};
/// let id: NanoId = "V1StGXR8_Z5jdHi6B-myT".parse()?;
/// assert_eq!(id.to_string(), "V1StGXR8_Z5jdHi6B-myT");
/// assert!(id.key() < 1 << 126);
/// # Ok::<(), idlab::id::ParseError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct NanoId(u128);

impl Id for NanoId {
    type Key = u128;
    const KIND: &'static str = "nano id";
    const BITS: u32 = 126;
    const COLUMN: Column = Column::Text(21);
    const TEXT_CHARS: Option<u32> = Some(Self::TEXT_BYTES as u32);
    const TEXT_BYTES: usize = 21;

    fn key(self) -> u128 {
        self.0
    }

    /// Bits above the 126th are dropped.
    fn from_key(key: u128) -> Self {
        Self(low_bits(key, Self::BITS))
    }

    fn encode(self, out: &mut [u8]) -> usize {
        let out = first::<{ Self::TEXT_BYTES }>(out);
        radix::encode(self.0, ORDERED64, out);
        Self::TEXT_BYTES
    }

    /// Case matters; every text of 21 of the characters is an id.
    fn decode(text: &[u8]) -> Result<Self, ParseError> {
        let value = radix::decode::<64>(text, &VALUES, Self::TEXT_BYTES, "21")?;
        Ok(Self::from_key(value.unwrap_or_default()))
    }
}

as_text!(NanoId);

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn values_are_those_of_the_order_of_ascii() {
        let text = |key| NanoId::from_key(key).to_string();
        assert_eq!(text(0), "-".repeat(21));
        assert_eq!(text(1), format!("{}0", "-".repeat(20)));
        assert_eq!(text(u128::MAX), "z".repeat(21));
    }

    #[test]
    fn foreign_characters_and_lengths_are_named() {
        let (found, position) = ('~', 21);
        let error = ParseError::Character { found, position };
        assert_eq!("V1StGXR8_Z5jdHi6B-my~".parse::<NanoId>(), Err(error));
        let (expected, found) = ("21", 20);
        let error = ParseError::Length { expected, found };
        assert_eq!("V1StGXR8_Z5jdHi6B-my".parse::<NanoId>(), Err(error));
    }

    proptest! {
        #[test]
        fn text_and_value_round_trip_in_the_same_order(a: u128, b: u128) {
            let [id_a, id_b] = [a, b].map(NanoId::from_key);
            let [text_a, text_b] = [id_a, id_b].map(|id| id.to_string());
            prop_assert_eq!(text_a.parse(), Ok(id_a));
            prop_assert_eq!(NanoId::from_key(id_a.key()), id_a);
            prop_assert_eq!(text_b.parse(), Ok(id_b));
            prop_assert_eq!(text_a.cmp(&text_b), id_a.cmp(&id_b));
        }

        #[test]
        fn any_text_parses_stably_or_is_refused(text in "\\PC*|\\PC{21}|[0-9a-zA-Z_-]{21}") {
            if let Ok(id) = text.parse::<NanoId>() {
                prop_assert_eq!(id.to_string(), text);
            }
        }
    }
}
