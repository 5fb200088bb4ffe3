//! Time servers that served the wrong year.

use super::scene::*;

pub const HAPPENED: &str = "on 2012-11-19 the time servers of the US Naval Observatory were twelve years slow for 52 min. Hosts with no other source and no limit to a step followed, and came back.";
pub const REMEDY: &str = "four sources or more, and a limit on steps (chrony: maxchange; ntpd: no -g); a generator that refuses loses availability, not uniqueness.";

/// One of ten follows, 2 min after the start.
pub fn play(scene: &mut Scene) -> Result<()> {
    let refuses = Setting {
        writers: 10,
        rate: 5,
        length_ns: 65 * MIN,
        clock: "bad_upstream",
        poll_ns: S,
        lags_ns: vec![0],
        ..Setting::default()
    };
    // Corrections come each 64 s: 52 min, give or take one.
    let least = (52 * 60 - 64) as f64;
    let most = (52 * 60 + 64) as f64;
    let found = scene.run("refuse", &refuses)?;
    scene.expect(&found, total(&FLEET_DUPLICATES), exactly(0.0));
    scene.expect(&found, total(&UNAVAILABLE_MS), between(least * 1e3, most * 1e3));
    let found = scene.run("ignore", &refuses.with(Rollback::Ignore))?;
    scene.expect(&found, total(&FLEET_DUPLICATES), exactly(0.0));
    // A cursor never sees the ids of 2014.
    let share = |s: f64| s / (65.0 * 600.0);
    let rows = 10.0 * 5.0 * 65.0 * 60.0;
    let deviation = (share(least) / rows).sqrt();
    let skipped = between(share(least) - 5.5 * deviation, share(most) + 5.5 * deviation);
    scene.expect(&found, at(&SKIPPED_SHARE, 0), skipped);
    let young = Setting {
        scheme: "snowflake:epoch_ms=1577836800000",
        ..refuses.with(Rollback::Ignore)
    };
    let found = scene.run("ignore, epoch 2020", &young)?;
    let refused = between(5.0 * least - 5.5 * 124.0, 5.0 * most + 5.5 * 124.0);
    scene.expect(&found, of(&REFUSED, "cause", "out_of_range"), refused);
    Ok(())
}
