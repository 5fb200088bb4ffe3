//! Decimal ids: one 64-bit number, as `bigint` columns hold it.
//!
//! The text does not sort as the numbers do, so it never lives in a text column.

use super::text::{ascii, first, unexpected};
use super::{Column, Id, ParseError};
use std::fmt;
use std::str::FromStr;

/// A 64-bit id, written in decimal.
///
/// ```
/// use idlab::id::Number;
/// let id: Number = "1541815603606036480".parse()?;
/// assert_eq!(id.0 >> 22, 367597485448);
/// # Ok::<(), idlab::id::ParseError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Number(pub u64);

impl Id for Number {
    type Key = u64;
    const KIND: &'static str = "decimal id";
    const COLUMN: Column = Column::Bigint;
    const TEXT_CHARS: Option<u32> = None;
    const TEXT_BYTES: usize = 20;

    fn key(self) -> u64 {
        self.0
    }

    fn from_key(key: u64) -> Self {
        Self(key)
    }

    #[inline]
    fn encode(self, out: &mut [u8]) -> usize {
        let out = first::<{ Self::TEXT_BYTES }>(out);
        let (rest, last) = (self.0 / GROUP, self.0 % GROUP);
        let mut bytes = 0;
        let mut append = |number, is_first| {
            let digits = parted(number);
            let skipped = if is_first { zeros(digits) } else { 0 };
            let text = (digits | ZEROS) >> (8 * skipped);
            out[bytes..bytes + 8].copy_from_slice(&text.to_le_bytes());
            bytes += 8 - skipped as usize;
        };
        if rest == 0 {
            append(last, true);
        } else if rest < GROUP {
            append(rest, true);
            append(last, false);
        } else {
            append(rest / GROUP, true);
            append(rest % GROUP, false);
            append(last, false);
        }
        bytes
    }

    /// Digits alone, any number of zeros first; refuses what does not fit 64 bits.
    #[inline]
    fn decode(text: &[u8]) -> Result<Self, ParseError> {
        let (groups, rest) = text.as_chunks();
        let groups = groups.iter().map(|&group| (GROUP, joined(group)));
        let mut rest = rest.iter().map(|&byte| (10, digit(byte)));
        let append = |value: u64, (base, digits): (u64, Option<u64>)| {
            value.checked_mul(base)?.checked_add(digits?)
        };
        let mut value = { groups }.try_fold(0, append);
        value = value.and_then(|value| rest.try_fold(value, append));
        match value {
            Some(value) if !text.is_empty() => Ok(Self(value)),
            _ => Err(refusal(text)),
        }
    }
}

/// Why `text` is no number of 64 bits.
#[cold]
fn refusal(text: &[u8]) -> ParseError {
    let (expected, max) = ("1 to 20", "18446744073709551615");
    match text.iter().position(|byte| !byte.is_ascii_digit()) {
        Some(offset) => unexpected(text, offset),
        None if text.is_empty() => ParseError::Length { expected, found: 0 },
        None => ParseError::Overflow { max },
    }
}

/// Eight digits are parted and joined at once, in the bytes of a `u64`.
const GROUP: u64 = 10u64.pow(8);
const ZEROS: u64 = u64::from_ne_bytes([b'0'; 8]);

/// The digits of `number` < [`GROUP`], one a byte, the first in the lowest.
///
/// Each step parts all numbers there are in two, the upper half of a number first.
/// A product with 10486 / 2²⁰ is a division by 100 below 10⁴, one with 103 / 2¹⁰ by 10
/// below 100.
#[inline]
fn parted(number: u64) -> u64 {
    // upper + (numbers - upper · divisor) · 2^bits
    let halves = |numbers: u64, upper: u64, divisor: u64, bits: u32| {
        (numbers << bits) - upper * ((divisor << bits) - 1)
    };
    let two = halves(number, u64::from(number as u32 / 10_000), 10_000, 32);
    let four = halves(two, (two * 10_486) >> 20 & 0x0000_007f_0000_007f, 100, 16);
    halves(four, (four * 103) >> 10 & 0x000f_000f_000f_000f, 10, 8)
}

/// Zeros before the first of eight `digits`; the last digit counts as none.
#[inline]
fn zeros(digits: u64) -> u32 {
    (digits | 1 << 63).trailing_zeros() / 8
}

/// The number of eight digits; each step joins neighbours.
#[inline]
fn joined(text: [u8; 8]) -> Option<u64> {
    let digits = u64::from_le_bytes(text) ^ ZEROS;
    if (digits | digits.wrapping_add(0x7676_7676_7676_7676)) & 0x8080_8080_8080_8080 != 0 {
        return None;
    }
    let four = (digits * 10 + (digits >> 8)) & 0x00ff_00ff_00ff_00ff;
    let two = (four * 100 + (four >> 16)) & 0x0000_ffff_0000_ffff;
    Some((two * 10_000 + (two >> 32)) & 0xffff_ffff)
}

#[inline]
fn digit(byte: u8) -> Option<u64> {
    byte.is_ascii_digit().then(|| u64::from(byte - b'0'))
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = [0; Self::TEXT_BYTES];
        let bytes = self.encode(&mut text);
        f.pad_integral(true, "", ascii(&text[..bytes]))
    }
}

impl FromStr for Number {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        Self::decode(text.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_digits_that_fit_64_bits_are_accepted() {
        let parse = |text: &str| text.parse::<Number>();
        assert_eq!(parse("18446744073709551615"), Ok(Number(u64::MAX)));
        let overflow = ParseError::Overflow {
            max: "18446744073709551615",
        };
        assert_eq!(parse("18446744073709551616"), Err(overflow.clone()));
        assert_eq!(parse(&"9".repeat(500)), Err(overflow));
        let empty = ParseError::Length {
            expected: "1 to 20",
            found: 0,
        };
        assert_eq!(parse(""), Err(empty));
        let cases = [
            ("+1", '+', 1),
            ("-1", '-', 1),
            ("12 ", ' ', 3),
            ("1é2", 'é', 2),
        ];
        for (text, found, position) in cases {
            assert_eq!(parse(text), Err(ParseError::Character { found, position }));
        }
    }

    #[test]
    fn powers_of_ten_and_their_neighbours_are_written_as_by_the_standard_library() {
        let powers = (0..20).map(|exponent| 10u64.pow(exponent));
        let values = powers.flat_map(|power| [power - 1, power, power + 1]);
        for value in values.chain([u64::MAX]) {
            assert_eq!(Number(value).to_string(), value.to_string());
        }
        assert_eq!(
            format!("{:5}|{:<3}|{:03}", Number(42), Number(7), Number(0)),
            "   42|7  |000"
        );
    }

    #[test]
    fn every_four_digits_are_parted_and_joined_in_either_half() {
        for digits in 0..10_000 {
            for number in [digits, digits * 10_000 + 9_999] {
                let text = (parted(number) | ZEROS).to_le_bytes();
                assert_eq!(str::from_utf8(&text), Ok(&*format!("{number:08}")));
                assert_eq!(joined(text), Some(number));
            }
        }
    }

    proptest! {
        #[test]
        fn digits_are_read_as_by_the_standard_library(text in "0{0,20}[0-9]{1,22}") {
            prop_assert_eq!(Number::decode(text.as_bytes()).ok(), text.parse().map(Number).ok());
        }

        #[test]
        fn digits_are_those_of_the_standard_library(value: u64, shift in 0..64) {
            let value = value >> shift;
            prop_assert_eq!(Number(value).to_string(), value.to_string());
        }

        #[test]
        fn text_and_value_round_trip(value: u64) {
            prop_assert_eq!(Number(value).to_string().parse(), Ok(Number(value)));
        }

        #[test]
        fn any_text_parses_stably_or_is_refused(text in "\\PC*|[0-9]{0,22}") {
            if let Ok(id) = text.parse::<Number>() {
                prop_assert_eq!(id.to_string().parse(), Ok(id));
            }
        }
    }
}
