//! Ids of which nothing but the key matters.

use super::text::{FOREIGN, digit_values, display, refusal};
use super::{Column, Id, Key, ParseError};
use std::fmt;
use std::str::FromStr;

const DIGITS: &[u8; 16] = b"0123456789abcdef";
static VALUES: [u32; 256] = digit_values(DIGITS, false);

/// An id that is its key; its text is the key's hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Bare<K>(pub K);

impl<K: Key> Id for Bare<K> {
    type Key = K;
    const KIND: &'static str = "key";
    const COLUMN: Column = Column::Bytes(K::BYTES);
    const TEXT_CHARS: Option<u32> = Some(2 * K::BYTES);
    const TEXT_BYTES: usize = 2 * K::BYTES as usize;

    fn key(self) -> K {
        self.0
    }

    fn from_key(key: K) -> Self {
        Self(key)
    }

    fn encode(self, out: &mut [u8]) -> usize {
        let shifts = (0..2 * K::BYTES).rev().map(|digit| 4 * digit);
        for (out, shift) in out[..Self::TEXT_BYTES].iter_mut().zip(shifts) {
            *out = DIGITS[self.0.field(shift, 4) as usize];
        }
        Self::TEXT_BYTES
    }

    fn decode(text: &[u8]) -> Result<Self, ParseError> {
        let mut digits = text.iter().map(|&byte| VALUES[usize::from(byte)]);
        if text.len() != Self::TEXT_BYTES || digits.clone().any(|digit| digit == FOREIGN) {
            let expected = match K::BYTES {
                8 => "16",
                16 => "32",
                _ => "40",
            };
            return Err(refusal(text, Self::TEXT_BYTES, &VALUES, expected));
        }
        let mut number = |digits_before: usize| {
            let digits = digits.by_ref().take(digits_before);
            digits.fold(0u128, |number, digit| number << 4 | u128::from(digit))
        };
        let high = number(Self::TEXT_BYTES.saturating_sub(32));
        Ok(Self(K::from_parts(high as u32, number(32))))
    }
}

impl<K: Key> fmt::Display for Bare<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        display(*self, f)
    }
}

impl<K: Key> FromStr for Bare<K> {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        Self::decode(text.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::Key20;
    use proptest::prelude::*;

    fn check<K: Key>(a: K, b: K) {
        let [text_a, text_b] = [a, b].map(|key| Bare(key).to_string());
        assert_eq!(text_a.parse(), Ok(Bare(a)));
        assert_eq!(text_a.cmp(&text_b), a.cmp(&b));
    }

    proptest! {
        #[test]
        fn text_and_key_round_trip_in_the_same_order(a: (u32, u128), b: (u32, u128)) {
            check(a.1 as u64, b.1 as u64);
            check(a.1, b.1);
            check(Key20::new(a.0, a.1), Key20::new(b.0, b.1));
            prop_assert_eq!(Bare(a.1).to_string(), format!("{:032x}", a.1));
        }
    }

    #[test]
    fn foreign_characters_and_lengths_are_named() {
        assert!("0".repeat(39).parse::<Bare<Key20>>().is_err());
        assert!("00000000000000A0".parse::<Bare<u64>>().is_err());
    }
}
