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
const LONGEST: usize = 36;

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

/// What [`digit_values`] gives for a byte that is no digit; all others are below it
/// when joined.
pub(crate) const FOREIGN: u8 = 0x80;

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

/// The digits of `text` as three numbers: of the `FIRST` ones, then of `OTHERS` each.
#[inline]
pub(crate) fn numbers<const BASE: u64, const FIRST: usize, const OTHERS: usize>(
    text: &[u8],
    values: &[u8; 256],
    expected: &'static str,
) -> Result<[u64; 3], ParseError> {
    let length = FIRST + 2 * OTHERS;
    if text.len() == length {
        let (first, others) = text.split_at(FIRST);
        let (middle, last) = others.split_at(OTHERS);
        // A foreign byte sets the highest bit: searching it is only needed if there is one.
        let numbers = [first, middle, last].map(|digits| {
            let (mut number, mut foreign) = (0, 0);
            for &byte in digits {
                let digit = u64::from(values[usize::from(byte)]);
                number = number * BASE + digit;
                foreign |= digit;
            }
            number | (foreign & u64::from(FOREIGN)) << 56
        });
        if (numbers[0] | numbers[1] | numbers[2]) >> 63 == 0 {
            return Ok(numbers);
        }
    }
    Err(refusal(text, length, values, expected))
}

/// Why `text` does not consist of `length` digits.
#[cold]
fn refusal(text: &[u8], length: usize, values: &[u8; 256], expected: &'static str) -> ParseError {
    let found = characters(text).count();
    let foreign = text
        .iter()
        .position(|&byte| values[usize::from(byte)] == FOREIGN);
    match foreign {
        Some(offset) if found == length => unexpected(text, offset),
        _ => ParseError::Length { expected, found },
    }
}
