//! The texts of a dump: the first field of each line, or the elements of JSON arrays.
//!
//! A line that begins with `[` begins an array, which may go on over any number of lines.
//! Nothing is kept but one line, or one element, of at most [`MAX_BYTES`].

use crate::id::characters;
use std::io::{self, BufRead};
use std::ops::Range;

/// The longest line or element looked at.
pub(super) const MAX_BYTES: usize = 4096;
/// The longest one skipped: a file with a longer one is no text.
const MAX_SKIPPED_BYTES: u64 = 64 << 20;
const BOM: &[u8] = b"\xef\xbb\xbf";

/// What comes next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Found {
    /// A field or an element, [`Fields::text`]; it may be empty.
    Text,
    /// What is longer than [`MAX_BYTES`].
    TooLong,
}

/// Texts of a dump.
pub(super) struct Fields<R> {
    input: R,
    /// The line, or the element of an array.
    buffer: Vec<u8>,
    /// The field within it.
    field: Range<usize>,
    /// Lines that have ended before the field.
    ended: u64,
    /// Whether the buffer's line has ended too.
    line_ended: bool,
    /// Bytes of the line before the buffer.
    before: u64,
    /// Bytes that the element in the buffer took.
    taken: u64,
    /// Line of the array that is open.
    array: Option<u64>,
}

impl<R: BufRead> Fields<R> {
    pub fn new(input: R) -> Self {
        Self {
            input,
            buffer: Vec::new(),
            field: 0..0,
            ended: 0,
            line_ended: false,
            before: 0,
            taken: 0,
            array: None,
        }
    }

    /// The field or element.
    #[inline]
    pub fn text(&self) -> &[u8] {
        &self.buffer[self.field.clone()]
    }

    /// Its line, or the line of the array; cut if it is too long.
    pub fn whole(&self) -> &[u8] {
        &self.buffer
    }

    /// The next field of its line that is not empty, and the character that it begins with.
    pub fn second(&self) -> Option<(u64, Vec<u8>)> {
        if self.array.is_some() {
            return None;
        }
        let between = |byte: &u8| is_blank(*byte) || b",;|\"'".contains(byte);
        let rest = &self.buffer[self.field.end..];
        let start = self.field.end + rest.iter().position(|byte| !between(byte))?;
        let text = &self.buffer[start..];
        let end = text.iter().position(between).unwrap_or(text.len());
        let column = self.before + characters(&self.buffer[..start]).count() as u64 + 1;
        Some((column, text[..end].to_vec()))
    }

    /// The line it is on, from 1.
    pub fn line(&self) -> u64 {
        self.ended + 1
    }

    /// Lines that have begun.
    pub fn lines(&self) -> u64 {
        self.ended + u64::from(self.before > 0)
    }

    /// The character of the line that it begins with, from 1.
    pub fn column(&self) -> u64 {
        self.before + characters(&self.buffer[..self.field.start]).count() as u64 + 1
    }

    /// The line on which the array that is open begins.
    pub fn open_array(&self) -> Option<u64> {
        self.array
    }

    /// The next field or element; `None` at the end.
    #[inline]
    pub fn next(&mut self) -> io::Result<Option<Found>> {
        self.before += std::mem::take(&mut self.taken);
        if std::mem::take(&mut self.line_ended) {
            self.ended += 1;
            self.before = 0;
        }
        loop {
            if self.array.is_none() {
                if self.ended == 0 && self.before == 0 {
                    self.skip_bom()?;
                }
                if !self.begins_array()? {
                    return self.line_field();
                }
                self.array = Some(self.line());
            }
            match self.element()? {
                None if self.array.is_none() => {}
                found => return Ok(found),
            }
        }
    }

    /// The input's buffer, empty at its end.
    fn peek(&mut self) -> io::Result<&[u8]> {
        // Twice, as a borrow that may be returned cannot be tried again in a loop.
        while let Err(error) = self.input.fill_buf() {
            if error.kind() != io::ErrorKind::Interrupted {
                return Err(error);
            }
        }
        self.input.fill_buf()
    }

    fn skip_bom(&mut self) -> io::Result<()> {
        if self.peek()?.starts_with(BOM) {
            self.input.consume(BOM.len());
        }
        Ok(())
    }

    /// Whether the line goes on with `[`, which is taken then, with the blanks before it.
    fn begins_array(&mut self) -> io::Result<bool> {
        let buffer = self.peek()?;
        // Blanks that a buffer ends with are seldom enough to be left to the line.
        let blanks = buffer
            .iter()
            .take_while(|byte| matches!(byte, b' ' | b'\t'))
            .count();
        if buffer.get(blanks) != Some(&b'[') {
            return Ok(false);
        }
        self.input.consume(blanks + 1);
        self.before += blanks as u64 + 1;
        Ok(true)
    }

    /// Reads up to a byte that `ends`, which is not taken; whether all was kept, and whether
    /// there was one.
    #[inline]
    fn read_until(&mut self, ends: impl Fn(u8) -> bool) -> io::Result<(bool, bool)> {
        self.buffer.clear();
        self.taken = 0;
        loop {
            let buffer = match self.input.fill_buf() {
                Ok(buffer) => buffer,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            let end = buffer.iter().position(|&byte| ends(byte));
            let part = &buffer[..end.unwrap_or(buffer.len())];
            self.taken += part.len() as u64;
            if self.taken > MAX_SKIPPED_BYTES {
                return Err(io::Error::new(
                    io::ErrorKind::InvalidData,
                    "it is longer than 64 MiB, so this is no text",
                ));
            }
            let room = MAX_BYTES - self.buffer.len();
            self.buffer.extend_from_slice(&part[..part.len().min(room)]);
            let (used, done) = (part.len(), end.is_some() || buffer.is_empty());
            self.input.consume(used);
            if done {
                return Ok((self.taken <= MAX_BYTES as u64, end.is_some()));
            }
        }
    }

    /// The first field of the next line.
    #[inline]
    fn line_field(&mut self) -> io::Result<Option<Found>> {
        let (whole, ended) = self.read_until(|byte| byte == b'\n')?;
        if ended {
            self.input.consume(1);
            self.line_ended = true;
        } else if self.buffer.is_empty() {
            return Ok(None);
        }
        self.field = field(&self.buffer);
        Ok(Some(if whole { Found::Text } else { Found::TooLong }))
    }

    /// The next element of the array; `None` at its end, or at that of the input.
    fn element(&mut self) -> io::Result<Option<Found>> {
        loop {
            let Some(&byte) = self.peek()?.first() else {
                return Ok(None);
            };
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' | b',' => self.pass(byte),
                b']' => {
                    self.pass(byte);
                    self.array = None;
                    return self.after_array().map(|()| None);
                }
                b'"' | b'\'' => {
                    self.pass(byte);
                    let found = self.string(|end| end == byte || end == b'\n')?;
                    if self.peek()?.first() == Some(&byte) {
                        self.input.consume(1);
                        self.taken += 1;
                    }
                    return Ok(Some(found));
                }
                _ => {
                    let ends = |end| matches!(end, b',' | b']' | b'\n' | b'\r' | b' ' | b'\t');
                    return self.string(ends).map(Some);
                }
            }
        }
    }

    /// Takes a byte that is no part of an element.
    fn pass(&mut self, byte: u8) {
        self.input.consume(1);
        self.before += 1;
        if byte == b'\n' {
            self.ended += 1;
            self.before = 0;
        }
    }

    /// Takes what may follow an array on its line: the next one, or nothing.
    fn after_array(&mut self) -> io::Result<()> {
        while let Some(&byte @ (b' ' | b'\t' | b'\r' | b',' | b';' | b'\n')) = self.peek()?.first()
        {
            self.pass(byte);
            if byte == b'\n' {
                break;
            }
        }
        Ok(())
    }

    /// An element up to a byte that `ends` it.
    fn string(&mut self, ends: impl Fn(u8) -> bool) -> io::Result<Found> {
        let (whole, _) = self.read_until(ends)?;
        self.field = 0..self.buffer.len();
        Ok(if whole { Found::Text } else { Found::TooLong })
    }
}

fn is_blank(byte: u8) -> bool {
    byte.is_ascii_whitespace()
}

/// The first field of a line, without quotes around it; of a table in a frame, the first cell.
#[inline]
fn field(line: &[u8]) -> Range<usize> {
    let trimmed = |mut range: Range<usize>| {
        while range.start < range.end && is_blank(line[range.start]) {
            range.start += 1;
        }
        while range.start < range.end && is_blank(line[range.end - 1]) {
            range.end -= 1;
        }
        range
    };
    let mut whole = trimmed(0..line.len());
    while whole.start < whole.end && (line[whole.start] == b'|' || is_blank(line[whole.start])) {
        whole.start += 1;
    }
    let text = &line[whole.clone()];
    if let [b'"' | b'\'', quoted @ ..] = text {
        let end = quoted.iter().position(|byte| matches!(byte, b'"' | b'\''));
        let start = whole.start + 1;
        return trimmed(start..start + end.unwrap_or(quoted.len()));
    }
    let ends = |byte: &u8| matches!(byte, b'\t' | b',' | b';' | b'|' | b' ');
    let end = text.iter().position(ends).unwrap_or(text.len());
    // The footers "2 rows in set" and "(2 rows)" are no id 2.
    if text[end..].starts_with(b" row") && is_footer(text) {
        return whole;
    }
    whole.start..whole.start + end
}

/// Whether a line is what a query tool writes below its rows.
pub(super) fn is_footer(line: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(line) else {
        return false;
    };
    let bare = text.trim().trim_start_matches('(');
    let mut words = bare.split(' ').filter(|word| !word.is_empty());
    let counts = words
        .next()
        .is_some_and(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
    let noun = words.next();
    let psql = text.trim().starts_with('(') && matches!(noun, Some("row)" | "rows)"));
    let mysql = matches!(noun, Some("row" | "rows"))
        && words.next() == Some("in")
        && words.next() == Some("set");
    counts && (psql || mysql)
}

/// Whether a line is part of a frame around a table.
pub(super) fn is_rule(line: &[u8]) -> bool {
    line.len() > 1
        && line
            .iter()
            .all(|byte| matches!(byte, b'-' | b'+' | b'|' | b'=' | b' '))
}

/// Whether a field is the name of a column: a letter or `_` first, no digit at all.
pub(super) fn is_heading(field: &[u8]) -> bool {
    let plain = |byte: &u8| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'.' | b'-' | b' ');
    matches!(field, [b'a'..=b'z' | b'A'..=b'Z' | b'_', ..]) && field.iter().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts with their lines and columns.
    fn all(text: &str, buffer: usize) -> Vec<(String, u64, u64)> {
        let input = io::BufReader::with_capacity(buffer, io::Cursor::new(text.to_owned()));
        let mut fields = Fields::new(input);
        let mut found = Vec::new();
        while fields.next().unwrap().is_some() {
            let text = String::from_utf8_lossy(fields.text()).into_owned();
            found.push((text, fields.line(), fields.column()));
        }
        found
    }

    fn check(text: &str, expected: &[(&str, u64, u64)]) {
        for buffer in [3, 8, 4096] {
            let found = all(text, buffer);
            let found: Vec<_> = found.iter().map(|(text, l, c)| (&**text, *l, *c)).collect();
            assert_eq!(found, expected, "{text} in buffers of {buffer}");
        }
    }

    #[test]
    fn a_field_is_the_first_of_its_line() {
        check(
            "\u{feff}id\r\n\n  \"17\" ,x\n18\tx\n| 19 | y |\n'a b'",
            &[
                ("id", 1, 1),
                ("", 2, 1),
                ("17", 3, 4),
                ("18", 4, 1),
                ("19", 5, 3),
                ("a b", 6, 2),
            ],
        );
    }

    #[test]
    fn arrays_are_read_on_one_line_or_on_many() {
        check("[\"a\",\"b\"]\n", &[("a", 1, 3), ("b", 1, 7)]);
        check("[\n  1,\n  22\n]\n", &[("1", 2, 3), ("22", 3, 3)]);
        check(
            "[ \"a\" ] [7]\n[]\n[8",
            &[("a", 1, 4), ("7", 1, 10), ("8", 3, 2)],
        );
        check("[1]x\n2", &[("1", 1, 2), ("x", 1, 4), ("2", 2, 1)]);
    }

    #[test]
    fn an_array_of_a_megabyte_on_one_line_is_read_element_by_element() {
        let text = format!("[{}1]", "12345678,".repeat(100_000));
        let mut fields = Fields::new(io::Cursor::new(text));
        let mut count = 0;
        while fields.next().unwrap().is_some() {
            count += 1;
        }
        assert_eq!(
            (count, fields.line(), fields.open_array()),
            (100_001, 1, None)
        );
        assert!(fields.buffer.capacity() < 1000);
    }

    #[test]
    fn what_surrounds_rows_is_known() {
        assert!(is_footer(b"(2 rows)") && is_footer(b"1 row in set (0.00 sec)"));
        assert!(!is_footer(b"2") && !is_footer(b"2 rows"));
        assert!(is_rule(b"+----+--+") && is_rule(b" ---- ") && !is_rule(b"-1"));
        assert!(is_heading(b"order_id") && !is_heading(b"id2") && !is_heading(b""));
    }
}
