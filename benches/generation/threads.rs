//! Two threads at once, each with a work of its own; generators that are shared, are.

use crate::row::{Clock, Group, Row, Who};
use crate::time::{Timer, Timing, pause};
use std::hint::spin_loop;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Length of a round, in nanoseconds: long beside the time that threads need to meet.
const ROUND_NS: f64 = 200_000.0;
/// Rounds for one number of criterion's.
const ROUNDS: usize = 5;
/// How long rounds are tried anew while few of them count: the system may have put both
/// threads on one core.
const LENGTH: Duration = Duration::from_secs(1);
/// Fewest rounds that make a number.
const FEWEST: u64 = 5;
/// Least share of a round that both threads must be at work for it to count.
const OVERLAP: f64 = 0.8;

/// Times an id on one thread and on two.
#[derive(Clone, Copy, Debug)]
pub struct Scaling {
    /// On one.
    pub one: Timing,
    /// On both, over all ids; none if they were never at work together.
    pub two: Option<Timing>,
}

/// Rows that are also run on two threads, anew as rows of [`Group::Threads`].
pub fn rows(rows: Vec<Row>) -> Vec<Row> {
    let chosen =
        |row: &Row| row.group == Group::One && row.who != Who::Floor && row.clock != Clock::Manual;
    let anew = |row| Row {
        group: Group::Threads,
        ..row
    };
    rows.into_iter().filter(chosen).map(anew).collect()
}

/// Times a row on one thread and on two, for so many rounds each.
pub fn scaling(row: &Row, rounds: usize) -> Option<Scaling> {
    let (start, mut two) = (Instant::now(), Vec::new());
    while start.elapsed() < LENGTH && two.len() < rounds / 2 {
        two.extend(run(row, 2, rounds));
    }
    Some(Scaling {
        one: Timing::new(run(row, 1, rounds))?,
        two: Timing::new(two).filter(|time| time.batches >= FEWEST),
    })
}

/// The time of so many ids on two threads, over all ids, from a few rounds.
pub fn mean(row: &Row, ids: u64) -> Duration {
    // Rounds in which the threads missed each other tell nothing: one thread alone must do then.
    let both = Timing::new(run(row, 2, ROUNDS));
    let time = both.or_else(|| Timing::new(run(row, 1, ROUNDS)));
    let ns = time.map_or(0.0, |time| time.median_ns);
    Duration::from_secs_f64(ns * ids as f64 / 1e9)
}

/// Nanoseconds an id over all ids of `threads` threads, of rounds that count.
fn run(row: &Row, threads: usize, rounds: usize) -> Vec<f64> {
    let (zero, met) = (Instant::now(), AtomicUsize::new(0));
    let batch = {
        let mut timer = Timer::new(row);
        let ids = timer.batch();
        let ns = timer.run(ids).as_nanos() as f64 / ids as f64;
        match row.limit {
            Some(limit) => limit.ids as usize / 8,
            // A lock serves threads unevenly for a while: they end together only in the long run.
            None if row.state.shared() => ((5.0 * ROUND_NS / ns.max(0.1)) as usize).max(16),
            None => ((ROUND_NS / ns.max(0.1)) as usize).max(16),
        }
    };
    // On one core, threads that wait for each other's lock would look as if both were at work.
    let cores = core_affinity::get_core_ids().unwrap_or_default();
    let thread = &|number: usize| {
        if let Some(core) = cores.get(number) {
            core_affinity::set_for_current(*core);
        }
        let mut work = (row.make)();
        let round = |round: usize| {
            pause(row.limit);
            meet(&met, threads * (round + 1));
            let start = zero.elapsed();
            work.run(batch);
            let end = zero.elapsed();
            std::hint::black_box(work.checksum());
            (start, end)
        };
        (0..=rounds).map(round).collect::<Vec<_>>()
    };
    let times: Vec<Vec<_>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads)
            .map(|number| scope.spawn(move || thread(number)))
            .collect();
        threads
            .into_iter()
            .filter_map(|thread| thread.join().ok())
            .collect()
    });
    let of_round = |round: usize| -> Option<f64> {
        let all = times.iter().map(|times| times[round]);
        let span = all.clone().map(|time| time.1).max()? - all.clone().map(|time| time.0).min()?;
        let begin = all.clone().map(|time| time.0).max()?;
        let both = all.map(|time| time.1).min()?.saturating_sub(begin);
        let ns = |time: Duration| time.as_nanos() as f64;
        (ns(both) >= OVERLAP * ns(span)).then(|| ns(span) / (batch * threads) as f64)
    };
    // The first round warms up.
    (1..=rounds).filter_map(of_round).collect()
}

/// Waits until `all` have come.
fn meet(met: &AtomicUsize, all: usize) {
    met.fetch_add(1, Ordering::AcqRel);
    let mut turns = 0u32;
    while met.load(Ordering::Acquire) < all {
        turns += 1;
        match turns % 4096 {
            0 => std::thread::yield_now(),
            _ => spin_loop(),
        }
    }
}
