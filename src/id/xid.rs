//! Xids: 96 bits in 20 characters of base 32 with extended hex digits (rs/xid).

use super::text::{as_text, digit_values, first, unexpected};
use super::{Column, Id, ParseError, low_bits, radix};

const DIGITS: &[u8; 32] = b"0123456789abcdefghijklmnopqrstuv";
static VALUES: [u32; 256] = digit_values(DIGITS, false);
/// The text has 100 bits; the last ones are 0.
const FILLING_BITS: u32 = 4;

/// An xid: 32 bits of seconds, 24 of a machine, 16 of a process, 24 of its counter.
///
/// ```
/// use idlab::id::{Id, Xid};
/// let id: Xid = "9m4e2mr0ui3e8a215n4g".parse()?;
/// assert_eq!(id.key() >> 64, 1_300_816_219);
/// # Ok::<(), idlab::id::ParseError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Xid(u128);

impl Id for Xid {
    type Key = u128;
    const KIND: &'static str = "xid";
    const BITS: u32 = 96;
    const COLUMN: Column = Column::Bytes(12);
    const TEXT_CHARS: Option<u32> = Some(Self::TEXT_BYTES as u32);
    const TEXT_BYTES: usize = 20;

    fn key(self) -> u128 {
        self.0
    }

    /// Bits above the 96th are dropped.
    fn from_key(key: u128) -> Self {
        Self(low_bits(key, Self::BITS))
    }

    fn encode(self, out: &mut [u8]) -> usize {
        let out = first::<{ Self::TEXT_BYTES }>(out);
        radix::encode(self.0 << FILLING_BITS, DIGITS, out);
        Self::TEXT_BYTES
    }

    /// Lower case alone; the last character is `0` or `g`, or an id would have many texts.
    fn decode(text: &[u8]) -> Result<Self, ParseError> {
        let value = radix::decode::<32>(text, &VALUES, Self::TEXT_BYTES, "20")?;
        let value = value.unwrap_or_default();
        if low_bits(value, FILLING_BITS) != 0 {
            return Err(unexpected(text, Self::TEXT_BYTES - 1));
        }
        Ok(Self(value >> FILLING_BITS))
    }
}

as_text!(Xid);

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_published_text_is_read_and_written() {
        let id = Xid(0x4d88_e15b_60f4_86e4_2841_2dc9);
        assert_eq!("9m4e2mr0ui3e8a215n4g".parse(), Ok(id));
        assert_eq!(id.to_string(), "9m4e2mr0ui3e8a215n4g");
        assert_eq!(Xid::from_key(u128::MAX).to_string(), "vvvvvvvvvvvvvvvvvvvg");
    }

    #[test]
    fn filling_bits_foreign_characters_and_lengths_are_named() {
        for (text, found, position) in [
            ("9m4e2mr0ui3e8a215n4h", 'h', 20),
            ("9m4e2mr0ui3e8a215n41", '1', 20),
            ("9M4e2mr0ui3e8a215n4g", 'M', 2),
            ("9m4e2mr0ui3e8a215nwg", 'w', 19),
        ] {
            let error = ParseError::Character { found, position };
            assert_eq!(text.parse::<Xid>(), Err(error), "{text}");
        }
        let (expected, found) = ("20", 19);
        let error = ParseError::Length { expected, found };
        assert_eq!("9m4e2mr0ui3e8a215n4".parse::<Xid>(), Err(error));
    }

    proptest! {
        #[test]
        fn text_and_value_round_trip_in_the_same_order(a: u128, b: u128) {
            let [id_a, id_b] = [a, b].map(Xid::from_key);
            let [text_a, text_b] = [id_a, id_b].map(|id| id.to_string());
            prop_assert_eq!(text_a.parse(), Ok(id_a));
            prop_assert_eq!(Xid::from_key(id_a.key()), id_a);
            prop_assert_eq!(text_b.parse(), Ok(id_b));
            prop_assert_eq!(text_a.cmp(&text_b), id_a.cmp(&id_b));
        }

        #[test]
        fn any_text_parses_stably_or_is_refused(text in "\\PC*|\\PC{20}|[0-9a-v]{20}") {
            if let Ok(id) = text.parse::<Xid>() {
                prop_assert_eq!(id.to_string(), text);
            }
        }
    }
}
