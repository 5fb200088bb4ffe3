//! `sim gate`: two programs that do the same work, and whether one is slower.

mod baseline;
mod child;
mod compare;
mod count;
mod outcome;
mod self_test;
mod side;
mod survey;
mod table;
mod time;

use crate::args::{self, Undecided, usage};
use crate::recorder::{OutputArgs, Recorder};
use anyhow::{Result, anyhow};
pub use child::kill_all as kill_workers;
use compare::Plan;
use idlab::chart::{Chart, ChartError};
use idlab::gate::Verdict;
use idlab::record::Parameters;
pub use outcome::MEASURES;
use outcome::Outcome;
pub use self_test::MEASURES as SELF_TEST_MEASURES;
use side::Side;
use std::path::PathBuf;
use std::time::Duration;
use time::Effort;

/// Tell whether one program is slower than another: a regression of throughput
///
/// Base and head are commands (program and arguments, no shell) of programs that speak the protocol below, such as `sim worker`
/// of two commits (scripts/gate.sh builds both). Instructions per id are counted by valgrind,
/// exactly; times are compared in pairs, with exact limits of the median of their ratios.
/// A case has regressed if it is more than 2 % slower for sure, twice in a row, or if it takes
/// more than 2 % more instructions and its times cannot exclude that it is 2 % slower.
/// Exit code 0: all pass; 1: some regressed; 3: some are undecided and none regressed; 2: wrong usage.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES, after_long_help = long_help())]
pub struct Args {
    /// Command of the program before the change
    #[arg(long, value_name = "CMD")]
    base: Option<String>,
    /// Command of the program after it
    #[arg(long, value_name = "CMD")]
    head: Option<String>,
    /// Cases, by name or with * for any part of it [default: all]
    #[arg(long = "case", value_name = "LIST", value_delimiter = ',', value_parser = args::item)]
    cases: Vec<String>,
    /// A third of the pairs, and instructions counted only of cases that these do not clear
    #[arg(long)]
    quick: bool,
    /// Longest time that an answer may take; under valgrind 60 times as long
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = patience)]
    timeout: Duration,
    /// Keep what the head takes in FILE, by count of instructions alone
    #[arg(long, value_name = "FILE", conflicts_with_all = ["base", "baseline", "quick", "out"], help_heading = "Without a base (weaker: instructions alone)")]
    save: Option<PathBuf>,
    /// Compare the head with FILE
    #[arg(long, value_name = "FILE", conflicts_with_all = ["base", "quick"], help_heading = "Without a base (weaker: instructions alone)")]
    baseline: Option<PathBuf>,
    #[command(flatten)]
    self_test: self_test::SelfTestArgs,
    #[command(flatten)]
    output: OutputArgs,
}

const EXAMPLES: &str = "Examples:
  scripts/gate.sh --quick                                  # the merge base with main against this tree
  sim gate --base 'old/sim worker' --head 'new/sim worker' --case 'uuid_v7*,btree/*'
  sim gate --head 'sim worker' --save counts.jsonl
  sim gate --head 'sim worker' --baseline counts.jsonl
  sim gate --self-test --case uuid_v7/one --comparisons 2k";

/// The protocol and the examples.
fn long_help() -> String {
    format!("{}\n\n{EXAMPLES}", idlab::gate::protocol::ABOUT)
}

fn patience(text: &str) -> Result<Duration, String> {
    match args::duration_ns(text)? {
        0 => Err("expected more than 0".to_owned()),
        ns => Ok(Duration::from_nanos(ns)),
    }
}

pub fn run(args: Args) -> Result<()> {
    if args.self_test.is_asked_for() {
        return self_test::run(&args);
    }
    args.self_test.refuse()?;
    let Some(head) = &args.head else {
        return Err(usage("expected --base CMD and --head CMD, or --self-test"));
    };
    let head = Side::new("head", head, args.timeout)?;
    if let Some(file) = &args.save {
        return baseline::save(&args, &head, file);
    }
    if let Some(file) = &args.baseline {
        return baseline::compare(&args, &head, file);
    }
    let Some(base) = &args.base else {
        return Err(usage(
            "expected --base CMD beside --head, or a --baseline that --save has made",
        ));
    };
    let base = Side::new("base", base, args.timeout)?;
    let plan = Plan {
        base,
        head,
        seed: args.output.seed,
        effort: effort(args.quick),
        spare_counts: args.quick,
        threads: threads(&args.output),
        cases: args.cases.clone(),
    };
    let recorder = Recorder::start("gate", &args.output, plan.parameters())?;
    finish(recorder, &plan.compare()?)
}

/// Ten launches of twelve pairs, as is usual, or a third of that.
fn effort(quick: bool) -> Effort {
    match quick {
        false => Effort {
            launches: 10,
            pairs: 12,
        },
        true => Effort {
            launches: 5,
            pairs: 8,
        },
    }
}

fn threads(output: &OutputArgs) -> usize {
    output.threads.unwrap_or_else(crate::recorder::cores)
}

/// Records and prints what was found, and ends as the worst of it asks for.
fn finish(mut recorder: Recorder, outcomes: &[Outcome]) -> Result<()> {
    for outcome in outcomes {
        recorder.add(outcome.rows(recorder.digest()), None);
    }
    recorder.finish(no_charts, |_| table::table(outcomes))?;
    let of = |verdict: Verdict| {
        let names = outcomes
            .iter()
            .filter(|outcome| outcome.judgement.verdict == verdict);
        let names: Vec<_> = names.map(|outcome| outcome.case.as_str()).collect();
        let (some, all) = (names.len(), outcomes.len());
        (some > 0).then(|| {
            format!(
                "{some} of {all} cases {}: {}",
                verdict.name(),
                names.join(", ")
            )
        })
    };
    match (of(Verdict::Regressed), of(Verdict::Undecided)) {
        (Some(text), _) => Err(anyhow!(text)),
        (None, Some(text)) => Err(Undecided(text).into()),
        (None, None) => Ok(()),
    }
}

fn no_charts(_: &idlab::record::Records) -> Result<Vec<Chart>, ChartError> {
    Ok(Vec::new())
}

/// Parameters that both ways of comparing have.
fn parameters(cases: &[String], head: &Side) -> Parameters {
    Parameters::from([
        ("case".to_owned(), cases.into()),
        ("head".to_owned(), head.command.as_str().into()),
        ("counted_ids".to_owned(), count::IDS.into()),
    ])
}
