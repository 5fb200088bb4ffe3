//! `sim fleet --scenario`: what happened to others, run again with what was expected of it.
//!
//! To add one: write `sims/fleet/scenario/<name>.rs` and add its name to `scenarios!` below.

mod scene;
mod table;

use crate::args::{self, usage};
use crate::recorder::{self, OutputArgs, Recorder};
use anyhow::{Context, Result, bail};
use idlab::chart::{Chart, ChartError};
use idlab::names::nearest;
use idlab::record::{Measured, Parameters};
use rayon::prelude::*;
use scene::Scene;

/// Something that happened, as a run that shows it again.
pub struct Scenario {
    /// Name on the command line.
    pub name: &'static str,
    /// What happened, to whom.
    pub happened: &'static str,
    /// What to do.
    pub remedy: &'static str,
    /// Runs its fleets and says what was expected of each.
    play: fn(&mut Scene) -> Result<()>,
}

macro_rules! scenarios {
    ($($name:ident),* $(,)?) => {
        $(mod $name;)*

        /// Every scenario, in the order of `sim list`.
        pub const SCENARIOS: &[Scenario] = &[$(Scenario {
            name: stringify!($name),
            happened: $name::HAPPENED,
            remedy: $name::REMEDY,
            play: $name::play,
        }),*];
    };
}

scenarios! {
    shared_worker_zero,
    restart_in_a_millisecond,
    snapshot_restore,
    leaf_three_seconds,
    background_renewal,
    worker_modulo,
    mybatis_containers,
    leap_second,
    bwmarrin_5ms,
    sonyflake_blocked,
    yitter_fifth_step,
    cron_night,
    suspended_laptop,
    mixed_time_zones,
    usno_2012,
    ksuid_second,
    uuid_v7_random_tail,
    seata_cursor,
    transaction_start,
}

/// Measures that only scenarios have.
pub const MEASURES: &[&Measured] = &[&mybatis_containers::CLASHES];

/// Bytes that the largest of them takes.
const BYTES: u64 = 256 << 20;

/// Runs the scenarios of these names.
///
/// # Errors
/// An unknown name; something that did not come out as expected.
pub fn run(names: &[String], output: &OutputArgs) -> Result<()> {
    args::distinct("--scenario", names)?;
    let chosen: Vec<_> = match names {
        [all] if all == "all" => SCENARIOS.iter().collect(),
        _ => names.iter().map(|name| find(name)).collect::<Result<_>>()?,
    };
    let threads = recorder::threads(output, chosen.len(), BYTES, "a scenario")?;
    let params = Parameters::from([("scenario".to_owned(), names.into())]);
    let mut recorder = Recorder::start("fleet_scenario", output, params)?;
    let digest = recorder.digest().to_owned();
    let play = |scenario: &&Scenario| -> Result<Scene> {
        let mut scene = Scene::new(scenario.name, &digest, output.seed);
        (scenario.play)(&mut scene).with_context(|| scenario.name)?;
        Ok(scene)
    };
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()?;
    let scenes: Vec<Scene> = pool.install(|| chosen.par_iter().map(play).collect::<Result<_>>())?;
    let missed: usize = scenes.iter().map(Scene::missed).sum();
    for scene in scenes {
        recorder.add(scene.into_rows(), None);
    }
    recorder.finish(|_| Ok::<Vec<Chart>, ChartError>(Vec::new()), table::table)?;
    match missed {
        0 => Ok(()),
        1 => bail!("1 result is not as expected"),
        missed => bail!("{missed} results are not as expected"),
    }
}

fn find(name: &str) -> Result<&'static Scenario> {
    let known = || SCENARIOS.iter().map(|scenario| scenario.name);
    let found = SCENARIOS.iter().find(|scenario| scenario.name == name);
    found.ok_or_else(|| {
        let hint = nearest(name, known());
        usage(format!("--scenario: unknown scenario {name:?}{hint}"))
    })
}
