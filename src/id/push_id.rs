//! Push ids: 120 bits in 20 characters, ordered as ASCII is (Firebase).

use super::radix::{self, ORDERED64};
use super::text::{as_text, digit_values, first};
use super::{Column, Id, ParseError, low_bits};

static VALUES: [u32; 256] = digit_values(ORDERED64, false);

/// A push id: 48 bits of milliseconds, then 72 random bits.
///
/// ```
/// use idlab::id::{Id, PushId};
/// let id: PushId = "-JhLeOlGIEjaIOFHR0xd".parse()?;
/// assert_eq!(id.key() >> 72, 1_423_088_131_153);
/// # Ok::<(), idlab::id::ParseError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct PushId(u128);

impl Id for PushId {
    type Key = u128;
    const KIND: &'static str = "push id";
    const BITS: u32 = 120;
    const COLUMN: Column = Column::Text(20);
    const TEXT_CHARS: Option<u32> = Some(Self::TEXT_BYTES as u32);
    const TEXT_BYTES: usize = 20;

    fn key(self) -> u128 {
        self.0
    }

    /// Bits above the 120th are dropped.
    fn from_key(key: u128) -> Self {
        Self(low_bits(key, Self::BITS))
    }

    fn encode(self, out: &mut [u8]) -> usize {
        let out = first::<{ Self::TEXT_BYTES }>(out);
        radix::encode(self.0, ORDERED64, out);
        Self::TEXT_BYTES
    }

    /// Case matters; every text of 20 of the characters is an id.
    fn decode(text: &[u8]) -> Result<Self, ParseError> {
        let value = radix::decode::<64>(text, &VALUES, Self::TEXT_BYTES, "20")?;
        Ok(Self::from_key(value.unwrap_or_default()))
    }
}

as_text!(PushId);

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_published_text_is_read_and_written() {
        let id = PushId(1_423_088_131_153 << 72 | 0x4c_fbe6_4d94_1270_1f69);
        assert_eq!("-JhLeOlGIEjaIOFHR0xd".parse(), Ok(id));
        assert_eq!(id.to_string(), "-JhLeOlGIEjaIOFHR0xd");
        assert_eq!(PushId::from_key(u128::MAX).to_string(), "z".repeat(20));
    }

    #[test]
    fn foreign_characters_and_lengths_are_named() {
        let (found, position) = ('+', 1);
        let error = ParseError::Character { found, position };
        assert_eq!("+JhLeOlGIEjaIOFHR0xd".parse::<PushId>(), Err(error));
        let (expected, found) = ("20", 21);
        let error = ParseError::Length { expected, found };
        assert_eq!("-JhLeOlGIEjaIOFHR0xd-".parse::<PushId>(), Err(error));
    }

    proptest! {
        #[test]
        fn text_and_value_round_trip_in_the_same_order(a: u128, b: u128) {
            let [id_a, id_b] = [a, b].map(PushId::from_key);
            let [text_a, text_b] = [id_a, id_b].map(|id| id.to_string());
            prop_assert_eq!(text_a.parse(), Ok(id_a));
            prop_assert_eq!(PushId::from_key(id_a.key()), id_a);
            prop_assert_eq!(text_b.parse(), Ok(id_b));
            prop_assert_eq!(text_a.cmp(&text_b), id_a.cmp(&id_b));
        }

        #[test]
        fn any_text_parses_stably_or_is_refused(text in "\\PC*|\\PC{20}|[0-9a-zA-Z_-]{20}") {
            if let Ok(id) = text.parse::<PushId>() {
                prop_assert_eq!(id.to_string(), text);
            }
        }
    }
}
