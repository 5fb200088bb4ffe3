//! A machine that is restored from a snapshot, clock included.

use super::scene::*;

pub const HAPPENED: &str = "a virtual machine was restored from a snapshot two hours old: its clock said so too, and its generator issued the ids of those hours again.";
pub const REMEDY: &str = "no rule for clocks that go back helps a generator without memory; keep the last instant used outside of the machine, and refuse or go on after it.";

/// The last ten minutes are those that begin ten minutes after the start.
pub fn play(scene: &mut Scene) -> Result<()> {
    let restored = [Trouble::Restart { down_ns: 0 }, back(2 * H)];
    let lost = Setting {
        rate: 50,
        length_ns: 140 * MIN,
        faults: of_each(1, 130 * MIN, &restored),
        ..Setting::default()
    };
    let hold = Rollback::Hold { most_ns: u64::MAX };
    for (case, rollback) in [("forgets, refuse", Rollback::Refuse), ("forgets, hold", hold)] {
        let found = scene.run(case, &lost.with(rollback))?;
        scene.expect(&found, total(&FLEET_DUPLICATES), twice(600_000, 0.05, 0.05));
    }
    let knows = lost.remembering(Memory::Every);
    let found = scene.run("knows its last id, refuse", &knows)?;
    scene.expect(&found, total(&FLEET_DUPLICATES), exactly(0.0));
    scene.expect(&found, of(&REFUSED, "cause", "clock_behind"), counts(30_000.0));
    let found = scene.run("knows its last id, logical", &knows.with(Rollback::Logical))?;
    scene.expect(&found, total(&FLEET_DUPLICATES), exactly(0.0));
    scene.expect(&found, of(&REFUSED, "cause", "clock_behind"), exactly(0.0));
    Ok(())
}
