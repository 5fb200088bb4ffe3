//! Where ids come from: schemes and fleets, reference streams, dumps.

use crate::args::{self, usage};
use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use idlab::clock::{NS_PER_S, Timestamp};
use idlab::dump::{self, Dump, Kind};
use idlab::fleet::{self, Arrivals, FleetSpec, IntoStream};
use idlab::reference::Reference;
use idlab::scheme::{self, Spec};
use idlab::source::{AnySource, Phases, Stream};
use std::fs::File;
use std::io::{BufReader, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// Who issues the ids, and when.
#[derive(Args, Clone)]
#[command(next_help_heading = "Writers (of schemes)")]
pub struct FleetArgs {
    /// Writers, each with its own clock
    #[arg(long, value_name = "N", default_value = "16", value_parser = args::positive)]
    pub writers: u64,
    /// Ids a second, all writers together
    #[arg(long, value_name = "IDS/S", default_value = "10k", value_parser = args::rate)]
    pub rate: u64,
    /// When ids are asked for
    #[arg(long, value_enum, default_value = "poisson")]
    pub arrivals: ArrivalsArg,
    /// Standard deviation of the writers' clock offsets
    #[arg(long, value_name = "TIME", default_value = "2ms", value_parser = args::duration_ns)]
    pub clock_sd: u64,
    /// Mean time from minting an id to inserting its row
    #[arg(long, value_name = "TIME", default_value = "1ms", value_parser = args::duration_ns)]
    pub delay: u64,
}

/// When ids are asked for.
#[derive(Clone, Copy, ValueEnum)]
pub enum ArrivalsArg {
    /// At equal intervals, writers in turn
    Steady,
    /// At random, from random writers
    Poisson,
    /// In bursts of 100 from one writer
    Bursty,
}

impl FleetArgs {
    /// The fleet that these flags describe.
    pub fn spec(&self, seed: u64) -> Result<FleetSpec> {
        let arrivals = match self.arrivals {
            ArrivalsArg::Steady => Arrivals::Steady,
            ArrivalsArg::Poisson => Arrivals::Poisson,
            ArrivalsArg::Bursty => Arrivals::Bursty,
        };
        let writers = u32::try_from(self.writers)
            .ok()
            .filter(|&writers| writers <= 1_000_000)
            .ok_or_else(|| {
                usage(format!(
                    "--writers {} is too many, expected at most 1M",
                    self.writers
                ))
            })?;
        Ok(FleetSpec {
            writers,
            rate: self.rate,
            arrivals,
            clock_sd_ns: self.clock_sd,
            delay_mean_ns: self.delay,
            seed,
            start: fleet::START,
        })
    }
}

/// One source of ids by name.
#[derive(Clone)]
pub enum Input {
    /// Schemes one after another, each for its rows, issued by a fleet.
    Schemes {
        label: String,
        phases: Vec<(Spec, u64)>,
        fleet: FleetSpec,
    },
    /// A reference stream.
    Stream { name: String, seed: u64 },
    /// A dump; `-` is stdin.
    Dump {
        path: PathBuf,
        kind: Option<Kind>,
        spool: Option<Arc<Mutex<File>>>,
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
            let mut spec: Spec = part.parse().map_err(usage)?;
            let at = spec.params.iter().position(|(key, _)| key == "rows");
            let own = at.map(|at| spec.params.remove(at).1);
            let lasts = match (own, rows) {
                (Some(own), _) => args::positive(&own)
                    .map_err(|error| usage(format!("{part}: rows={own}: {error}")))?,
                (None, Some(rows)) if rows > sum && i + 1 == parts.len() => rows - sum,
                (None, None) if parts.len() == 1 => DEFAULT_ROWS,
                _ => {
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
                "{text}: its phases have {sum} rows, but -n is {rows}; leave -n out"
            )));
        }
        Ok((
            Self::Schemes {
                label: text.to_owned(),
                phases,
                fleet: fleet.clone(),
            },
            sum,
        ))
    }

    /// What rows of records call it.
    pub fn label(&self) -> String {
        match self {
            Input::Schemes { label, .. } => label.clone(),
            Input::Stream { name, .. } => name.clone(),
            Input::Dump { path, .. } if path == Path::new("-") => "stdin".to_owned(),
            Input::Dump { path, .. } => path
                .file_name()
                .unwrap_or(path.as_os_str())
                .to_string_lossy()
                .into_owned(),
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
                for (spec, rows) in phases {
                    let fleet = FleetSpec {
                        start: Timestamp(start_ns),
                        ..fleet.clone()
                    };
                    let lasts_ns =
                        u128::from(*rows) * u128::from(NS_PER_S) / u128::from(fleet.rate);
                    start_ns = start_ns.saturating_add(u64::try_from(lasts_ns).unwrap_or(u64::MAX));
                    let stream = scheme::visit(spec, IntoStream(fleet))
                        .map_err(usage)?
                        .map_err(usage)?;
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
                let name = path.display();
                let input: Box<dyn Read + Send> = match spool {
                    Some(spool) => {
                        let mut file = spool
                            .lock()
                            .unwrap_or_else(|poisoned| poisoned.into_inner());
                        file.rewind()?;
                        Box::new(file.try_clone()?)
                    }
                    None if path == Path::new("-") => Box::new(std::io::stdin()),
                    None => Box::new(
                        File::open(path).with_context(|| format!("{name}: cannot be opened"))?,
                    ),
                };
                let dump = Dump::open(BufReader::with_capacity(1 << 16, input), *kind)
                    .with_context(|| name.to_string())?;
                let found = (dump.kind(), dump.report());
                Ok(Opened {
                    stream: dump.into_stream(),
                    dump: Some(found),
                })
            }
        }
    }

    /// Copies stdin aside so that it can be read more than once.
    pub fn spool(&mut self) -> Result<()> {
        if let Input::Dump { path, spool, .. } = self
            && path == Path::new("-")
        {
            let mut file = tempfile::tempfile()?;
            std::io::copy(&mut std::io::stdin().lock(), &mut file).context("-: cannot be read")?;
            file.flush()?;
            *spool = Some(Arc::new(Mutex::new(file)));
        }
        Ok(())
    }
}

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
