//! A generator that uses up its tick and then sleeps.

use super::scene::*;

pub const HAPPENED: &str = "a clock stepped back by 1 s under Sonyflake, which never refuses: it goes on in the last 10 ms, and when its 256 ids are used up, it sleeps with its lock held until the clock is back.";
pub const REMEDY: &str = "expect to be blocked for the step less 256 ids at your rate; smear or slew clocks, or spread the load over more machine numbers.";

/// Sonyflake's layout.
pub const SONYFLAKE: &str =
    "snowflake:timestamp=39:worker=16:sequence=8:tick_ms=10:epoch_ms=1409529600000";

/// Time without ids after a step of `by_ns`, all writers together. The last tick has 256 ids,
/// of which those of its 10 ms are gone; the call after them is the first to wait.
pub fn blocked_ms(writers: u32, rate: u64, by_ns: u64) -> Expected {
    let (writers, per_ms) = (f64::from(writers), rate as f64 / 1e3);
    let calls = 257.0 - 10.0 * per_ms;
    let mean = (by_ns / MS) as f64 - calls / per_ms;
    let deviation = 257f64.sqrt() / per_ms;
    // What is left in the next tick, after the sleep, makes a difference of at most 10 ms.
    let more = 10.0 * writers;
    let by_chance = 5.5 * deviation * writers.sqrt() + more;
    between(mean * writers - by_chance, mean * writers + by_chance)
}

pub fn play(scene: &mut Scene) -> Result<()> {
    for (case, rate) in [("500 ids/s", 500), ("2000 ids/s", 2000)] {
        let found = scene.run(case, &setting(rate))?;
        scene.expect(&found, total(&UNAVAILABLE_MS), blocked_ms(32, rate, S));
        scene.expect(&found, total(&FLEET_DUPLICATES), exactly(0.0));
    }
    // Not 256 in the second.
    let found = scene.run("100 ids/s", &setting(100))?;
    scene.expect(&found, total(&UNAVAILABLE_MS), exactly(0.0));
    scene.expect(&found, total(&FLEET_DUPLICATES), exactly(0.0));
    Ok(())
}

fn setting(rate: u64) -> Setting {
    Setting {
        scheme: SONYFLAKE,
        writers: 32,
        rate,
        length_ns: 5 * S,
        rollback: Rollback::Consume,
        faults: of_each(32, 2 * S, &[back(S)]),
        ..Setting::default()
    }
}
