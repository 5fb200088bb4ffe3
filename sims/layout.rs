//! `sim layout`: the bit budget of an id, and what its width costs.

mod fleet;
pub mod instant;
mod odds;
mod storage;
mod table;

use crate::args::{self, usage};
use crate::recorder::{OutputArgs, Recorder};
use anyhow::Result;
use idlab::advise::YEARS_LEFT;
use idlab::chart::{Chart, ChartError};
use idlab::layout::{Budget, Layout, Table, Workers, date, time};
use idlab::measure::Rows;
use idlab::record::{Measured, Number, Parameters};
use idlab::scheme::{self, FieldKind, Scheme, Spec, Visitor};
use std::fmt::Write;

/// Bit budget of a layout: lifetime, nodes, ids a second, and what a bit moved changes
///
/// A layout is BITS/BITS/...: timestamp, nodes and sequence, the highest bits first; 2 parts are timestamp and random, 1 is random. Letters say
/// it otherwise: t timestamp, n node, s sequence, r random, f fixed, as in t39/s8/n16. Bits add up to 64 (63: a sign bit is left out) or
/// 128 (122: version and variant are left out). Or it is a scheme's or preset's name.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// A split such as 41/10/12, or a scheme
    layout: Option<String>,
    /// Length of a tick [default: 1ms]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = tick, requires = "layout")]
    tick: Option<u64>,
    /// When tick 0 began: a date, a time with its zone, Unix time such as 1288834974657ms, or a scheme that has it [default: unix]
    #[arg(long, value_name = "WHEN", requires = "layout")]
    epoch: Option<String>,
    /// The day from which years are left, and after which no epoch may lie [default: today]
    #[arg(long, value_name = "DATE", requires = "layout")]
    now: Option<String>,
    /// Ids a second, of all writers
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = args::rate, requires = "layout")]
    rate: Option<u64>,
    /// Services whose ids must not clash, each replica with a generator inside
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = million, requires = "layout", help_heading = "Fleet")]
    services: Option<u64>,
    /// Replicas of each service
    #[arg(long, value_name = "N", default_value = "1", allow_hyphen_values = true, value_parser = million, requires = "services", help_heading = "Fleet")]
    replicas: u64,
    /// Times a day that all replicas start anew
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = million, requires = "services", help_heading = "Fleet")]
    deploys_per_day: Option<u64>,
    /// Rows of a table. Without a layout, or with --secondary or --foreign: what ids 8, 16 and 20 bytes wide, and as text, take there. With random bits: the ids among which two may be equal
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = rows, help_heading = "Storage")]
    rows: Option<u64>,
    /// Further indexes of the table [default: 0]
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = copies, requires = "rows", help_heading = "Storage")]
    secondary: Option<u64>,
    /// Tables that hold the id as a foreign key, with as many rows and an index on it [default: 0]
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = copies, requires = "rows", help_heading = "Storage")]
    foreign: Option<u64>,
    #[command(flatten)]
    output: OutputArgs,
}

const EXAMPLES: &str = "Examples:
  sim layout 39/16/8 --tick 10ms --epoch 2014-09-01
  sim layout twitter --services 60 --replicas 20 --deploys-per-day 5 --rate 100k
  sim layout 48/74 --rate 10k --rows 1G                      # a UUIDv7 with a random tail
  sim layout --rows 1G --secondary 4 --foreign 3             # what 8, 16 and 20 bytes cost everywhere";

/// A duration above 0.
fn tick(text: &str) -> Result<u64, String> {
    match args::duration_ns(text)? {
        0 => Err("expected more than 0, such as 1ms or 10ms".to_owned()),
        ns => Ok(ns),
    }
}

/// A count of 1 to a million.
fn million(text: &str) -> Result<u64, String> {
    match args::positive(text)? {
        count @ 1..=1_000_000 => Ok(count),
        _ => Err("expected at most 1M".to_owned()),
    }
}

/// A count of rows whose bytes can be counted.
fn rows(text: &str) -> Result<u64, String> {
    match args::positive(text)? {
        rows @ 1..=1_000_000_000_000_000 => Ok(rows),
        _ => Err("expected at most 1000000G".to_owned()),
    }
}

/// A few indexes or tables.
fn copies(text: &str) -> Result<u64, String> {
    match args::count(text)? {
        copies @ 0..=1000 => Ok(copies),
        _ => Err("expected at most 1000".to_owned()),
    }
}

/// What is measured, beside [`YEARS_LEFT`].
pub const MEASURES: &[&Measured] = &[
    &LIFETIME,
    &EXHAUSTED,
    &NODES,
    &IDS_PER_TICK,
    &NODE_IDS_PER_S,
    &ALL_IDS_PER_S,
    &fleet::WORKERS,
    &fleet::LEASES,
    &fleet::PER_NUMBER,
    &fleet::CLASH,
    &fleet::CLASH_IN_A_YEAR,
    &fleet::NEW_NUMBERS,
    &odds::SOME_EQUAL,
    &odds::IDS_UNTIL_EQUAL,
    &storage::RAW,
    &storage::PRIMARY,
    &storage::SECONDARY,
    &storage::FOREIGN,
    &storage::COLUMNS,
    &storage::TOTAL,
];

const LIFETIME: Measured = Measured {
    name: "lifetime_years",
    unit: "years",
    about: "years of 365.2425 days from the epoch until no tick is left",
};

const EXHAUSTED: Measured = Measured {
    name: "exhausted_unix_ms",
    unit: "ms",
    about: "the last Unix millisecond that has a tick",
};

const NODES: Measured = Measured {
    name: "nodes",
    unit: "writers",
    about: "writers that can be told apart",
};

const IDS_PER_TICK: Measured = Measured {
    name: "ids_per_tick",
    unit: "ids",
    about: "ids of one writer in a tick, without a timestamp in all",
};

const NODE_IDS_PER_S: Measured = Measured {
    name: "node_ids_per_s",
    unit: "ids/s",
    about: "ids a second of one writer whose ticks are used up",
};

const ALL_IDS_PER_S: Measured = Measured {
    name: "all_ids_per_s",
    unit: "ids/s",
    about: "the same of all writers that can be told apart",
};

pub const NS_PER_YEAR: f64 = 31_556_952e9;

/// What was asked, read and found to be sound.
struct Question {
    /// The layout as it was typed.
    name: String,
    budget: Budget,
    /// A scheme's own, whose random bits are more than a tail if they count on.
    is_scheme: bool,
    /// Start of the day.
    now_ns: i128,
    workers: Option<Workers>,
    deploys_per_day: Option<u64>,
    rate: Option<u64>,
    rows: Option<u64>,
}

pub fn run(args: Args) -> Result<()> {
    let question = question(&args)?;
    let copies = args.secondary.or(args.foreign).is_some();
    let stored = args.rows.filter(|_| args.layout.is_none() || copies);
    let table = stored.map(|rows| Table {
        rows,
        secondary: args.secondary.unwrap_or(0),
        foreign: args.foreign.unwrap_or(0),
    });
    if question.is_none() && table.is_none() {
        return Err(usage(
            "layout: expected a split such as 41/10/12, a scheme such as sonyflake, or --rows for what ids take in storage",
        ));
    }
    if let (Some(question), Some(_), None) = (&question, args.rows, table)
        && odds::random_bits(question).is_none()
    {
        return Err(usage(format!(
            "--rows: has no effect on {}, whose ids are not random: leave it out, or give --secondary or --foreign",
            question.name
        )));
    }
    let mut recorder =
        Recorder::start("layout", &args.output, parameters(&args, &question, table))?;
    let digest = recorder.digest().to_owned();
    let mut text = String::new();
    if let Some(question) = &question {
        let mut rows = question.rows_of(&digest);
        budget_rows(question, &mut rows);
        text += &table::budget(question);
        if let Some(workers) = question.workers {
            text += &fleet::write(question, workers, &mut rows);
        }
        text += &odds::write(question, &mut rows);
        recorder.add(rows.into_rows(), None);
    }
    if let Some(table) = table {
        let (rows, section) = storage::write(table, &digest)?;
        recorder.add(rows, None);
        let _ = write!(text, "{section}");
    }
    let no_charts = |_: &_| Ok::<Vec<Chart>, ChartError>(Vec::new());
    recorder.finish(no_charts, |_| text.trim_end().to_owned())
}

impl Question {
    fn rows_of(&self, digest: &str) -> Rows {
        let layout = self.budget.layout.to_string();
        let params = Parameters::from([("layout".to_owned(), layout.into())]);
        Rows::new(digest, &self.name, "", params)
    }
}

/// Reads the layout and what belongs to it; none if there is no layout.
fn question(args: &Args) -> Result<Option<Question>> {
    let Some(name) = &args.layout else {
        return Ok(None);
    };
    let now_ns = instant::now_ns(args.now.as_deref())?;
    let is_scheme = !is_split(name);
    let budget = if is_scheme {
        let flags = [
            ("tick", args.tick.is_some()),
            ("epoch", args.epoch.is_some()),
        ];
        if let Some((flag, _)) = flags.iter().find(|(_, given)| *given) {
            return Err(usage(format!(
                "--{flag}: {name} has its own: leave it out, or give a split such as 41/10/12"
            )));
        }
        let spec: Spec = name.parse().map_err(usage)?;
        scheme::visit(&spec, OfScheme).map_err(usage)?
    } else {
        let layout: Layout = name.parse().map_err(usage)?;
        if layout.bits(FieldKind::Timestamp) == 0 {
            let flags = [
                ("tick", args.tick.is_some()),
                ("epoch", args.epoch.is_some()),
            ];
            if let Some((flag, _)) = flags.iter().find(|(_, given)| *given) {
                return Err(usage(format!(
                    "--{flag}: has no effect on {name}, which has no timestamp: leave it out"
                )));
            }
        }
        let epoch = args.epoch.as_deref().unwrap_or("unix");
        let epoch_ns =
            instant::epoch_ns(epoch).map_err(|error| usage(format!("--epoch {error}")))?;
        // A day lasts until the next.
        if epoch_ns >= now_ns + instant::NS_PER_DAY {
            return Err(usage(format!(
                "--epoch {epoch}: lies in the future, expected at most {}, which is today (or --now)",
                date(now_ns)
            )));
        }
        Budget::new(layout, args.tick.unwrap_or(1_000_000), epoch_ns)
    };
    Ok(Some(Question {
        name: name.trim().to_owned(),
        budget,
        is_scheme,
        now_ns,
        workers: args.services.map(|services| Workers {
            services,
            replicas: args.replicas,
        }),
        deploys_per_day: args.deploys_per_day,
        rate: args.rate,
        rows: args.rows,
    }))
}

/// Whether a text is a split; else it is a scheme's name.
fn is_split(text: &str) -> bool {
    let parts = text.contains(['/', '+']);
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let mut rest = text.trim().chars();
    let first = rest.next();
    parts || first.is_none_or(|_| digits(rest.as_str()))
}

/// Reads a scheme's budget.
struct OfScheme;

impl Visitor for OfScheme {
    type Output = Budget;

    fn visit<S: Scheme>(self, scheme: S) -> Budget {
        Budget::of(&scheme)
    }
}

fn parameters(args: &Args, question: &Option<Question>, table: Option<Table>) -> Parameters {
    let mut params = Parameters::new();
    let mut say = |name: &str, value: serde_json::Value| params.insert(name.to_owned(), value);
    if let Some(question) = question {
        say("layout", question.name.clone().into());
        say("fields", question.budget.layout.to_string().into());
        say("tick_ns", question.budget.tick_ns.into());
        say("epoch", question.budget.epoch_ns.map(time).into());
        say("now", date(question.now_ns).into());
        say("rate_per_s", args.rate.into());
        say("services", args.services.into());
        say("replicas", args.services.map(|_| args.replicas).into());
        say("deploys_per_day", args.deploys_per_day.into());
    }
    say("rows", args.rows.into());
    if let Some(table) = table {
        say("secondary", table.secondary.into());
        say("foreign", table.foreign.into());
    }
    params
}

/// The budget's numbers, then those of each trade.
fn budget_rows(question: &Question, rows: &mut Rows) {
    let budget = &question.budget;
    each_number(budget, &mut |measured, value| rows.total(measured, value));
    if let Some(end_ns) = budget.end_ns {
        let left = (end_ns - question.now_ns) as f64 / NS_PER_YEAR;
        rows.total(&YEARS_LEFT, Number::Real(left));
    }
    for trade in budget.trades() {
        let layout = trade.layout.to_string();
        each_number(&trade, &mut |measured, value| {
            rows.push(measured, None, value, &[("layout", layout.clone().into())]);
        });
    }
}

fn each_number(budget: &Budget, add: &mut impl FnMut(&Measured, Number)) {
    if let Some(life_ns) = budget.life_ns() {
        add(&LIFETIME, Number::Real(life_ns as f64 / NS_PER_YEAR));
    }
    if let Some(end_ns) = budget.end_ns {
        let ms = (end_ns - 1).div_euclid(1_000_000);
        let whole = u64::try_from(ms).map(Number::Whole);
        add(&EXHAUSTED, whole.unwrap_or(Number::Real(ms as f64)));
    }
    let counts = [(&NODES, budget.nodes), (&IDS_PER_TICK, budget.ids_per_tick)];
    for (measured, found) in counts {
        if let Some(found) = found {
            add(measured, count(found));
        }
    }
    let rates = [
        (&NODE_IDS_PER_S, budget.ids_per_second()),
        (&ALL_IDS_PER_S, budget.ids_per_second_of_all()),
    ];
    for (measured, rate) in rates {
        if let Some(rate) = rate {
            add(measured, Number::Real(rate));
        }
    }
}

/// A count, as a quotient if it is too large for a whole number of a record.
fn count(count: u128) -> Number {
    u64::try_from(count).map_or(Number::Real(count as f64), Number::Whole)
}
