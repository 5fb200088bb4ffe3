//! A leap second: all clocks step back by 1 s at once.

use super::scene::*;
use super::sonyflake_blocked::{SONYFLAKE, blocked_ms};

pub const HAPPENED: &str = "at the leap second of 2016-12-31 many clocks stepped back by one second. Generators refused ids for it, blocked, or issued ids twice, by what they do when a clock goes back.";
pub const REMEDY: &str = "have the leap second smeared by the time servers, all of them alike; a generator that holds its last tick goes on without loss.";

/// 64 writers; their clocks step 2 s after the start.
pub fn play(scene: &mut Scene) -> Result<()> {
    const WRITERS: f64 = 64.0;
    let steps = Setting {
        writers: 64,
        length_ns: 6 * S,
        clock: "ideal,leap=2s",
        ..Setting::default()
    };
    let behind = of(&REFUSED, "cause", "clock_behind");
    // From the first call after the step to the first one at which the clock reads the
    // millisecond of the last id again, which was 2.5 ms before the step; calls come each 2 ms.
    let outage_ms = about(997.5 * WRITERS, 4.0 * WRITERS.sqrt());
    let found = scene.run("refuse", &steps)?;
    scene.expect(&found, behind, counts(500.0 * WRITERS));
    scene.expect(&found, total(&UNAVAILABLE_MS), outage_ms);
    scene.expect(&found, total(&FLEET_DUPLICATES), exactly(0.0));
    let found = scene.run("ignore", &steps.with(Rollback::Ignore))?;
    scene.expect(&found, total(&FLEET_DUPLICATES), twice(64_000, 0.5, 0.5));
    scene.expect(&found, total(&UNAVAILABLE_MS), exactly(0.0));
    let found = scene.run("hold", &steps.with(Rollback::Hold { most_ns: 2 * S }))?;
    scene.expect(&found, total(&FLEET_DUPLICATES), exactly(0.0));
    scene.expect(&found, total(&UNAVAILABLE_MS), exactly(0.0));
    let sonyflake = Setting {
        scheme: SONYFLAKE,
        ..steps.with(Rollback::Consume)
    };
    let found = scene.run("consume, as Sonyflake", &sonyflake)?;
    scene.expect(&found, total(&FLEET_DUPLICATES), exactly(0.0));
    scene.expect(&found, total(&UNAVAILABLE_MS), blocked_ms(64, 500, S));
    let smeared = Setting {
        clock: "ideal,leap=2s:smear:100%",
        ..steps
    };
    let found = scene.run("smeared, refuse", &smeared)?;
    scene.expect(&found, behind, exactly(0.0));
    scene.expect(&found, total(&CLOCK_WENT_BACK), exactly(0.0));
    scene.expect(&found, total(&FLEET_DUPLICATES), exactly(0.0));
    Ok(())
}
