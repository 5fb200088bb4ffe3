//! An epoch that is computed in local time.

use super::scene::*;

pub const HAPPENED: &str = "a generator computed its epoch from a date in local time, as ShardingSphere does. When summer time ended, the instances that were restarted were an hour behind the others, and issued the ids of the last hour again.";
pub const REMEDY: &str = "define the epoch as a number of milliseconds UTC; run every host in UTC.";

/// One of two is started again after 65 min, and its clock seems an hour slow for good.
pub fn play(scene: &mut Scene) -> Result<()> {
    let lost = Setting {
        writers: 2,
        rate: 20,
        length_ns: 85 * MIN,
        clock: "ideal,epoch=65min:-1h:50%",
        lags_ns: vec![0],
        ..Setting::default()
    };
    let found = scene.run("forgets", &lost)?;
    scene.expect(&found, total(&FLEET_DUPLICATES), twice(1_200_000, 0.02, 0.02));
    // A cursor has passed all that it issues from then on, and before that one in a hundred
    // of its ids, which come after one of the other writer in their millisecond.
    let after = 20.0 / 85.0;
    let share: f64 = 0.5 * (after + 0.01 * (1.0 - after));
    let rows = 2.0 * 20.0 * 85.0 * 60.0;
    let deviation = (share * (1.0 - share) / rows).sqrt();
    scene.expect(&found, at(&SKIPPED_SHARE, 0), about(share, deviation));
    let found = scene.run("stores each id, refuse", &lost.remembering(Memory::Every))?;
    scene.expect(&found, total(&FLEET_DUPLICATES), exactly(0.0));
    scene.expect(&found, of(&REFUSED, "cause", "clock_behind"), counts(20.0 * 1200.0));
    Ok(())
}
