//! A generator that does not look whether its clock went back.

use super::scene::*;

pub const HAPPENED: &str = "the clock of a generator that does not check for it was set back by 5 ms; a public report, on bwmarrin/snowflake, counts 149 ids twice. The report says no rate: about 33,000 ids a second give that many on average.";
pub const REMEDY: &str = "compare each reading with the last one, or read the monotonic clock, as that generator does since.";

/// A hundred times, so that chance evens out: 149 each.
pub fn play(scene: &mut Scene) -> Result<()> {
    let step = |n: u64| fault(n * 100 * MS, 0, back(5 * MS));
    let ignores = Setting {
        rate: 33_000,
        length_ns: 10_500 * MS,
        rollback: Rollback::Ignore,
        faults: (1..=100).map(step).collect(),
        ..Setting::default()
    };
    let found = scene.run("ignore, 100 steps", &ignores)?;
    scene.expect(&found, total(&FLEET_DUPLICATES), twice(500, 33.0, 33.0));
    for rollback in [Rollback::Monotonic, Rollback::Hold { most_ns: S }] {
        let found = scene.run(&rollback.to_string(), &ignores.with(rollback))?;
        scene.expect(&found, total(&FLEET_DUPLICATES), exactly(0.0));
        scene.expect(&found, of(&REFUSED, "cause", "clock_behind"), exactly(0.0));
    }
    Ok(())
}
