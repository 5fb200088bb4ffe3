//! Cuid2: a letter and 23 characters of base 36 (paralleldrive/cuid2).

use super::radix::{self, BASE36};
use super::text::{as_text, digit_values, first, unexpected};
use super::{Column, Id, ParseError};

static VALUES: [u32; 256] = digit_values(BASE36, false);

/// The least text, `a000...`, as a number of base 36: what begins with a digit is less.
const FIRST: u128 = 10 * 36u128.pow(23);

/// A cuid2 of the default length: one of 26 · 36²³ texts, just below 2¹²⁴.
///
/// ```
/// use idlab::id::{Cuid2, Id};
/// let id: Cuid2 = "tz4a98xxat96iws9zmbrgj3a".parse()?;
/// assert!(id.key() < Cuid2::COUNT);
/// # Ok::<(), idlab::id::ParseError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Cuid2(u128);

impl Cuid2 {
    /// How many there are.
    pub const COUNT: u128 = 26 * 36u128.pow(23);
}

impl Id for Cuid2 {
    type Key = u128;
    const KIND: &'static str = "cuid2";
    const BITS: u32 = 124;
    const COLUMN: Column = Column::Text(24);
    const TEXT_CHARS: Option<u32> = Some(Self::TEXT_BYTES as u32);
    const TEXT_BYTES: usize = 24;

    fn key(self) -> u128 {
        self.0
    }

    /// Keys count the texts in their order; from [`COUNT`](Cuid2::COUNT) on they begin again.
    fn from_key(key: u128) -> Self {
        Self(key % Self::COUNT)
    }

    fn encode(self, out: &mut [u8]) -> usize {
        let out = first::<{ Self::TEXT_BYTES }>(out);
        radix::encode(FIRST + self.0, BASE36, out);
        Self::TEXT_BYTES
    }

    /// Lower case alone; the first character is a letter.
    fn decode(text: &[u8]) -> Result<Self, ParseError> {
        let value = radix::decode::<36>(text, &VALUES, Self::TEXT_BYTES, "24")?;
        let key = value.and_then(|value| value.checked_sub(FIRST));
        key.map(Self).ok_or_else(|| unexpected(text, 0))
    }
}

as_text!(Cuid2);

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn keys_count_the_texts() {
        let text = |key| Cuid2::from_key(key).to_string();
        assert_eq!(text(0), "a00000000000000000000000");
        assert_eq!(text(36), "a00000000000000000000010");
        assert_eq!(text(Cuid2::COUNT - 1), "z".repeat(24));
        assert_eq!(text(Cuid2::COUNT), text(0));
        assert_eq!(Cuid2::COUNT.ilog2() + 1, Cuid2::BITS);
    }

    #[test]
    fn first_digits_foreign_characters_and_lengths_are_named() {
        for (text, found, position) in [
            ("9z4a98xxat96iws9zmbrgj3a", '9', 1),
            ("Tz4a98xxat96iws9zmbrgj3a", 'T', 1),
            ("tz4a98xxat96iws9zmbrgj3_", '_', 24),
        ] {
            let error = ParseError::Character { found, position };
            assert_eq!(text.parse::<Cuid2>(), Err(error), "{text}");
        }
        let (expected, found) = ("24", 25);
        let error = ParseError::Length { expected, found };
        assert_eq!("tz4a98xxat96iws9zmbrgj3ab".parse::<Cuid2>(), Err(error));
    }

    proptest! {
        #[test]
        fn text_and_value_round_trip_in_the_same_order(a: u128, b: u128) {
            let [id_a, id_b] = [a, b].map(Cuid2::from_key);
            let [text_a, text_b] = [id_a, id_b].map(|id| id.to_string());
            prop_assert_eq!(text_a.parse(), Ok(id_a));
            prop_assert_eq!(Cuid2::from_key(id_a.key()), id_a);
            prop_assert_eq!(text_b.parse(), Ok(id_b));
            prop_assert_eq!(text_a.cmp(&text_b), id_a.cmp(&id_b));
        }

        #[test]
        fn any_text_parses_stably_or_is_refused(text in "\\PC*|\\PC{24}|[0-9a-z]{24}") {
            if let Ok(id) = text.parse::<Cuid2>() {
                prop_assert_eq!(id.to_string(), text);
            }
        }
    }
}
