//! `sim advise`: which scheme to take, by runs at the asker's own numbers.

mod text;
mod warnings;

use crate::args::{self, usage};
use crate::recorder::{self, OutputArgs, Recorder};
use crate::report;
use anyhow::Result;
use clap::ValueEnum;
use idlab::advise::{Asked, Effort, Order, Sharding, advise};
use idlab::chart::{Chart, ChartError};
use idlab::clock::ClockModel;
use idlab::engine::Profile;
use idlab::record::Parameters;

/// Which scheme to take
///
/// Holds every candidate to what is asked, by its fields and limits, closed forms and short runs
/// of fleet, store and tree at these numbers; ranks what fits by pages read an insert, visits to
/// a centre, bytes of index a row and what else it needs, in this order; and names the figure that ruled out each of the others.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  sim advise --bytes 8 --order ms --registry yes --shards range --rate 100k --rows 1G
  sim advise --public yes --rows 1G --memory 32GiB
  sim advise --order strict --nodes 1
  sim advise --order second --clock ntpd_step --format jsonl")]
pub struct Args {
    /// Most bytes of an id
    #[arg(long, value_enum, default_value = "any")]
    bytes: BytesArg,
    /// Order of ids, all writers together
    #[arg(long, value_enum, default_value = "none")]
    order: OrderArg,
    /// Whether there is a registry that gives each writer a number of its own, or a sharded store's writers blocks of numbers
    #[arg(long, value_enum, default_value = "no")]
    registry: YesNo,
    /// Whether outsiders see ids: they must not guess them, nor learn time or volume from them
    #[arg(long, value_enum, default_value = "no")]
    public: YesNo,
    /// How the store divides its rows
    #[arg(long, value_enum, default_value = "none")]
    shards: ShardsArg,
    /// Ids a second, all writers together
    #[arg(long, value_name = "IDS/S", default_value = "10k", allow_hyphen_values = true, value_parser = args::rate)]
    rate: u64,
    /// Rows that the table will have
    #[arg(long, value_name = "N", default_value = "100M", allow_hyphen_values = true, value_parser = args::positive)]
    rows: u64,
    /// Memory for pages; of a sharded store on each node
    #[arg(long, value_name = "BYTES", default_value = "8GiB", allow_hyphen_values = true, value_parser = args::bytes)]
    memory: u64,
    /// Processes that mint ids; a sharded store has as many nodes (64 at most are simulated)
    #[arg(long, value_name = "N", default_value = "16", allow_hyphen_values = true, value_parser = args::positive)]
    nodes: u64,
    /// Writes a second that a node of a sharded store can take
    #[arg(long, value_name = "N", default_value = "10k", allow_hyphen_values = true, value_parser = args::positive)]
    capacity: u64,
    /// The writers' clocks (see `sim list clocks`)
    #[arg(long, value_name = "CLOCK", default_value = "lan_chrony", value_parser = args::item)]
    clock: String,
    /// Engine profile of the index
    #[arg(long, value_name = "NAME", default_value = "postgres", value_parser = args::item)]
    engine: String,
    /// Shorter runs, whose figures are rougher
    #[arg(long)]
    quick: bool,
    #[command(flatten)]
    output: OutputArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum BytesArg {
    /// A bigint
    #[value(name = "8")]
    Eight,
    /// A UUID
    #[value(name = "16")]
    Sixteen,
    /// A KSUID
    #[value(name = "20")]
    Twenty,
    /// As many as it takes
    Any,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum OrderArg {
    /// Any
    None,
    /// Ids minted 2 s apart are in order
    Second,
    /// Ids minted 10 ms apart are in order
    Ms,
    /// Each id is larger than all that were minted before
    Strict,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum YesNo {
    Yes,
    No,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum ShardsArg {
    /// Not at all
    None,
    /// By a hash of the key (Citus, Vitess)
    Hash,
    /// By ranges of the key (CockroachDB)
    Range,
}

/// Most processes: each has a clock that is simulated.
const MOST_NODES: u64 = 100_000;
/// Least memory, in pages.
const LEAST_PAGES: u64 = 16;

/// The shorter runs.
const QUICK: Effort = Effort {
    fleet_rows: 20_000,
    clock_s: 60,
    shard_rate: 2_000,
    shard_s: 120,
    tree_rows: 100_000,
};

pub fn run(args: Args) -> Result<()> {
    let asked = asked(&args)?;
    let threads = args.output.threads.unwrap_or_else(recorder::cores);
    let mut recorder = Recorder::start("advise", &args.output, parameters(&args))?;
    let digest = recorder.digest().to_owned();
    let bar = recorder::progress_of(Some(0), "runs");
    let progress = |begins: bool| match begins {
        true => bar.inc_length(1),
        false => bar.inc(1),
    };
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()?;
    let advice = pool.install(|| advise(&asked, &digest, &progress));
    bar.finish_and_clear();
    let advice = advice?;
    if advice.verdicts.is_empty() {
        return Err(usage(format!(
            "--engine {}: takes none of the candidates' ids as a key",
            args.engine
        )));
    }
    let text = text::text(&asked, &advice);
    recorder.add(advice.rows, None);
    recorder.finish(
        |_| Ok::<Vec<Chart>, ChartError>(Vec::new()),
        |_| text.clone(),
    )
}

fn asked(args: &Args) -> Result<Asked> {
    let engine: Profile = args
        .engine
        .parse()
        .map_err(|error| usage(format!("--engine: {error}")))?;
    let pages = args.memory / u64::from(engine.engine.page_bytes);
    if pages < LEAST_PAGES {
        return Err(usage(format!(
            "--memory: {} of {} bytes, expected {LEAST_PAGES} or more",
            report::plural(pages, "page"),
            engine.engine.page_bytes
        )));
    }
    let nodes = match u32::try_from(args.nodes) {
        Ok(nodes) if args.nodes <= MOST_NODES => nodes,
        _ => return Err(usage("--nodes: expected at most 100k")),
    };
    if args.capacity > 100_000_000 {
        return Err(usage("--capacity: expected at most 100M writes a second"));
    }
    Ok(Asked {
        bytes: match args.bytes {
            BytesArg::Eight => Some(8),
            BytesArg::Sixteen => Some(16),
            BytesArg::Twenty => Some(20),
            BytesArg::Any => None,
        },
        order: match args.order {
            OrderArg::None => Order::None,
            OrderArg::Second => Order::Second,
            OrderArg::Ms => Order::Ms,
            OrderArg::Strict => Order::Strict,
        },
        registry: args.registry == YesNo::Yes,
        public: args.public == YesNo::Yes,
        shards: match args.shards {
            ShardsArg::None => Sharding::None,
            ShardsArg::Hash => Sharding::Hash,
            ShardsArg::Range => Sharding::Range,
        },
        rate: args.rate,
        rows: args.rows,
        memory_bytes: args.memory,
        nodes,
        capacity_per_s: args.capacity,
        clock: ClockModel::parse(&args.clock)
            .map_err(|error| usage(format!("--clock: {error}")))?,
        engine,
        seed: args.output.seed,
        effort: if args.quick { QUICK } else { Effort::default() },
    })
}

fn parameters(args: &Args) -> Parameters {
    let mut params = Parameters::new();
    let mut set = |name: &str, value: serde_json::Value| params.insert(name.to_owned(), value);
    let name = |value: Option<clap::builder::PossibleValue>| {
        value.map(|value| value.get_name().to_owned()).into()
    };
    set("bytes", name(args.bytes.to_possible_value()));
    set("order", name(args.order.to_possible_value()));
    set("registry", (args.registry == YesNo::Yes).into());
    set("public", (args.public == YesNo::Yes).into());
    set("shards", name(args.shards.to_possible_value()));
    set("rate", args.rate.into());
    set("rows", args.rows.into());
    set("memory_bytes", args.memory.into());
    set("nodes", args.nodes.into());
    set("capacity_per_s", args.capacity.into());
    set("clock", args.clock.clone().into());
    set("engine", args.engine.clone().into());
    set("quick", args.quick.into());
    params
}
