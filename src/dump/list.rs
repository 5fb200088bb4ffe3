//! Lists: dumps in which nothing is skipped that may be an id.

use super::fields;
use super::kind::{KINDS, Kind, candidates, is_number};
use super::kinds::Kinds;
use super::report::{FRAME, HEADING};
use super::{Dump, shown};
use crate::id::ParseError;
use crate::names::plural;
use crate::source::SourceError;
use std::io::BufRead;

/// Ids from which a list is told what it is.
pub const HEAD_IDS: usize = 65_536;

impl<R: BufRead + Send + 'static> Dump<R> {
    /// Opens a list of ids of one of these kinds, or of any kind without a sign if there are
    /// none, and reads the first [`HEAD_IDS`]. Its kind is then the likeliest.
    ///
    /// # Errors
    /// Input that cannot be read, has no ids, or anything among the first that is not clear.
    pub fn list(input: R, given: &[Kind]) -> Result<Self, SourceError> {
        let mut dump = Self::new(input, !given.is_empty(), true);
        let allowed = match given {
            [] => Kinds::ALL.without(Kind::Decimal),
            given => given.iter().copied().collect(),
        };
        dump.kinds = allowed;
        dump.kind = given.first().copied().unwrap_or(dump.kind);
        let (mut letters, mut second) = (false, None);
        while dump.ahead.places.len() < HEAD_IDS && dump.advance()? {
            let text = dump.fields.text();
            let fits = match given {
                [] if !letters && is_large_number(text) => Kinds::default(),
                // What SQL Server orders in its way is written as any UUID.
                given if given.contains(&Kind::SqlGuid) && Kind::SqlGuid.parse(text).is_ok() => {
                    Kinds::from_iter([Kind::SqlGuid])
                }
                _ => candidates(text).both(allowed),
            };
            let both = dump.kinds.both(fits);
            if both.is_empty() {
                dump.refuse(dump.fields.line(), dump.fields.column(), None)?;
                continue;
            }
            letters |= !is_number(text);
            if dump.ahead.places.is_empty() {
                dump.first_line = dump.fields.line();
                // Below a heading are the columns of a table.
                if !dump.now.skipped.contains_key(HEADING) {
                    second = dump.fields.second();
                }
            }
            dump.kinds = both;
            let (line, column) = (dump.fields.line(), dump.fields.column());
            dump.ahead.push(line, column, dump.fields.text());
        }
        if dump.ahead.places.len() == 1
            && let Some((column, text)) = second
            && !candidates(&text).both(dump.kinds).is_empty()
        {
            return Err(SourceError(format!(
                "line {}, column {column}: \"{}\" is a second id on the line, expected one id a line, or all within [ ]",
                dump.first_line,
                shown(&text)
            )));
        }
        // Of a scheme's own text and what columns make of it, the first that was asked for.
        let asked = given
            .iter()
            .copied()
            .find(|kind| dump.kinds.iter().any(|known| known.same(*kind)));
        match dump.kinds.first() {
            _ if dump.ahead.places.is_empty() => {
                let kinds: Vec<_> = given.iter().map(ToString::to_string).collect();
                let expected = if given.is_empty() {
                    "ids".to_owned()
                } else {
                    kinds.join(" or ")
                };
                return Err(dump.none_found(&expected));
            }
            Some(Kind::Hex(bytes)) if asked.is_none_or(|asked| asked.same(Kind::Hex(0))) => {
                dump.kind = Kind::Hex(bytes);
            }
            first => dump.kind = asked.or(first).unwrap_or(dump.kind),
        }
        Ok(dump)
    }

    /// Skips the field of a list if it is obviously no id; refuses it if not. It is no id of
    /// kind `expected`, or of any that those before have been.
    #[cold]
    pub(super) fn refuse(
        &mut self,
        line: u64,
        column: u64,
        expected: Option<Kind>,
    ) -> Result<(), SourceError> {
        let text = self.fields.text();
        let before = self.first_line;
        let reason = match before == 0 && !self.now.skipped.contains_key(HEADING) {
            _ if fields::is_rule(self.fields.whole()) || fields::is_footer(text) => FRAME,
            true if fields::is_heading(text) => HEADING,
            _ => {
                let known = if before > 0 { self.kinds.first() } else { None };
                let expected = expected.or(known).or(self.given.then_some(self.kind));
                let negative = text.starts_with(b"-") && is_number(text);
                return Err(match expected.or_else(|| nearest(text)) {
                    Some(Kind::Unsigned) if negative => negative_number(line, column, text),
                    Some(kind) => {
                        let error = misfit(line, column, text, kind, before);
                        match candidates(text).first() {
                            Some(other) if before == 0 && !self.given && is_large_number(text) => {
                                let hint = format!("; if it is no number: --as {}", other.name());
                                SourceError(error.0 + &hint)
                            }
                            _ => error,
                        }
                    }
                    None => SourceError(format!(
                        "line {line}, column {column}: \"{}\" is no id of any kind (see `sim list kinds`){}",
                        shown(text),
                        match self.fields.second() {
                            Some(_) => ", and ids are expected as the first field",
                            None => "",
                        }
                    )),
                });
            }
        };
        self.now.skip(line, reason, text);
        Ok(())
    }
}

/// The kind that a text which is none looks most like: by its length.
fn nearest(text: &[u8]) -> Option<Kind> {
    let text = match text.strip_prefix(b"-") {
        Some(digits) if is_number(digits) => digits,
        _ => text,
    };
    if is_number(text) {
        return Some(Kind::Unsigned);
    }
    let kinds = KINDS
        .iter()
        .map(|(_, kind)| *kind)
        .filter(|kind| *kind != Kind::SqlGuid);
    let strings = kinds.filter(|kind| !matches!(kind, Kind::Decimal | Kind::Unsigned));
    let errors = strings.filter_map(|kind| Some((kind, kind.parse(text).err()?)));
    let mut near = errors.filter(|(_, error)| !matches!(error, ParseError::Length { .. }));
    // A text that is too large has all its characters right.
    let mut found = near
        .clone()
        .find(|(_, error)| matches!(error, ParseError::Overflow { .. }));
    found = found.or_else(|| near.find(|(kind, _)| !matches!(kind, Kind::Hex(_))));
    found.map(|(kind, _)| kind)
}

/// Whether a text is a negative number, or one of more than 64 bits, though its digits might also
/// be an id of letters and digits: chance makes none of digits alone, but the first ones of all
/// begin with a 0.
fn is_large_number(text: &[u8]) -> bool {
    let is_hex = Kind::Uuid.parse(text).is_ok();
    is_number(text) && !text.starts_with(b"0") && !is_hex && Kind::Unsigned.parse(text).is_err()
}

fn negative_number(line: u64, column: u64, text: &[u8]) -> SourceError {
    SourceError(format!(
        "line {line}, column {column}: {} is negative, and no scheme issues such ids: --as decimal takes numbers with a sign",
        shown(text)
    ))
}

/// Why a text of a list is no id of this kind.
pub(super) fn misfit(
    line: u64,
    column: u64,
    text: &[u8],
    kind: Kind,
    first_line: u64,
) -> SourceError {
    let like = match first_line {
        0 => String::new(),
        line => format!(" as on line {line}"),
    };
    let shown = shown(text);
    let place = format!("line {line}, column");
    SourceError(match kind.parse(text) {
        Err(ParseError::Character { found, position }) => format!(
            "{place} {}: unexpected character {found:?} in \"{shown}\", expected {kind}{like}",
            column + position as u64 - 1
        ),
        Err(ParseError::Length { expected, found }) => format!(
            "{place} {column}: \"{shown}\" has {}, expected {kind}{like}: {expected} characters",
            plural(found as u64, "character")
        ),
        Err(ParseError::Overflow { max }) => {
            format!(
                "{place} {column}: \"{shown}\" is too large, expected {kind}{like}: at most {max}"
            )
        }
        Ok(_) => format!("{place} {column}: \"{shown}\" is of another kind, expected {kind}{like}"),
    })
}
