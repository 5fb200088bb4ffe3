//! Where ids come from: schemes and fleets, reference streams, dumps.

use crate::args::{self, usage};
use crate::report;
use crate::writers::explain;
use anyhow::{Context, Result};
use idlab::clock::{NS_PER_S, Timestamp};
use idlab::dump::{self, Dump, KINDS, Kind};
use idlab::fleet::{Clocks, FleetSpec, IntoStream};
use idlab::names;
use idlab::reference::Reference;
use idlab::scheme::{self, Spec};
use idlab::source::{AnySource, Phases, Stream};
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// One source of ids by name.
#[derive(Clone)]
pub enum Input {
    /// Schemes one after another, each for its rows, issued by a fleet.
    Schemes {
        label: String,
        phases: Vec<(Spec, u64)>,
        fleet: Box<FleetSpec>,
    },
    /// A reference stream.
    Stream { name: String, seed: u64 },
    /// A dump; `-` is stdin.
    Dump {
        path: PathBuf,
        kind: Option<Kind>,
        spool: Option<Arc<File>>,
    },
}

/// A stream that is ready to be loaded.
pub struct Opened {
    pub stream: Stream,
    /// What a dump turned out to hold.
    pub dump: Option<(Kind, Arc<Mutex<dump::Report>>)>,
}

impl Input {
    /// The scheme list item `text`: `scheme[:key=value]*`, or several of them
    /// joined by `+`, each with `rows=N` (the last may leave it out).
    pub fn schemes(text: &str, rows: Option<u64>, fleet: &FleetSpec) -> Result<(Self, u64)> {
        let parts: Vec<_> = text.split('+').collect();
        let mut phases = Vec::with_capacity(parts.len());
        let mut sum = 0u64;
        for (i, part) in parts.iter().enumerate() {
            if part.trim().is_empty() {
                return Err(usage(format!(
                    "--scheme {text:?}: a + has no scheme beside it"
                )));
            }
            let mut spec: Spec = part.trim().parse().map_err(usage)?;
            let own: Vec<_> = spec
                .params
                .extract_if(.., |(key, _)| key == "rows")
                .map(|(_, rows)| rows)
                .collect();
            let lasts = match (own.as_slice(), rows) {
                ([own], _) => args::positive(own)
                    .map_err(|error| usage(format!("{part}: rows={own}: {error}")))?,
                ([_, _, ..], _) => return Err(usage(format!("{part}: rows is given twice"))),
                ([], Some(rows)) if rows > sum && i + 1 == parts.len() => rows - sum,
                ([], None) if parts.len() == 1 => DEFAULT_ROWS,
                ([], _) => {
                    return Err(usage(format!(
                        "{text}: phase {part:?} needs rows=N, such as {part}:rows=500k"
                    )));
                }
            };
            phases.push((spec, lasts));
            sum = sum
                .checked_add(lasts)
                .ok_or_else(|| usage(format!("{text}: too many rows")))?;
        }
        if let Some(rows) = rows.filter(|&rows| rows != sum) {
            return Err(usage(format!(
                "{text} has {sum} rows, but -n is {rows}: leave -n out"
            )));
        }
        Ok((
            Self::Schemes {
                label: text.to_owned(),
                phases,
                fleet: Box::new(fleet.clone()),
            },
            sum,
        ))
    }

    /// The dump in a file, `-` for stdin, of ids of the kind of this name if one is given.
    pub fn dump(path: &Path, kind: Option<&str>) -> Result<Self> {
        let named = |name: &str| {
            let found = KINDS.iter().find(|(known, _)| *known == name);
            found.map(|(_, kind)| *kind).ok_or_else(|| {
                let hint = names::nearest(name, KINDS.iter().map(|(known, _)| *known));
                usage(format!("--as {name}: unknown kind of id{hint}"))
            })
        };
        Ok(Self::Dump {
            path: path.to_owned(),
            kind: kind.map(named).transpose()?,
            spool: None,
        })
    }

    /// What rows of records call it.
    pub fn label(&self) -> String {
        match self {
            Input::Schemes { label, .. } => label.clone(),
            Input::Stream { name, .. } => name.clone(),
            Input::Dump { path, .. } if path == Path::new("-") => "stdin".to_owned(),
            Input::Dump { path, .. } => {
                let name = path
                    .file_name()
                    .unwrap_or(path.as_os_str())
                    .to_string_lossy();
                let name = name.escape_debug().to_string();
                match name.char_indices().nth(MAX_LABEL_CHARS) {
                    Some((end, _)) => format!("{}…", &name[..end]),
                    None => name,
                }
            }
        }
    }

    /// Opens it.
    ///
    /// # Errors
    /// Unknown names and parameters are errors of usage; a dump may fail to be read.
    pub fn open(&self) -> Result<Opened> {
        match self {
            Input::Schemes {
                label,
                phases,
                fleet,
            } => {
                let mut start_ns = fleet.start.0;
                let mut streams = Vec::with_capacity(phases.len());
                for (phase, (spec, rows)) in (0..).zip(phases) {
                    let start = Timestamp(start_ns);
                    let fleet = FleetSpec {
                        start,
                        phase,
                        ..(**fleet).clone()
                    };
                    start_ns = start_ns.saturating_add(phase_ns(&fleet, *rows));
                    let stream = scheme::visit_keys(spec, IntoStream(fleet))
                        .map_err(usage)?
                        .map_err(explain)?;
                    streams.push((stream, *rows));
                }
                Ok(Opened {
                    stream: join(label, streams)?,
                    dump: None,
                })
            }
            Input::Stream { name, seed } => Ok(Opened {
                stream: Reference::new(name, *seed).map_err(usage)?.into(),
                dump: None,
            }),
            Input::Dump { path, kind, spool } => {
                let name = match path == Path::new("-") {
                    true => "stdin".to_owned(),
                    false => path.display().to_string().escape_debug().to_string(),
                };
                let input: Box<dyn Read + Send> = match spool {
                    Some(file) => Box::new(FromStart {
                        file: Arc::clone(file),
                        offset: 0,
                    }),
                    None => raw(path)?,
                };
                let dump =
                    Dump::open(BufReader::with_capacity(1 << 16, input), *kind).context(name)?;
                let found = (dump.kind(), dump.report());
                Ok(Opened {
                    stream: dump.into_stream(),
                    dump: Some(found),
                })
            }
        }
    }

    /// Copies a dump aside that can be read only once (stdin, a pipe), so that
    /// several trees can read it.
    pub fn spool(&mut self) -> Result<()> {
        if let Input::Dump { path, spool, .. } = self
            && (path == Path::new("-") || !path.is_file())
        {
            let mut file = tempfile::tempfile()?;
            std::io::copy(&mut raw(path)?, &mut file)
                .with_context(|| path.display().to_string())?;
            *spool = Some(Arc::new(file));
        }
        Ok(())
    }
}

/// What a dump holds and what was skipped, in one line.
pub fn describe(label: &str, kind: Kind, report: &dump::Report) -> String {
    let mut text = format!(
        "{label}: {} {}",
        report::whole(report.ids as f64),
        dump::describe(kind, report)
    );
    if !report.skipped.is_empty() {
        let reasons: Vec<_> = report
            .skipped
            .iter()
            .map(|(reason, lines)| format!("{lines} {}", dump::words(reason)))
            .collect();
        let lines = report::plural(report.skipped.values().sum(), "line");
        text += &format!("; {lines} skipped ({})", reasons.join(", "));
        if let Some((line, reason, begins)) = &report.first_skipped {
            text += &format!(", line {line} is {}: \"{begins}\"", dump::words(reason));
        }
    }
    text
}

/// A dump's bytes.
pub fn raw(path: &Path) -> Result<Box<dyn Read + Send>> {
    if path == Path::new("-") {
        return Ok(Box::new(std::io::stdin()));
    }
    let name = || path.display().to_string().escape_debug().to_string();
    if path.is_dir() {
        anyhow::bail!(
            "{}: is a folder, expected a file with one id a line",
            name()
        );
    }
    Ok(Box::new(File::open(path).with_context(|| {
        format!("{}: cannot be opened", name())
    })?))
}

/// Time from the start of a phase to that of the next: what its rows take, and a
/// pause (a deployment) in which the last of them arrive, however late.
fn phase_ns(fleet: &FleetSpec, rows: u64) -> u64 {
    let lasts_ns = |rows: u128| rows * u128::from(NS_PER_S) / u128::from(fleet.rate);
    // Six standard deviations of the time that bursts take.
    let spread_rows = 60 * u128::from(rows.isqrt() + 1);
    let clocks_ns = match fleet.clocks {
        Clocks::Offset { sd_ns } => sd_ns,
        Clocks::Model(_) => NS_PER_S,
    };
    let late_ns = 20 * (u128::from(fleet.latency.mean_ns()) + u128::from(clocks_ns));
    let all_ns = lasts_ns(rows.into()) + lasts_ns(spread_rows) + late_ns + u128::from(NS_PER_S);
    u64::try_from(all_ns).unwrap_or(u64::MAX)
}

/// Reads a file from its start, whoever else reads it.
struct FromStart {
    file: Arc<File>,
    offset: u64,
}

impl Read for FromStart {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        #[cfg(unix)]
        let read = std::os::unix::fs::FileExt::read_at(&*self.file, buffer, self.offset)?;
        #[cfg(windows)]
        let read = std::os::windows::fs::FileExt::seek_read(&*self.file, buffer, self.offset)?;
        self.offset += read as u64;
        Ok(read)
    }
}

/// Longer names of dumps are cut.
const MAX_LABEL_CHARS: usize = 60;
/// Rows of an experiment unless told otherwise.
pub const DEFAULT_ROWS: u64 = 1_000_000;

/// The streams one after another. Their keys must be of one column.
fn join(label: &str, streams: Vec<(Stream, u64)>) -> Result<Stream> {
    let (column, text_chars) = (streams[0].0.column, streams[0].0.text_chars);
    if let Some((other, _)) = streams.iter().find(|(stream, _)| stream.column != column) {
        return Err(usage(format!(
            "{label}: its phases store {column} and {}: they need one column",
            other.column
        )));
    }
    let mut narrow = Vec::new();
    let mut wide = Vec::new();
    let mut long = Vec::new();
    for (stream, rows) in streams {
        match stream.keys {
            AnySource::Bytes8(source) => narrow.push((source, rows)),
            AnySource::Bytes16(source) => wide.push((source, rows)),
            AnySource::Bytes20(source) => long.push((source, rows)),
        }
    }
    let keys = if !narrow.is_empty() {
        AnySource::Bytes8(Box::new(Phases::new(narrow)))
    } else if !wide.is_empty() {
        AnySource::Bytes16(Box::new(Phases::new(wide)))
    } else {
        AnySource::Bytes20(Box::new(Phases::new(long)))
    };
    Ok(Stream {
        column,
        text_chars,
        keys,
    })
}
