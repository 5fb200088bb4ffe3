//! What cursors skip: latency, skew, polls and lag windows.

use super::blocks::{
    Estimate, MS, ROWS, Readers, commits, cursor, each_row, first_polls, fleet, rows, skewed,
    skipped, step,
};
use super::{Check, Setting};
use crate::tolerance::Tolerance;
use anyhow::{Result, anyhow};
use idlab::clock::Timestamp;
use idlab::duration::show;
use idlab::fleet::{FleetSpec, Latency};
use idlab::measure::{Polls, ReaderKind, Seen};
use idlab::scheme::{AutoIncrement, UuidV7};
use idlab::theory::cursor as theory;
use rayon::prelude::*;

const SKIPPED: (&str, &str) = ("skipped_rows_share", "share");

/// Ids in the order of their writers' clocks, to 245 ns.
const EXACT_TIMES: &str = "uuid_v7:tail=fraction";

/// Writers, each with an error of its own, that are as good as an error a row.
const MANY: u32 = 200_000;

/// The tail of exponential commits is an approximation.
const TAIL: Tolerance = Tolerance::relative(0.05);
const TAIL_NOTE: &str = "approximation for the tail: a twentieth";

/// A central counter, exponential commits, a cursor that never rests.
pub fn exponential(setting: &Setting) -> Result<Vec<Check>> {
    let cases = [
        (0.1, 1000),
        (1.0, 1000),
        (3.0, 5000),
        (10.0, 1000),
        (30.0, 2000),
        (100.0, 10_000),
    ];
    let check = |&(in_flight, rate): &(f64, u64)| {
        let mean_ns = (in_flight / rate as f64 * 1e9).round() as u64;
        let spec = commits(setting, 16, rate, mean_ns);
        let found = cursor::<AutoIncrement>(setting, "auto_increment", spec, ROWS, (0, 0))?;
        let case = format!("counter, {in_flight} rows in flight, {rate}/s");
        Ok(Check::new(
            case,
            SKIPPED,
            found,
            theory::skipped_of_exponential(in_flight),
        ))
    };
    cases.par_iter().map(check).collect()
}

/// Each writer's clock lead in seconds as its ids say.
pub fn leads_s<K>(seen: &[Seen<K>], writers: u32) -> Vec<f64> {
    let mut sums = vec![(0.0, 0.0); writers as usize];
    for row in seen {
        let (sum, count) = &mut sums[row.writer as usize];
        *sum += row.key_time.0 as f64 - row.minted.0 as f64;
        *count += 1.0;
    }
    sums.iter().map(|(sum, count)| sum / count / 1e9).collect()
}

/// Writers of constant clock offsets, no latency.
pub fn offsets(setting: &Setting) -> Result<Vec<Check>> {
    let cases = [(20, 1000, 5 * MS), (5, 2000, 2 * MS), (100, 5000, MS)];
    let check = |&(writers, rate, sd_ns): &(u32, u64, u64)| {
        let spec = skewed(fleet(setting, writers, rate), sd_ns);
        let seen = rows::<UuidV7>(setting, EXACT_TIMES, spec.clone(), ROWS)?;
        let own = rate as f64 / f64::from(writers);
        let leads: Vec<(f64, f64)> = leads_s(&seen, writers)
            .into_iter()
            .map(|lead| (lead, own))
            .collect();
        let shares = theory::skipped_by_offsets(&leads);
        let mut readers = Readers::new(ReaderKind::Cursor { lag_ns: 0 }, spec.start, 0, ROWS);
        seen.iter().for_each(|row| readers.see(row));
        let expected = shares.iter().sum::<f64>() / f64::from(writers);
        let case = format!("{writers} clocks, sd {}, {rate}/s", show(sd_ns));
        Ok(Check::new(
            case,
            SKIPPED,
            readers.finish()?.skipped(),
            expected,
        ))
    };
    cases.par_iter().map(check).collect()
}

/// A normal clock error a row: so many writers that hardly two rows are of one.
pub fn skew(setting: &Setting) -> Result<Vec<Check>> {
    let cases = [(1000, MS), (1000, 5 * MS), (4000, 5 * MS)];
    let check = |&(rate, sd_ns): &(u64, u64)| {
        let spec = skewed(fleet(setting, MANY, rate), sd_ns);
        let found = cursor::<UuidV7>(setting, EXACT_TIMES, spec, ROWS, (0, 0))?;
        let rows_per_sd = rate as f64 * sd_ns as f64 / 1e9;
        let case = format!("normal error, {rows_per_sd} rows per sd");
        let check = Check::new(case, SKIPPED, found, theory::skipped_of_skew(rows_per_sd));
        Ok(check.about(Tolerance::relative(0.002), MANY_NOTE))
    };
    // One at a time: so many writers take room.
    cases.iter().map(check).collect()
}

/// What a sample of so many writers may be off.
const MANY_NOTE: &str =
    "200 000 writers with an error each stand for an error a row: their sd is 0.2 % off";

/// Polls, by the general form from the run's own effective latencies.
pub fn polls(setting: &Setting) -> Result<Vec<Check>> {
    let mean = |mean_ns| Latency::Exponential { mean_ns };
    let cases = [
        ("exponential 10 ms", mean(10 * MS), 2, 1000, 500, 0),
        ("exponential 10 ms", mean(10 * MS), 2, 1000, 0, 0),
        ("exponential 20 ms", mean(20 * MS), 5, 50, 200, 0),
        ("light", Latency::Light, 1, 2000, 100, 0),
        ("heavy", Latency::Heavy, 1, 200, 1000, 0),
        ("heavy", Latency::Heavy, 1, 200, 250, 0),
        ("heavy", Latency::Heavy, 1, 200, 1000, 100),
        ("heavy", Latency::Heavy, 1, 200, 1000, 1000),
    ];
    let check =
        |&(name, latency, sd_ms, rate, poll_ms, lag_ms): &(&str, Latency, u64, u64, u64, u64)| {
            let spec = FleetSpec {
                latency,
                ..skewed(fleet(setting, 1000, rate), sd_ms * MS)
            };
            let kind = ReaderKind::Cursor {
                lag_ns: lag_ms * MS,
            };
            let rows = 2 * ROWS;
            let mut readers = Readers::new(kind, spec.start, poll_ms * MS, rows);
            let mut latencies = Vec::with_capacity(rows as usize);
            each_row::<UuidV7>(setting, EXACT_TIMES, spec, rows, |row| {
                latencies.push((row.committed.0 as f64 - row.key_time.0 as f64) / 1e9);
                readers.see(&row);
            })?;
            let latencies =
                theory::Latencies::new(latencies).ok_or_else(|| anyhow!("no latencies"))?;
            let s = |ms: u64| ms as f64 / 1e3;
            let expected = match lag_ms {
                0 => latencies.skipped(rate as f64, s(poll_ms)),
                _ => latencies.skipped_behind_lag(rate as f64, s(poll_ms), s(lag_ms)),
            };
            let lag = if lag_ms == 0 {
                String::new()
            } else {
                format!(", lag {}", show(lag_ms * MS))
            };
            let case = format!(
                "{name}, sd {sd_ms} ms, {rate}/s, poll {}{lag}",
                show(poll_ms * MS)
            );
            Ok(Check::new(
                case,
                SKIPPED,
                readers.finish()?.skipped(),
                expected,
            ))
        };
    cases.par_iter().map(check).collect()
}

/// Two writers, the first one behind: what each loses.
pub fn two_writers(setting: &Setting) -> Result<Vec<Check>> {
    let cases = [
        (100, 10, 0),
        (100, 10, 4),
        (100, 10, 1000),
        (400, 50, 100),
        (1000, 3, 2),
        (50, 100, 20),
    ];
    let check = |&(rate, behind_ms, poll_ms): &(u64, u64, u64)| {
        let mut spec = fleet(setting, 2, 2 * rate);
        let behind = step(&spec, 0, 0, -((behind_ms * MS) as i64));
        spec.conduct.faults = vec![behind];
        let seen = rows::<UuidV7>(setting, EXACT_TIMES, spec.clone(), 2 * ROWS)?;
        let mut lost = vec![0.0; seen.len()];
        let firsts: Vec<Timestamp> = first_polls(spec.start, poll_ms * MS).collect();
        for &first in &firsts {
            for place in skipped(&seen, Polls::new(first, poll_ms * MS)) {
                lost[place as usize] += 1.0 / firsts.len() as f64;
            }
        }
        let of = |writer: u32| {
            let lost = seen
                .iter()
                .zip(&lost)
                .filter(|(row, _)| row.writer == writer);
            lost.map(|(_, lost)| *lost).collect::<Vec<f64>>()
        };
        let slow = Estimate::of_blocks(&of(0));
        let fast = Estimate::exact(of(1).iter().sum());
        let s = |ms: u64| ms as f64 / 1e3;
        let expected = theory::skipped_behind(rate as f64, s(behind_ms), s(poll_ms));
        let case = |who: &str| {
            format!(
                "{who} of two, {behind_ms} ms apart, {rate}/s each, poll {}",
                show(poll_ms * MS)
            )
        };
        Ok(vec![
            Check::new(case("slow"), SKIPPED, slow, expected),
            Check::new(case("fast"), SKIPPED, fast, 0.0),
        ])
    };
    let checks: Result<Vec<Vec<Check>>> = cases.par_iter().map(check).collect();
    Ok(checks?.into_iter().flatten().collect())
}

/// Lag windows well in the tail of the commits.
pub fn lags(setting: &Setting) -> Result<Vec<Check>> {
    // Rows a second; sd, mean, poll and lag in milliseconds.
    let cases = [
        (1000, 2, 10, 0, 50),
        (1000, 2, 10, 10, 50),
        (1000, 2, 10, 500, 30),
        (50, 5, 20, 200, 60),
        (20, 5, 50, 1000, 200),
        (1000, 2, 10, 20, 40),
        (200, 1, 5, 0, 30),
    ];
    let check = |&(rate, sd_ms, mean_ms, poll_ms, lag_ms): &(u64, u64, u64, u64, u64)| {
        let found = behind_lag(setting, (rate, sd_ms, mean_ms), poll_ms * MS, lag_ms * MS)?;
        let [sd, mean, poll, lag] = [sd_ms, mean_ms, poll_ms, lag_ms].map(|ms| ms as f64 / 1e3);
        let expected = theory::skipped_behind_lag(rate as f64, mean, sd, poll, lag);
        let case = format!(
            "{rate}/s, sd {sd_ms} ms, mean {mean_ms} ms, poll {}, lag {}",
            show(poll_ms * MS),
            show(lag_ms * MS)
        );
        Ok(Check::new(case, SKIPPED, found, expected).about(TAIL, TAIL_NOTE))
    };
    cases.par_iter().map(check).collect()
}

/// Normal errors and exponential commits, behind a lag.
fn behind_lag(
    setting: &Setting,
    (rate, sd_ms, mean_ms): (u64, u64, u64),
    poll_ns: u64,
    lag_ns: u64,
) -> Result<Estimate> {
    let spec = skewed(commits(setting, 10_000, rate, mean_ms * MS), sd_ms * MS);
    cursor::<UuidV7>(setting, EXACT_TIMES, spec, 4 * ROWS, (poll_ns, lag_ns))
}

/// The window that is said to lose a given share.
pub fn windows(setting: &Setting) -> Result<Vec<Check>> {
    // Rows a second; sd, mean and poll in milliseconds; the share.
    let cases = [
        (1000, 2, 10, 100, 1e-3),
        (100, 5, 20, 0, 1e-3),
        (2000, 1, 5, 50, 1e-4),
    ];
    let check = |&(rate, sd_ms, mean_ms, poll_ms, share): &(u64, u64, u64, u64, f64)| {
        let [sd, mean, poll] = [sd_ms, mean_ms, poll_ms].map(|ms| ms as f64 / 1e3);
        let lag_s = theory::lag_for(share, rate as f64, mean, sd, poll);
        let lag_ns = (lag_s * 1e9).round() as u64;
        let found = behind_lag(setting, (rate, sd_ms, mean_ms), poll_ms * MS, lag_ns)?;
        let case = format!(
            "{rate}/s, sd {sd_ms} ms, mean {mean_ms} ms, poll {}, window {:.2} ms",
            show(poll_ms * MS),
            lag_s * 1e3
        );
        Ok(Check::new(case, SKIPPED, found, share).about(TAIL, TAIL_NOTE))
    };
    cases.par_iter().map(check).collect()
}

/// A window of the largest effective latency loses nothing at all.
pub fn lossless(setting: &Setting) -> Result<Vec<Check>> {
    let cases = [
        (20, 1000, 5 * MS, 0),
        (20, 1000, 5 * MS, 100 * MS),
        (5, 5000, MS, 7 * MS),
    ];
    let check = |&(writers, rate, sd_ns, poll_ns): &(u32, u64, u64, u64)| {
        let spec = skewed(fleet(setting, writers, rate), sd_ns);
        let mut most_ns = 0;
        each_row::<UuidV7>(setting, EXACT_TIMES, spec.clone(), ROWS, |row| {
            most_ns = most_ns.max(row.committed.0.saturating_sub(row.key_time.0));
        })?;
        let found = cursor::<UuidV7>(setting, EXACT_TIMES, spec, ROWS, (poll_ns, most_ns.max(1)))?;
        let case = format!(
            "{writers} clocks, sd {}, {rate}/s, poll {}, lag: largest latency",
            show(sd_ns),
            show(poll_ns)
        );
        Ok(Check::new(
            case,
            SKIPPED,
            Estimate {
                error: 0.0,
                ..found
            },
            0.0,
        ))
    };
    cases.par_iter().map(check).collect()
}
