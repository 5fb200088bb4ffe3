//! A registry that is away while a writer restarts, and a default worker number.

use super::scene::*;

pub const HAPPENED: &str = "a service asked a registry for its worker number at each start and took 0 when there was no answer. One of eight instances restarted during an outage, and shared number 0 until its next restart, long after the outage.";
pub const REMEDY: &str = "fail to start without a number of your own; a default is a number that somebody has.";

pub fn play(scene: &mut Scene) -> Result<()> {
    let outage = fault(9 * S, 0, Trouble::Outage { for_ns: 11 * S });
    let restart = fault(10 * S, 5, Trouble::Restart { down_ns: S });
    let zero = Setting {
        writers: 8,
        length_ns: 30 * S,
        numbers: NumberRule::ZeroOnOutage,
        faults: vec![outage, restart],
        ..Setting::default()
    };
    let fails = Setting {
        numbers: NumberRule::FailToStart,
        ..zero.clone()
    };
    let found = scene.run("number 0 without an answer", &zero)?;
    scene.expect(&found, total(&FLEET_DUPLICATES), twice(19_000, 0.5, 0.5));
    scene.expect(&found, total(&NUMBERS_SHARED_MS), exactly(19_000.0));
    scene.expect(&found, of(&REFUSED, "cause", "no_number"), exactly(0.0));
    let found = scene.run("no start without an answer", &fails)?;
    scene.expect(&found, total(&FLEET_DUPLICATES), exactly(0.0));
    // Until the outage ends at 20 s.
    scene.expect(&found, of(&REFUSED, "cause", "no_number"), counts(4500.0));
    Ok(())
}
