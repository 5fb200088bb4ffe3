//! KSUIDs: 160 bits in 27 characters of base 62 (segmentio/ksuid).

use super::text::{ascii, digit_values, digits};
use super::{Column, Id, Key20, ParseError};
use std::fmt;
use std::str::FromStr;

const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const VALUES: [u8; 256] = digit_values(DIGITS, false);
const MAX: &str = "aWgEPTl1tmebfsQzFP4bxwgy80V";

/// Nine digits at a time fit 54 bits, so a text is three such groups.
const GROUP: u64 = 62u64.pow(9);

/// A KSUID: 32 bits of seconds since 2014-05-13, then 128 random bits.
///
/// ```
/// use idlab::id::Ksuid;
/// let id: Ksuid = "0ujtsYcgvSTl8PAuAdqWYSMnLOv".parse()?;
/// assert_eq!(id.0.high(), 107_608_047);
/// assert_eq!(id.0.low(), 0xB5A1CD34B5F99D1154FB6853345C9735);
/// # Ok::<(), idlab::id::ParseError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Ksuid(pub Key20);

impl Ksuid {
    /// Writes the text into `out`.
    pub fn encode(self, out: &mut [u8; 27]) -> &str {
        let low = self.0.low();
        // Schoolbook division in 64-bit digits, by GROUP and once more by GROUP.
        let (upper, rest) = divide(self.0.high().into(), (low >> 64) as u64);
        let (lower, last) = divide(rest, low as u64);
        let (first, middle) = divide(upper, lower);
        for (chunk, mut group) in out.chunks_exact_mut(9).zip([first, middle, last]) {
            for byte in chunk.iter_mut().rev() {
                *byte = DIGITS[(group % 62) as usize];
                group /= 62;
            }
        }
        ascii(out)
    }
}

/// Quotient and remainder of `high · 2⁶⁴ + low` by [`GROUP`]; `high` is below it.
fn divide(high: u64, low: u64) -> (u64, u64) {
    let value = u128::from(high) << 64 | u128::from(low);
    let group = u128::from(GROUP);
    ((value / group) as u64, (value % group) as u64)
}

impl Id for Ksuid {
    type Key = Key20;
    const KIND: &'static str = "KSUID";
    const COLUMN: Column = Column::Bytes(20);
    const TEXT_CHARS: Option<u32> = Some(27);

    fn key(self) -> Key20 {
        self.0
    }

    fn from_key(key: Key20) -> Self {
        Self(key)
    }
}

impl fmt::Display for Ksuid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.encode(&mut [0; 27]))
    }
}

/// Case matters; what does not fit 160 bits is refused.
impl FromStr for Ksuid {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let digits: [u8; 27] = digits(text, &VALUES, "27")?;
        let group = |i: usize| {
            let digits = &digits[9 * i..9 * i + 9];
            let value = digits.iter().fold(0, |v, &digit| v * 62 + u64::from(digit));
            u128::from(value)
        };
        let factor = u128::from(GROUP);
        // Below 2¹⁰⁸, then below 2¹⁶²: the latter in two halves of 98 and 64 bits.
        let upper = group(0) * factor + group(1);
        let lower = u128::from(upper as u64) * factor + group(2);
        let upper = (upper >> 64) * factor + (lower >> 64);
        match u32::try_from(upper >> 64) {
            Ok(high) => Ok(Self(Key20::new(
                high,
                upper << 64 | u128::from(lower as u64),
            ))),
            Err(_) => Err(ParseError::Overflow { max: MAX }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ksuid(seconds: u32, payload: u128) -> Ksuid {
        Ksuid(Key20::new(seconds, payload))
    }

    #[test]
    fn published_texts_are_read_and_written() {
        let known = [
            (
                "0ujtsYcgvSTl8PAuAdqWYSMnLOv",
                ksuid(107_608_047, 0xB5A1_CD34_B5F9_9D11_54FB_6853_345C_9735),
            ),
            (
                "000000pryYUMiBILyxOCoroLz6w",
                ksuid(0, 0x1B7D_20E5_9156_E80C_7AAD_50C7_07CB_D4FA),
            ),
            ("000000000000000000000000000", Ksuid::default()),
            (MAX, ksuid(u32::MAX, u128::MAX)),
        ];
        for (text, id) in known {
            assert_eq!(text.parse(), Ok(id));
            assert_eq!(id.to_string(), text);
        }
    }

    #[test]
    fn one_more_than_the_largest_is_refused() {
        for text in ["aWgEPTl1tmebfsQzFP4bxwgy80W", "zzzzzzzzzzzzzzzzzzzzzzzzzzz"] {
            let error = ParseError::Overflow { max: MAX };
            assert_eq!(text.parse::<Ksuid>(), Err(error), "{text}");
        }
    }

    #[test]
    fn foreign_characters_and_lengths_are_named() {
        let error = ParseError::Character {
            found: 'ß',
            position: 27,
        };
        assert_eq!("0ujtsYcgvSTl8PAuAdqWYSMnLOß".parse::<Ksuid>(), Err(error));
        let error = ParseError::Length {
            expected: "27",
            found: 26,
        };
        assert_eq!("0ujtsYcgvSTl8PAuAdqWYSMnLO".parse::<Ksuid>(), Err(error));
    }

    proptest! {
        #[test]
        fn text_and_value_round_trip_in_the_same_order(
            a: (u32, u128),
            b: (u32, u128),
        ) {
            let (id_a, id_b) = (ksuid(a.0, a.1), ksuid(b.0, b.1));
            let (text_a, text_b) = (id_a.to_string(), id_b.to_string());
            prop_assert_eq!(text_a.parse(), Ok(id_a));
            prop_assert_eq!(text_a.cmp(&text_b), a.cmp(&b));
        }

        #[test]
        fn any_text_parses_stably_or_is_refused(text in "\\PC*|\\PC{27}|[0-9a-zA-Z]{27}") {
            if let Ok(id) = text.parse::<Ksuid>() {
                prop_assert_eq!(id.to_string(), text);
            }
        }
    }
}
