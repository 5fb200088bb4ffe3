//! `sim ids`: ids of a scheme, or their fields.

mod random_bits;
mod real_time;

use crate::args::{self, usage};
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
use std::time::Duration;

/// Print ids of a scheme as a simulated fleet issues them, or as this machine's clock makes them; or their fields or random bits
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  sim ids uuid_v7 -n 5 --decode\n  sim ids snowflake:worker=8:sequence=14 -n 1M --writers 4 > ids.txt\n  sim ids snowflake --real-time --rollback wait:5ms --every 1ms -n 100k\n  sim ids uuid_v4 --random-bits | dieharder -a -g 200"
)]
pub struct Args {
    /// The scheme, with parameters
    scheme: String,
    /// How many [default: 10; with --random-bits all that are read, as is 0]
    #[arg(short = 'n', long = "count", value_name = "N", value_parser = args::count)]
    count: Option<u64>,
    /// Show the fields of each
    #[arg(long)]
    decode: bool,
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
    let spec: Spec = args.scheme.parse().map_err(usage)?;
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
    if args.decode && count > 100_000 {
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
            decode: args.decode,
        };
        return scheme::visit(&spec, generator).map_err(usage)?;
    }
    let print = Print {
        spec: fleet,
        count,
        decode: args.decode,
    };
    scheme::visit(&spec, print).map_err(usage)?
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
            decoder: decode.then(|| Decoder::new(scheme)),
        }
    }

    fn add<S: Scheme>(&mut self, scheme: &S, id: S::Id, writer: u32) -> Result<()> {
        match &mut self.decoder {
            None => writeln!(self.stdout, "{id}")?,
            Some(decoder) => decoder.add(scheme, id, writer),
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
    fn new(scheme: &impl Scheme) -> Self {
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
        table.set_header(headings.chain(["writer".to_owned()]));
        table
            .column_iter_mut()
            .skip(2)
            .for_each(|column| column.set_cell_alignment(CellAlignment::Right));
        Self(table)
    }

    fn add<S: Scheme>(&mut self, scheme: &S, id: S::Id, writer: u32) {
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
        self.0.add_row(cells.chain([writer.to_string()]));
    }

    fn table(&self) -> String {
        report::print(&self.0)
    }
}

fn instant(at: Timestamp) -> String {
    match jiff::Timestamp::from_nanosecond(i128::from(at.0)) {
        Ok(at) => at.strftime("%Y-%m-%dT%H:%M:%S%.6fZ").to_string(),
        Err(_) => format!("{} ns", at.0),
    }
}
