//! Readers that wait for open transactions and for missing numbers.

use super::blocks::{BLOCKS, Estimate, MS, ROWS, Readers, commits, each_row, fleet, rows};
use super::{Check, Setting};
use anyhow::Result;
use idlab::measure::{ReaderKind, Seen};
use idlab::random;
use idlab::scheme::AutoIncrement;
use idlab::theory::cursor as theory;
use rayon::prelude::*;

const COUNTER: &str = "auto_increment";

/// The oldest open transaction, and how long a row waits for it.
pub fn horizons(setting: &Setting) -> Result<Vec<Check>> {
    let cases = [(50, 20), (1000, 20), (10_000, 20), (250, 20), (1000, 3)];
    let check = |&(rate, mean_ms): &(u64, u64)| {
        let spec = commits(setting, 16, rate, mean_ms * MS);
        let start = spec.start;
        let mut seen = rows::<AutoIncrement>(setting, COUNTER, spec, ROWS)?;
        let mut readers = Readers::new(ReaderKind::Xmin, start, 0, ROWS);
        seen.iter().for_each(|row| readers.see(row));
        let delay = readers.finish()?.delay_s();
        let (mean_s, in_flight) = (mean_ms as f64 / 1e3, (rate * mean_ms) as f64 / 1e3);
        let case = format!("{in_flight} open, mean {mean_ms} ms");
        Ok(vec![
            Check::new(
                case.clone(),
                ("horizon_age_s", "s"),
                oldest_open_s(&mut seen),
                theory::horizon_age_s(mean_s, in_flight),
            ),
            Check::new(
                case,
                ("horizon_delay_s", "s"),
                delay,
                theory::horizon_delay_s(mean_s, in_flight),
            ),
        ])
    };
    let checks: Result<Vec<Vec<Check>>> = cases.par_iter().map(check).collect();
    Ok(checks?.into_iter().flatten().collect())
}

/// Age of the oldest open transaction when one begins, which is at random times; 0 if none is.
fn oldest_open_s<K>(seen: &mut [Seen<K>]) -> Estimate {
    seen.sort_by_key(|row| row.minted);
    let mut oldest = 0;
    let age = |(place, row): (usize, &Seen<K>)| {
        while oldest < place && seen[oldest].committed <= row.minted {
            oldest += 1;
        }
        (row.minted.0 - seen[oldest].minted.0) as f64 / 1e9
    };
    let ages: Vec<f64> = seen.iter().enumerate().map(age).collect();
    Estimate::of_blocks(&ages)
}

/// Gaps that are given up too early.
pub fn gaps(setting: &Setting) -> Result<Vec<Check>> {
    // Rows a second; mean commit and timeout in milliseconds.
    let cases = [
        (100, 20, 100),
        (100, 20, 0),
        (100, 20, 40),
        (1000, 10, 30),
        (20, 50, 100),
    ];
    let check = |&(rate, mean_ms, timeout_ms): &(u64, u64, u64)| {
        let kind = ReaderKind::Gap {
            timeout_ns: timeout_ms * MS,
        };
        let spec = commits(setting, 16, rate, mean_ms * MS);
        let mut readers = Readers::new(kind, spec.start, 0, ROWS);
        each_row::<AutoIncrement>(setting, COUNTER, spec, ROWS, |row| readers.see(&row))?;
        let case = format!("{rate}/s, mean {mean_ms} ms, gaps given up after {timeout_ms} ms");
        Ok(Check::new(
            case,
            ("skipped_rows_share", "share"),
            readers.finish()?.skipped(),
            theory::skipped_at_gaps(rate as f64, mean_ms as f64 / 1e3, timeout_ms as f64 / 1e3),
        ))
    };
    cases.par_iter().map(check).collect()
}

/// Numbers that never come: the fleet's rows, some of them dropped.
pub fn aborts(setting: &Setting) -> Result<Vec<Check>> {
    // Rows a second, one dropped in so many, timeout in milliseconds.
    let cases = [
        (100, 100, 3000),
        (100, 100, 300),
        (1000, 1000, 1000),
        (100, 20, 100),
    ];
    let check = |&(rate, one_in, timeout_ms): &(u64, u32, u64)| {
        let kind = ReaderKind::Gap {
            timeout_ns: timeout_ms * MS,
        };
        let spec = fleet(setting, 16, rate);
        // As many as are left of the fleet's rows, nearly.
        let kept = 2 * ROWS - 2 * ROWS / u64::from(one_in);
        let mut readers = Readers::new(kind, spec.start, 0, kept);
        let mut random = random::stream(setting.seed, "check.abort", one_in.into());
        let mut ends = vec![0.0; BLOCKS];
        let (start, mut place) = (spec.start, 0u64);
        each_row::<AutoIncrement>(setting, COUNTER, spec, 2 * ROWS, |row| {
            if random::below(&mut random, one_in) > 0 {
                let block = (place / kept.div_ceil(BLOCKS as u64)) as usize;
                ends[block.min(BLOCKS - 1)] = (row.committed.0 - start.0) as f64 / 1e9;
                place += 1;
                readers.see(&row);
            }
        })?;
        let mut begin = 0.0;
        let share = |(stalled, end): (&f64, f64)| {
            let length = end - begin;
            begin = end;
            stalled / length
        };
        let stalled_s = readers.finish()?.stalled_s;
        let shares: Vec<f64> = stalled_s.iter().zip(ends).map(share).collect();
        let case = format!("{rate}/s, one in {one_in} aborted, given up after {timeout_ms} ms");
        Ok(Check::new(
            case,
            ("stalled_share", "share"),
            Estimate::of(&shares),
            theory::stalled_at_gaps(
                rate as f64,
                1.0 / f64::from(one_in),
                timeout_ms as f64 / 1e3,
            ),
        ))
    };
    cases.par_iter().map(check).collect()
}
