//! A lease that only a background task renews.

use super::scene::*;
use idlab::fleet::number::{Holder, LeaseRule};

pub const HAPPENED: &str = "a writer leased its worker number and renewed it in the background. It lost sight of the registry for two minutes, heard no refusal and went on; the lease had ended, and another writer had the number.";
pub const REMEDY: &str = "ask your own clock before each id whether the lease, counted from the sending of the request, still holds; or lease intervals of timestamps.";

/// One number: the second writer stands by.
fn setting(holder: Holder) -> Setting {
    let late = fault(0, 1, Trouble::Restart { down_ns: 2 * S });
    let cut = fault(10 * S, 0, Trouble::Partition { for_ns: 2 * MIN });
    Setting {
        scheme: "snowflake:worker=0:sequence=22",
        writers: 2,
        length_ns: 150 * S,
        numbers: NumberRule::Lease(LeaseRule {
            holder,
            ..LeaseRule::default()
        }),
        faults: vec![late, cut],
        ..Setting::default()
    }
}

pub fn play(scene: &mut Scene) -> Result<()> {
    let notice_ns = 500 * MS;
    let found = scene.run("background", &setting(Holder::Background { notice_ns }))?;
    let shared_ms = found.value(total(&NUMBERS_SHARED_MS));
    // The lease ends 10 to 15 s after the cut, and is taken within 2 s; the first holder
    // learns of it within 5 s of the cut's end.
    let shared = between(102_000.0, 116_000.0);
    scene.expect(&found, total(&NUMBERS_SHARED_MS), shared);
    let ticks = shared_ms as u64;
    scene.expect(&found, total(&FLEET_DUPLICATES), twice(ticks, 0.5, 0.5));
    let guard_ns = 100 * MS;
    for (case, holder) in [
        ("own clock", Holder::OwnClock { guard_ns }),
        ("key time", Holder::KeyTime),
    ] {
        let found = scene.run(case, &setting(holder))?;
        scene.expect(&found, total(&FLEET_DUPLICATES), exactly(0.0));
    }
    Ok(())
}
