//! `sim ids`: ids of a scheme or their fields; what a list of ids says; fields of given ids.

mod decode;
mod fixed;
mod random_bits;
mod read;
mod real_time;

use crate::args::{self, usage};
use crate::layout::instant;
use crate::recorder::Format;
use crate::report;
use crate::writers::{FleetArgs, explain};
use anyhow::Result;
use comfy_table::{CellAlignment, Table, presets};
use idlab::clock::Timestamp;
use idlab::fleet::{Fleet, FleetSpec};
use idlab::scheme::{self, Scheme, Spec, Visitor};
use random_bits::RandomBits;
use real_time::RealTime;
use std::io::{BufWriter, StdoutLock, Write};
use std::path::PathBuf;
use std::time::Duration;

pub use read::MEASURES;

/// Print ids of a scheme as a simulated fleet issues them, or as this machine's clock makes them; or their fields or random bits. Or say what a list of ids is
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  sim ids uuid_v7 -n 5 --decode\n  sim ids snowflake:worker=8:sequence=14 -n 1M --writers 4 > ids.txt\n  sim ids snowflake --real-time --rollback wait:5ms --every 1ms -n 100k\n  sim ids uuid_v4 --random-bits | dieharder -a -g 200\n  psql -Atc 'select id from orders order by created_at' | sim ids --read -\n  sim ids --decode 1541815603606036480 --as snowflake:epoch=twitter"
)]
pub struct Args {
    /// The scheme, with parameters
    #[arg(required_unless_present_any = ["read", "decode"], conflicts_with = "read")]
    scheme: Option<String>,
    /// How many [default: 10; with --random-bits all that are read, as is 0]
    #[arg(short = 'n', long = "count", value_name = "N", value_parser = args::count)]
    count: Option<u64>,
    /// Show the fields of each; or of these ids, by --as or by every scheme that fits
    #[arg(long, value_name = "ID", num_args = 0.., allow_negative_numbers = true)]
    decode: Option<Vec<String>>,
    /// Say what the ids of this file are, one a line or in JSON arrays, in the order of arrival; - reads stdin
    #[arg(long, value_name = "FILE", conflicts_with_all = ["decode", "count", "real_time", "random_bits", "writers", "rate", "arrivals", "clock_sd", "clock", "clock_log", "delay", "commit", "abort", "rollback", "numbers", "leases", "faults", "memory"])]
    read: Option<PathBuf>,
    /// The scheme that the ids are of, with parameters, or their kind (see `sim list kinds`) [default: as recognised]
    #[arg(long = "as", value_name = "SCHEME", value_parser = args::item, conflicts_with = "scheme")]
    as_scheme: Option<String>,
    /// The day after which no instant of an id is likely [default: today]
    #[arg(long, value_name = "DATE", conflicts_with = "scheme")]
    now: Option<String>,
    /// Draw charts too
    #[arg(long, requires = "read", conflicts_with_all = ["scheme", "decode"])]
    charts: bool,
    /// Folder that receives the records of --read [default: results]
    #[arg(long, value_name = "DIR", requires = "read", conflicts_with_all = ["scheme", "decode"])]
    out: Option<PathBuf>,
    /// What of --read goes to stdout [default: table]
    #[arg(long, value_enum, requires = "read", conflicts_with_all = ["scheme", "decode"])]
    format: Option<Format>,
    /// Mint by this machine's clock, as time goes by: one writer that refuses to go on (exit code 1) when the clock goes back further than its --rollback allows [default: refuse]
    #[arg(long, conflicts_with_all = ["seed", "writers", "rate", "arrivals", "clock_sd", "clock", "clock_log", "delay", "commit", "numbers", "leases", "faults", "memory"])]
    real_time: bool,
    /// Time between two ids of --real-time
    #[arg(long, value_name = "TIME", default_value = "0", allow_hyphen_values = true, value_parser = args::duration_ns, requires = "real_time")]
    every: u64,
    /// Read the clock of --real-time once a millisecond, and the processor's counter in between
    #[arg(long, requires = "real_time")]
    cached: bool,
    /// Write only the bits that claim to be random, packed into raw bytes without gaps, most significant first: for tests of randomness. One generator, 4,000 ids in each millisecond of a simulated clock
    #[arg(long, conflicts_with_all = ["decode", "real_time", "cached", "every", "writers", "rate", "arrivals", "clock_sd", "clock", "clock_log", "delay", "commit", "rollback", "numbers", "leases", "faults", "memory"])]
    random_bits: bool,
    /// Seed of all randomness
    #[arg(long, value_name = "N", default_value = "1", value_parser = args::count)]
    seed: u64,
    #[command(flatten)]
    fleet: FleetArgs,
}

pub fn run(args: &Args) -> Result<()> {
    if let Some(path) = &args.read {
        return read::run(args, path, now(args)?);
    }
    let given = args.decode.as_deref().unwrap_or_default();
    let name = match (&args.scheme, given) {
        (Some(scheme), []) => scheme,
        // The flag stands before the scheme.
        (None, [only]) if args.as_scheme.is_none() && is_scheme(only) => only,
        (None, [_, ..]) => {
            return decode::run(given, args.as_scheme.as_deref(), now(args)?);
        }
        (Some(_), [_, ..]) => {
            return Err(usage(
                "--decode with ids: expected --as instead of a scheme",
            ));
        }
        (None, []) => {
            return Err(usage(
                "--decode: expected ids, or a scheme whose ids to show",
            ));
        }
    };
    let spec: Spec = name.parse().map_err(usage)?;
    if args.random_bits {
        let bits = RandomBits {
            count: args.count.filter(|count| *count > 0),
            seed: args.seed,
        };
        return scheme::visit(&spec, bits).map_err(usage)?;
    }
    let count = args.count.unwrap_or(10);
    if count == 0 {
        return Err(usage("-n 0: expected at least 1, or --random-bits"));
    }
    let decode = args.decode.is_some();
    if decode && count > 100_000 {
        return Err(usage(
            "--decode aligns a table in memory, expected at most -n 100k",
        ));
    }
    let fleet = args.fleet.spec(args.seed)?;
    if args.real_time {
        let generator = RealTime {
            rollback: fleet.conduct.rollback,
            count,
            every: Duration::from_nanos(args.every),
            cached: args.cached,
            decode,
        };
        return scheme::visit(&spec, generator).map_err(usage)?;
    }
    let print = Print {
        spec: fleet,
        count,
        decode,
    };
    scheme::visit(&spec, print).map_err(usage)?
}

/// The last instant of the day of --now.
fn now(args: &Args) -> Result<Timestamp> {
    let day_ns = instant::now_ns(args.now.as_deref())?;
    let end_ns = u64::try_from(day_ns + instant::NS_PER_DAY - 1);
    end_ns
        .map(Timestamp)
        .map_err(|_| usage("--now: expected a day from 1970 to 2553"))
}

/// Whether a text is the spec of a scheme.
fn is_scheme(text: &str) -> bool {
    let name = text.split(':').next().unwrap_or_default();
    let presets = scheme::PRESETS.iter().map(|preset| preset.name);
    let mut known = scheme::SCHEMES
        .iter()
        .map(|scheme| scheme.name)
        .chain(presets);
    known.any(|known| known == name)
}

struct Print {
    spec: FleetSpec,
    count: u64,
    decode: bool,
}

impl Visitor for Print {
    type Output = Result<()>;

    fn visit<S: Scheme>(self, scheme: S) -> Result<()> {
        let mut sheet = Sheet::new(&scheme, self.decode);
        let mut fleet = Fleet::new(scheme, self.spec).map_err(explain)?;
        for _ in 0..self.count {
            let issued = fleet.issue().map_err(explain)?;
            sheet.add(fleet.scheme(), issued.id, issued.writer)?;
        }
        sheet.finish()
    }
}

/// What is printed: ids a line, or a table of their fields.
struct Sheet {
    stdout: BufWriter<StdoutLock<'static>>,
    decoder: Option<Decoder>,
}

impl Sheet {
    fn new(scheme: &impl Scheme, decode: bool) -> Self {
        Self {
            stdout: BufWriter::new(std::io::stdout().lock()),
            decoder: decode.then(|| Decoder::new(scheme, true)),
        }
    }

    fn add<S: Scheme>(&mut self, scheme: &S, id: S::Id, writer: u32) -> Result<()> {
        match &mut self.decoder {
            None => writeln!(self.stdout, "{id}")?,
            Some(decoder) => decoder.add(scheme, id, Some(writer)),
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        Ok(self.stdout.flush()?)
    }

    fn finish(mut self) -> Result<()> {
        if let Some(decoder) = &self.decoder {
            writeln!(self.stdout, "{}", decoder.table())?;
        }
        self.flush()
    }
}

/// A table of ids and their fields.
struct Decoder(Table);

impl Decoder {
    fn new(scheme: &impl Scheme, with_writer: bool) -> Self {
        let mut table = Table::new();
        table.load_style(presets::NOTHING);
        let fields = scheme
            .fields()
            .into_iter()
            .map(|field| format!("{}\n{} bits", field.name, field.bits));
        let headings = ["id", "instant"]
            .into_iter()
            .map(str::to_owned)
            .chain(fields);
        table.set_header(headings.chain(with_writer.then(|| "writer".to_owned())));
        table
            .column_iter_mut()
            .skip(2)
            .for_each(|column| column.set_cell_alignment(CellAlignment::Right));
        Self(table)
    }

    fn add<S: Scheme>(&mut self, scheme: &S, id: S::Id, writer: Option<u32>) {
        let instant = scheme
            .timestamp(id)
            .map(instant)
            .unwrap_or_else(|| "-".to_owned());
        let fields = scheme
            .decode(id)
            .into_iter()
            .map(|(field, value)| match field.bits {
                0..=48 => value.to_string(),
                bits => format!("{value:#0width$x}", width = bits.div_ceil(4) as usize + 2),
            });
        let cells = [id.to_string(), instant].into_iter().chain(fields);
        self.0
            .add_row(cells.chain(writer.map(|writer| writer.to_string())));
    }

    fn table(&self) -> String {
        report::print(&self.0)
    }
}

pub(crate) fn instant(at: Timestamp) -> String {
    match jiff::Timestamp::from_nanosecond(i128::from(at.0)) {
        Ok(at) => at.strftime("%Y-%m-%dT%H:%M:%S%.6fZ").to_string(),
        Err(_) => format!("{} ns", at.0),
    }
}
