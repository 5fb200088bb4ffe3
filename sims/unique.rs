//! `sim unique`: generators side by side mint in bulk, and no id comes twice.

use crate::args::{self, usage};
use crate::recorder::{self, OutputArgs, Recorder};
use crate::report::{self, Notes};
use anyhow::{Result, bail};
use clap::ValueEnum;
use idlab::chart::{Chart, ChartError};
use idlab::id::Id;
use idlab::measure::{DUPLICATE_IDS, Mint, Rows};
use idlab::random;
use idlab::record::{Measured, Number, Parameters, Records, Row};
use idlab::scheme::{self, Limits, Scheme, Spec, Visitor};
use indicatif::{HumanBytes, ProgressBar};
use std::fmt::Write;
use std::time::Instant;

/// Mint ids in bulk by generators side by side, and prove that no two are equal
///
/// Each generator is a writer with its own worker number, clock and seeded randomness,
/// as a thread of an application has one; those of a scheme with a centre share it, and mint in
/// turn. All ids are compared, 8 bytes of memory each; equal fingerprints are minted again and
/// compared in full. Exit code 1 if an id comes twice, or if a generator's ids do not ascend
/// where the scheme promises it.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  sim unique\n  sim unique -n 1G\n  sim unique --scheme snowflake,uuid_v7:tail=counter --clock real -n 100M"
)]
pub struct Args {
    /// Schemes, with parameters
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = DEFAULT_SCHEMES, value_parser = args::item)]
    scheme: Vec<String>,
    /// Ids of each scheme, all generators together
    #[arg(short = 'n', long = "ids", value_name = "N", default_value = "10M", value_parser = args::positive)]
    ids: u64,
    /// Generators; their worker numbers are 0, 1, ...
    #[arg(long, value_name = "N", default_value = "2", value_parser = args::threads)]
    generators: usize,
    /// simulated: --per-ms passes by; real: this machine's clock, and ticks that are used up are waited out
    #[arg(long, value_enum, default_value = "simulated")]
    clock: Time,
    /// Ids of a generator in each millisecond of the simulated clock; at one reading of the real one
    #[arg(long, value_name = "N", default_value = "4000", value_parser = per_ms)]
    per_ms: usize,
    /// Put the first id in the place of the last one
    #[arg(long, hide = true)]
    plant: bool,
    #[command(flatten)]
    output: OutputArgs,
}

const DEFAULT_SCHEMES: &str =
    "uuid_v4,uuid_v7,uuid_v7:tail=monotonic,ulid,ulid:tail=monotonic,ksuid,snowflake";

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Time {
    Simulated,
    Real,
}

/// Ids in a batch.
fn per_ms(text: &str) -> Result<usize, String> {
    match args::positive(text)? {
        number @ 1..=1_000_000 => Ok(number as usize),
        _ => Err("expected at most 1M".to_owned()),
    }
}

/// What is measured, beside [`DUPLICATE_IDS`].
pub const MEASURES: &[&Measured] = &[&STEPS_BACK, &PROMISED, &MINT_S, &CHECK_S, &CEILING];

const STEPS_BACK: Measured = Measured {
    name: "steps_back",
    unit: "ids",
    about: "ids that are not larger than the one before of the same generator",
};

const PROMISED: Measured = Measured {
    name: "order_promised",
    unit: "yes=1",
    about: "whether the ids of a generator are to ascend",
};

const MINT_S: Measured = Measured {
    name: "mint_s",
    unit: "s",
    about: "time that minting took",
};

const CHECK_S: Measured = Measured {
    name: "check_s",
    unit: "s",
    about: "time that comparing took",
};

const CEILING: Measured = Measured {
    name: "ceiling_ids_per_s",
    unit: "ids/s",
    about: "ids a second that the ticks of all generators hold",
};

pub fn run(args: Args) -> Result<()> {
    args::distinct("--scheme", &args.scheme)?;
    let specs: Vec<Spec> = args
        .scheme
        .iter()
        .map(|text| text.parse().map_err(usage))
        .collect::<Result<_>>()?;
    let real = args.clock == Time::Real;
    if args.plant && real {
        return Err(usage("--plant: expected --clock simulated"));
    }
    for spec in &specs {
        let generators = args.generators as u32;
        scheme::visit(spec, Seats { generators }).map_err(usage)??;
    }
    // To see whether memory holds one scheme's.
    let bytes = args.ids.saturating_mul(8);
    recorder::threads(
        &args.output,
        1,
        bytes,
        &format!("a check of {} ids", args.ids),
    )?;
    let params = Parameters::from([
        ("scheme".to_owned(), args.scheme.clone().into()),
        ("ids".to_owned(), args.ids.into()),
        ("generators".to_owned(), args.generators.into()),
        ("per_ms".to_owned(), args.per_ms.into()),
        (
            "clock".to_owned(),
            if real { "real" } else { "simulated" }.into(),
        ),
        ("plant".to_owned(), args.plant.into()),
    ]);
    let mut recorder = Recorder::start("unique", &args.output, params)?;
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(args.output.threads.unwrap_or(0))
        .build()?;
    let total = args.ids.saturating_mul(specs.len() as u64);
    let progress = recorder::progress(Some(total));
    let digest = recorder.digest().to_owned();
    let mut wrong = Vec::new();
    for spec in &specs {
        let check = Check {
            spec,
            args: &args,
            digest: &digest,
            progress: &progress,
        };
        let found = pool
            .install(|| scheme::visit_inlined(spec, check))
            .map_err(usage)??;
        wrong.extend(found.wrong);
        recorder.add(found.rows, None);
    }
    progress.finish_and_clear();
    recorder.finish(|_| Ok::<Vec<Chart>, ChartError>(Vec::new()), table)?;
    match wrong.first() {
        Some(first) => bail!("{first}"),
        None => Ok(()),
    }
}

/// Sees whether a scheme has room for so many generators.
struct Seats {
    generators: u32,
}

impl Visitor for Seats {
    type Output = Result<()>;

    fn visit<S: Scheme>(self, mut scheme: S) -> Result<()> {
        let last = scheme.writer(self.generators - 1);
        last.map(|_| ())
            .map_err(|error| usage(format!("--generators: {error}")))
    }
}

struct Check<'a> {
    spec: &'a Spec,
    args: &'a Args,
    digest: &'a str,
    progress: &'a ProgressBar,
}

struct Found {
    rows: Vec<Row>,
    /// What must not be.
    wrong: Vec<String>,
}

impl Visitor for Check<'_> {
    type Output = Result<Found>;

    fn visit<S: Scheme>(self, scheme: S) -> Result<Found> {
        let Self { spec, args, .. } = self;
        let mint = Mint {
            scheme: &scheme,
            ids: usize::try_from(args.ids)?,
            generators: args.generators as u32,
            batch: args.per_ms,
            real: args.clock == Time::Real,
            random: |number: u32| random::secure_stream(args.output.seed, "unique", number.into()),
            plant: args.plant,
        };
        let start = Instant::now();
        let minted = mint.mint(&|ids| self.progress.inc(ids))?;
        let mint_s = start.elapsed().as_secs_f64();
        let steps_back = minted.steps_back;
        let unique = mint.examine(minted, &|_| {})?;
        let check_s = start.elapsed().as_secs_f64() - mint_s;

        let mut wrong = Vec::new();
        if let Some(first) = unique.repeated.first() {
            let id = S::Id::from_key(first.key);
            wrong.push(format!(
                "{spec}: ids that come more than once: {}; the least is {id}, at {}",
                report::whole(unique.repeated.len() as f64),
                places(&first.places),
            ));
        }
        if scheme.ascends() && steps_back > 0 {
            wrong.push(format!(
                "{spec}: {} not larger than the one before of the same generator",
                report::plural(steps_back, "id")
            ));
        }
        let params = Parameters::from([
            ("ids".to_owned(), args.ids.into()),
            ("generators".to_owned(), args.generators.into()),
        ]);
        let mut rows = Rows::new(self.digest, &spec.to_string(), "", params);
        rows.total(&DUPLICATE_IDS, unique.duplicates());
        rows.total(&STEPS_BACK, steps_back);
        rows.total(&PROMISED, u64::from(scheme.ascends()));
        rows.total(&MINT_S, Number::Real(mint_s));
        rows.total(&CHECK_S, Number::Real(check_s));
        if let Some(ceiling) = ceiling(&scheme.limits(), args.generators) {
            rows.total(&CEILING, ceiling);
        }
        Ok(Found {
            rows: rows.into_rows(),
            wrong,
        })
    }
}

/// The first places, in words.
fn places(places: &[u64]) -> String {
    let words: Vec<_> = places.iter().take(3).map(u64::to_string).collect();
    let more = if places.len() > 3 { " and more" } else { "" };
    format!("{}{more}", words.join(" and "))
}

/// Ids a second that ticks let so many generators mint, if fewer than any machine does.
fn ceiling(limits: &Limits, generators: usize) -> Option<u64> {
    let a_second = limits.ids_per_tick?.saturating_mul(1_000_000_000) / u128::from(limits.tick_ns?);
    let all = u64::try_from(a_second)
        .ok()?
        .checked_mul(generators as u64)?;
    (all < 10_000_000_000).then_some(all)
}

/// One line a scheme; then memory and time of the run.
fn table(records: &Records) -> String {
    let rows = &records.rows;
    let mut notes = Notes::default();
    let ceilings: Vec<(&str, String)> = rows
        .iter()
        .filter(|row| row.measure == CEILING.name)
        .map(|row| {
            let most = report::whole(row.value.as_f64());
            let text = format!("the ticks of so many generators hold {most} ids/s: more are minted by a simulated clock, or ahead of the real one");
            (row.scheme.as_str(), text)
        })
        .collect();
    let lines: Vec<_> = rows
        .chunk_by(|a, b| a.scheme == b.scheme)
        .filter_map(|rows| {
            let first = rows.first()?;
            let value = |measured: &Measured| {
                let row = rows.iter().find(|row| row.measure == measured.name);
                row.map_or(0.0, |row| row.value.as_f64())
            };
            let param = |name: &str| {
                let value = first.params.get(name).and_then(serde_json::Value::as_u64);
                value.unwrap_or_default() as f64
            };
            let order = match (value(&PROMISED) == 1.0, value(&STEPS_BACK)) {
                (false, _) => "none promised".to_owned(),
                (true, 0.0) => "strict".to_owned(),
                (true, back) => format!("BROKEN {}", report::whole(back)),
            };
            let ceiling = ceilings.iter().find(|(scheme, _)| *scheme == first.scheme);
            Some(vec![
                first.scheme.clone(),
                report::whole(param("ids")),
                report::whole(param("generators")),
                report::whole(value(&DUPLICATE_IDS)),
                order,
                report::whole(param("ids") / value(&MINT_S)),
                notes.mark(ceiling.map(|(_, text)| text.as_str())),
                report::two(value(&MINT_S)),
                report::two(value(&CHECK_S)),
            ])
        })
        .collect();
    let headings = [
        "scheme",
        "ids",
        "generators",
        "duplicates",
        "order",
        "minted/s",
        "",
        "mint s",
        "check s",
    ];
    let mut text = notes.below(report::table(&headings, lines.into_iter()));
    let _ = write!(text, "\n\n{:.1} s", records.run.wall_s);
    if let Some(bytes) = records.run.peak_memory_bytes {
        let _ = write!(text, ", at most {} of memory", HumanBytes(bytes));
    }
    text
}
