//! Records: what a run found, one number a line, with its provenance.
//!
//! A file is JSON Lines. Its first line is the [`Run`]; then [`Row`]s, one number
//! each, and [`Grid`]s, one picture's counts each. Rows and grids are the same
//! bytes on every machine for the same command; whatever may vary (time, host,
//! commit) is in the run line alone, but for what `sim unique` says of its speed.

mod provenance;

pub use provenance::shell_words;

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::{self, BufRead, Write};
use std::path::Path;
use thiserror::Error;

/// Version of the format.
pub const SCHEMA: u32 = 1;

/// Parameters of a run or row, by name.
pub type Parameters = BTreeMap<String, serde_json::Value>;

/// A number: whole numbers stay whole in the file.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Number {
    /// A count or a size.
    Whole(u64),
    /// A quotient.
    Real(f64),
}

impl Number {
    /// The value as a float, for charts and tables.
    pub fn as_f64(self) -> f64 {
        match self {
            Number::Whole(value) => value as f64,
            Number::Real(value) => value,
        }
    }

    /// `part / whole`, 0 if `whole` is 0.
    pub fn ratio(part: u64, whole: u64) -> Self {
        Number::Real(if whole == 0 {
            0.0
        } else {
            part as f64 / whole as f64
        })
    }
}

impl From<u64> for Number {
    fn from(value: u64) -> Self {
        Number::Whole(value)
    }
}

impl From<u32> for Number {
    fn from(value: u32) -> Self {
        Number::Whole(value.into())
    }
}

impl std::fmt::Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Number::Whole(value) => write!(f, "{value}"),
            Number::Real(value) => write!(f, "{value}"),
        }
    }
}

/// A measure: the name and unit of a number, and what it says.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Measured {
    /// Name in records, `snake_case`.
    pub name: &'static str,
    /// Unit of the value.
    pub unit: &'static str,
    /// One line on what it says.
    pub about: &'static str,
}

/// The machine a run was made on.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Host {
    /// The processor's name.
    pub cpu: String,
    /// Cores the program could use.
    pub cores: u32,
    /// Operating system and version.
    pub os: String,
}

/// One execution: provenance and every parameter.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Run {
    /// Version of the format, [`SCHEMA`].
    pub schema: u32,
    /// Digest of experiment, parameters and seed: equal for equal commands.
    pub run: String,
    /// The subcommand.
    pub experiment: String,
    /// The command as typed.
    pub command: String,
    /// The seed.
    pub seed: u64,
    /// Every parameter, defaults included.
    pub params: Parameters,
    /// Version of the program.
    pub version: String,
    /// Commit it was built from; empty if unknown.
    pub commit: String,
    /// Whether the tree had changes beyond that commit.
    pub dirty: bool,
    /// Compiler version.
    pub rustc: String,
    /// Build profile.
    pub profile: String,
    /// The machine.
    pub host: Host,
    /// Start, RFC 3339, UTC.
    pub started: String,
    /// Duration in seconds.
    pub wall_s: f64,
    /// Charts drawn from these records, by file name.
    pub charts: Vec<String>,
    /// Most memory the program held; null where the system does not tell.
    pub peak_memory_bytes: Option<u64>,
}

/// One number.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Row {
    /// The run's digest.
    pub run: String,
    /// The scheme, stream or file.
    pub scheme: String,
    /// The engine profile.
    pub engine: String,
    /// What tells this row from others of the same measure.
    pub params: Parameters,
    /// What was measured ([`Measured::name`]).
    pub measure: String,
    /// Unit of `value`.
    pub unit: String,
    /// Position on an axis if the row is a point of a curve; null on totals.
    pub x: Option<Number>,
    /// The number.
    pub value: Number,
    /// Lower bound of an estimate; null for exact counts.
    pub low: Option<Number>,
    /// Upper bound of an estimate; null for exact counts.
    pub high: Option<Number>,
    /// Trials behind the number.
    pub samples: u64,
}

/// Counts over a plane, drawn as a picture.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Grid {
    /// The run's digest.
    pub run: String,
    /// The scheme, stream or file.
    pub scheme: String,
    /// The engine profile.
    pub engine: String,
    /// What tells this grid from others of the same measure.
    #[serde(default, skip_serializing_if = "Parameters::is_empty")]
    pub params: Parameters,
    /// What was counted.
    pub measure: String,
    /// Counts: `cells[y][x]`, `y` upwards.
    pub cells: Vec<Vec<u32>>,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Line {
    Run(Run),
    Row(Row),
    Grid(Grid),
}

/// Why a record file cannot be read.
#[derive(Debug, Error)]
pub enum RecordError {
    /// Reading failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A file of other lines.
    #[error("line 1: not a record of schema {SCHEMA}: neither `schema` nor `run` is in it")]
    Other,
    /// A line is not a record.
    #[error("line {line}: not a record of schema {SCHEMA}: {cause}")]
    Line {
        /// Its number, from 1.
        line: u64,
        /// What is wrong.
        cause: String,
    },
}

/// A run with all it found.
#[derive(Clone, PartialEq, Debug)]
pub struct Records {
    /// Provenance.
    pub run: Run,
    /// Numbers.
    pub rows: Vec<Row>,
    /// Pictures.
    pub grids: Vec<Grid>,
}

impl Records {
    /// Writes run line and row lines as JSON Lines; grids too if `grids`.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write_jsonl(&self, out: &mut impl Write, grids: bool) -> io::Result<()> {
        let mut line = |line: &Line| {
            serde_json::to_writer(&mut *out, line).map_err(io::Error::from)?;
            out.write_all(b"\n")
        };
        line(&Line::Run(self.run.clone()))?;
        self.rows
            .iter()
            .try_for_each(|row| line(&Line::Row(row.clone())))?;
        if grids {
            self.grids
                .iter()
                .try_for_each(|grid| line(&Line::Grid(grid.clone())))?;
        }
        out.flush()
    }

    /// Writes the rows as CSV with a header. The run line becomes rows of kind
    /// `run`, one a fact, so that the file stays one table.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write_csv(&self, out: &mut impl Write) -> io::Result<()> {
        self.csv(out).map_err(|error| match error.into_kind() {
            csv::ErrorKind::Io(error) => error,
            other => io::Error::other(format!("{other:?}")),
        })
    }

    fn csv(&self, out: &mut impl Write) -> Result<(), csv::Error> {
        let mut csv = csv::Writer::from_writer(out);
        csv.write_record([
            "kind", "run", "scheme", "engine", "params", "measure", "unit", "x", "value", "low",
            "high", "samples",
        ])?;
        let run = serde_json::to_value(&self.run).map_err(io::Error::from)?;
        for (name, value) in run.as_object().into_iter().flatten() {
            let value = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            csv.write_record([
                "run",
                &self.run.run,
                "",
                "",
                "",
                name,
                "",
                "",
                &value,
                "",
                "",
                "",
            ])?;
        }
        let optional = |number: Option<Number>| number.map(|n| n.to_string()).unwrap_or_default();
        for row in &self.rows {
            let params = serde_json::to_string(&row.params).map_err(io::Error::from)?;
            csv.write_record([
                "row",
                &row.run,
                &row.scheme,
                &row.engine,
                &params,
                &row.measure,
                &row.unit,
                &optional(row.x),
                &row.value.to_string(),
                &optional(row.low),
                &optional(row.high),
                &row.samples.to_string(),
            ])?;
        }
        Ok(csv.flush()?)
    }

    /// Reads JSON Lines written by [`Records::write_jsonl`].
    ///
    /// # Errors
    /// A line that is no record (named by number), or no run line at the top; or JSON Lines that
    /// are something else, as their first says.
    pub fn read_jsonl(input: impl BufRead) -> Result<Self, RecordError> {
        let mut records: Option<Self> = None;
        for (line, text) in (1..).zip(input.lines()) {
            let wrong = |cause: String| RecordError::Line { line, cause };
            let text = text?;
            if line == 1 && is_other(&text) {
                return Err(RecordError::Other);
            }
            let parsed = serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
            match (parsed, &mut records) {
                (Line::Run(run), None) => {
                    records = Some(Self {
                        run,
                        rows: Vec::new(),
                        grids: Vec::new(),
                    })
                }
                (Line::Row(row), Some(records)) => records.rows.push(row),
                (Line::Grid(grid), Some(records)) => records.grids.push(grid),
                _ => return Err(wrong("a file has one run line, at its top".to_owned())),
            }
        }
        records.ok_or(RecordError::Line {
            line: 1,
            cause: "the file is empty".to_owned(),
        })
    }
}

/// Whether a line is an object as no record is.
fn is_other(line: &str) -> bool {
    let object: Result<serde_json::Map<_, _>, _> = serde_json::from_str(line);
    object.is_ok_and(|object| {
        !["schema", "run"]
            .iter()
            .any(|key| object.contains_key(*key))
    })
}

/// Writes files, all of them or none: their contents go to temporary files in
/// `folder`, which are then renamed.
///
/// # Errors
/// Those of the file system, with the name of the file; nothing is left behind then.
pub fn write_files(folder: &Path, files: &[(String, Vec<u8>)]) -> Result<(), (String, io::Error)> {
    let stage = |(name, content): &(String, Vec<u8>)| {
        if folder.join(name).is_dir() {
            return Err(io::Error::new(
                io::ErrorKind::IsADirectory,
                "a folder has its name",
            ));
        }
        let mut builder = tempfile::Builder::new();
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o644));
        let mut file = builder.prefix(".idlab-").tempfile_in(folder)?;
        file.write_all(content)?;
        file.as_file().sync_all()?;
        Ok(file)
    };
    // The text names the temporary file, which means nothing to anyone.
    let named = |name: &String, error: io::Error| (name.clone(), plain(error));
    let staged: Vec<_> = files
        .iter()
        .map(|file| stage(file).map_err(|error| named(&file.0, error)))
        .collect::<Result<_, _>>()?;
    for ((name, _), file) in files.iter().zip(staged) {
        file.persist(folder.join(name))
            .map_err(|error| named(name, error.error))?;
    }
    Ok(())
}

/// A file system's error without the path that a library added to its text.
pub fn plain(error: io::Error) -> io::Error {
    let cause = error.get_ref().and_then(|inner| inner.source());
    let cause = cause.and_then(|cause| cause.downcast_ref::<io::Error>());
    match cause.and_then(io::Error::raw_os_error) {
        Some(code) => io::Error::from_raw_os_error(code),
        None => error,
    }
}

/// The digest of a run: 16 hex digits of 64-bit FNV-1a over experiment, seed and parameters.
pub fn run_digest(experiment: &str, seed: u64, params: &Parameters) -> String {
    let text = format!("{experiment}\n{seed}\n{}", serde_json::json!(params));
    format!("{:016x}", fnv1a(text.as_bytes()))
}

/// 64-bit FNV-1a (Fowler, Noll, Vo).
pub fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests;
