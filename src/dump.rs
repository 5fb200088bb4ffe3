//! Dumps: real ids, one a line, in the order of their arrival.
//!
//! The id of a line is its first field (up to a tab, comma, semicolon, bar or
//! space) without quotes. Lines that are empty, begin with `#`, are too long,
//! are not UTF-8 or hold no id are skipped and counted; when they outnumber
//! the ids, the dump is refused. What kind of ids they are is told from the
//! first thousand; a later id of another kind is an error. If the kind is given,
//! whatever is not of it is skipped. Memory does not grow with the dump.

mod kind;

pub use kind::{KINDS, Kind};

use crate::id::Key20;
use crate::source::{AnySource, Source, SourceError, Stream};
use std::collections::{BTreeMap, VecDeque};
use std::io::{self, BufRead};
use std::sync::{Arc, Mutex};

/// The longest line looked at.
const MAX_LINE_BYTES: usize = 4096;
/// The longest line skipped: a file with a longer one is no text.
const MAX_SKIPPED_LINE_BYTES: u64 = 64 << 20;
/// Ids from which the kind is told.
const TOLD_FROM: usize = 1000;
/// Lines without an id after which a dump without one is given up.
const GIVE_UP_LINES: u64 = 1_000_000;

/// What was read so far.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// Lines.
    pub lines: u64,
    /// Ids among them.
    pub ids: u64,
    /// Lines skipped, by reason.
    pub skipped: BTreeMap<&'static str, u64>,
    /// The first line skipped that is neither empty nor a comment: number, reason and how it begins.
    pub first_skipped: Option<(u64, &'static str, String)>,
    /// Versions met, as bits, if the ids are UUIDs.
    uuid_versions: u16,
}

impl Report {
    fn skip(&mut self, line: u64, reason: &'static str, text: &[u8]) {
        *self.skipped.entry(reason).or_default() += 1;
        let earlier = self
            .first_skipped
            .as_ref()
            .is_some_and(|(first, ..)| *first <= line);
        if !earlier && !matches!(reason, EMPTY | COMMENT) {
            let begins: String = String::from_utf8_lossy(&text[..text.len().min(40)])
                .chars()
                .take(32)
                .collect();
            self.first_skipped = Some((line, reason, begins.escape_debug().to_string()));
        }
    }

    /// Lines skipped that are neither empty nor comments.
    fn junk(&self) -> u64 {
        let none = |reason| self.skipped.get(reason).copied().unwrap_or(0);
        self.skipped.values().sum::<u64>() - none(EMPTY) - none(COMMENT)
    }

    /// Versions of the UUIDs met, ascending.
    pub fn uuid_versions(&self) -> Vec<u32> {
        (0..16)
            .filter(|version| self.uuid_versions >> version & 1 == 1)
            .collect()
    }
}

const EMPTY: &str = "empty";
const COMMENT: &str = "comment";
const TOO_LONG: &str = "too_long";
const NOT_UTF8: &str = "not_utf8";
const NOT_AN_ID: &str = "not_an_id";
const OTHER_KIND: &str = "other_kind";

/// A dump being read.
pub struct Dump<R> {
    input: R,
    line: Vec<u8>,
    kind: Kind,
    /// Whether the kind was given: then ids of other kinds are skipped.
    given: bool,
    /// Ids read while the kind was told, with their lines.
    ahead: VecDeque<(u64, String)>,
    report: Arc<Mutex<Report>>,
    now: Report,
}

impl<R: BufRead + Send + 'static> Dump<R> {
    /// Opens a dump; tells the kind of its ids unless it is `given`.
    ///
    /// # Errors
    /// Input that cannot be read, has no ids, or has ids of several kinds among the first.
    pub fn open(input: R, given: Option<Kind>) -> Result<Self, SourceError> {
        let mut dump = Self {
            input,
            line: Vec::new(),
            kind: given.unwrap_or(Kind::Decimal),
            given: given.is_some(),
            ahead: VecDeque::new(),
            report: Arc::default(),
            now: Report::default(),
        };
        match given {
            Some(kind) => dump.find(kind)?,
            None => dump.tell()?,
        }
        Ok(dump)
    }

    /// Reads up to the first id of the kind that was given.
    fn find(&mut self, kind: Kind) -> Result<(), SourceError> {
        while let Some(text) = self.next_field()? {
            if let Some(found) = kind::candidates(&text)
                .into_iter()
                .find(|found| found.same(kind))
            {
                self.kind = found;
                self.ahead.push_back((self.now.lines, text));
                return Ok(());
            }
            self.skip(self.now.lines, &text);
        }
        Err(self.none_found(&kind.to_string()))
    }

    /// Reads ahead and tells the kind.
    fn tell(&mut self) -> Result<(), SourceError> {
        let mut known: Option<Vec<Kind>> = None;
        let mut first = (Kind::Decimal, 0);
        let mut letters = false;
        while self.ahead.len() < TOLD_FROM {
            let Some(text) = self.next_field()? else {
                break;
            };
            let line = self.now.lines;
            let fits = kind::candidates(&text);
            if fits.is_empty() {
                self.skip(line, &text);
                self.refuse_junk()?;
                continue;
            }
            letters |= !kind::is_number(&text);
            let before = known.clone().unwrap_or_else(|| {
                first = (fits[0], line);
                fits.clone()
            });
            let both: Vec<_> = before
                .iter()
                .copied()
                .filter(|kind| fits.contains(kind))
                .collect();
            if both.is_empty() {
                let before = before[0];
                return Err(match letters || fits[0] == Kind::Decimal {
                    true => mixed(line, &text, fits[0], before, Some(first.1)),
                    false => too_large(line, &text, ""),
                });
            }
            known = Some(both);
            self.ahead.push_back((line, text));
        }
        let Some(&kind) = known.as_ref().and_then(|known| known.first()) else {
            return Err(self.none_found("decimal integers, UUIDs, ULIDs, KSUIDs or hex"));
        };
        if !letters && !matches!(kind, Kind::Decimal | Kind::Unsigned) {
            let (line, text) = &self.ahead[0];
            let hint = format!(
                "; if its ids are no decimal integers, use --as {}",
                kind.name()
            );
            return Err(too_large(*line, text, &hint));
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
        let (ids, junk) = (self.now.ids + self.ahead.len() as u64, self.now.junk());
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

    fn skip(&mut self, line: u64, text: &str) {
        let reason = if kind::candidates(text).is_empty() {
            NOT_AN_ID
        } else {
            OTHER_KIND
        };
        self.now.skip(line, reason, text.as_bytes());
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
        let column = self.kind.column();
        let text_chars = self.kind.text_chars();
        let keys = match column.value_bytes() {
            0..=8 => AnySource::Bytes8(Box::new(self)),
            9..=16 => AnySource::Bytes16(Box::new(self)),
            _ => AnySource::Bytes20(Box::new(self)),
        };
        Stream {
            column,
            text_chars,
            keys,
        }
    }

    /// The first field of the next line that has one.
    fn next_field(&mut self) -> Result<Option<String>, SourceError> {
        loop {
            let line = self.now.lines + 1;
            if line > GIVE_UP_LINES && self.now.ids == 0 && self.ahead.is_empty() {
                return Ok(None);
            }
            let failed =
                |error: io::Error| SourceError(format!("line {line}: cannot be read: {error}"));
            let Some(whole) = read_line(&mut self.input, &mut self.line).map_err(failed)? else {
                return Ok(None);
            };
            self.now.lines = line;
            let text = match (whole, std::str::from_utf8(&self.line)) {
                (true, Ok(text)) => text,
                (true, Err(_)) => {
                    self.now.skip(line, NOT_UTF8, &self.line);
                    continue;
                }
                (false, _) => {
                    self.now.skip(line, TOO_LONG, &self.line);
                    continue;
                }
            };
            let text = if line == 1 {
                text.trim_start_matches('\u{feff}')
            } else {
                text
            };
            match field(text) {
                "" => self.now.skip(line, EMPTY, b""),
                comment if comment.starts_with('#') => self.now.skip(line, COMMENT, b""),
                field => return Ok(Some(field.to_owned())),
            }
        }
    }

    /// The next id as its first 4 bytes (of 20) and its low 16.
    fn next_id(&mut self) -> Result<Option<(u32, u128)>, SourceError> {
        loop {
            let (line, text) = match self.ahead.pop_front() {
                Some(ahead) => ahead,
                None => match self.next_field()? {
                    Some(text) => (self.now.lines, text),
                    None => return self.refuse_junk().map(|()| None),
                },
            };
            if let Some(value) = self.kind.parse(&text) {
                self.now.ids += 1;
                if self.kind == Kind::Uuid {
                    self.now.uuid_versions |= 1 << (value.1 >> 76 & 15);
                }
                return Ok(Some(value));
            }
            match kind::candidates(&text).first() {
                Some(&other) if !self.given => {
                    return Err(mixed(line, &text, other, self.kind, None));
                }
                _ => self.skip(line, &text),
            }
            self.refuse_junk()?;
        }
    }

    fn fill_with<K>(
        &mut self,
        keys: &mut Vec<K>,
        rows: usize,
        make: fn(u32, u128) -> K,
    ) -> Result<(), SourceError> {
        for _ in 0..rows {
            match self.next_id()? {
                Some((high, low)) => keys.push(make(high, low)),
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

/// A reason for skipping a line, in words.
pub fn words(reason: &str) -> String {
    match reason {
        NOT_UTF8 => "not UTF-8 text".to_owned(),
        OTHER_KIND => "of another kind".to_owned(),
        _ => reason.replace('_', " "),
    }
}

fn mixed(line: u64, text: &str, found: Kind, before: Kind, at: Option<u64>) -> SourceError {
    match (found, before) {
        (Kind::Unsigned, Kind::Decimal) => too_large(line, text, " with a sign: use --as unsigned"),
        (Kind::Decimal, Kind::Unsigned) => SourceError(format!(
            "line {line}: {text} is negative, but an id before it does not fit a signed integer of 64 bits"
        )),
        (_, Kind::Decimal | Kind::Unsigned) if kind::is_number(text) => too_large(line, text, ""),
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

/// The first field of a line, without quotes around it; of a table in a frame, the first cell.
fn field(line: &str) -> &str {
    let line = line.trim().trim_start_matches(['|', '[']).trim_start();
    if let Some(quoted) = line.strip_prefix(['"', '\'']) {
        return quoted.split(['"', '\'']).next().unwrap_or_default().trim();
    }
    let end = line.find(['\t', ',', ';', '|', ' ']).unwrap_or(line.len());
    let (field, rest) = line.split_at(end);
    // The footer "2 rows in set" is no id 2.
    let mut words = rest.split(' ').filter(|word| !word.is_empty());
    let footer = matches!(words.next(), Some("row" | "rows"))
        && words.next() == Some("in")
        && words.next() == Some("set");
    if footer { line } else { field }
}

/// Reads a line without its end into `line`; `None` at the end of the input,
/// `Some(false)` if it is too long (its rest is skipped).
fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<Option<bool>> {
    line.clear();
    let mut bytes = 0u64;
    let mut any = false;
    loop {
        let buffer = match input.fill_buf() {
            Ok(buffer) => buffer,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let whole = bytes <= MAX_LINE_BYTES as u64;
        if buffer.is_empty() {
            return Ok(any.then_some(whole));
        }
        any = true;
        let end = buffer.iter().position(|&byte| byte == b'\n');
        let part = &buffer[..end.unwrap_or(buffer.len())];
        bytes += part.len() as u64;
        if bytes > MAX_SKIPPED_LINE_BYTES {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "it is longer than 64 MiB, so this is no text",
            ));
        }
        line.extend_from_slice(&part[..part.len().min(MAX_LINE_BYTES - line.len())]);
        let used = end.map_or(buffer.len(), |end| end + 1);
        input.consume(used);
        if end.is_some() {
            return Ok(Some(bytes <= MAX_LINE_BYTES as u64));
        }
    }
}

macro_rules! source {
    ($key:ty, $make:expr) => {
        impl<R: BufRead + Send + 'static> Source<$key> for Dump<R> {
            fn fill(&mut self, keys: &mut Vec<$key>, rows: usize) -> Result<(), SourceError> {
                self.fill_with(keys, rows, $make)
            }
        }
    };
}

source!(u64, |_, low| low as u64);
source!(u128, |_, low| low);
source!(Key20, Key20::new);

/// What a dump's ids are, in words: "UUIDs (version 4)".
pub fn describe(kind: Kind, report: &Report) -> String {
    match (kind, report.uuid_versions().as_slice()) {
        (Kind::Uuid, [version]) => format!("{kind} (version {version})"),
        (Kind::Uuid, versions @ [_, ..]) => {
            let versions: Vec<_> = versions.iter().map(u32::to_string).collect();
            format!("{kind} (versions {})", versions.join(", "))
        }
        _ => kind.to_string(),
    }
}

#[cfg(test)]
mod tests;
