//! A clock that is stored each three seconds, and a crash just before.

use super::scene::*;

pub const HAPPENED: &str = "a generator stored its clock each 3 s and compared it at its start, as Leaf does. It crashed 2.9 s after the last write; meanwhile the clock was set back by 2 s, to a time after that write: the check passed. (Leaf begins each millisecond at one of 100 numbers at random, which leaves one in 65 of these duplicates.)";
pub const REMEDY: &str = "store how far you are going to go, before you go there; or wait at each start for longer than a clock may go back.";

/// Ids of 7.0 to 8.9 s come again.
pub fn play(scene: &mut Scene) -> Result<()> {
    let crash = [Trouble::Restart { down_ns: 100 * MS }, back(2 * S)];
    let stored = Setting {
        writers: 8,
        length_ns: 14 * S,
        memory: Memory::Stored { every_ns: 3 * S },
        faults: of_each(8, 8900 * MS, &crash),
        ..Setting::default()
    };
    let found = scene.run("stores each 3 s", &stored)?;
    scene.expect(&found, total(&FLEET_DUPLICATES), twice(8 * 1900, 0.5, 0.5));
    for (case, memory) in [
        ("reserves 3 s", Memory::Reserved { ahead_ns: 3 * S }),
        ("stores each id", Memory::Every),
        ("waits 2 s", Memory::Wait { for_ns: 2 * S }),
    ] {
        let found = scene.run(case, &stored.remembering(memory))?;
        scene.expect(&found, total(&FLEET_DUPLICATES), exactly(0.0));
    }
    Ok(())
}
