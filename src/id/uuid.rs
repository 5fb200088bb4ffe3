//! UUIDs: 128 bits in hexadecimal, 8-4-4-4-12 (RFC 9562, section 4).

use super::text::{as_text, characters, first, unexpected};
use super::{Column, Id, ParseError, hex};

const URN: &[u8] = b"urn:uuid:";

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
    #[inline]
    pub const fn with_version(self, version: u8) -> Self {
        let free = self.0 & !(0xf << 76 | 0b11 << 62);
        Self(free | (version as u128 & 0xf) << 76 | 0b10 << 62)
    }
}

impl Id for Uuid {
    type Key = u128;
    const KIND: &'static str = "UUID";
    const COLUMN: Column = Column::Uuid;
    const TEXT_CHARS: Option<u32> = Some(Self::TEXT_BYTES as u32);
    const TEXT_BYTES: usize = 36;

    fn key(self) -> u128 {
        self.0
    }

    fn from_key(key: u128) -> Self {
        Self(key)
    }

    /// Lower case, hyphenated.
    #[inline]
    fn encode(self, out: &mut [u8]) -> usize {
        let out = first::<{ Self::TEXT_BYTES }>(out);
        let [a, b, c, d] = hex::encode(self.0);
        *out = [b'-'; 36];
        out[..8].copy_from_slice(&a);
        out[9..13].copy_from_slice(&b[..4]);
        out[14..18].copy_from_slice(&b[4..]);
        out[19..23].copy_from_slice(&c[..4]);
        out[24..28].copy_from_slice(&c[4..]);
        out[28..].copy_from_slice(&d);
        Self::TEXT_BYTES
    }

    /// Accepts any case, with hyphens or without, in braces or after `urn:uuid:`.
    #[inline]
    fn decode(text: &[u8]) -> Result<Self, ParseError> {
        let value = read(text).or_else(|| read(unwrap(text).1));
        value.map(Self).ok_or_else(|| refusal(text))
    }
}

/// The value of 36 characters with hyphens or 32 without.
#[inline]
fn read(text: &[u8]) -> Option<u128> {
    let word = |start, end: usize| {
        let mut word = [0; 8];
        word[..4].copy_from_slice(&text[start..start + 4]);
        word[4..].copy_from_slice(&text[end - 4..end]);
        word
    };
    match text.len() {
        32 => hex::decode([word(0, 8), word(8, 16), word(16, 24), word(24, 32)]),
        36 if [text[8], text[13], text[18], text[23]] == [b'-'; 4] => {
            hex::decode([word(0, 8), word(9, 18), word(19, 28), word(28, 36)])
        }
        _ => None,
    }
}

/// Why `text` is no UUID.
#[cold]
fn refusal(text: &[u8]) -> ParseError {
    let (start, body) = unwrap(text);
    let hyphenated = match characters(body).count() {
        36 => true,
        32 => false,
        found => {
            let expected = "36 (or 32 without hyphens)";
            return ParseError::Length { expected, found };
        }
    };
    let foreign = body
        .iter()
        .enumerate()
        .position(|(offset, byte)| match offset {
            8 | 13 | 18 | 23 if hyphenated => *byte != b'-',
            _ => !byte.is_ascii_hexdigit(),
        });
    unexpected(text, start + foreign.unwrap_or_default())
}

as_text!(Uuid);

/// `text` without braces or URN prefix, and the offset where that begins.
fn unwrap(text: &[u8]) -> (usize, &[u8]) {
    let braced = text.strip_prefix(b"{").and_then(|t| t.strip_suffix(b"}"));
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
