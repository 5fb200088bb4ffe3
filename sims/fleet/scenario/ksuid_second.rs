//! Ids that are in random order within a second.

use super::scene::*;
use idlab::theory::cursor::skipped_in_ticks;

pub const HAPPENED: &str = "a reader followed a table of KSUIDs with `id > last_seen`. Within a second they are in no order: of 100 a second it never saw 95.";
pub const REMEDY: &str = "read only what is older than the current second (a lag of 1 s), or take ids whose order is finer than your polls.";

pub fn play(scene: &mut Scene) -> Result<()> {
    let ksuids = Setting {
        scheme: "ksuid",
        rate: 100,
        length_ns: 2000 * S,
        lags_ns: vec![0, S],
        ..Setting::default()
    };
    let found = scene.run("reader without rest", &ksuids)?;
    let share = lost(skipped_in_ticks(100.0), 200_000.0);
    scene.expect(&found, at(&SKIPPED_SHARE, 0), share);
    scene.expect(&found, at(&SKIPPED_SHARE, S), exactly(0.0));
    Ok(())
}
