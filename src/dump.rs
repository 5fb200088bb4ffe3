//! Dumps: real ids, one a line, in the order of their arrival.
//!
//! The id of a line is its first field (up to a tab, comma, semicolon, bar or
//! space) without quotes. Lines that are empty, begin with `#`, are too long,
//! are not UTF-8 or hold no id are skipped and counted. What kind of ids they
//! are is told from the first thousand; a later id of another kind is an error
//! unless the kind was given. Memory does not grow with the dump.

mod kind;

pub use kind::{KINDS, Kind};

use crate::id::Key20;
use crate::source::{AnySource, Source, SourceError, Stream};
use std::collections::{BTreeMap, VecDeque};
use std::io::{self, BufRead};
use std::sync::{Arc, Mutex};

/// The longest line looked at.
const MAX_LINE_BYTES: usize = 4096;
/// Ids from which the kind is told.
const TOLD_FROM: usize = 1000;

/// What was read so far.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// Lines.
    pub lines: u64,
    /// Ids among them.
    pub ids: u64,
    /// Lines skipped, by reason.
    pub skipped: BTreeMap<&'static str, u64>,
    /// The first line skipped that is neither empty nor a comment.
    pub first_skipped: Option<u64>,
    /// Versions met, as bits, if the ids are UUIDs.
    uuid_versions: u16,
}

impl Report {
    fn skip(&mut self, reason: &'static str) {
        *self.skipped.entry(reason).or_default() += 1;
        if !matches!(reason, EMPTY | COMMENT) {
            self.first_skipped.get_or_insert(self.lines);
        }
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
        let mut candidates: Option<Vec<Kind>> = given.map(|kind| vec![kind]);
        let mut first = None;
        while dump.ahead.len() < TOLD_FROM {
            let Some(text) = dump.next_field()? else {
                break;
            };
            let line = dump.now.lines;
            let fits = kind::candidates(&text);
            if fits.is_empty() {
                dump.now.skip(NOT_AN_ID);
                continue;
            }
            if given.is_none() {
                let known = candidates.get_or_insert_with(|| fits.clone());
                let (before, at) = *first.get_or_insert((fits[0], line));
                known.retain(|kind| fits.iter().any(|fit| fit.same(*kind)));
                if known.is_empty() {
                    return Err(mixed(line, fits[0], before, Some(at)));
                }
            }
            dump.ahead.push_back((line, text));
        }
        let Some(kind) = candidates.and_then(|known| {
            kind::choose(&known, dump.ahead.iter().map(|(_, text)| text.as_str()))
        }) else {
            let expected = match given {
                Some(kind) => kind.to_string(),
                None => "decimal integers, UUIDs, ULIDs, KSUIDs or hex".to_owned(),
            };
            return Err(SourceError(match dump.now.lines {
                0 => format!("it is empty: expected {expected}, one id a line"),
                lines => {
                    format!("none of its {lines} lines begins with an id: expected {expected}")
                }
            }));
        };
        dump.kind = kind;
        Ok(dump)
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
            let failed =
                |error: io::Error| SourceError(format!("line {line}: cannot be read: {error}"));
            let Some(whole) = read_line(&mut self.input, &mut self.line).map_err(failed)? else {
                return Ok(None);
            };
            self.now.lines = line;
            if !whole {
                self.now.skip(TOO_LONG);
                continue;
            }
            let Ok(text) = std::str::from_utf8(&self.line) else {
                self.now.skip(NOT_UTF8);
                continue;
            };
            let text = if line == 1 {
                text.trim_start_matches('\u{feff}')
            } else {
                text
            };
            match field(text) {
                "" => self.now.skip(EMPTY),
                comment if comment.starts_with('#') => self.now.skip(COMMENT),
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
                    None => return Ok(None),
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
                None => self.now.skip(NOT_AN_ID),
                Some(_) if self.given => self.now.skip(OTHER_KIND),
                Some(&other) => return Err(mixed(line, other, self.kind, None)),
            }
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

fn mixed(line: u64, found: Kind, before: Kind, at: Option<u64>) -> SourceError {
    let at = at.map(|at| format!(" (line {at})")).unwrap_or_default();
    let hint = match (found, before) {
        (Kind::Unsigned, Kind::Decimal) => "use --as unsigned",
        _ => "use --as to take one kind and skip the rest",
    };
    SourceError(format!("line {line}: {found} among {before}{at}: {hint}"))
}

/// The first field of a line, without quotes around it.
fn field(line: &str) -> &str {
    let line = line.trim();
    if let Some(quoted) = line.strip_prefix(['"', '\'']) {
        return quoted.split(['"', '\'']).next().unwrap_or_default().trim();
    }
    line.split(['\t', ',', ';', '|', ' '])
        .next()
        .unwrap_or_default()
}

/// Reads a line without its end into `line`; `None` at the end of the input,
/// `Some(false)` if it is too long (its rest is skipped).
fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<Option<bool>> {
    line.clear();
    let (mut any, mut whole) = (false, true);
    loop {
        let buffer = match input.fill_buf() {
            Ok(buffer) => buffer,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if buffer.is_empty() {
            return Ok(any.then_some(whole));
        }
        any = true;
        let end = buffer.iter().position(|&byte| byte == b'\n');
        let part = &buffer[..end.unwrap_or(buffer.len())];
        whole &= line.len() + part.len() <= MAX_LINE_BYTES;
        if whole {
            line.extend_from_slice(part);
        }
        let used = end.map_or(buffer.len(), |end| end + 1);
        input.consume(used);
        if end.is_some() {
            return Ok(Some(whole));
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
mod tests {
    use super::*;

    fn read(text: &str, given: Option<Kind>) -> Result<(Kind, Vec<u128>, Report), SourceError> {
        let mut dump = Dump::open(io::Cursor::new(text.as_bytes().to_vec()), given)?;
        let mut ids = Vec::new();
        while let Some((_, low)) = dump.next_id()? {
            ids.push(low);
        }
        Ok((dump.kind, ids, dump.now))
    }

    #[test]
    fn fields_quotes_comments_and_line_ends() {
        let text = "\u{feff}id\r\n# by created_at\n\n\"17\"\r\n18\tx\n 19 , y\n20|z\n-1\n";
        let (kind, ids, report) = read(text, None).unwrap();
        assert_eq!(kind, Kind::Decimal);
        let signed: Vec<_> = ids.iter().map(|&id| (id as u64 ^ 1 << 63) as i64).collect();
        assert_eq!(signed, [17, 18, 19, 20, -1]);
        assert_eq!(
            (report.lines, report.ids, report.first_skipped),
            (8, 5, Some(1))
        );
        assert_eq!(
            report.skipped,
            BTreeMap::from([(EMPTY, 1), (COMMENT, 1), (NOT_AN_ID, 1)])
        );
    }

    #[test]
    fn kinds_are_told_apart() {
        for (text, kind) in [
            ("1\n2\n", Kind::Decimal),
            ("18446744073709551615\n1\n", Kind::Unsigned),
            (
                "9f98e133-eb7f-45b0-9676-cce001cd6f7a\n{9F98E133-EB7F-45B0-9676-CCE001CD6F7A}\n",
                Kind::Uuid,
            ),
            (
                "urn:uuid:9f98e133-eb7f-45b0-9676-cce001cd6f7a\n9f98e133eb7f45b09676cce001cd6f7a\n",
                Kind::Uuid,
            ),
            ("01ARZ3NDEKTSV4RRFFQ69G5FAV\n", Kind::Ulid),
            ("0ujtsYcgvSTl8PAuAdqWYSMnLOv\n", Kind::Ksuid),
            ("507f1f77bcf86cd799439011\n", Kind::Hex(12)),
            ("12345678\ndeadbeef\n", Kind::Hex(4)),
            ("\\x0123456789abcdef0123456789abcdef\n", Kind::Hex(16)),
        ] {
            assert_eq!(read(text, None).unwrap().0, kind, "{text}");
        }
    }

    #[test]
    fn several_kinds_are_an_error_that_names_the_line_unless_one_is_given() {
        let text = "1\n\n9f98e133-eb7f-45b0-9676-cce001cd6f7a\n2\n";
        let error = read(text, None).unwrap_err().0;
        assert!(error.contains("line 3: UUIDs among decimal"), "{error}");
        let (_, ids, report) = read(text, Some(Kind::Uuid)).unwrap();
        assert_eq!((ids.len(), report.skipped[OTHER_KIND]), (1, 2));
        let late = "1\n".repeat(2000) + "01ARZ3NDEKTSV4RRFFQ69G5FAV\n";
        let error = read(&late, None).unwrap_err().0;
        assert!(error.contains("line 2001: ULIDs among decimal"), "{error}");
    }

    #[test]
    fn a_large_number_late_in_a_dump_asks_for_unsigned() {
        let late = "1\n".repeat(2000) + "18446744073709551615\n";
        let error = read(&late, None).unwrap_err().0;
        assert!(
            error.contains("line 2001") && error.contains("--as unsigned"),
            "{error}"
        );
        let (_, ids, _) = read(&late, Some(Kind::Unsigned)).unwrap();
        assert_eq!(ids.last(), Some(&u128::from(u64::MAX)));
    }

    #[test]
    fn nothing_to_read_says_so() {
        assert!(read("", None).unwrap_err().0.contains("empty"));
        assert!(
            read("id\nname\n", None)
                .unwrap_err()
                .0
                .contains("none of its 2 lines")
        );
        assert!(read("1\n2\n", Some(Kind::Ulid)).is_err());
    }

    #[test]
    fn a_line_of_a_megabyte_and_bytes_that_are_no_text_are_skipped() {
        let mut text = vec![b'7'; 1 << 20];
        text.extend(b"\n1\n\xff\xfe\n2");
        let mut dump = Dump::open(io::Cursor::new(text), None).unwrap();
        let mut keys: Vec<u64> = Vec::new();
        dump.fill(&mut keys, 10).unwrap();
        assert_eq!(keys, [1 | 1 << 63, 2 | 1 << 63]);
        assert_eq!(
            dump.now.skipped,
            BTreeMap::from([(TOO_LONG, 1), (NOT_UTF8, 1)])
        );
        assert_eq!(*dump.report().lock().unwrap(), dump.now);
        assert!(dump.line.capacity() <= 4 * MAX_LINE_BYTES);
    }
}
