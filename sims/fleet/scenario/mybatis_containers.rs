//! Worker numbers from the process number, in containers.

use super::scene::*;
use idlab::record::{Measured, Number};
use idlab::theory::clash::same_number;

/// Fleets in which two writers share a number.
pub const CLASHES: Measured = Measured {
    name: "fleets_with_a_shared_number_share",
    unit: "share",
    about: "fleets in which two writers had the same worker number",
};

pub const HAPPENED: &str = "worker numbers were made of the machine address and the process number, as MyBatis-Plus does. In containers the process number is always 1, which leaves 32 numbers: of seven replicas, two agree as often as not.";
pub const REMEDY: &str = "give each replica its number by configuration (an ordinal) or by lease; random numbers need a million times more room than replicas.";

const FLEETS: u64 = 3000;

/// Seven replicas, a new fleet each.
pub fn play(scene: &mut Scene) -> Result<()> {
    for numbers in [32, 1024] {
        let replicas = Setting {
            scheme: "snowflake",
            writers: 7,
            length_ns: 20 * MS,
            numbers: NumberRule::Random { of: numbers },
            ..Setting::default()
        };
        let mut clashes = 0u64;
        for fleet in 0..FLEETS {
            let found = replicas.measure(scene.seed.wrapping_add(fleet << 32))?;
            clashes += u64::from(found.value(total(&NUMBERS_SHARED_MS)) > 0.0);
        }
        let share = same_number(7, numbers.into());
        let deviation = (share * (1.0 - share) / FLEETS as f64).sqrt();
        scene.note(
            &format!("{numbers} numbers, {FLEETS} fleets"),
            replicas.scheme,
            total(&CLASHES),
            Number::ratio(clashes, FLEETS),
            about(share, deviation),
        );
    }
    Ok(())
}
