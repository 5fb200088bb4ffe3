//! A monotonic clock that stands still while the machine sleeps.

use super::scene::*;

pub const HAPPENED: &str = "a laptop slept for two hours. Its generator reads the wall clock once and the monotonic clock from then on, which stood still meanwhile: ids were two hours late until the process was restarted.";
pub const REMEDY: &str = "count time asleep (CLOCK_BOOTTIME), or look at the wall clock again after a long silence.";

/// Ten hours, asleep from the first to the third.
pub fn play(scene: &mut Scene) -> Result<()> {
    let sleep = fault(H, 0, Trouble::Suspend { for_ns: 2 * H });
    let restart = fault(210 * MIN, 0, Trouble::Restart { down_ns: S });
    let wall = Setting {
        rate: 3,
        length_ns: 10 * H,
        clock: "correct=chrony:64s:1s:always",
        faults: vec![sleep],
        ..Setting::default()
    };
    let late = of(&EFFECTIVE_LATENCY_MS, "quantile", "p50");
    let found = scene.run("wall clock", &wall)?;
    scene.expect(&found, late, between(0.0, 1.0));
    let monotonic = wall.with(Rollback::Monotonic);
    let found = scene.run("monotonic", &monotonic)?;
    scene.expect(&found, late, between(7.2e6, 7.2e6 + 1.0));
    scene.expect(&found, total(&FLEET_DUPLICATES), exactly(0.0));
    let restarted = Setting {
        faults: vec![sleep, restart],
        ..monotonic
    };
    let found = scene.run("monotonic, restarted", &restarted)?;
    scene.expect(&found, late, between(0.0, 1.0));
    Ok(())
}
