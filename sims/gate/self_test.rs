//! `sim gate --self-test`: how often the gate is wrong, on this machine.
//!
//! This program is compared with itself, which must pass, and with itself at 5 % and 10 %
//! more work, which must not.

use super::count;
use super::outcome::row;
use super::side::Side;
use super::survey::chosen;
use super::table::change;
use super::time::{Effort, Timed, measure};
use super::{Args, effort, no_charts, threads};
use crate::args::{self, say, usage};
use crate::recorder::{Recorder, progress_of};
use crate::report::{percent, table, whole};
use anyhow::{Context, Result, bail};
use idlab::gate::{Bounds, Judgement, Verdict, share_at_least, share_at_most};
use idlab::record::{Measured, Number, Parameters, Row};

/// Per cent of work that is planted, and the share of comparisons that must tell.
const PLANTED: [(u64, f64); 3] = [(0, 0.0), (5, 0.95), (10, 1.0)];
/// The chance with which each limit of a share misses the true one.
const SHARE_MISS: f64 = 0.025;

const REGRESSED: Measured = Measured {
    name: "regressed_share",
    unit: "share",
    about: "comparisons that the gate, or time alone, says have regressed",
};
const UNDECIDED: Measured = Measured {
    name: "undecided_share",
    unit: "share",
    about: "comparisons that time alone leaves undecided",
};
/// What the self-test measures.
pub const MEASURES: &[&Measured] = &[&REGRESSED, &UNDECIDED];

/// Flags of the self-test.
#[derive(clap::Args)]
pub struct SelfTestArgs {
    /// Compare this program with itself, which must pass, and with itself at 5 % and 10 % more work, which must not
    #[arg(long, conflicts_with_all = ["base", "head", "save", "baseline"], help_heading = "Self-test")]
    self_test: bool,
    /// Comparisons of each case with itself [default: 3]
    #[arg(long, value_name = "N", value_parser = args::positive, help_heading = "Self-test")]
    comparisons: Option<u64>,
    /// Comparisons of each case with each of the slower ones [default: as many, at most 100]
    #[arg(long, value_name = "N", value_parser = args::positive, help_heading = "Self-test")]
    planted: Option<u64>,
}

impl SelfTestArgs {
    pub fn is_asked_for(&self) -> bool {
        self.self_test
    }

    /// Refuses flags that say nothing without --self-test.
    pub fn refuse(&self) -> Result<()> {
        let given = [
            ("--comparisons", self.comparisons.is_some()),
            ("--planted", self.planted.is_some()),
        ];
        match given.iter().find(|(_, given)| *given && !self.self_test) {
            Some((flag, _)) => Err(usage(format!("{flag}: is for --self-test alone"))),
            None => Ok(()),
        }
    }
}

/// How the comparisons of one case at one size ended.
struct Tally {
    case: String,
    planted_percent: u64,
    /// Head to base; none without valgrind.
    count: Option<f64>,
    comparisons: u64,
    /// Regressed, as the gate says.
    by_gate: u64,
    /// Regressed, as it would say without counts.
    by_time: u64,
    /// Undecided without counts.
    undecided_by_time: u64,
}

impl Tally {
    fn new(case: &str, planted_percent: u64) -> Self {
        Self {
            case: case.to_owned(),
            planted_percent,
            count: None,
            comparisons: 0,
            by_gate: 0,
            by_time: 0,
            undecided_by_time: 0,
        }
    }

    fn see(&mut self, time: &Bounds, fresh: Option<&Bounds>) {
        let verdict = |count| Judgement::of(count, time, fresh).verdict;
        self.comparisons += 1;
        self.by_gate += u64::from(verdict(self.count) == Verdict::Regressed);
        self.by_time += u64::from(verdict(None) == Verdict::Regressed);
        self.undecided_by_time += u64::from(verdict(None) == Verdict::Undecided);
    }

    /// All cases at one size.
    fn sum(tallies: &[Tally]) -> Self {
        let planted_percent = tallies.first().map_or(0, |tally| tally.planted_percent);
        tallies
            .iter()
            .fold(Self::new("all", planted_percent), |sum, tally| Self {
                comparisons: sum.comparisons + tally.comparisons,
                by_gate: sum.by_gate + tally.by_gate,
                by_time: sum.by_time + tally.by_time,
                undecided_by_time: sum.undecided_by_time + tally.undecided_by_time,
                ..sum
            })
    }

    fn rows(&self, run: &str) -> Vec<Row> {
        let n = self.comparisons;
        let share = |(measured, by, k): (Measured, &str, u64)| Row {
            params: Parameters::from([
                ("by".to_owned(), by.into()),
                ("planted_percent".to_owned(), self.planted_percent.into()),
            ]),
            low: Some(Number::Real(share_at_least(k, n, SHARE_MISS))),
            high: Some(Number::Real(share_at_most(k, n, SHARE_MISS))),
            samples: n,
            ..row(run, &self.case, measured, Number::ratio(k, n))
        };
        let shares = [
            (REGRESSED, "gate", self.by_gate),
            (REGRESSED, "time alone", self.by_time),
            (UNDECIDED, "time alone", self.undecided_by_time),
        ];
        shares.map(share).into()
    }

    fn line(&self) -> Vec<String> {
        let n = self.comparisons;
        let limits = [share_at_least, share_at_most]
            .map(|limit| percent(limit(self.by_time, n, SHARE_MISS)));
        let [least, most] = limits;
        let number = |n: u64| whole(n as f64);
        vec![
            self.case.clone(),
            self.planted_percent.to_string(),
            self.count.map_or("-".to_owned(), change),
            number(n),
            number(self.by_gate),
            number(self.by_time),
            number(self.undecided_by_time),
            least,
            most,
        ]
    }
}

const HEADINGS: [&str; 9] = [
    "case",
    "planted\n%",
    "instructions\n%",
    "comparisons",
    "regressed",
    "by time\nalone",
    "undecided by\ntime alone",
    "regressed by time\nat least, %",
    "\nat most, %",
];

pub fn run(args: &Args) -> Result<()> {
    let comparisons = args.self_test.comparisons.unwrap_or(3);
    let planted = args.self_test.planted.unwrap_or(comparisons.min(100));
    let effort = effort(args.quick);
    let base = this_program("base", 0, args)?;
    let cases = chosen(&base.start()?.cases, &args.cases)?;
    let parameters = Parameters::from([
        ("case".to_owned(), args.cases.clone().into()),
        ("comparisons".to_owned(), comparisons.into()),
        ("planted".to_owned(), planted.into()),
        ("launches".to_owned(), effort.launches.into()),
        ("pairs".to_owned(), effort.pairs.into()),
        ("counted_ids".to_owned(), count::IDS.into()),
    ]);
    let mut recorder = Recorder::start("gate_self_test", &args.output, parameters)?;
    let mut sizes = Vec::new();
    for (percent, _) in PLANTED {
        let head = this_program("head", percent, args)?;
        let tallies = cases.iter().map(|case| Tally::new(case, percent)).collect();
        let comparisons = if percent == 0 { comparisons } else { planted };
        sizes.push(Size {
            head,
            comparisons,
            tallies,
        });
    }
    count_heads(&base, &mut sizes, args)?;
    repeat(&base, &mut sizes, effort, args)?;
    let totals = sizes.iter().map(|size| Tally::sum(&size.tallies));
    let totals: Vec<_> = totals.collect();
    let tallies: Vec<_> = sizes.iter().flat_map(|size| &size.tallies).collect();
    for tally in tallies.iter().copied().chain(&totals) {
        recorder.add(tally.rows(recorder.digest()), None);
    }
    recorder.finish(no_charts, |_| {
        let lines = tallies.iter().copied().chain(&totals).map(Tally::line);
        table(&HEADINGS, lines)
    })?;
    judge(&totals)
}

/// What is planted, and what came of it.
struct Size {
    head: Side,
    comparisons: u64,
    /// By case.
    tallies: Vec<Tally>,
}

/// Makes all comparisons, the sizes by turns.
fn repeat(base: &Side, sizes: &mut [Size], effort: Effort, args: &Args) -> Result<()> {
    let rounds = sizes.iter().map(|size| size.comparisons).max().unwrap_or(0);
    let comparisons: u64 = sizes
        .iter()
        .map(|size| size.comparisons * size.tallies.len() as u64)
        .sum();
    let bar = progress_of(Some(comparisons * effort.pairs_in_all()), "pairs");
    let mut cases: Vec<_> = sizes
        .iter()
        .take(1)
        .flat_map(|size| size.tallies.iter().map(|tally| Timed::new(&tally.case)))
        .collect();
    let mut done = 0;
    for round in 0..rounds {
        for size in sizes.iter_mut().filter(|size| round < size.comparisons) {
            let again = cases.iter().map(Timed::again).collect();
            let run = (args.output.seed, done);
            let measured = measure([base, &size.head], effort, run, again, &bar)?;
            done += 1;
            cases = Vec::new();
            for (tally, measured) in size.tallies.iter_mut().zip(measured) {
                let Some(time) = measured.time else {
                    bail!(
                        "{}: this program gives two checksums for one seed",
                        tally.case
                    );
                };
                tally.see(&time, measured.fresh.as_ref());
                cases.push(measured.timed);
            }
        }
    }
    bar.finish_and_clear();
    Ok(())
}

/// This program as a worker that does so many per cent more.
fn this_program(name: &'static str, percent: u64, args: &Args) -> Result<Side> {
    let program = std::env::current_exe().context("the path of this program")?;
    let program = program
        .to_str()
        .context("the path of this program is no UTF-8")?;
    let extra = format!("--extra-percent={percent}");
    Ok(Side {
        name,
        command: format!("sim worker {extra}"),
        words: vec![program.to_owned(), "worker".to_owned(), extra],
        patience: args.timeout,
    })
}

/// Counts the instructions of each case at each size; of none without valgrind.
fn count_heads(base: &Side, sizes: &mut [Size], args: &Args) -> Result<()> {
    if count::valgrind().is_none() {
        say("valgrind is not here: instructions are not counted, and time alone decides");
        return Ok(());
    }
    let mut worker = base.start()?;
    let seed = args.output.seed;
    let mut cases = Vec::new();
    for tally in sizes.iter().take(1).flat_map(|size| &size.tallies) {
        cases.push((
            tally.case.clone(),
            worker.count(&tally.case, seed, count::IDS)?,
        ));
    }
    let heads = sizes.iter().map(|size| &size.head);
    let sides: Vec<_> = std::iter::once(base).chain(heads).collect();
    let tasks = sides
        .iter()
        .flat_map(|side| cases.iter().map(move |case| (*side, case)));
    let tasks: Vec<_> = tasks.collect();
    let counted = count::all(&tasks, seed, threads(&args.output))?;
    let (of_base, of_heads) = counted.split_at(cases.len());
    for (size, of_head) in sizes.iter_mut().zip(of_heads.chunks(cases.len())) {
        for ((tally, base), head) in size.tallies.iter_mut().zip(of_base).zip(of_head) {
            if let (Some(base), Some(head)) = (base, head) {
                tally.count = Some(head.per_id / base.per_id);
            }
        }
    }
    Ok(())
}

/// Whether the gate did what it should.
fn judge(totals: &[Tally]) -> Result<()> {
    let mut faults = Vec::new();
    for (total, (percent, least)) in totals.iter().zip(PLANTED) {
        let (said, all) = (total.by_gate, total.comparisons);
        if percent == 0 && said > 0 {
            faults.push(format!(
                "{said} of {all} comparisons of a program with itself regressed"
            ));
        }
        if percent > 0 && (said as f64) < least * all as f64 {
            faults.push(format!(
                "{said} of {all} slowdowns by {percent} % were seen, expected {:.0} %",
                least * 100.0
            ));
        }
    }
    match faults.is_empty() {
        true => Ok(()),
        false => bail!("{}", faults.join("; ")),
    }
}
