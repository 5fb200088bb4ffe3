//! What text parsers share: the error, and base-N digits.

use thiserror::Error;

/// Why a text is not an id of the kind asked for.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ParseError {
    /// The text has the wrong number of characters.
    #[error("expected {expected} characters, found {found}")]
    Length {
        /// Characters an id of this kind has.
        expected: &'static str,
        /// Characters found.
        found: usize,
    },
    /// A character does not belong.
    #[error("unexpected character {found:?} at position {position}")]
    Character {
        /// The character.
        found: char,
        /// Its position, counted from 1.
        position: usize,
    },
    /// The text has the right shape but its value does not fit.
    #[error("the value is larger than {max}")]
    Overflow {
        /// The largest text of this kind.
        max: &'static str,
    },
}

/// The character at byte offset `offset` as a [`ParseError::Character`].
pub(crate) fn unexpected(text: &str, offset: usize) -> ParseError {
    let found = text[offset..].chars().next().unwrap_or('\u{fffd}');
    ParseError::Character {
        found,
        position: text[..offset].chars().count() + 1,
    }
}

/// What [`digit_values`] gives for a byte that is no digit.
pub(crate) const FOREIGN: u8 = 0xff;

/// The value of every byte as a digit of `alphabet`; lower case counts too if `any_case`.
pub(crate) const fn digit_values(alphabet: &[u8], any_case: bool) -> [u8; 256] {
    let mut values = [FOREIGN; 256];
    let mut i = 0;
    while i < alphabet.len() {
        values[alphabet[i] as usize] = i as u8;
        if any_case {
            values[alphabet[i].to_ascii_lowercase() as usize] = i as u8;
        }
        i += 1;
    }
    values
}

/// The values of the `N` digits that `text` consists of.
pub(crate) fn digits<const N: usize>(
    text: &str,
    values: &[u8; 256],
    expected: &'static str,
) -> Result<[u8; N], ParseError> {
    // Counting is only needed if something is wrong.
    if text.len() != N {
        let found = text.chars().count();
        if found != N {
            return Err(ParseError::Length { expected, found });
        }
    }
    let mut digits = [0; N];
    for (offset, (digit, byte)) in digits.iter_mut().zip(text.bytes()).enumerate() {
        *digit = values[usize::from(byte)];
        if *digit == FOREIGN {
            return Err(unexpected(text, offset));
        }
    }
    Ok(digits)
}

/// ASCII bytes as text.
pub(crate) fn ascii(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("digits are ASCII")
}
