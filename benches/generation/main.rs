//! `cargo bench --bench generation`: what ids cost, ours and other crates'.
//!
//! Criterion times each row for people. Then all rows take turns in short batches, whose
//! medians become the table, the records and the charts; where valgrind is, instructions are
//! counted. A whole run writes to `results/`, one of some rows or with `--quick` to
//! `target/generation/`; the environment's `IDLAB_OUT` names another folder.
//!
//! To add a peer: a file in `peers/`, and a line in `peers.rs`.

mod check;
mod clocks;
mod count;
mod fixtures;
mod floor;
mod model;
mod ours;
mod peers;
mod report;
mod row;
mod summary;
mod table;
mod text;
mod threads;
mod time;
mod work;

use criterion::{Criterion, SamplingMode, Throughput};
use idlab::names::nearest;
use row::{GROUPS, Group, Row};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::process::ExitCode;
use std::time::Duration;

/// Bursts behind one number of criterion's: a tick passes between two.
const BURSTS: u64 = 16;

fn rows() -> Vec<Row> {
    let alone = || {
        let mut rows = floor::rows();
        rows.extend(ours::rows());
        rows.extend(text::rows());
        rows.extend(peers::rows());
        rows.extend(model::rows());
        rows
    };
    let mut rows = alone();
    rows.extend(threads::rows(alone()));
    rows.sort_by_key(|row| row.group);
    rows
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let rows = rows();
    if let [flag, row, ids] = &args[..]
        && flag == count::FLAG
    {
        return count::child(&rows, row, ids);
    }
    if let Some(at) = args.iter().position(|arg| arg == summary::FLAG) {
        return summary::print(args.get(at + 1).map_or("", String::as_str));
    }
    let mode = Mode::new(&args);
    let (chosen, wrong) = bench(&rows, mode);
    if mode == Mode::List {
        return ExitCode::SUCCESS;
    }
    if chosen.is_empty() {
        eprintln!("error: {}", unknown(&args, &rows));
        return ExitCode::from(2);
    }
    if mode == Mode::Test {
        return match wrong.is_empty() {
            true => ExitCode::SUCCESS,
            false => ExitCode::FAILURE,
        };
    }
    let whole = mode == Mode::Full && chosen.len() == rows.len();
    match report::report(&chosen, &wrong, mode, &report::folder(whole)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// How much is done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// Everything.
    Full,
    /// Everything for a short time; instructions are not counted.
    Quick,
    /// Each row runs once, or for a profiler: nothing is reported.
    Test,
    /// Rows are named.
    List,
}

impl Mode {
    fn new(args: &[String]) -> Self {
        let asked = |flag| args.iter().any(|arg| arg == flag);
        if asked("--list") {
            Mode::List
        } else if asked("--test") || asked("--profile-time") || !asked("--bench") {
            Mode::Test
        } else if asked("--quick") {
            Mode::Quick
        } else {
            Mode::Full
        }
    }
}

/// That no row has a name like what was asked for.
fn unknown(args: &[String], rows: &[Row]) -> String {
    let asked: Vec<_> = args.iter().filter(|arg| !arg.starts_with('-')).collect();
    let asked = asked.last().map_or("", |asked| asked.as_str());
    let names: BTreeSet<_> = rows.iter().map(|row| row.scheme.as_str()).collect();
    let nearest = nearest(asked, names.iter().copied());
    format!("no row matches {asked:?}{nearest}; -- --list names all rows")
}

/// Has criterion time the rows that it was asked for; returns them, and what is wrong with
/// which, by their ids.
fn bench(rows: &[Row], mode: Mode) -> (Vec<&Row>, BTreeMap<String, String>) {
    let mut criterion = Criterion::default().configure_from_args();
    let chosen = RefCell::new(Vec::new());
    let mut wrong = BTreeMap::new();
    for &group in GROUPS {
        let mut criterion = criterion.benchmark_group(group.name());
        criterion
            .throughput(Throughput::Elements(1))
            .sampling_mode(SamplingMode::Flat)
            .sample_size(10)
            .nresamples(10_000)
            .warm_up_time(Duration::from_millis(100))
            .measurement_time(Duration::from_millis(match mode {
                Mode::Quick => 30,
                _ => 500,
            }));
        for row in rows.iter().filter(|row| row.group == group) {
            let mut first = None;
            criterion.bench_function(row.id(), |bench| {
                if first.is_none() {
                    chosen.borrow_mut().push(row);
                    if let Err(error) = row.verify() {
                        eprintln!("{}: {error}", row.full_id());
                        wrong.insert(row.full_id(), error);
                    }
                }
                let timer = first.get_or_insert_with(|| time::Timer::new(row));
                bench.iter_custom(|ids| match row.group {
                    Group::Threads => threads::mean(row, ids),
                    _ => timer.mean(
                        ids,
                        if row.limit.is_some() {
                            BURSTS
                        } else {
                            u64::MAX
                        },
                    ),
                });
            });
        }
        criterion.finish();
    }
    criterion.final_summary();
    (chosen.into_inner(), wrong)
}
