//! Instructions per id, by valgrind's cachegrind: exact, and the same on every run.

use super::child::Child;
use super::side::Side;
use crate::args::say;
use crate::recorder::progress_of;
use anyhow::{Context, Result, anyhow, bail};
use rayon::prelude::*;
use std::io::Read;
use std::time::Duration;

/// Ids of the smaller of two counts; the larger has twice as many.
pub const IDS: u64 = 16_384;
/// How much longer than outside valgrind an answer may take.
const SLOWER: u32 = 60;

/// What one worker takes for a case.
#[derive(Clone, PartialEq, Debug)]
pub struct Counted {
    /// The checksum of [`IDS`] ids.
    pub checksum: String,
    /// Instructions of each further id.
    pub per_id: f64,
}

/// Longest time that valgrind may take to tell its version.
const VERSION_PATIENCE: Duration = Duration::from_secs(10);

/// Whether there is a valgrind that answers; its version if so.
pub fn valgrind() -> Option<String> {
    let words = ["valgrind", "--version"].map(str::to_owned);
    let mut child = Child::start("valgrind", &words, VERSION_PATIENCE).ok()?;
    let version = child.line("its version").ok()?;
    child.finish().ok()?;
    Some(version)
}

/// Counts cases with known checksums; none of a program that valgrind cannot run.
pub fn all(
    tasks: &[(&Side, &(String, String))],
    seed: u64,
    threads: usize,
) -> Result<Vec<Option<Counted>>> {
    let bar = progress_of(Some(tasks.len() as u64), "counts");
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()?;
    let counted: Vec<Result<Counted>> = pool.install(|| {
        let counted = tasks.par_iter().map(|(side, (case, _))| {
            let counted = count(side, case, seed);
            bar.inc(1);
            counted
        });
        counted.collect()
    });
    bar.finish_and_clear();
    let mut said = false;
    let mut found = Vec::new();
    for ((side, (case, checksum)), counted) in tasks.iter().zip(counted) {
        match counted {
            Ok(counted) if counted.checksum != *checksum => {
                return Err(anyhow!(
                    "{} ({}): {case}: checksum {} when counted and {checksum} when timed, expected the same",
                    side.name,
                    side.command,
                    counted.checksum
                ));
            }
            Ok(counted) => found.push(Some(counted)),
            Err(error) => {
                if !std::mem::replace(&mut said, true) {
                    say(&format!(
                        "instructions of {case} and perhaps more cannot be counted: {error:#}"
                    ));
                }
                found.push(None);
            }
        }
    }
    Ok(found)
}

/// Counts the instructions that `side` takes for an id of `case`.
fn count(side: &Side, case: &str, seed: u64) -> Result<Counted> {
    let (checksum, some) = total(side, case, seed, IDS)?;
    let (_, more) = total(side, case, seed, 2 * IDS)?;
    if more <= some {
        bail!(
            "{case}: {some} instructions for {IDS} ids and {more} for twice as many: is the work done in another process?"
        );
    }
    Ok(Counted {
        checksum,
        per_id: (more - some) as f64 / IDS as f64,
    })
}

/// The checksum and all instructions of a worker that is asked for `ids` ids once.
fn total(side: &Side, case: &str, seed: u64, ids: u64) -> Result<(String, u64)> {
    let log = tempfile::NamedTempFile::new().context("a temporary file")?;
    let words = [
        "valgrind".to_owned(),
        "--tool=cachegrind".to_owned(),
        "--cache-sim=no".to_owned(),
        "--vgdb=no".to_owned(),
        "--cachegrind-out-file=/dev/null".to_owned(),
        format!("--log-file={}", log.path().display()),
    ];
    let mut worker = side.start_inside(&words, SLOWER)?;
    // It is open on both sides: without a name it ends with the last of them.
    let mut log = log.into_file();
    let checksum = worker.count(case, seed, ids)?;
    worker.finish()?;
    let mut lines = Vec::new();
    log.read_to_end(&mut lines).context("valgrind's log")?;
    let instructions = parse(&String::from_utf8_lossy(&lines)).ok_or_else(|| {
        anyhow!(
            "valgrind wrote no line with \"I refs:\": is the command a script that starts another program? give that one"
        )
    })?;
    Ok((checksum, instructions))
}

/// The number after `I refs:`.
fn parse(log: &str) -> Option<u64> {
    let number = log
        .lines()
        .find_map(|line| Some(line.split_once("I")?.1.split_once("refs:")?.1))?;
    number.trim().replace(',', "").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_total_is_read_from_a_log() {
        let log = "==7== Cachegrind, a cache and branch-prediction profiler\n==7== \n==7== I   refs:      7,654,321\n";
        assert_eq!(parse(log), Some(7_654_321));
        assert_eq!(parse("==7== I refs:        12\n"), Some(12));
        assert_eq!(parse("==7== D refs: 5\n"), None);
        assert_eq!(parse(""), None);
    }
}
