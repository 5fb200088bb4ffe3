//! TSIDs: 64 bits in 13 characters of Crockford's base 32 (tsid-creator).

use super::text::{as_text, first, numbers};
use super::ulid::{DIGITS, PAIRS, VALUES};
use super::{Column, Id, ParseError};

const MAX: &str = "FZZZZZZZZZZZZ";

/// A TSID: 42 bits of milliseconds, then a node and a counter.
///
/// ```
/// use idlab::id::Tsid;
/// let id: Tsid = "01226n0640j7q".parse()?;
/// assert_eq!(id.0, 38_358_284_406_638_839);
/// assert_eq!(id.to_string(), "01226N0640J7Q");
/// # Ok::<(), idlab::id::ParseError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Tsid(pub u64);

impl Id for Tsid {
    type Key = u64;
    const KIND: &'static str = "TSID";
    const COLUMN: Column = Column::Bigint;
    const TEXT_CHARS: Option<u32> = Some(Self::TEXT_BYTES as u32);
    const TEXT_BYTES: usize = 13;

    fn key(self) -> u64 {
        self.0
    }

    fn from_key(key: u64) -> Self {
        Self(key)
    }

    /// Upper case.
    #[inline]
    fn encode(self, out: &mut [u8]) -> usize {
        let [first, rest @ ..] = first::<{ Self::TEXT_BYTES }>(out);
        *first = DIGITS[(self.0 >> 60) as usize];
        let (pairs, _) = rest.as_chunks_mut::<2>();
        for (i, pair) in pairs.iter_mut().enumerate() {
            *pair = PAIRS[(self.0 >> (50 - 10 * i)) as usize & 1023];
        }
        Self::TEXT_BYTES
    }

    /// Accepts either case; refuses I, L, O and U, as for ULIDs (the original reads the first
    /// two as 1 and the third as 0), and what does not fit 64 bits.
    #[inline]
    fn decode(text: &[u8]) -> Result<Self, ParseError> {
        let (first, [upper, lower]) = numbers::<32, 1, 6, 2>(text, &VALUES, "13")?;
        // 13 digits hold 65 bits: the first one has room for 4 only.
        if first >= 1 << 4 {
            return Err(ParseError::Overflow { max: MAX });
        }
        Ok(Self(first << 60 | upper << 30 | lower))
    }
}

as_text!(Tsid);

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_largest_is_accepted_and_anything_above_refused() {
        assert_eq!(MAX.parse(), Ok(Tsid(u64::MAX)));
        assert_eq!(Tsid(u64::MAX).to_string(), MAX);
        for text in ["G000000000000", "zzzzzzzzzzzzz"] {
            let overflow = Err(ParseError::Overflow { max: MAX });
            assert_eq!(text.parse::<Tsid>(), overflow, "{text}");
        }
    }

    #[test]
    fn letters_outside_the_alphabet_and_other_lengths_are_refused() {
        for (position, found) in (1..).zip("ILOUilou-é".chars()) {
            let mut text: Vec<char> = "01226N0640J7Q".chars().collect();
            text[position - 1] = found;
            let text: String = text.into_iter().collect();
            let error = ParseError::Character { found, position };
            assert_eq!(text.parse::<Tsid>(), Err(error), "{text}");
        }
        let long = ParseError::Length {
            expected: "13",
            found: 14,
        };
        assert_eq!("01226N0640J7Q0".parse::<Tsid>(), Err(long));
    }

    proptest! {
        #[test]
        fn digits_are_those_of_division(value: u64) {
            for value in [value, 0, u64::MAX] {
                let digit = |place: u32| DIGITS[(value / 32u64.pow(place) % 32) as usize];
                let digits: Vec<u8> = (0..13).rev().map(digit).collect();
                let text = Tsid(value).to_string();
                prop_assert_eq!(text.as_bytes(), digits);
            }
        }

        #[test]
        fn text_and_value_round_trip_in_the_same_order(a: u64, b: u64) {
            let (text_a, text_b) = (Tsid(a).to_string(), Tsid(b).to_string());
            prop_assert_eq!(text_a.parse(), Ok(Tsid(a)));
            prop_assert_eq!(text_a.to_lowercase().parse(), Ok(Tsid(a)));
            prop_assert_eq!(text_a.cmp(&text_b), a.cmp(&b));
        }

        #[test]
        fn any_text_parses_stably_or_is_refused(text in "\\PC*|\\PC{13}|[0-9a-zA-Z]{13}") {
            if let Ok(id) = text.parse::<Tsid>() {
                prop_assert_eq!(id.to_string(), text.to_uppercase());
            }
        }
    }
}
