//! A generator that is made anew within the millisecond of its last ids.

use super::scene::*;

pub const HAPPENED: &str = "a program made a new generator, with the same worker number, within a millisecond in which the old one had issued ids (a restart, or an object a request). The new sequence began at 0 again.";
pub const REMEDY: &str = "one generator a process for its whole life; across restarts wait a tick, or store how far ids have gone.";

/// In the middle of a millisecond each 10 ms; the next generator is there 100 µs later.
pub fn play(scene: &mut Scene) -> Result<()> {
    let down_ns = MS / 10;
    let restart = |n: u64| fault(n * 10 * MS + MS / 2, 0, Trouble::Restart { down_ns });
    let lost = Setting {
        rate: 20_000,
        rollback: Rollback::Wait {
            most_ns: S,
            times: 1,
        },
        faults: (1..=1000).map(restart).collect(),
        length_ns: 10_500 * MS,
        ..Setting::default()
    };
    let found = scene.run("forgets", &lost)?;
    scene.expect(&found, total(&FLEET_DUPLICATES), twice(1000, 10.0, 8.0));
    let ahead_ns = 2 * MS;
    for (case, memory) in [
        ("stores each id", Memory::Every),
        ("reserves 2 ms", Memory::Reserved { ahead_ns }),
        ("waits 1 ms", Memory::Wait { for_ns: MS }),
    ] {
        let found = scene.run(case, &lost.remembering(memory))?;
        scene.expect(&found, total(&FLEET_DUPLICATES), exactly(0.0));
    }
    Ok(())
}
