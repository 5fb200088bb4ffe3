//! Instructions an id, counted by valgrind: the bench runs itself, for n and for 2n ids.

use crate::row::{CHUNK, Clock, Group, Row};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Mutex;
use std::time::Duration;

/// First argument of a run that does nothing but one row's work.
pub const FLAG: &str = "--count";
/// About the instructions of the shorter run.
const INSTRUCTIONS: f64 = 2e6;
/// About what a nanosecond is worth of them, so that slow rows take fewer ids.
const PER_NS: f64 = 6.0;
/// Runs at once.
const PARALLEL: usize = 2;

/// Does the work of a row, so many ids.
pub fn child(rows: &[Row], id: &str, ids: &str) -> ExitCode {
    let row = rows.iter().find(|row| row.full_id() == id);
    let (Some(row), Ok(ids)) = (row, ids.parse::<usize>()) else {
        eprintln!("error: {FLAG} takes the name of a row and a number of ids");
        return ExitCode::from(2);
    };
    let mut work = (row.make)();
    match row.limit {
        None => work.run(ids),
        Some(limit) => {
            // A system call is not counted, a loop that waits would be.
            let burst = (limit.ids / 4) as usize;
            for done in (0..ids).step_by(burst) {
                std::thread::sleep(Duration::from_nanos(2 * limit.tick_ns));
                work.run(burst.min(ids - done));
            }
        }
    }
    std::hint::black_box(work.checksum());
    ExitCode::SUCCESS
}

/// Instructions an id of each row, in their order; `ns` guesses a row's time an id.
pub fn count(rows: &[&Row], ns: impl Fn(usize) -> Option<f64>) -> Vec<Option<f64>> {
    if cachegrind().arg("--version").output().is_err() {
        eprintln!("instructions are not counted: there is no valgrind");
        return Vec::new();
    }
    eprintln!("instructions of {} rows ...", rows.len());
    let ids = |i: usize| match rows[i].group {
        Group::Model => 20_000,
        _ => {
            let ids = INSTRUCTIONS / PER_NS / ns(i).unwrap_or(100.0).max(0.05);
            let most = if rows[i].limit.is_some() { 32 } else { 4096 };
            ((ids / CHUNK as f64) as usize).clamp(4, most) * CHUNK
        }
    };
    let tasks: Vec<_> = (0..rows.len()).map(|i| (i, ids(i))).collect();
    let (tasks, found) = (Mutex::new(tasks), Mutex::new(vec![None; rows.len()]));
    // A function, so that its lock is not held while a task is worked on.
    let next = || tasks.lock().expect("no panic").pop();
    std::thread::scope(|scope| {
        for _ in 0..PARALLEL {
            scope.spawn(|| {
                while let Some((i, ids)) = next() {
                    // How long the calibration of its counter takes is chance.
                    if rows[i].clock == Clock::Cached {
                        continue;
                    }
                    let id = rows[i].full_id();
                    // Bursts may yet wait for a late clock, which only adds: the least is the work.
                    let runs = if rows[i].limit.is_some() { 3 } else { 1 };
                    let least = |ids| {
                        (0..runs)
                            .filter_map(|_| instructions(&id, ids))
                            .reduce(f64::min)
                    };
                    let count = || Some(least(2 * ids)? - least(ids)?);
                    let per_id = count().map(|count| count / ids as f64);
                    found.lock().expect("no panic")[i] = per_id;
                }
            });
        }
    });
    found.into_inner().expect("no panic")
}

fn cachegrind() -> Command {
    let mut command = Command::new("valgrind");
    command.stdin(Stdio::null());
    command
}

/// Instructions of a run of so many ids; none if it fails.
fn instructions(id: &str, ids: usize) -> Option<f64> {
    let program = std::env::current_exe().ok()?;
    let output = cachegrind()
        .args([
            "--tool=cachegrind",
            "--cache-sim=no",
            "--cachegrind-out-file=/dev/null",
        ])
        .arg(program)
        .args([FLAG, id, &ids.to_string()])
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&output.stderr);
    let line = text
        .lines()
        .find(|line| line.contains("I refs:") || line.contains("I   refs:"))?;
    let digits: String = line
        .rsplit(':')
        .next()?
        .chars()
        .filter(char::is_ascii_digit)
        .collect();
    digits.parse().ok()
}
