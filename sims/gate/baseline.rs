//! Counts that are kept in a file, for a project that cannot build its base again.
//!
//! Weaker than two programs side by side: only instructions are compared, never times, and
//! another compiler or another lockfile gives another count of the same source.

use super::count::{self, IDS};
use super::outcome::{INSTRUCTIONS, Outcome, row};
use super::side::Side;
use super::survey::{chosen, say_of_notes};
use super::{Args, finish, no_charts, parameters, threads};
use crate::args::say;
use crate::recorder::{self, Recorder};
use crate::report::{table, two};
use anyhow::{Context, Result, anyhow, bail};
use idlab::gate::Judgement;
use idlab::record::{Number, Parameters, Records, Row};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

const EXPERIMENT: &str = "gate_baseline";

/// Longest file that can be a baseline.
const MOST_BYTES: u64 = 16 << 20;

/// Counts the head and keeps what it takes in `file`.
pub fn save(args: &Args, head: &Side, file: &Path) -> Result<()> {
    // Counting takes long.
    if file.is_dir() {
        bail!("--save {}: expected a file", file.display());
    }
    recorder::see_writable("--save", recorder::folder_of(file))?;
    let seed = args.output.seed;
    let counts = Counts::of(args, head, seed, |cases| chosen(cases, &args.cases))?;
    let mut params = parameters(&args.cases, head);
    params.insert("notes".to_owned(), serde_json::to_value(&counts.notes)?);
    let mut recorder = Recorder::start_file(EXPERIMENT, &args.output, file, params)?;
    let row = |(case, (checksum, per_id)): (&String, &(String, f64))| Row {
        params: Parameters::from([("checksum".to_owned(), checksum.as_str().into())]),
        ..row(recorder.digest(), case, INSTRUCTIONS, Number::Real(*per_id))
    };
    let rows: Vec<_> = counts.cases.iter().map(row).collect();
    recorder.add(rows, None);
    let line = |(case, (checksum, per_id)): (&String, &(String, f64))| {
        vec![case.clone(), two(*per_id), checksum.clone()]
    };
    let headings = ["case", "instructions\nper id", "checksum"];
    recorder.finish(no_charts, |_| {
        table(&headings, counts.cases.iter().map(line))
    })
}

/// Counts the head and compares it with `file`.
pub fn compare(args: &Args, head: &Side, file: &Path) -> Result<()> {
    let name = format!("--baseline {}", file.display());
    let is_file =
        std::fs::metadata(file).is_ok_and(|data| data.is_file() && data.len() < MOST_BYTES);
    if file.exists() && !is_file {
        bail!("{name}: expected a file that sim gate --save has made");
    }
    let records = File::open(file).map_err(anyhow::Error::from);
    let records = records.and_then(|file| Ok(Records::read_jsonl(BufReader::new(file))?));
    let records = records.with_context(|| name.clone())?;
    if records.run.experiment != EXPERIMENT
        || records.run.params.get("counted_ids") != Some(&IDS.into())
    {
        bail!("{name}: expected a file that sim gate --save of this version has made");
    }
    let before: BTreeMap<_, _> = records
        .rows
        .iter()
        .map(|row| (row.scheme.clone(), row))
        .collect();
    let mut params = parameters(&args.cases, head);
    params.insert("baseline".to_owned(), records.run.run.as_str().into());
    let recorder = Recorder::start("gate", &args.output, params)?;
    say(
        "against a stored baseline, which is weaker than two programs side by side: instructions alone are compared, and these change with compiler and lockfile too",
    );
    let mut order = Vec::new();
    let counts = Counts::of(args, head, records.run.seed, |cases| {
        let gone = before.keys().filter(|case| !cases.contains(case));
        let all: Vec<_> = cases.iter().chain(gone).cloned().collect();
        order = chosen(&all, &args.cases)?;
        Ok(order
            .iter()
            .filter(|case| cases.contains(case))
            .cloned()
            .collect())
    })?;
    let notes = records.run.params.get("notes").cloned().unwrap_or_default();
    let notes: BTreeMap<String, String> = serde_json::from_value(notes).unwrap_or_default();
    say_of_notes(&Vec::from_iter(notes), &Vec::from_iter(counts.notes));
    let outcome = |case: &String| {
        let (Some(before), now) = (before.get(case), counts.cases.get(case)) else {
            return Outcome::unmeasured(case, Judgement::NEW);
        };
        let Some((checksum, per_id)) = now else {
            return Outcome::unmeasured(case, Judgement::GONE);
        };
        if before.params.get("checksum") != Some(&checksum.as_str().into()) {
            return Outcome::unmeasured(case, Judgement::OTHER_WORK);
        }
        let base = before.value.as_f64();
        Outcome {
            counts: Some([base, *per_id]),
            ..Outcome::unmeasured(case, Judgement::of_count(per_id / base))
        }
    };
    let outcomes: Vec<_> = order.iter().map(outcome).collect();
    if outcomes
        .iter()
        .all(|outcome| outcome.judgement == Judgement::NEW || outcome.judgement == Judgement::GONE)
    {
        bail!("{name}: it has no case in common with what is compared, expected at least one");
    }
    finish(recorder, &outcomes)
}

/// What a program takes.
struct Counts {
    /// Checksum and instructions per id, by case.
    cases: BTreeMap<String, (String, f64)>,
    /// What counts depend on.
    notes: BTreeMap<String, String>,
}

impl Counts {
    fn of(
        args: &Args,
        side: &Side,
        seed: u64,
        choose: impl FnOnce(&[String]) -> Result<Vec<String>>,
    ) -> Result<Self> {
        let mut worker = side.start()?;
        let chosen = choose(&worker.cases)?;
        let valgrind = count::valgrind().ok_or_else(|| {
            anyhow!("valgrind is not here, expected it: a stored baseline has instructions alone")
        })?;
        let with_sums = chosen.into_iter().map(|case| {
            let checksum = worker.run(&case, seed, IDS)?.0;
            Ok((case, checksum))
        });
        let with_sums: Vec<_> = with_sums.collect::<Result<_>>()?;
        let tasks: Vec<_> = with_sums.iter().map(|case| (side, case)).collect();
        let counted = count::all(&tasks, seed, threads(&args.output))?;
        let mut cases = BTreeMap::new();
        for ((case, checksum), counted) in with_sums.iter().zip(counted) {
            let Some(counted) = counted else {
                bail!("{case} cannot be counted, expected every case to run under valgrind");
            };
            cases.insert(case.clone(), (checksum.clone(), counted.per_id));
        }
        let mut notes: BTreeMap<_, _> = worker.notes.iter().cloned().collect();
        notes.insert("valgrind".to_owned(), valgrind);
        notes.insert("cpu".to_owned(), idlab::record::Host::this().cpu);
        Ok(Self { cases, notes })
    }
}
