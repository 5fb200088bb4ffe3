//! KSUIDs: 160 bits in 27 characters of base 62 (segmentio/ksuid).

use super::text::{as_text, digit_pairs, digit_values, first, numbers};
use super::{Column, Id, Key20, ParseError};

pub(super) const DIGITS: &[u8; 62] =
    b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
static PAIRS: [[u8; 2]; 3844] = digit_pairs(DIGITS);
static VALUES: [u32; 256] = digit_values(DIGITS, false);
const MAX: &str = "aWgEPTl1tmebfsQzFP4bxwgy80V";

/// Ten digits fit 60 bits, so a text is such groups behind seven digits.
const GROUP: u64 = 62u64.pow(10);
const GROUPS: u128 = (GROUP as u128).pow(2);

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

/// The seven first digits of `high · 2¹²⁸ + low` as a number, then its two groups.
///
/// Quotients are products with a reciprocal, rounded down: at most one too small.
#[inline]
fn split(high: u32, low: u128) -> [u64; 3] {
    // GROUPS = 2²⁰ · ODD², so 2¹⁸³ / GROUPS takes two divisions of 128 bits.
    const ODD: u128 = 31u128.pow(10);
    const BY_GROUPS: u64 = ((1 << 127) / ODD * (1 << 36) / ODD) as u64;
    const BY_GROUP: u64 = ((1 << 123) / GROUP as u128) as u64;

    let start = u64::from(high) << 32 | (low >> 96) as u64;
    let mut first = product(start, BY_GROUPS) >> 87;
    let mut rest = low.wrapping_sub(first.wrapping_mul(GROUPS));
    if rest >= GROUPS {
        first += 1;
        rest -= GROUPS;
    }
    let mut middle = (product((rest >> 56) as u64, BY_GROUP) >> 67) as u64;
    let mut last = (rest as u64).wrapping_sub(middle.wrapping_mul(GROUP));
    if last >= GROUP {
        middle += 1;
        last -= GROUP;
    }
    [first as u64, middle, last]
}

/// `number / BOUND` in units of 2⁻⁶⁴, rounded up by at most 3 units. That leaves its digits
/// right if `1 / BOUND` has more, as it has for `BOUND` = 62¹⁰.
#[inline]
fn fraction<const BOUND: u64>(number: u64) -> u64 {
    let bits = const { BOUND.ilog2() };
    let reciprocal = const { ((1 << (64 + BOUND.ilog2())) / BOUND as u128) as u64 };
    // The reciprocal's fraction would have added less than 2, that of the shift less than 1.
    (product(number, reciprocal) >> bits) as u64 + 3
}

#[inline]
fn product(a: u64, b: u64) -> u128 {
    u128::from(a) * u128::from(b)
}

/// The next digit of `fraction` in base `factor`; the rest stays in `fraction`.
#[inline]
fn next(fraction: &mut u64, factor: u64) -> usize {
    let product = product(*fraction, factor);
    *fraction = product as u64;
    (product >> 64) as usize
}

impl Id for Ksuid {
    type Key = Key20;
    const KIND: &'static str = "KSUID";
    const COLUMN: Column = Column::Bytes(20);
    const TEXT_CHARS: Option<u32> = Some(Self::TEXT_BYTES as u32);
    const TEXT_BYTES: usize = 27;

    fn key(self) -> Key20 {
        self.0
    }

    fn from_key(key: Key20) -> Self {
        Self(key)
    }

    #[inline]
    fn encode(self, out: &mut [u8]) -> usize {
        let out = first::<{ Self::TEXT_BYTES }>(out);
        let [start, middle, last] = split(self.0.high(), self.0.low());
        let mut start = fraction::<{ 62u64.pow(7) }>(start);
        let [mut middle, mut last] = [middle, last].map(fraction::<GROUP>);
        out[0] = DIGITS[next(&mut start, 62)];
        for pair in out[1..7].as_chunks_mut().0 {
            *pair = PAIRS[next(&mut start, 3844)];
        }
        for i in 0..5 {
            let at = 7 + 2 * i;
            out[at..at + 2].copy_from_slice(&PAIRS[next(&mut middle, 3844)]);
            out[at + 10..at + 12].copy_from_slice(&PAIRS[next(&mut last, 3844)]);
        }
        Self::TEXT_BYTES
    }

    /// Case matters; what does not fit 160 bits is refused.
    #[inline]
    fn decode(text: &[u8]) -> Result<Self, ParseError> {
        let (first, [a, b, c, d, e]) = numbers::<62, 2, 5, 5>(text, &VALUES, "27")?;
        let [first, middle, last] =
            [(first, a), (b, c), (d, e)].map(|(a, b)| u128::from(a * 62u64.pow(5) + b));
        let factor = u128::from(GROUP);
        // Below 2¹⁰², then below 2¹⁶²: the latter in two halves of 98 and 64 bits.
        let upper = first * factor + middle;
        let lower = u128::from(upper as u64) * factor + last;
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

as_text!(Ksuid);

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ksuid(seconds: u32, payload: u128) -> Ksuid {
        Ksuid(Key20::new(seconds, payload))
    }

    /// The text by long division, a byte at a time.
    fn divided(id: Ksuid) -> String {
        let mut bytes = id.0.high().to_be_bytes().to_vec();
        bytes.extend(id.0.low().to_be_bytes());
        let digit = |_| {
            let rest = bytes.iter_mut().fold(0, |rest, byte| {
                let value = rest << 8 | u32::from(*byte);
                *byte = (value / 62) as u8;
                value % 62
            });
            char::from(DIGITS[rest as usize])
        };
        let digits: Vec<char> = (0..27).map(digit).collect();
        digits.into_iter().rev().collect()
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
        fn digits_are_those_of_long_division(high: u32, low: u128) {
            prop_assert_eq!(ksuid(high, low).to_string(), divided(ksuid(high, low)));
        }

        // Where a quotient that is one too small or large would show.
        #[test]
        fn multiples_of_groups_and_their_neighbours_are_divided_right(
            text in "[0-9A-Z][0-9A-Za-z]{6}(0{10}|z{10}|0{9}[1-3]|z{9}[x-y]|[0-9A-Za-z]{10}){2}"
        ) {
            let id: Ksuid = text.parse().unwrap();
            prop_assert_eq!(divided(id), text.clone());
            prop_assert_eq!(id.to_string(), text);
        }

        #[test]
        fn fractions_are_rounded_up_by_less_than_a_unit(number in 0..GROUP) {
            for number in [number, 0, GROUP - 1] {
                let exact = u128::from(number) << 64;
                let rounded = product(fraction::<GROUP>(number), GROUP);
                prop_assert!((exact..exact + (1 << 64)).contains(&rounded));
            }
        }

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
