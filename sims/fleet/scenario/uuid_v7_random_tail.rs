//! UUIDv7s that are in random order within a millisecond.

use super::scene::*;
use idlab::theory::cursor::skipped_in_ticks;

pub const HAPPENED: &str = "a reader followed a table of UUIDv7s with `id > last_seen`, 1000 a second from one writer: with random tails it never saw a fifth of them.";
pub const REMEDY: &str = "use a counter after the millisecond (RFC 9562, method 1), or a lag of a millisecond or more.";

pub fn play(scene: &mut Scene) -> Result<()> {
    let random = Setting {
        scheme: "uuid_v7",
        rate: 1000,
        length_ns: 300 * S,
        lags_ns: vec![0, MS],
        ..Setting::default()
    };
    let found = scene.run("random tail", &random)?;
    let share = lost(skipped_in_ticks(1.0), 300_000.0);
    scene.expect(&found, at(&SKIPPED_SHARE, 0), share);
    scene.expect(&found, at(&SKIPPED_SHARE, MS), exactly(0.0));
    let counter = Setting {
        scheme: "uuid_v7:tail=counter",
        ..random
    };
    let found = scene.run("counter", &counter)?;
    scene.expect(&found, at(&SKIPPED_SHARE, 0), exactly(0.0));
    Ok(())
}
