//! UUIDs: 128 bits in hexadecimal, 8-4-4-4-12 (RFC 9562, section 4).

use super::text::{FOREIGN, ascii, digit_values, unexpected};
use super::{Column, Id, ParseError};
use std::fmt;
use std::str::FromStr;

const DIGITS: &[u8; 16] = b"0123456789abcdef";
const VALUES: [u8; 256] = digit_values(b"0123456789ABCDEF", true);
const URN: &str = "urn:uuid:";

/// A UUID of any version, ordered by its 16 big-endian bytes.
///
/// ```
/// use idlab::id::Uuid;
/// let id: Uuid = "{017F22E2-79B0-7CC3-98C4-DC0C0C07398F}".parse()?;
/// assert_eq!(id.version(), 7);
/// assert_eq!(id.to_string(), "017f22e2-79b0-7cc3-98c4-dc0c0c07398f");
/// # Ok::<(), idlab::id::ParseError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Uuid(pub u128);

impl Uuid {
    /// The version, 0 to 15.
    pub const fn version(self) -> u8 {
        (self.0 >> 76) as u8 & 0xf
    }

    /// The two bits of the variant, which are 2 in every UUID of RFC 9562.
    pub const fn variant(self) -> u8 {
        (self.0 >> 62) as u8 & 0b11
    }

    /// These bits with the version field set to the lowest 4 bits of `version`
    /// and the variant to that of RFC 9562.
    pub const fn with_version(self, version: u8) -> Self {
        let free = self.0 & !(0xf << 76 | 0b11 << 62);
        Self(free | (version as u128 & 0xf) << 76 | 0b10 << 62)
    }

    /// Writes the lower-case hyphenated text into `out`.
    pub fn encode(self, out: &mut [u8; 36]) -> &str {
        let mut at = 0;
        for (i, byte) in self.0.to_be_bytes().into_iter().enumerate() {
            if matches!(i, 4 | 6 | 8 | 10) {
                out[at] = b'-';
                at += 1;
            }
            out[at] = DIGITS[usize::from(byte >> 4)];
            out[at + 1] = DIGITS[usize::from(byte & 0xf)];
            at += 2;
        }
        ascii(out)
    }
}

impl Id for Uuid {
    type Key = u128;
    const KIND: &'static str = "UUID";
    const COLUMN: Column = Column::Uuid;
    const TEXT_CHARS: Option<u32> = Some(36);

    fn key(self) -> u128 {
        self.0
    }

    fn from_key(key: u128) -> Self {
        Self(key)
    }
}

impl fmt::Display for Uuid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.encode(&mut [0; 36]))
    }
}

/// Accepts any case, with hyphens or without, in braces or after `urn:uuid:`.
impl FromStr for Uuid {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let (start, body) = unwrap(text);
        let hyphenated = match body.chars().count() {
            36 => true,
            32 => false,
            found => {
                let expected = "36 (or 32 without hyphens)";
                return Err(ParseError::Length { expected, found });
            }
        };
        let mut value = 0;
        for (i, byte) in body.bytes().enumerate() {
            let digit = VALUES[usize::from(byte)];
            if hyphenated && matches!(i, 8 | 13 | 18 | 23) {
                if byte != b'-' {
                    return Err(unexpected(text, start + i));
                }
            } else if digit == FOREIGN {
                return Err(unexpected(text, start + i));
            } else {
                value = value << 4 | u128::from(digit);
            }
        }
        Ok(Self(value))
    }
}

/// `text` without braces or URN prefix, and the byte offset where that begins.
fn unwrap(text: &str) -> (usize, &str) {
    let braced = text.strip_prefix('{').and_then(|t| t.strip_suffix('}'));
    match (braced, text.split_at_checked(URN.len())) {
        (Some(body), _) => (1, body),
        (_, Some((prefix, body))) if prefix.eq_ignore_ascii_case(URN) => (URN.len(), body),
        _ => (0, text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TEXT: &str = "919108f7-52d1-4320-9bac-f847db4148a8";
    const ID: Uuid = Uuid(0x9191_08f7_52d1_4320_9bac_f847_db41_48a8);

    #[test]
    fn the_version_4_example_of_rfc_9562_appendix_a_3_is_read_in_every_form() {
        let simple = TEXT.replace('-', "");
        let forms = [
            TEXT.to_owned(),
            TEXT.to_uppercase(),
            simple.clone(),
            format!("{{{TEXT}}}"),
            format!("{{{simple}}}"),
            format!("urn:uuid:{TEXT}"),
            format!("URN:Uuid:{simple}"),
        ];
        for form in forms {
            assert_eq!(form.parse(), Ok(ID), "{form}");
        }
        assert_eq!(ID.to_string(), TEXT);
        assert_eq!((ID.version(), ID.variant()), (4, 2));
    }

    #[test]
    fn errors_name_the_character_and_its_position() {
        let cases = [
            ("919108f7-52d1-4320-9bac-f847db4148ag", 'g', 36),
            ("919108f75-2d1-4320-9bac-f847db4148a8", '5', 9),
            ("919108f7-52d1-4320-9bac-f847-b4148a8", '-', 29),
            ("9-9108f752d143209bacf847db4148a8", '-', 2),
            ("{é19108f752d143209bacf847db4148a8}", 'é', 2),
            (
                "urn:uuid:919108f7-52d1-4320-9bac-f847db4148\u{1f980}8",
                '\u{1f980}',
                44,
            ),
        ];
        for (text, found, position) in cases {
            let error = ParseError::Character { found, position };
            assert_eq!(text.parse::<Uuid>(), Err(error), "{text}");
        }
    }

    #[test]
    fn other_lengths_are_refused() {
        for (text, length) in [("", 0), ("{}", 0), ("{", 1), ("urn:uuid:", 0), ("é", 1)] {
            let found = text.parse::<Uuid>();
            assert!(
                matches!(found, Err(ParseError::Length { found, .. }) if found == length),
                "{text}"
            );
        }
    }

    proptest! {
        #[test]
        fn text_and_value_round_trip_in_the_same_order(a: u128, b: u128) {
            let (text_a, text_b) = (Uuid(a).to_string(), Uuid(b).to_string());
            prop_assert_eq!(text_a.parse(), Ok(Uuid(a)));
            prop_assert_eq!(text_a.cmp(&text_b), a.cmp(&b));
        }

        #[test]
        fn any_text_parses_stably_or_is_refused(
            text in "\\PC*|\\PC{32}|[0-9a-fA-F]{31,33}|\\{?(urn:uuid:)?[0-9a-f-]{36}\\}?"
        ) {
            if let Ok(id) = text.parse::<Uuid>() {
                prop_assert_eq!(id.to_string().parse(), Ok(id));
            }
        }
    }
}
