//! Texts of many ids, the error of parsers, and what encoders and parsers share.

use super::Id;
use std::fmt;
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

/// Bytes of the longest text of any kind.
const LONGEST: usize = 40;

/// Writes the texts of `ids` to `out`, one every [`Id::TEXT_BYTES`] bytes;
/// shorter ones end with spaces.
///
/// # Panics
///
/// If `out` has not exactly that many bytes for each id.
pub fn encode_all<I: Id>(ids: &[I], out: &mut [u8]) {
    assert_eq!(out.len(), ids.len() * I::TEXT_BYTES, "bytes of all texts");
    for (id, text) in ids.iter().zip(out.chunks_exact_mut(I::TEXT_BYTES)) {
        let bytes = id.encode(text);
        text[bytes..].fill(b' ');
    }
}

/// Reads texts laid out as [`encode_all`] writes them.
///
/// # Errors
///
/// The index of the first text that is refused, and why.
///
/// # Panics
///
/// If `texts` has not exactly [`Id::TEXT_BYTES`] bytes for each of `ids`.
pub fn decode_all<I: Id>(texts: &[u8], ids: &mut [I]) -> Result<(), (usize, ParseError)> {
    assert_eq!(texts.len(), ids.len() * I::TEXT_BYTES, "bytes of all texts");
    let texts = texts.chunks_exact(I::TEXT_BYTES);
    for (index, (id, mut text)) in ids.iter_mut().zip(texts).enumerate() {
        if I::TEXT_CHARS.is_none() {
            while let Some(shorter) = text.strip_suffix(b" ") {
                text = shorter;
            }
        }
        *id = I::decode(text).map_err(|error| (index, error))?;
    }
    Ok(())
}

/// The first `N` bytes of `out`, which [`Id::encode`] promises are there.
pub(crate) fn first<const N: usize>(out: &mut [u8]) -> &mut [u8; N] {
    out.first_chunk_mut().expect("TEXT_BYTES bytes to write to")
}

/// Displays an id as its text, padded as texts are.
pub(crate) fn display<I: Id>(id: I, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let mut text = [0; LONGEST];
    let bytes = id.encode(&mut text);
    f.pad(ascii(&text[..bytes]))
}

/// `Display` and `FromStr` of an id, by [`Id::encode`] and [`Id::decode`].
macro_rules! as_text {
    ($id:ty) => {
        impl std::fmt::Display for $id {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                $crate::id::text::display(*self, f)
            }
        }

        impl std::str::FromStr for $id {
            type Err = $crate::id::ParseError;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                $crate::id::Id::decode(text.as_bytes())
            }
        }
    };
}
pub(super) use as_text;

/// ASCII bytes as text.
pub(crate) fn ascii(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("digits are ASCII")
}

/// The character at byte offset `offset` as a [`ParseError::Character`].
pub(crate) fn unexpected(text: &[u8], offset: usize) -> ParseError {
    let (before, rest) = text.split_at(offset);
    ParseError::Character {
        found: characters(rest)
            .next()
            .unwrap_or(char::REPLACEMENT_CHARACTER),
        position: characters(before).count() + 1,
    }
}

/// The characters of `text`; one that is not UTF-8 is U+FFFD.
pub(crate) fn characters(text: &[u8]) -> impl Iterator<Item = char> {
    text.utf8_chunks().flat_map(|chunk| {
        let broken = !chunk.invalid().is_empty();
        chunk
            .valid()
            .chars()
            .chain(broken.then_some(char::REPLACEMENT_CHARACTER))
    })
}

/// What [`digit_values`] gives for a byte that is no digit: more than the numbers of all
/// groups of digits, so that a group with one is recognised by its size.
pub(crate) const FOREIGN: u32 = 1 << 30;

/// The value of every byte as a digit of `alphabet`; lower case counts too if `any_case`.
pub(crate) const fn digit_values(alphabet: &[u8], any_case: bool) -> [u32; 256] {
    let mut values = [FOREIGN; 256];
    let mut i = 0;
    while i < alphabet.len() {
        values[alphabet[i] as usize] = i as u32;
        if any_case {
            values[alphabet[i].to_ascii_lowercase() as usize] = i as u32;
        }
        i += 1;
    }
    values
}

/// All pairs of digits of `alphabet` in order: the text of every number of two digits.
pub(crate) const fn digit_pairs<const N: usize>(alphabet: &[u8]) -> [[u8; 2]; N] {
    let base = alphabet.len();
    assert!(N == base * base);
    let mut pairs = [[0; 2]; N];
    let mut i = 0;
    while i < N {
        pairs[i] = [alphabet[i / base], alphabet[i % base]];
        i += 1;
    }
    pairs
}

/// The numbers that the first `FIRST` digits of `text` are, and then `COUNT` groups of `LENGTH`.
#[inline]
pub(crate) fn numbers<
    const BASE: u64,
    const FIRST: usize,
    const LENGTH: usize,
    const COUNT: usize,
>(
    text: &[u8],
    values: &[u32; 256],
    expected: &'static str,
) -> Result<(u64, [u64; COUNT]), ParseError> {
    const { assert!(BASE.pow(LENGTH as u32) <= FOREIGN as u64 && FIRST <= LENGTH && LENGTH <= 6) }
    let number = |digits: &[u8]| {
        digits.iter().fold(0, |number, &byte| {
            number * BASE + u64::from(values[usize::from(byte)])
        })
    };
    let length = FIRST + COUNT * LENGTH;
    if text.len() == length {
        let first = number(&text[..FIRST]);
        let mut groups = [0; COUNT];
        let mut all = first;
        for (group, digits) in groups.iter_mut().zip(text[FIRST..].chunks_exact(LENGTH)) {
            *group = number(digits);
            all |= *group;
        }
        if all < u64::from(FOREIGN) {
            return Ok((first, groups));
        }
    }
    Err(refusal(text, length, values, expected))
}

/// Why `text` does not consist of `length` digits.
#[cold]
pub(super) fn refusal(
    text: &[u8],
    length: usize,
    values: &[u32; 256],
    expected: &'static str,
) -> ParseError {
    let found = characters(text).count();
    let foreign = text
        .iter()
        .position(|&byte| values[usize::from(byte)] == FOREIGN);
    match foreign {
        Some(offset) if found == length => unexpected(text, offset),
        _ => ParseError::Length { expected, found },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::{
        Cuid2, Key20, Ksuid, NanoId, Number, ObjectId, PublicId, PushId, Scru128, SqlGuid, Tsid,
        Ulid, Uuid, Xid,
    };
    use proptest::prelude::*;

    /// Puts every byte at every place of `text`: it `belongs` there or is refused by name.
    fn put_every_byte<I: Id>(text: &str, belongs: impl Fn(usize, u8) -> bool) {
        for place in 0..text.len() {
            for byte in 0..=u8::MAX {
                let mut changed = text.as_bytes().to_vec();
                changed[place] = byte;
                let found = if byte.is_ascii() {
                    char::from(byte)
                } else {
                    char::REPLACEMENT_CHARACTER
                };
                let position = place + 1;
                let foreign = Err(ParseError::Character { found, position });
                match I::decode(&changed) {
                    Ok(_) | Err(ParseError::Overflow { .. }) => assert!(belongs(place, byte)),
                    refused => {
                        assert_eq!(refused, foreign);
                        assert!(!belongs(place, byte), "{byte} at {place}");
                    }
                }
            }
        }
    }

    #[test]
    fn every_foreign_byte_is_named_wherever_it_is() {
        let hex = |_, byte: u8| byte.is_ascii_hexdigit();
        put_every_byte::<Uuid>(
            "919108f7-52d1-4320-9bac-f847db4148a8",
            |place, byte| match place {
                8 | 13 | 18 | 23 => byte == b'-',
                _ => hex(place, byte),
            },
        );
        put_every_byte::<Uuid>("919108f752d143209bacf847db4148a8", hex);
        let base32 = |_, byte: u8| byte.is_ascii_alphanumeric() && !b"ILOUilou".contains(&byte);
        put_every_byte::<Ulid>("01ARZ3NDEKTSV4RRFFQ69G5FAV", base32);
        put_every_byte::<Tsid>("01226N0640J7Q", base32);
        put_every_byte::<Ksuid>("0ujtsYcgvSTl8PAuAdqWYSMnLOv", |_, byte| {
            byte.is_ascii_alphanumeric()
        });
        put_every_byte::<Number>("1541815603606036480", |_, byte| byte.is_ascii_digit());
        put_every_byte::<ObjectId>("507f1f77bcf86cd799439011", hex);
        put_every_byte::<SqlGuid>("919108f752d143209bacf847db4148a8", hex);
        put_every_byte::<Xid>("9m4e2mr0ui3e8a215n4g", |place, byte| match place {
            19 => b"0g".contains(&byte),
            _ => byte.is_ascii_digit() || (b'a'..=b'v').contains(&byte),
        });
        put_every_byte::<Scru128>("036z951mhjikzik2gsl81gr7l", |_, byte| {
            byte.is_ascii_alphanumeric()
        });
        put_every_byte::<PublicId>("7n42DGM5Tflk9n8mt7Fhc7", |_, byte| {
            byte.is_ascii_alphanumeric()
        });
        let of_urls = |_, byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        put_every_byte::<PushId>("-JhLeOlGIEjaIOFHR0xd", of_urls);
        put_every_byte::<NanoId>("V1StGXR8_Z5jdHi6B-myT", of_urls);
        put_every_byte::<Cuid2>("tz4a98xxat96iws9zmbrgj3a", |place, byte| {
            byte.is_ascii_lowercase() || place > 0 && byte.is_ascii_digit()
        });
    }

    fn check_many<I: Id>(ids: &[I]) {
        let mut texts = vec![b'?'; ids.len() * I::TEXT_BYTES];
        encode_all(ids, &mut texts);
        let mut expected = Vec::new();
        for id in ids {
            let text = id.to_string();
            assert!(I::TEXT_CHARS.is_none_or(|chars| text.len() == chars as usize));
            assert_eq!(text.parse(), Ok(*id));
            expected.extend(format!("{text:<width$}", width = I::TEXT_BYTES).into_bytes());
        }
        assert_eq!(texts, expected);

        let mut read = vec![I::from_key(I::Key::default()); ids.len()];
        assert_eq!(decode_all(&texts, &mut read), Ok(()));
        assert_eq!(read, ids);
        let place = texts.len() - I::TEXT_BYTES;
        texts[place] = b'*';
        let (found, position) = ('*', 1);
        let refused = (ids.len() - 1, ParseError::Character { found, position });
        assert_eq!(decode_all(&texts, &mut read), Err(refused));
    }

    proptest! {
        #[test]
        fn many_texts_are_those_of_each_id(
            values in prop::collection::vec(any::<(u128, u32)>(), 1..20)
        ) {
            let values = [(0, 0), (u128::MAX, u32::MAX)].into_iter().chain(values);
            let values: Vec<(u128, u32)> = values.collect();
            fn ids<I>(values: &[(u128, u32)], id: impl Fn(u128, u32) -> I) -> Vec<I> {
                values.iter().map(|&(low, high)| id(low, high)).collect()
            }
            check_many(&ids(&values, |low, _| Uuid(low)));
            check_many(&ids(&values, |low, _| Ulid(low)));
            check_many(&ids(&values, |low, _| Tsid(low as u64)));
            check_many(&ids(&values, |low, high| Ksuid(Key20::new(high, low))));
            check_many(&ids(&values, |low, high| Number(low as u64 >> (high % 64))));
            check_many(&ids(&values, |low, _| ObjectId::from_key(low)));
            check_many(&ids(&values, |low, _| SqlGuid::from_key(low)));
            check_many(&ids(&values, |low, _| Xid::from_key(low)));
            check_many(&ids(&values, |low, _| Scru128(low)));
            check_many(&ids(&values, |low, _| PublicId(low)));
            check_many(&ids(&values, |low, _| PushId::from_key(low)));
            check_many(&ids(&values, |low, _| NanoId::from_key(low)));
            check_many(&ids(&values, |low, _| Cuid2::from_key(low)));
        }

        #[test]
        fn any_bytes_are_read_as_their_text_is(
            bytes in prop_oneof![
                any::<Vec<u8>>(),
                prop::collection::vec(any::<u8>(), 26..37),
                "\\PC*".prop_map(String::into_bytes),
            ]
        ) {
            let text = String::from_utf8_lossy(&bytes);
            prop_assert_eq!(Uuid::decode(&bytes), text.parse());
            prop_assert_eq!(Ulid::decode(&bytes), text.parse());
            prop_assert_eq!(Tsid::decode(&bytes), text.parse());
            prop_assert_eq!(Ksuid::decode(&bytes), text.parse());
            prop_assert_eq!(Number::decode(&bytes), text.parse());
            prop_assert_eq!(SqlGuid::decode(&bytes), text.parse());
            prop_assert_eq!(Xid::decode(&bytes), text.parse());
            prop_assert_eq!(Cuid2::decode(&bytes), text.parse());
        }
    }
}
