//! `sim gate --self-test`: how often the gate is wrong, on this machine.
//!
//! This program is compared with itself, which must pass, and with itself at 5 % and 10 %
//! more work, which must not.

use super::compare::{MISS, chosen, count_all};
use super::count;
use super::side::Side;
use super::table::change;
use super::time::{Timed, take};
use super::{Args, effort, no_charts, threads};
use crate::args::{self, say, usage};
use crate::recorder::{Recorder, progress_of};
use crate::report::{percent, table, whole};
use anyhow::{Context, Result, anyhow, bail};
use idlab::gate::{Bounds, Judgement, Verdict, share_at_least, share_at_most};
use idlab::record::{Number, Parameters, Row};
use indicatif::ProgressBar;

/// Per cent of work that is planted, and the share of comparisons that must tell.
const PLANTED: [(u64, f64); 3] = [(0, 0.0), (5, 0.95), (10, 1.0)];
/// The chance with which each limit of a share misses the true one.
const SHARE_MISS: f64 = 0.025;

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
    fn see(&mut self, time: &Bounds, fresh: Option<&Bounds>) {
        let verdict = |count| Judgement::of(count, time, fresh).verdict;
        self.comparisons += 1;
        self.by_gate += u64::from(verdict(self.count) == Verdict::Regressed);
        self.by_time += u64::from(verdict(None) == Verdict::Regressed);
        self.undecided_by_time += u64::from(verdict(None) == Verdict::Undecided);
    }

    /// All cases at one size.
    fn sum(tallies: &[Tally], planted_percent: u64) -> Self {
        let of = || {
            tallies
                .iter()
                .filter(|tally| tally.planted_percent == planted_percent)
        };
        let sum = |of_one: fn(&Tally) -> u64| of().map(of_one).sum();
        Self {
            case: "all".to_owned(),
            planted_percent,
            count: None,
            comparisons: sum(|tally| tally.comparisons),
            by_gate: sum(|tally| tally.by_gate),
            by_time: sum(|tally| tally.by_time),
            undecided_by_time: sum(|tally| tally.undecided_by_time),
        }
    }

    fn shares(&self) -> [(&'static str, &'static str, u64); 3] {
        [
            ("regressed_share", "gate", self.by_gate),
            ("regressed_share", "time alone", self.by_time),
            ("undecided_share", "time alone", self.undecided_by_time),
        ]
    }

    fn rows(&self, run: &str) -> Vec<Row> {
        let n = self.comparisons;
        let row = |(measure, by, k): (&str, &str, u64)| Row {
            run: run.to_owned(),
            scheme: self.case.clone(),
            engine: String::new(),
            params: Parameters::from([
                ("by".to_owned(), by.into()),
                ("planted_percent".to_owned(), self.planted_percent.into()),
            ]),
            measure: measure.to_owned(),
            unit: "share".to_owned(),
            x: None,
            value: Number::ratio(k, n),
            low: Some(Number::Real(share_at_least(k, n, SHARE_MISS))),
            high: Some(Number::Real(share_at_most(k, n, SHARE_MISS))),
            samples: n,
        };
        self.shares().map(row).into()
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
    let heads = PLANTED.map(|(percent, _)| this_program("head", percent, args));
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

    let heads: Vec<Side> = heads.into_iter().collect::<Result<_>>()?;
    let counts = count_heads(&base, &heads, &cases, args)?;
    let mut tallies: Vec<Tally> = Vec::new();
    let mut timed: Vec<_> = cases.iter().map(|case| Timed::new(case)).collect();
    for (at, case) in cases.iter().enumerate() {
        for (size, (planted_percent, _)) in PLANTED.into_iter().enumerate() {
            tallies.push(Tally {
                case: case.clone(),
                planted_percent,
                count: counts
                    .as_ref()
                    .and_then(|counts| Some(counts.get(at)?[size])),
                comparisons: 0,
                by_gate: 0,
                by_time: 0,
                undecided_by_time: 0,
            });
        }
    }
    let per_comparison = cases.len() as u64 * effort.launches * effort.pairs;
    let bar = progress_of(Some((comparisons + 2 * planted) * per_comparison), "pairs");
    let mut round = 0;
    for comparison in 0..comparisons.max(planted) {
        for (size, head) in heads.iter().enumerate() {
            if comparison >= if size == 0 { comparisons } else { planted } {
                continue;
            }
            let mut again = |cases: &[Timed], bar: &ProgressBar| {
                let mut cases: Vec<_> = cases.iter().map(Timed::again).collect();
                round += 1;
                take(
                    [&base, head],
                    effort,
                    (args.output.seed, round),
                    &mut cases,
                    bar,
                )?;
                let bounds = cases.iter().map(|case| match case.differs {
                    true => Err(anyhow!(
                        "{}: this program gives two checksums for one seed",
                        case.case
                    )),
                    false => Bounds::of_median(case.ratios.clone(), MISS).context("no times"),
                });
                let bounds: Vec<_> = bounds.collect::<Result<_>>()?;
                Ok::<_, anyhow::Error>((cases, bounds))
            };
            let (taken, times) = again(&timed, &bar)?;
            timed = taken;
            let suspects: Vec<_> = timed
                .iter()
                .zip(&times)
                .filter(|(_, time)| Judgement::needs_fresh(time))
                .map(|(case, _)| case.clone())
                .collect();
            let fresh = match suspects.is_empty() {
                true => Vec::new(),
                false => again(&suspects, &ProgressBar::hidden())?.1,
            };
            for (at, time) in times.iter().enumerate() {
                let suspect = suspects
                    .iter()
                    .position(|suspect| suspect.case == cases[at]);
                let fresh = suspect.and_then(|at| fresh.get(at));
                tallies[at * PLANTED.len() + size].see(time, fresh);
            }
        }
    }
    bar.finish_and_clear();
    let totals: Vec<_> = PLANTED
        .iter()
        .map(|(percent, _)| Tally::sum(&tallies, *percent))
        .collect();
    for tally in tallies.iter().chain(&totals) {
        recorder.add(tally.rows(recorder.digest()), None);
    }
    recorder.finish(no_charts, |_| {
        table(&HEADINGS, tallies.iter().chain(&totals).map(Tally::line))
    })?;
    judge(&totals)
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

/// For each case the ratios of instructions at each size; `None` without valgrind.
fn count_heads(
    base: &Side,
    heads: &[Side],
    cases: &[String],
    args: &Args,
) -> Result<Option<Vec<Vec<f64>>>> {
    if count::valgrind().is_none() {
        say("valgrind is not here: instructions are not counted, and time alone decides");
        return Ok(None);
    }
    let mut worker = base.start()?;
    let seed = args.output.seed;
    let with_sums = cases
        .iter()
        .map(|case| Ok((case.clone(), worker.count(case, seed, count::IDS)?)));
    let with_sums: Vec<_> = with_sums.collect::<Result<_>>()?;
    let sides: Vec<_> = std::iter::once(base).chain(heads).collect();
    let tasks: Vec<_> = with_sums
        .iter()
        .flat_map(|case| sides.iter().map(move |side| (*side, case)))
        .collect();
    let counted = count_all(&tasks, seed, threads(&args.output))?;
    let counted: Option<Vec<_>> = counted.into_iter().collect();
    let ratios = |sides: &[count::Counted]| match sides {
        [base, heads @ ..] => heads.iter().map(|head| head.per_id / base.per_id).collect(),
        [] => Vec::new(),
    };
    Ok(counted.map(|counted| counted.chunks(sides.len()).map(ratios).collect()))
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
