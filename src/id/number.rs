//! Decimal ids: one 64-bit number, as `bigint` columns hold it.
//!
//! The text does not sort as the numbers do, so it never lives in a text column.

use super::text::unexpected;
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

    fn key(self) -> u64 {
        self.0
    }

    fn from_key(key: u64) -> Self {
        Self(key)
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for Number {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        if text.is_empty() {
            return Err(ParseError::Length {
                expected: "1 to 20",
                found: 0,
            });
        }
        if let Some(offset) = text.bytes().position(|byte| !byte.is_ascii_digit()) {
            return Err(unexpected(text, offset));
        }
        text.parse().map(Self).map_err(|_| ParseError::Overflow {
            max: "18446744073709551615",
        })
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

    proptest! {
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
