//! A host whose clock is set once a day.

use super::scene::*;

pub const HAPPENED: &str = "a host 78 ppm fast set its clock once a day from a scheduled job: each night it went back by 6.7 s, and the generator refused ids for as long.";
pub const REMEDY: &str = "run a daemon that slews (chrony, ntpd), not a job that sets the clock; hold the last tick over steps of seconds.";

pub fn play(scene: &mut Scene) -> Result<()> {
    let day = Setting {
        rate: 8,
        length_ns: 25 * H,
        clock: "drift=constant:78ppm,correct=step:1d",
        ..Setting::default()
    };
    let found = scene.run("a day, refuse", &day)?;
    // When in the day that is, is chance: within 25 h it may come twice.
    let nights = found.value(total(&CLOCK_WENT_BACK));
    scene.expect(&found, total(&CLOCK_WENT_BACK), between(1.0, 2.0));
    // 86,400 s · 78 ppm, give or take some 125 ms between calls; the end of the run may cut
    // the second one short.
    let outage_ms = between(6739.0 - 2500.0, nights * (6739.0 + 2000.0));
    scene.expect(&found, total(&UNAVAILABLE_MS), outage_ms);
    let night = Setting {
        writers: 4,
        length_ns: 15 * S,
        faults: of_each(4, 2 * S, &[back(6739 * MS)]),
        ..Setting::default()
    };
    let behind = of(&REFUSED, "cause", "clock_behind");
    let found = scene.run("the step, refuse", &night)?;
    scene.expect(&found, behind, counts(4.0 * 3369.5));
    scene.expect(&found, total(&FLEET_DUPLICATES), exactly(0.0));
    let found = scene.run("the step, hold", &night.with(Rollback::Hold { most_ns: MIN }))?;
    scene.expect(&found, behind, exactly(0.0));
    scene.expect(&found, total(&FLEET_DUPLICATES), exactly(0.0));
    let found = scene.run("the step, ignore", &night.with(Rollback::Ignore))?;
    // Ids were issued for 2 s before it.
    scene.expect(&found, total(&FLEET_DUPLICATES), twice(4 * 2000, 0.5, 0.5));
    Ok(())
}
