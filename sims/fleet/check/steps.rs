//! What a step back costs callers, by what the writer does.

use super::blocks::{Estimate, MS, each_event, fleet, step};
use super::{Check, Setting};
use crate::tolerance::Tolerance;
use anyhow::Result;
use idlab::fleet::Event;
use idlab::scheme::{Rollback, Snowflake};
use rayon::prelude::*;

const OUTAGE: (&str, &str) = ("outage_s_per_step", "s");
const REFUSED: (&str, &str) = ("refused_calls_per_step", "calls");

/// By step: time without an id, and calls refused.
struct Cost {
    outage: Estimate,
    refused: Estimate,
}

/// A fleet of one writer whose clock is set back each `4 back_ms`, `steps` times.
fn cost(
    setting: &Setting,
    text: &str,
    rollback: Rollback,
    refuse: bool,
    (rate, back_ms, steps): (u64, u64, u64),
) -> Result<Cost> {
    let mut outage_s = Vec::new();
    let mut refused = Vec::new();
    // In runs of a tenth: each is independent of the others.
    const RUNS: u64 = 10;
    for run in 0..RUNS {
        let mut spec = fleet(setting, 1, rate);
        spec.phase = run;
        spec.conduct.rollback = Some(rollback);
        spec.conduct.refuse = refuse;
        let steps = steps / RUNS;
        let every_ns = 4 * back_ms * MS;
        let back = |number: u64| step(&spec, 0, number * every_ns, -((back_ms * MS) as i64));
        spec.conduct.faults = (1..=steps).map(back).collect();
        let (start, length_ns) = (spec.start, (steps + 1) * every_ns);
        let mut calls = 0u64;
        let fleet = each_event::<Snowflake>(setting, text, spec, length_ns, |event| {
            calls += u64::from(matches!(event, Event::Refused(_)));
        })?;
        let outages = fleet.outages(start.later(length_ns));
        outage_s.push(outages.total_ns as f64 / 1e9 / steps as f64);
        refused.push(calls as f64 / steps as f64);
    }
    Ok(Cost {
        outage: Estimate::of(&outage_s),
        refused: Estimate::of(&refused),
    })
}

/// Refusing and waiting: down for the step less the time since the start of the last id's
/// tick, which ends a whole number of ticks before the step; from the next call on.
pub fn refused(setting: &Setting) -> Result<Vec<Check>> {
    let cases = [(500, 1000, 500), (2000, 500, 500), (1000, 2000, 250)];
    let check = |&(rate, back_ms, steps): &(u64, u64, u64)| {
        let load = (rate, back_ms, steps);
        let per_s = rate as f64;
        let last_s = 1e-3 / -libm::expm1(-per_s * 1e-3);
        let down_s = back_ms as f64 / 1e3 - last_s;
        let refuse = cost(setting, "snowflake", Rollback::Refuse, true, load)?;
        let wait = Rollback::Wait {
            most_ns: 10_000 * MS,
            times: 1,
        };
        let wait = cost(setting, "snowflake", wait, true, load)?;
        let case = |who: &str| format!("{who}, {rate}/s, {back_ms} ms back");
        Ok(vec![
            Check::new(case("refuse"), OUTAGE, refuse.outage, down_s),
            Check::new(case("refuse"), REFUSED, refuse.refused, per_s * down_s),
            Check::new(case("wait"), OUTAGE, wait.outage, down_s - 1.0 / per_s),
            Check::new(case("wait"), REFUSED, wait.refused, 0.0),
        ])
    };
    let checks: Result<Vec<Vec<Check>>> = cases.par_iter().map(check).collect();
    Ok(checks?.into_iter().flatten().collect())
}

/// Going on in the last tick: no time is lost while its sequence lasts.
pub fn held(setting: &Setting) -> Result<Vec<Check>> {
    let hold = Rollback::Hold { most_ns: u64::MAX };
    let cases = [(500, 1000, 500), (2000, 1000, 500)];
    let check = |&(rate, back_ms, steps): &(u64, u64, u64)| {
        let found = cost(setting, "snowflake", hold, true, (rate, back_ms, steps))?;
        let case = format!("hold, {rate}/s, {back_ms} ms back");
        Ok(vec![
            Check::new(case.clone(), OUTAGE, found.outage, 0.0),
            Check::new(case, REFUSED, found.refused, 0.0),
        ])
    };
    let checks: Result<Vec<Vec<Check>>> = cases.par_iter().map(check).collect();
    Ok(checks?.into_iter().flatten().collect())
}

/// Sonyflake's layout: 256 ids are left of the last tick, then all wait.
pub fn consumed(setting: &Setting) -> Result<Vec<Check>> {
    let text = "snowflake:timestamp=39:worker=16:sequence=8:tick_ms=10:epoch_ms=1409529600000";
    let cases = [(500, 1000, 500), (2000, 1000, 500), (1000, 2000, 250)];
    let check = |&(rate, back_ms, steps): &(u64, u64, u64)| {
        let found = cost(
            setting,
            text,
            Rollback::Consume,
            true,
            (rate, back_ms, steps),
        )?;
        let expected = back_ms as f64 / 1e3 - 256.0 / rate as f64;
        let case = format!("consume, 256 ids per 10 ms, {rate}/s, {back_ms} ms back");
        let note = "approximation: two ticks";
        Ok(Check::new(case, OUTAGE, found.outage, expected).about(Tolerance::absolute(0.02), note))
    };
    cases.par_iter().map(check).collect()
}
