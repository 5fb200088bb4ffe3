//! How far rows are out of order.

use super::blocks::{BLOCKS, Estimate, MS, ROWS, commits, fleet, rows, skewed};
use super::{Check, Setting};
use crate::tolerance::Tolerance;
use anyhow::{Result, anyhow};
use idlab::id::Key;
use idlab::measure::{Seen, order};
use idlab::scheme::{AutoIncrement, UuidV7};
use idlab::theory::cursor::Latencies;
use idlab::theory::disorder;
use rayon::prelude::*;

const INVERSIONS: (&str, &str) = ("inversions_per_row", "pairs");
const EXACT_TIMES: &str = "uuid_v7:tail=fraction";

/// Of all rows; the error is that of blocks, which lack pairs across their ends.
fn inversions<K: Key>(seen: &[Seen<K>]) -> Estimate {
    let per_row = |rows: &[Seen<K>]| order(rows).inversions as f64 / rows.len() as f64;
    let blocks = seen.chunks_exact(seen.len() / BLOCKS);
    let blocks: Vec<f64> = blocks.map(per_row).collect();
    Estimate {
        mean: per_row(seen),
        ..Estimate::of(&blocks)
    }
}

/// A central counter, exponential commits.
pub fn exponential(setting: &Setting) -> Result<Vec<Check>> {
    let cases = [(1.0, 1000), (10.0, 1000), (100.0, 10_000)];
    let check = |&(in_flight, rate): &(f64, u64)| {
        let mean_ns = (in_flight / rate as f64 * 1e9).round() as u64;
        let spec = commits(setting, 16, rate, mean_ns);
        let seen = rows::<AutoIncrement>(setting, "auto_increment", spec, ROWS)?;
        let case = format!("counter, {in_flight} rows in flight, {rate}/s");
        let expected = disorder::inversions_of_exponential(in_flight);
        Ok(Check::new(case, INVERSIONS, inversions(&seen), expected))
    };
    cases.par_iter().map(check).collect()
}

/// A normal clock error a row.
pub fn skew(setting: &Setting) -> Result<Vec<Check>> {
    const WRITERS: u32 = 200_000;
    let cases = [(1000, 5 * MS), (1000, MS), (4000, 5 * MS)];
    let check = |&(rate, sd_ns): &(u64, u64)| {
        let spec = skewed(fleet(setting, WRITERS, rate), sd_ns);
        let seen = rows::<UuidV7>(setting, EXACT_TIMES, spec, ROWS)?;
        let descends = |pair: &[Seen<_>]| f64::from(u8::from(pair[0].key > pair[1].key));
        let descents: Vec<f64> = seen.windows(2).map(descends).collect();
        let rows_per_sd = rate as f64 * sd_ns as f64 / 1e9;
        let case = format!("normal error, {rows_per_sd} rows per sd");
        // 3 standard errors of the sd of so many.
        let form = Tolerance::relative(0.005);
        let note =
            "200 000 writers with an error each stand for an error a row: their sd is 0.2 % off";
        Ok(vec![
            Check::new(
                case.clone(),
                INVERSIONS,
                inversions(&seen),
                disorder::inversions_of_skew(rows_per_sd),
            )
            .about(form, note),
            Check::new(
                case,
                ("descents_share", "share"),
                Estimate::of_blocks(&descents),
                disorder::descents_of_skew(rows_per_sd),
            )
            .about(form, note),
        ])
    };
    // One at a time: so many writers take room.
    let checks: Result<Vec<Vec<Check>>> = cases.iter().map(check).collect();
    Ok(checks?.into_iter().flatten().collect())
}

/// Writers of constant clock offsets.
pub fn offsets(setting: &Setting) -> Result<Vec<Check>> {
    let cases = [(20, 1000, 5 * MS), (5, 2000, 2 * MS), (100, 5000, MS)];
    let check = |&(writers, rate, sd_ns): &(u32, u64, u64)| {
        let spec = skewed(fleet(setting, writers, rate), sd_ns);
        let seen = rows::<UuidV7>(setting, EXACT_TIMES, spec, ROWS)?;
        let leads = super::cursors::leads_s(&seen, writers);
        let leads = Latencies::new(leads).ok_or_else(|| anyhow!("no offsets"))?;
        let case = format!(
            "{writers} clocks, sd {}, {rate}/s",
            idlab::duration::show(sd_ns)
        );
        let expected = leads.inversions_per_row(rate as f64);
        Ok(Check::new(case, INVERSIONS, inversions(&seen), expected))
    };
    cases.par_iter().map(check).collect()
}
