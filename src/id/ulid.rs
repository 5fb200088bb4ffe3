//! ULIDs: 128 bits in 26 characters of Crockford's base 32 (the ULID specification).

use super::text::{as_text, digit_pairs, digit_values, first, numbers};
use super::{Column, Id, ParseError};

pub(super) const DIGITS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
pub(super) static PAIRS: [[u8; 2]; 1024] = digit_pairs(DIGITS);
pub(super) static VALUES: [u32; 256] = digit_values(DIGITS, true);
const MAX: &str = "7ZZZZZZZZZZZZZZZZZZZZZZZZZ";

/// A ULID: 48 bits of milliseconds, then 80 random bits.
///
/// ```
/// use idlab::id::Ulid;
/// let id: Ulid = "01arz3ndektsv4rrffq69g5fav".parse()?;
/// assert_eq!(id.0 >> 80, 1_469_922_850_259);
/// assert_eq!(id.to_string(), "01ARZ3NDEKTSV4RRFFQ69G5FAV");
/// # Ok::<(), idlab::id::ParseError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Ulid(pub u128);

impl Id for Ulid {
    type Key = u128;
    const KIND: &'static str = "ULID";
    const COLUMN: Column = Column::Bytes(16);
    const TEXT_CHARS: Option<u32> = Some(Self::TEXT_BYTES as u32);
    const TEXT_BYTES: usize = 26;

    fn key(self) -> u128 {
        self.0
    }

    fn from_key(key: u128) -> Self {
        Self(key)
    }

    /// Upper case.
    #[inline]
    fn encode(self, out: &mut [u8]) -> usize {
        let out = first::<{ Self::TEXT_BYTES }>(out);
        let (pairs, _) = out.as_chunks_mut::<2>();
        for (i, pair) in pairs.iter_mut().enumerate() {
            *pair = PAIRS[(self.0 >> (120 - 10 * i)) as usize & 1023];
        }
        Self::TEXT_BYTES
    }

    /// Accepts either case; refuses I, L, O and U, and what does not fit 128 bits.
    #[inline]
    fn decode(text: &[u8]) -> Result<Self, ParseError> {
        let (first, groups) = numbers::<32, 2, 6, 4>(text, &VALUES, "26")?;
        // 26 digits hold 130 bits: the first two have room for 8 only.
        if first >= 1 << 8 {
            return Err(ParseError::Overflow { max: MAX });
        }
        let [upper, lower] = [[groups[0], groups[1]], [groups[2], groups[3]]]
            .map(|[upper, lower]| u128::from(upper << 30 | lower));
        Ok(Self(u128::from(first) << 120 | upper << 60 | lower))
    }
}

as_text!(Ulid);

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_example_of_the_specification_is_read() {
        let id = Ulid(1_469_922_850_259 << 80 | 0xD676_4C61_EFB9_9302_BD5B);
        assert_eq!("01ARZ3NDEKTSV4RRFFQ69G5FAV".parse(), Ok(id));
        assert_eq!(id.to_string(), "01ARZ3NDEKTSV4RRFFQ69G5FAV");
    }

    #[test]
    fn the_largest_is_accepted_and_anything_above_refused() {
        assert_eq!(MAX.parse(), Ok(Ulid(u128::MAX)));
        assert_eq!(Ulid(u128::MAX).to_string(), MAX);
        for text in ["80000000000000000000000000", "zzzzzzzzzzzzzzzzzzzzzzzzzz"] {
            assert_eq!(
                text.parse::<Ulid>(),
                Err(ParseError::Overflow { max: MAX }),
                "{text}"
            );
        }
    }

    #[test]
    fn letters_outside_the_alphabet_are_named() {
        for (position, found) in (1..).zip("ILOUilou-é".chars()) {
            let mut text: Vec<char> = "01ARZ3NDEKTSV4RRFFQ69G5FAV".chars().collect();
            text[position - 1] = found;
            let text: String = text.into_iter().collect();
            let error = ParseError::Character { found, position };
            assert_eq!(text.parse::<Ulid>(), Err(error), "{text}");
        }
        let short = ParseError::Length {
            expected: "26",
            found: 1,
        };
        assert_eq!("é".parse::<Ulid>(), Err(short));
    }

    proptest! {
        #[test]
        fn digits_are_those_of_division(value: u128) {
            for value in [value, 0, u128::MAX] {
                let digit = |place: u32| DIGITS[(value / 32u128.pow(place) % 32) as usize];
                let digits: Vec<u8> = (0..25).rev().map(digit).collect();
                let text = Ulid(value).to_string();
                prop_assert_eq!(&text.as_bytes()[1..], digits);
                prop_assert_eq!(u128::from(text.as_bytes()[0] - b'0'), value >> 125);
            }
        }

        #[test]
        fn text_and_value_round_trip_in_the_same_order(a: u128, b: u128) {
            let (text_a, text_b) = (Ulid(a).to_string(), Ulid(b).to_string());
            prop_assert_eq!(text_a.parse(), Ok(Ulid(a)));
            prop_assert_eq!(text_a.to_lowercase().parse(), Ok(Ulid(a)));
            prop_assert_eq!(text_a.cmp(&text_b), a.cmp(&b));
        }

        #[test]
        fn any_text_parses_stably_or_is_refused(text in "\\PC*|\\PC{26}|[0-9a-zA-Z]{26}") {
            if let Ok(id) = text.parse::<Ulid>() {
                prop_assert_eq!(id.to_string(), text.to_uppercase());
            }
        }
    }
}
