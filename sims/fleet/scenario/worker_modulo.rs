//! Worker numbers from a counter that wraps.

use super::scene::*;

pub const HAPPENED: &str = "worker numbers came from a counter modulo 961, one a start. One instance crashed in a loop; after 961 starts the counter came round to the low numbers of instances that had been up all along.";
pub const REMEDY: &str = "a number must be free before it is given again: lease it. A counter is safe only if it never wraps.";

/// Instance 7 starts again each 20 ms; start 961 has number 0, as instance 0 does.
pub fn play(scene: &mut Scene) -> Result<()> {
    let again = |n: u64| fault(n * 20 * MS, 7, Trouble::Restart { down_ns: 0 });
    let modulo = Setting {
        writers: 8,
        rate: 2000,
        length_ns: 20 * S,
        numbers: NumberRule::Counter { of: 961 },
        faults: (1..1000).map(again).collect(),
        ..Setting::default()
    };
    let leased = Setting {
        numbers: NumberRule::Lease(Default::default()),
        ..modulo.clone()
    };
    let found = scene.run("counter modulo 961", &modulo)?;
    scene.expect(&found, total(&NUMBERS_SHARED_MS), exactly(140.0));
    scene.expect(&found, total(&FLEET_DUPLICATES), twice(140, 2.0, 2.0));
    let found = scene.run("leases", &leased)?;
    scene.expect(&found, total(&NUMBERS_SHARED_MS), exactly(0.0));
    scene.expect(&found, total(&FLEET_DUPLICATES), exactly(0.0));
    Ok(())
}
