//! `sim ids`: ids of a scheme, or their fields.

use crate::args::{self, usage};
use crate::report;
use crate::writers::{FleetArgs, explain};
use anyhow::Result;
use comfy_table::{CellAlignment, Table, presets};
use idlab::clock::Timestamp;
use idlab::fleet::{Fleet, FleetSpec, Issued};
use idlab::scheme::{self, Scheme, Spec, Visitor};
use std::io::{BufWriter, Write};

/// Print ids of a scheme as a simulated fleet issues them, or their fields
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  sim ids uuid_v7 -n 5 --decode\n  sim ids snowflake:worker=8:sequence=14 -n 1M --writers 4 > ids.txt"
)]
pub struct Args {
    /// The scheme, with parameters
    scheme: String,
    /// How many
    #[arg(short = 'n', long = "count", value_name = "N", default_value = "10", value_parser = args::positive)]
    count: u64,
    /// Show the fields of each
    #[arg(long)]
    decode: bool,
    /// Seed of all randomness
    #[arg(long, value_name = "N", default_value = "1", value_parser = args::count)]
    seed: u64,
    #[command(flatten)]
    fleet: FleetArgs,
}

pub fn run(args: &Args) -> Result<()> {
    let spec: Spec = args.scheme.parse().map_err(usage)?;
    if args.decode && args.count > 100_000 {
        return Err(usage(
            "--decode aligns a table in memory, expected at most -n 100k",
        ));
    }
    let print = Print {
        spec: args.fleet.spec(args.seed)?,
        count: args.count,
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
        let reader = if self.decode {
            Some(Decoder::new(&scheme))
        } else {
            None
        };
        let mut fleet = Fleet::new(scheme, self.spec).map_err(explain)?;
        let mut stdout = BufWriter::new(std::io::stdout().lock());
        match reader {
            None => {
                for _ in 0..self.count {
                    writeln!(stdout, "{}", fleet.issue().map_err(explain)?.id)?;
                }
            }
            Some(mut decoder) => {
                for _ in 0..self.count {
                    let issued = fleet.issue().map_err(explain)?;
                    decoder.add(fleet.scheme(), &issued);
                }
                writeln!(stdout, "{}", decoder.table())?;
            }
        }
        Ok(stdout.flush()?)
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

    fn add<S: Scheme>(&mut self, scheme: &S, issued: &Issued<S::Id>) {
        let instant = scheme
            .timestamp(issued.id)
            .map(instant)
            .unwrap_or_else(|| "-".to_owned());
        let fields = scheme
            .decode(issued.id)
            .into_iter()
            .map(|(field, value)| match field.bits {
                0..=48 => value.to_string(),
                bits => format!("{value:#0width$x}", width = bits.div_ceil(4) as usize + 2),
            });
        let cells = [issued.id.to_string(), instant].into_iter().chain(fields);
        self.0.add_row(cells.chain([issued.writer.to_string()]));
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
