//! `sim fleet --check faults`: policies on clocks in random schedules of faults.

use crate::args::usage;
use crate::recorder::{self, OutputArgs, Recorder};
use crate::report;
use anyhow::{Result, bail};
use idlab::chart::{Chart, ChartError};
use idlab::clock::{self, CLOCKS, Preset};
use idlab::fleet::{
    Against, Memory, Policy, SAFE_NUMBERS, SAFE_POLICIES, Schedule, Trial, UNSAFE_NUMBERS,
    UNSAFE_POLICIES, shrink,
};
use idlab::measure::Rows;
use idlab::record::{Measured, Parameters, Records, Row};
use indicatif::ProgressBar;
use rayon::prelude::*;
use serde_json::Value;
use std::fmt::Write;

const RUN: Measured = Measured {
    name: "schedules_run",
    unit: "schedules",
    about: "",
};

const REPEATED: Measured = Measured {
    name: "schedules_with_duplicates",
    unit: "schedules",
    about: "",
};

/// Schedules that a process would take days for.
const MOST: u64 = 10_000_000;

/// What a policy did on a kind of clock.
struct Found {
    policy: Policy,
    clock: &'static Preset,
    run: u64,
    repeated: u64,
    /// The first schedule that repeats an id, made short.
    shortest: Option<Schedule>,
}

/// The seed's first `schedules` for one policy and clock.
fn found(
    policy: Policy,
    clock: &'static Preset,
    (seed, schedules): (u64, u64),
    progress: &ProgressBar,
) -> Result<Found> {
    let mut trial = Trial::new(policy, clock::clock(clock.name)?)?;
    let mut found = Found {
        policy,
        clock,
        run: 0,
        repeated: 0,
        shortest: None,
    };
    for number in 0..schedules {
        if number % 1000 == 0 {
            progress.inc(1000.min(schedules - number));
        }
        let Some(schedule) = policy.bears(&Schedule::draw(seed, number), clock) else {
            continue;
        };
        found.run += 1;
        if trial.duplicates(&schedule)? == 0 {
            continue;
        }
        found.repeated += 1;
        if found.shortest.is_none() {
            let repeats = |one: &Schedule| trial.duplicates(one).is_ok_and(|ids| ids > 0);
            found.shortest = Some(shrink(schedule, repeats));
        }
    }
    Ok(found)
}

fn memory(policy: &Policy) -> String {
    match policy.memory {
        Memory::Wait { .. } => "wait for more than the clock loses".to_owned(),
        memory => memory.to_string(),
    }
}

fn bears(against: Against) -> &'static str {
    match against {
        Against::All => "all",
        Against::Shorter => "all, clocks without steps of their own",
        Against::NoRestart => "all but restarts",
        Against::AgreeingClocks => "all, while clocks agree",
        Against::FourSteps => "four steps back, no restart",
        Against::Nothing => "",
    }
}

impl Found {
    fn holds(&self) -> bool {
        (self.policy.against == Against::Nothing) == (self.repeated > 0)
    }

    fn into_rows(self, digest: &str) -> Vec<Row> {
        let params = Parameters::from([
            (
                "rollback".to_owned(),
                self.policy.rollback.to_string().into(),
            ),
            ("memory".to_owned(), memory(&self.policy).into()),
            ("numbers".to_owned(), self.policy.numbers.name().into()),
            ("clock".to_owned(), self.clock.name.into()),
            ("against".to_owned(), bears(self.policy.against).into()),
        ]);
        let mut rows = Rows::new(digest, "snowflake", "", params);
        rows.total(&RUN, self.run);
        let shortest = self.shortest.as_ref();
        let shortest = shortest.map(|schedule| ("shortest", schedule.to_string().into()));
        let params: Vec<(&str, Value)> = shortest.into_iter().collect();
        rows.push(&REPEATED, None, self.repeated.into(), &params);
        rows.into_rows()
    }
}

/// Runs them, and fails if a safe policy repeats an id or another is not found out.
pub fn run(schedules: u64, output: &OutputArgs) -> Result<()> {
    if schedules > MOST {
        return Err(usage(format!(
            "--schedules {schedules}: expected at most 10M"
        )));
    }
    let params = Parameters::from([("schedules".to_owned(), schedules.into())]);
    let mut recorder = Recorder::start("fleet_faults", output, params)?;
    let safe = SAFE_POLICIES
        .iter()
        .chain(SAFE_NUMBERS)
        .flat_map(|policy| CLOCKS.iter().map(move |clock| (*policy, clock)));
    // On true time, so that duplicates are the faults' alone.
    let ideal = CLOCKS.iter().filter(|clock| clock.name == "ideal");
    let found_out = UNSAFE_POLICIES
        .iter()
        .chain(UNSAFE_NUMBERS)
        .flat_map(|policy| ideal.clone().map(move |clock| (*policy, clock)));
    let tasks: Vec<(Policy, &Preset)> = safe.chain(found_out).collect();
    let progress = recorder::progress(Some(schedules * tasks.len() as u64));
    let threads = recorder::threads(output, tasks.len(), 1 << 24, "a trial")?;
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()?;
    let one = |&(policy, clock): &(Policy, &'static Preset)| {
        found(policy, clock, (output.seed, schedules), &progress)
    };
    let all: Result<Vec<Found>> = pool.install(|| tasks.par_iter().map(one).collect());
    progress.finish_and_clear();
    let (mut repeating, mut hidden) = (0, 0);
    for found in all? {
        let safe = found.policy.against != Against::Nothing;
        repeating += usize::from(safe && !found.holds());
        hidden += usize::from(!safe && !found.holds());
        let rows = found.into_rows(recorder.digest());
        recorder.add(rows, None);
    }
    recorder.finish(|_| Ok::<Vec<Chart>, ChartError>(Vec::new()), table)?;
    match (repeating, hidden) {
        (0, 0) => Ok(()),
        (0, hidden) => bail!(
            "{hidden} unsafe policies are not found out by {schedules} schedules: give more --schedules"
        ),
        (repeating, _) => bail!("{repeating} safe policies and clocks repeat ids"),
    }
}

/// One line a policy: clocks, schedules and those with duplicates; then the shortest of these.
fn table(records: &Records) -> String {
    struct Line<'a> {
        policy: [&'a str; 4],
        clocks: u64,
        run: f64,
        repeated: f64,
    }
    let mut lines: Vec<Line> = Vec::new();
    let mut told = String::new();
    for pair in records.rows.chunks_exact(2) {
        let [run, repeated] = pair else { continue };
        let param = |name: &str| run.params.get(name).and_then(Value::as_str).unwrap_or("");
        let policy = ["rollback", "memory", "numbers", "against"].map(param);
        if lines.last().is_none_or(|line| line.policy != policy) {
            lines.push(Line {
                policy,
                clocks: 0,
                run: 0.0,
                repeated: 0.0,
            });
        }
        if let Some(line) = lines.last_mut() {
            line.clocks += u64::from(run.value.as_f64() > 0.0);
            line.run += run.value.as_f64();
            line.repeated += repeated.value.as_f64();
        }
        let shortest = repeated.params.get("shortest").and_then(Value::as_str);
        if let Some(shortest) = shortest {
            let [rollback, memory, numbers, _] = policy;
            let clock = param("clock");
            let _ = write!(
                told,
                "\n\n{rollback}, {memory}, {numbers}, clock {clock}:\n{shortest}"
            );
        }
    }
    let headings = [
        "rollback",
        "memory",
        "numbers",
        "safe against",
        "clocks",
        "schedules",
        "with\nduplicates",
        "",
    ];
    let cells = lines.into_iter().map(|line| {
        let [rollback, memory, numbers, against] = line.policy;
        let verdict = match (against.is_empty(), line.repeated > 0.0) {
            (true, true) => "found out",
            (false, false) => "ok",
            (true, false) => "NOT FOUND OUT",
            (false, true) => "REPEATS IDS",
        };
        let against = if against.is_empty() {
            "nothing"
        } else {
            against
        };
        let texts = [rollback, memory, numbers, against].map(str::to_owned);
        let mut cells = texts.to_vec();
        cells.extend([line.clocks as f64, line.run, line.repeated].map(report::whole));
        cells.push(verdict.to_owned());
        cells
    });
    format!("{}{told}", report::table(&headings, cells))
}
