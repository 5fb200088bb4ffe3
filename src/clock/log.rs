//! Logs of chrony and ntpd: how far a real clock was off, update by update.
//!
//! Errors are local less true time, as the program saw it: positive if the clock was fast.
//! A step is no line of its own: replay infers it from an error of 0.5 s or more next to one
//! below 0.25 s, or from a change that is faster than any slew; the clock is stepped at the
//! earlier of the two updates.

mod chrony;
mod ntpd;
#[cfg(test)]
mod tests;

use super::NS_PER_S;
use super::quantity::{LEAST_GAP_NS, Unit};
use crate::names::plural;
use std::collections::BTreeMap;
use std::fmt;
use std::io::{BufRead, Read};
use std::path::Path;
use thiserror::Error;

/// Longer lines are of no clock's log.
const MOST_LINE_BYTES: u64 = 4096;

/// A larger error is of a clock that was not running yet.
const MOST_OFFSET_S: f64 = 1e4;

/// The files that can be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LogFormat {
    /// chrony's `tracking.log`.
    Tracking,
    /// chrony's `statistics.log`.
    Statistics,
    /// chrony's `measurements.log`, or `rawmeasurements.log`.
    Measurements,
    /// ntpd's `loopstats`.
    Loopstats,
    /// ntpd's `peerstats`.
    Peerstats,
}

impl LogFormat {
    /// The format of a file whose first line has these fields.
    fn of(fields: &[&str]) -> Option<Self> {
        chrony::format(fields).or_else(|| ntpd::format(fields))
    }

    /// What a line says; `None` if its clock was not synchronised.
    fn entry<'a>(self, fields: &[&'a str]) -> Result<Option<Entry<'a>>, String> {
        let (least, most) = self.fields();
        if !(least..=most).contains(&fields.len()) {
            let expected = match least == most {
                true => least.to_string(),
                false => format!("{least} to {most}"),
            };
            let found = plural(fields.len() as u64, "field");
            return Err(format!(
                "{found}, expected {expected} of {self}; remove the line if it is cut off"
            ));
        }
        match self {
            Self::Tracking | Self::Statistics | Self::Measurements => chrony::entry(self, fields),
            Self::Loopstats | Self::Peerstats => ntpd::entry(self, fields).map(Some),
        }
    }

    /// Least and most fields of a line.
    fn fields(self) -> (usize, usize) {
        match self {
            Self::Tracking => (14, 14),
            Self::Statistics => (12, 13),
            // Mode and sources of timestamps may be glued together.
            Self::Measurements => (17, 20),
            Self::Loopstats => (7, 7),
            Self::Peerstats => (7, 8),
        }
    }
}

impl fmt::Display for LogFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Tracking => "chrony's tracking.log",
            Self::Statistics => "chrony's statistics.log",
            Self::Measurements => "chrony's measurements.log",
            Self::Loopstats => "ntpd's loopstats",
            Self::Peerstats => "ntpd's peerstats",
        })
    }
}

/// What a line says.
struct Entry<'a> {
    /// The server, where lines of several are mixed.
    source: &'a str,
    update: Update,
}

/// A clock's error at a time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Update {
    /// Nanoseconds since the Unix epoch.
    pub at_ns: u64,
    /// Local less true time.
    pub error_ns: i64,
    /// Its standard deviation; 0 where the log has none.
    pub sd_ns: u64,
}

/// A log that was read: at least two updates, in the order of time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClockLog {
    name: String,
    format: LogFormat,
    source: String,
    updates: Vec<Update>,
}

impl ClockLog {
    /// What the file is.
    pub fn format(&self) -> LogFormat {
        self.format
    }

    /// The server that errors are measured against: of several the one with the most lines.
    /// Empty where the log mixes none.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// At least two, in the order of time.
    pub fn updates(&self) -> &[Update] {
        &self.updates
    }

    /// Time from the first update to the last.
    pub fn length_ns(&self) -> u64 {
        match &*self.updates {
            [first, .., last] => last.at_ns - first.at_ns,
            _ => 0,
        }
    }

    /// The mean time between updates, at least 1.
    pub(super) fn mean_gap_ns(&self) -> u64 {
        let gaps = self.updates.len().saturating_sub(1).max(1);
        (self.length_ns() / gaps as u64).max(1)
    }
}

impl fmt::Display for ClockLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        if !self.source.is_empty() {
            write!(f, " of {}", self.source)?;
        }
        let seconds = self.length_ns() / NS_PER_S;
        write!(f, " ({} updates in {seconds} s)", self.updates.len())
    }
}

/// A log that cannot be read, with its name and line.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{0}")]
pub struct LogError(String);

/// Updates of a source so far.
#[derive(Default)]
struct Found {
    updates: Vec<Update>,
    line: u64,
}

/// Reads a log; its format is told from its first line. Errors name the path, the log is known
/// by the last part of it.
///
/// # Errors
/// A file of another kind, a line that is malformed or cut off, a number that is none or
/// out of range, a time that does not rise, fewer than two updates or too many in too short a
/// time, or what reading runs into.
pub fn read(mut reader: impl BufRead, path: &str) -> Result<ClockLog, LogError> {
    let mut format = None;
    let mut sources: BTreeMap<String, Found> = BTreeMap::new();
    let mut bytes = Vec::new();
    for number in 1u64.. {
        let refused = |text: String| LogError(format!("{path}: line {number}: {text}"));
        bytes.clear();
        let mut line = reader.by_ref().take(MOST_LINE_BYTES);
        let length = line.read_until(b'\n', &mut bytes);
        match length.map_err(|error| refused(format!("cannot be read: {error}")))? {
            0 => break,
            length if length as u64 == MOST_LINE_BYTES => {
                return Err(refused(unknown("a very long line")));
            }
            _ => {}
        }
        let text = std::str::from_utf8(&bytes).map_err(|_| refused(unknown("no text")))?;
        let text = match number {
            1 => text.trim_start_matches('\u{feff}'),
            _ => text,
        };
        let fields: Vec<&str> = text.split_whitespace().collect();
        let is_banner =
            text.starts_with('=') || fields.first().is_none_or(|first| *first == "Date");
        if is_banner {
            continue;
        }
        let format = match format {
            Some(format) => format,
            None => {
                let told = LogFormat::of(&fields);
                *format.insert(told.ok_or_else(|| {
                    let count = plural(fields.len() as u64, "field");
                    refused(unknown(&format!("{count} of something else")))
                })?)
            }
        };
        let Some(entry) = format.entry(&fields).map_err(refused)? else {
            continue;
        };
        if !sources.contains_key(entry.source) {
            sources.insert(entry.source.to_owned(), Found::default());
        }
        let Some(found) = sources.get_mut(entry.source) else {
            continue;
        };
        if let Some(last) = found.updates.last()
            && entry.update.at_ns <= last.at_ns
        {
            let line = found.line;
            return Err(refused(format!(
                "a time that is not after line {line}'s, expected times that rise; keep the lines of one run only"
            )));
        }
        found.updates.push(entry.update);
        found.line = number;
    }
    let most = sources
        .into_iter()
        .rev()
        .max_by_key(|(_, found)| found.updates.len());
    let (Some(format), Some((source, found))) = (format, most) else {
        return Err(LogError(format!("{path}: {}", unknown("no update"))));
    };
    if found.updates.len() < 2 {
        return Err(LogError(format!(
            "{path}: 1 update, expected at least 2; let {format} grow for longer"
        )));
    }
    let name = Path::new(path).file_name().and_then(|name| name.to_str());
    let log = ClockLog {
        name: name.unwrap_or(path).to_owned(),
        format,
        source,
        updates: found.updates,
    };
    if log.mean_gap_ns() < LEAST_GAP_NS {
        let (found, least) = (log.mean_gap_ns(), Unit::Time.show_size(LEAST_GAP_NS));
        return Err(LogError(format!(
            "{path}: updates {} apart in the mean, expected at least {least}; give a longer log",
            Unit::Time.show_size(found)
        )));
    }
    Ok(log)
}

fn unknown(found: &str) -> String {
    format!(
        "{found}, expected chrony's tracking.log, statistics.log or measurements.log, or ntpd's loopstats or peerstats; give one of these"
    )
}

/// The field at `index`, of those whose number was checked.
fn field<'a>(fields: &[&'a str], index: usize) -> &'a str {
    fields.get(index).copied().unwrap_or_default()
}

/// Seconds in nanoseconds.
fn offset_ns(name: &str, text: &str) -> Result<i64, String> {
    let seconds: f64 = text.parse().map_err(|_| no_number(name, text))?;
    if !seconds.is_finite() {
        return Err(no_number(name, text));
    }
    if seconds.abs() > MOST_OFFSET_S {
        return Err(format!(
            "{name} {text} s, expected at most {MOST_OFFSET_S} s either way; remove the lines before the clock was set"
        ));
    }
    Ok(libm::round(seconds * 1e9) as i64)
}

fn sd_ns(name: &str, text: &str) -> Result<u64, String> {
    let ns = offset_ns(name, text)?;
    u64::try_from(ns).map_err(|_| format!("{name} {text}, expected no negative number"))
}

fn no_number(name: &str, text: &str) -> String {
    format!("{name} {text:?}, expected a number of seconds; remove the line")
}
