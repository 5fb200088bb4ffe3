//! A generator that goes down through past ticks, in four places.

use super::scene::*;

pub const HAPPENED: &str = "a clock stepped back by 1 s again and again. Yitter's generator then goes down through past ticks, an id each, in one of four reserved numbers by turns: the fifth step had the number of the first, and the same ticks.";
pub const REMEDY: &str = "alarm on each step back; four are safe, a fifth is not unless the ticks of the first have been left behind.";

const WRITERS: u32 = 16;

/// Clocks gain 20 ms from a step to the next.
fn setting(steps: u64) -> Setting {
    let step = |n: u64| of_each(WRITERS, 2 * S + n * 1020 * MS, &[back(S)]);
    Setting {
        writers: WRITERS,
        length_ns: 10 * S,
        rollback: Rollback::BackFill,
        faults: (0..steps).flat_map(step).collect(),
        ..Setting::default()
    }
}

pub fn play(scene: &mut Scene) -> Result<()> {
    let found = scene.run("4 steps back", &setting(4))?;
    scene.expect(&found, total(&FLEET_DUPLICATES), exactly(0.0));
    let found = scene.run("5 steps back", &setting(5))?;
    // 500 ticks each, give or take 22; the fifth begins 80 ticks later, give or take 3.
    let each = 500.0 - 80.0;
    let deviation = 23.0 * f64::from(WRITERS).sqrt();
    let ids = about(each * f64::from(WRITERS), deviation);
    scene.expect(&found, total(&FLEET_DUPLICATES), ids);
    Ok(())
}
