//! Dumps: real ids, one a line or in JSON arrays, in the order of their arrival.
//!
//! The id of a line is its first field (up to a tab, comma, semicolon, bar or space) without
//! quotes. Memory does not grow with the dump. There are two ways to read one:
//!
//! - [`Dump::open`], for loads: lines that are empty, begin with `#`, are too long, are not
//!   UTF-8 or hold no id are skipped and counted; when they outnumber the ids, the dump is
//!   refused. What kind of ids they are is told from the first thousand; a later id of another
//!   kind is an error. If the kind is given, whatever is not of it is skipped.
//! - [`Dump::list`], for lists that are asked what they say: whatever is neither an id of
//!   the same kind as all others nor obviously none (empty, a comment, one heading, a frame, a
//!   footer) is an error that names line, column and character.

mod fields;
mod kind;
mod kinds;
mod lines;
mod list;
mod report;

pub use kind::{KINDS, Kind};
pub use lines::Lines;
pub use list::HEAD_IDS;
pub use report::{Report, describe, words};

use crate::id::{Key, Key20};
use crate::source::{AnySource, Source, SourceError, Stream};
use fields::{Fields, Found};
use kinds::Kinds;
use list::misfit;
use report::{COMMENT, EMPTY, NOT_AN_ID, NOT_UTF8, OTHER_KIND, TOO_LONG};
use std::collections::VecDeque;
use std::io::{self, BufRead};
use std::sync::{Arc, Mutex};

/// Ids from which the kind is told.
const TOLD_FROM: usize = 1000;
/// Lines without an id after which a dump without one is given up.
const GIVE_UP_LINES: u64 = 1_000_000;

/// Texts read ahead, one after another.
#[derive(Default)]
struct Ahead {
    bytes: Vec<u8>,
    /// Line, column, and where each text ends.
    places: VecDeque<(u64, u64, usize)>,
    /// Where the next text begins.
    start: usize,
}

impl Ahead {
    fn push(&mut self, line: u64, column: u64, text: &[u8]) {
        self.bytes.extend_from_slice(text);
        self.places.push_back((line, column, self.bytes.len()));
    }

    fn texts(&self) -> impl Iterator<Item = &[u8]> {
        let mut start = self.start;
        self.places.iter().map(move |&(_, _, end)| {
            let text = &self.bytes[start..end];
            start = end;
            text
        })
    }
}

/// The ids that a list begins with, as keys.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Head {
    /// 8-byte keys.
    Bytes8(Vec<u64>),
    /// 16-byte keys.
    Bytes16(Vec<u128>),
    /// 20-byte keys.
    Bytes20(Vec<Key20>),
}

/// A dump being read.
pub struct Dump<R> {
    fields: Fields<R>,
    kind: Kind,
    /// Kinds that all ids read ahead are of.
    kinds: Kinds,
    /// Whether the kind was given: then ids of other kinds are skipped.
    given: bool,
    /// Whether nothing is skipped that may be an id.
    strict: bool,
    /// Line of the first id.
    first_line: u64,
    ahead: Ahead,
    report: Arc<Mutex<Report>>,
    now: Report,
}

impl<R: BufRead + Send + 'static> Dump<R> {
    /// Opens a dump; tells the kind of its ids unless it is `given`.
    ///
    /// # Errors
    /// Input that cannot be read, has no ids, or has ids of several kinds among the first.
    pub fn open(input: R, given: Option<Kind>) -> Result<Self, SourceError> {
        let mut dump = Self::new(input, given.is_some(), false);
        match given {
            Some(kind) => dump.find(kind)?,
            None => dump.tell()?,
        }
        Ok(dump)
    }

    fn new(input: R, given: bool, strict: bool) -> Self {
        Self {
            fields: Fields::new(input),
            kind: Kind::Decimal,
            kinds: Kinds::ALL,
            given,
            strict,
            first_line: 0,
            ahead: Ahead::default(),
            report: Arc::default(),
            now: Report::default(),
        }
    }

    /// The kinds that all ids read ahead are of, the likeliest first.
    pub fn kinds(&self) -> Vec<Kind> {
        self.kinds.iter().collect()
    }

    /// Ids read ahead as ids of this kind; those that are none are left out.
    pub fn head(&self, kind: Kind) -> Head {
        fn keys<K: Key>(ahead: &Ahead, kind: Kind) -> Vec<K> {
            let ids = ahead.texts().filter_map(|text| kind.parse(text).ok());
            ids.map(|(high, low)| K::from_parts(high, low)).collect()
        }
        match kind.key_bytes() {
            8 => Head::Bytes8(keys(&self.ahead, kind)),
            16 => Head::Bytes16(keys(&self.ahead, kind)),
            _ => Head::Bytes20(keys(&self.ahead, kind)),
        }
    }

    /// Takes all ids as ids of this kind from now on.
    pub fn choose(&mut self, kind: Kind) {
        self.kind = kind;
    }

    /// Reads up to the first id of the kind that was given.
    fn find(&mut self, kind: Kind) -> Result<(), SourceError> {
        while self.advance()? {
            let text = self.fields.text();
            let mut found = kind::candidates(text).iter().find(|found| found.same(kind));
            if kind == Kind::SqlGuid && kind.parse(text).is_ok() {
                found = Some(kind);
            }
            if let Some(found) = found {
                self.kind = found;
                self.ahead.push(self.fields.line(), 0, self.fields.text());
                return Ok(());
            }
            self.skip();
        }
        Err(self.none_found(&kind.to_string()))
    }

    /// Reads ahead and tells the kind.
    fn tell(&mut self) -> Result<(), SourceError> {
        let mut first = (Kind::Decimal, 0);
        let mut letters = false;
        while self.ahead.places.len() < TOLD_FROM && self.advance()? {
            let (line, text) = (self.fields.line(), self.fields.text());
            let fits = kind::candidates(text);
            let Some(found) = fits.first() else {
                self.skip();
                self.refuse_junk()?;
                continue;
            };
            letters |= !kind::is_number(text);
            let before = match self.ahead.places.is_empty() {
                true => fits,
                false => self.kinds,
            };
            if self.ahead.places.is_empty() {
                first = (found, line);
            }
            let both = before.both(fits);
            if both.is_empty() {
                let before = before.first().unwrap_or(first.0);
                let text = shown(text);
                return Err(match letters || found == Kind::Decimal {
                    true => mixed(line, &text, found, before, Some(first.1)),
                    false => too_large(line, &text, ""),
                });
            }
            self.kinds = both;
            self.ahead.push(line, 0, self.fields.text());
        }
        let first = self.ahead.texts().next().map(shown);
        let (Some(text), Some(kind)) = (first, self.kinds.first()) else {
            return Err(self.none_found("decimal integers, UUIDs, ULIDs, KSUIDs or other ids"));
        };
        if !letters && !matches!(kind, Kind::Decimal | Kind::Unsigned) {
            let line = self.ahead.places.front().map_or(1, |place| place.0);
            let hint = format!(
                "; if its ids are no decimal integers, use --as {}",
                kind.name()
            );
            return Err(too_large(line, &text, &hint));
        }
        self.kind = kind;
        self.refuse_junk()
    }

    fn none_found(&self, expected: &str) -> SourceError {
        SourceError(match (&self.now.first_skipped, self.now.lines) {
            (_, 0) => format!("it is empty: expected {expected}, one id a line"),
            (Some((line, reason, begins)), lines) => format!(
                "none of {lines} lines has an id as its first field: expected {expected}, but line {line} is {}: \"{begins}\"",
                words(reason)
            ),
            (None, lines) => {
                format!("none of {lines} lines has an id: expected {expected}, one id a line")
            }
        })
    }

    /// Refuses a dump with more lines that are no ids than ids.
    fn refuse_junk(&self) -> Result<(), SourceError> {
        let ids = self.now.ids + self.ahead.places.len() as u64;
        let junk = self.now.junk();
        match &self.now.first_skipped {
            // Headings and footers are no reason; nor are the first lines of a long dump.
            Some((line, reason, begins)) if !self.given && junk > ids.max(100) => {
                Err(SourceError(format!(
                    "only {ids} of the first {} lines are ids: line {line} is {}: \"{begins}\"; use --as to skip what is not of one kind",
                    self.now.lines,
                    words(reason)
                )))
            }
            _ => Ok(()),
        }
    }

    /// Counts the field as skipped.
    #[cold]
    fn skip(&mut self) {
        let (line, text) = (self.fields.line(), self.fields.text());
        let reason = match std::str::from_utf8(text) {
            Err(_) => NOT_UTF8,
            Ok(_) if kind::candidates(text).is_empty() => NOT_AN_ID,
            Ok(_) => OTHER_KIND,
        };
        self.now.skip(line, reason, text);
    }

    /// The kind of its ids.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The report, kept up to date while the dump is read.
    pub fn report(&self) -> Arc<Mutex<Report>> {
        Arc::clone(&self.report)
    }

    /// The dump as a stream of keys.
    pub fn into_stream(self) -> Stream {
        let kind = self.kind;
        let keys = match kind.key_bytes() {
            8 => AnySource::Bytes8(Box::new(self)),
            16 => AnySource::Bytes16(Box::new(self)),
            _ => AnySource::Bytes20(Box::new(self)),
        };
        Stream {
            column: kind.column(),
            text_chars: kind.text_chars(),
            keys,
        }
    }

    /// Goes to the next field that is not empty nor a comment; `false` at the end.
    #[inline]
    fn advance(&mut self) -> Result<bool, SourceError> {
        loop {
            let none = self.now.ids == 0 && self.ahead.places.is_empty();
            if none && self.now.lines >= GIVE_UP_LINES {
                return Ok(false);
            }
            let found = self.fields.next();
            let line = self.fields.line();
            let found = found.map_err(|error: io::Error| {
                SourceError(format!("line {line}: cannot be read: {error}"))
            })?;
            let Some(found) = found else {
                self.now.lines = self.now.lines.max(self.fields.lines());
                return match self.fields.open_array() {
                    Some(begin) if self.strict => Err(SourceError(format!(
                        "line {line}: the array of line {begin} is not closed, expected ]"
                    ))),
                    _ => Ok(false),
                };
            };
            self.now.lines = line;
            if found == Found::TooLong {
                if self.strict {
                    return Err(SourceError(format!(
                        "line {line}: it is longer than {} bytes, expected one id a line",
                        fields::MAX_BYTES
                    )));
                }
                self.now.skip(line, TOO_LONG, self.fields.whole());
                continue;
            }
            match self.fields.text() {
                [] => self.now.skip(line, EMPTY, b""),
                [b'#', ..] => self.now.skip(line, COMMENT, b""),
                _ => return Ok(true),
            }
        }
    }

    /// The next id as its first 4 bytes (of 20) and its low 16.
    #[inline]
    fn next_id(&mut self) -> Result<Option<(u32, u128)>, SourceError> {
        if let Some(&(line, column, end)) = self.ahead.places.front() {
            let text = &self.ahead.bytes[self.ahead.start..end];
            let parsed = self.kind.parse(text);
            if self.strict && parsed.is_err() {
                return Err(misfit(line, column, text, self.kind, self.first_line));
            }
            self.ahead.places.pop_front();
            self.ahead.start = end;
            if self.ahead.places.is_empty() {
                self.ahead = Ahead::default();
            }
            if let Ok(value) = parsed {
                return Ok(Some(self.count(line, value)));
            }
        }
        loop {
            if !self.advance()? {
                return self.refuse_junk().map(|()| None);
            }
            if let Ok(value) = self.kind.parse(self.fields.text()) {
                return Ok(Some(self.count(self.fields.line(), value)));
            }
            let (line, column) = (self.fields.line(), self.fields.column());
            if self.strict {
                self.refuse(line, column, Some(self.kind))?;
                continue;
            }
            let text = self.fields.text();
            match kind::candidates(text).first() {
                Some(other) if !self.given => {
                    return Err(mixed(line, &shown(text), other, self.kind, None));
                }
                _ => self.skip(),
            }
            self.refuse_junk()?;
        }
    }

    #[inline]
    fn count(&mut self, line: u64, value: (u32, u128)) -> (u32, u128) {
        self.now.ids += 1;
        self.now.lines_of_ids.add(line);
        if self.kind == Kind::Uuid {
            self.now.uuid_versions |= 1 << (value.1 >> 76 & 15);
        }
        value
    }

    fn fill_with<K: Key>(&mut self, keys: &mut Vec<K>, rows: usize) -> Result<(), SourceError> {
        for _ in 0..rows {
            match self.next_id()? {
                Some((high, low)) => keys.push(K::from_parts(high, low)),
                None => break,
            }
        }
        *self
            .report
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner()) = self.now.clone();
        Ok(())
    }
}

/// Text that may be shown on a line.
fn shown(text: &[u8]) -> String {
    const MOST: usize = 48;
    let text = String::from_utf8_lossy(&text[..text.len().min(4 * MOST)]);
    let begins: String = text.chars().take(MOST).collect();
    let more = if begins.len() < text.len() { "…" } else { "" };
    format!("{}{more}", begins.escape_debug())
}

fn mixed(line: u64, text: &str, found: Kind, before: Kind, at: Option<u64>) -> SourceError {
    match (found, before) {
        (Kind::Unsigned, Kind::Decimal) => too_large(line, text, " with a sign: use --as unsigned"),
        (Kind::Decimal, Kind::Unsigned) => SourceError(format!(
            "line {line}: {text} is negative, but an id before it does not fit a signed integer of 64 bits"
        )),
        (_, Kind::Decimal | Kind::Unsigned) if kind::is_number(text.as_bytes()) => {
            too_large(line, text, "")
        }
        _ => {
            let at = at.map(|at| format!(" (line {at})")).unwrap_or_default();
            SourceError(format!(
                "line {line}: {found} among {before}{at}: use --as to take one kind and skip the rest"
            ))
        }
    }
}

fn too_large(line: u64, text: &str, hint: &str) -> SourceError {
    SourceError(format!(
        "line {line}: {text} does not fit an integer of 64 bits{hint}"
    ))
}

impl<K: Key, R: BufRead + Send + 'static> Source<K> for Dump<R> {
    fn fill(&mut self, keys: &mut Vec<K>, rows: usize) -> Result<(), SourceError> {
        self.fill_with(keys, rows)
    }
}

#[cfg(test)]
mod tests;
