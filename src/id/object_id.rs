//! ObjectIds: 96 bits in 24 hexadecimal digits (BSON specification).

use super::text::{as_text, digit_values, first};
use super::{Column, Id, ParseError, low_bits, radix};

const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
const LOWER: &[u8; 16] = b"0123456789abcdef";
static VALUES: [u32; 256] = digit_values(DIGITS, true);

/// An ObjectId: 32 bits of seconds, 40 of a process, 24 of its counter.
///
/// ```
/// use idlab::id::{Id, ObjectId};
/// let id: ObjectId = "507f1f77bcf86cd799439011".parse()?;
/// assert_eq!(id.key() >> 64, 1_350_508_407);
/// # Ok::<(), idlab::id::ParseError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct ObjectId(u128);

impl Id for ObjectId {
    type Key = u128;
    const KIND: &'static str = "ObjectId";
    const BITS: u32 = 96;
    const COLUMN: Column = Column::Bytes(12);
    const TEXT_CHARS: Option<u32> = Some(Self::TEXT_BYTES as u32);
    const TEXT_BYTES: usize = 24;

    fn key(self) -> u128 {
        self.0
    }

    /// Bits above the 96th are dropped.
    fn from_key(key: u128) -> Self {
        Self(low_bits(key, Self::BITS))
    }

    /// Lower case.
    fn encode(self, out: &mut [u8]) -> usize {
        let out = first::<{ Self::TEXT_BYTES }>(out);
        radix::encode(self.0, LOWER, out);
        Self::TEXT_BYTES
    }

    /// Accepts either case.
    fn decode(text: &[u8]) -> Result<Self, ParseError> {
        let value = radix::decode::<16>(text, &VALUES, Self::TEXT_BYTES, "24")?;
        Ok(Self::from_key(value.unwrap_or_default()))
    }
}

as_text!(ObjectId);

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_published_text_is_read_and_written() {
        let id = ObjectId(0x507f_1f77_bcf8_6cd7_9943_9011);
        assert_eq!("507F1f77bcf86cd799439011".parse(), Ok(id));
        assert_eq!(id.to_string(), "507f1f77bcf86cd799439011");
        assert_eq!(ObjectId::from_key(u128::MAX).to_string(), "f".repeat(24));
    }

    #[test]
    fn foreign_characters_and_lengths_are_named() {
        let (found, position) = ('g', 24);
        let error = ParseError::Character { found, position };
        assert_eq!("507f1f77bcf86cd79943901g".parse::<ObjectId>(), Err(error));
        let (expected, found) = ("24", 25);
        let error = ParseError::Length { expected, found };
        assert_eq!("507f1f77bcf86cd7994390110".parse::<ObjectId>(), Err(error));
    }

    proptest! {
        #[test]
        fn text_and_value_round_trip_in_the_same_order(a: u128, b: u128) {
            let [id_a, id_b] = [a, b].map(ObjectId::from_key);
            let [text_a, text_b] = [id_a, id_b].map(|id| id.to_string());
            prop_assert_eq!(text_a.parse(), Ok(id_a));
            prop_assert_eq!(ObjectId::from_key(id_a.key()), id_a);
            prop_assert_eq!(text_a.to_uppercase().parse(), Ok(id_a));
            prop_assert_eq!(text_b.parse(), Ok(id_b));
            prop_assert_eq!(text_a.cmp(&text_b), id_a.cmp(&id_b));
        }

        #[test]
        fn any_text_parses_stably_or_is_refused(text in "\\PC*|\\PC{24}|[0-9a-f]{23,25}") {
            if let Ok(id) = text.parse::<ObjectId>() {
                prop_assert_eq!(id.to_string(), text);
            }
        }
    }
}
