//! Ids that come twice: two generators of one worker number, and a second that is lived again.

use super::blocks::{BLOCKS, Estimate, MS, each_event, fleet, step};
use super::{Check, Setting};
use anyhow::Result;
use idlab::fleet::{Event, FleetSpec};
use idlab::id::Id;
use idlab::scheme::{Rollback, Snowflake};
use idlab::theory::clash;
use rayon::prelude::*;
use std::collections::BTreeSet;

const SNOWFLAKE: &str = "snowflake";

/// Two fleets of one writer each, both of number 0. A start of the sequence at random is not
/// among the schemes, and so its form is not here.
pub fn of_one_number(setting: &Setting) -> Result<Vec<Check>> {
    // Ids of each a second, ticks in thousands.
    let cases = [
        (50, 50, 10_000),
        (500, 500, 2000),
        (2000, 2000, 1000),
        (100, 1000, 2000),
        (500, 3000, 1000),
        (10_000, 10_000, 100),
    ];
    let check = |&(first, second, ticks): &(u64, u64, u64)| {
        let length_ns = ticks * 1000 * MS;
        let ids = |rate: u64, phase: u64| -> Result<Vec<u64>> {
            let spec = FleetSpec {
                phase,
                ..fleet(setting, 1, rate)
            };
            let mut ids = Vec::new();
            each_event::<Snowflake>(setting, SNOWFLAKE, spec, length_ns, |event| {
                if let Event::Row(row) = event {
                    ids.push(row.id.key());
                }
            })?;
            Ok(ids)
        };
        let (ours, theirs) = (ids(first, 0)?, ids(second, 1)?);
        // Both ascend. Ticks are above 22 bits.
        let first_tick = ours.first().map_or(0, |id| id >> 22);
        let ticks_per_block = ticks * 1000 / BLOCKS as u64;
        let mut twice = vec![0.0; BLOCKS];
        let mut theirs = theirs.into_iter().peekable();
        for id in ours {
            while theirs.next_if(|other| *other < id).is_some() {}
            if theirs.peek() == Some(&id) {
                let block = ((id >> 22) - first_tick) / ticks_per_block;
                twice[(block as usize).min(BLOCKS - 1)] += 1.0 / ticks_per_block as f64;
            }
        }
        let per_tick = |rate: u64| rate as f64 / 1e3;
        let case = format!(
            "{} and {} ids per tick of one worker",
            per_tick(first),
            per_tick(second)
        );
        Ok(Check::new(
            case,
            ("duplicate_ids_per_tick", "ids"),
            Estimate::of(&twice),
            clash::duplicates_per_tick(per_tick(first), per_tick(second)),
        ))
    };
    cases.par_iter().map(check).collect()
}

/// A clock set back again and again, and a generator that follows it.
pub fn of_a_step(setting: &Setting) -> Result<Vec<Check>> {
    // Ids a second, milliseconds back, steps.
    let cases = [(500, 1000, 500), (2000, 250, 1000), (100, 2000, 1000)];
    let check = |&(rate, back_ms, steps): &(u64, u64, u64)| {
        let mut spec = fleet(setting, 1, rate);
        let every_ms = 4 * back_ms;
        spec.conduct.rollback = Some(Rollback::Ignore);
        let back = |number: u64| step(&spec, 0, number * every_ms * MS, -((back_ms * MS) as i64));
        spec.conduct.faults = (1..=steps).map(back).collect();
        let start = spec.start;
        let mut twice = vec![0.0; steps as usize + 1];
        let mut seen = BTreeSet::new();
        each_event::<Snowflake>(
            setting,
            SNOWFLAKE,
            spec,
            (steps + 1) * every_ms * MS,
            |event| {
                if let Event::Row(row) = event {
                    let step = ((row.minted.0 - start.0) / (every_ms * MS)) as usize;
                    let again = !seen.insert(row.id.key());
                    twice[step.min(steps as usize)] += f64::from(u8::from(again));
                }
            },
        )?;
        let ticks = back_ms as f64;
        let case = format!("{rate}/s, the clock {back_ms} ms back, followed");
        Ok(Check::new(
            case,
            ("duplicate_ids_per_step", "ids"),
            Estimate::of(&twice[1..]),
            ticks * clash::duplicates_per_tick(rate as f64 / 1e3, rate as f64 / 1e3),
        ))
    };
    cases.par_iter().map(check).collect()
}
