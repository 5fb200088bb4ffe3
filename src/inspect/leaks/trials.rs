//! How often true values lie inside their 95 % intervals.
//!
//! Coverage that is measured over 10,000 trials of each case: `cargo test --lib coverage_of_10_000
//! -- --ignored --nocapture`.

use super::{Leaks, tank, workers};
use crate::id::Number;
use crate::inspect::Estimate;
use crate::random::{below, stream, unit};
use crate::scheme::{Listed, Params, RunningSequence, Scheme, Snowflake, Spec};
use rand::Rng;
use std::collections::BTreeSet;

type Trial = Box<dyn Fn(&mut dyn Rng) -> (f64, Estimate)>;

/// `count` different numbers below `all`.
fn drawn(mut random: &mut dyn Rng, all: u64, count: u64) -> Vec<u64> {
    let mut drawn = BTreeSet::new();
    while (drawn.len() as u64) < count {
        drawn.insert((unit(&mut random) * all as f64).ceil() as u64 - 1);
    }
    drawn.into_iter().collect()
}

fn of_tank(all: u64, seen: u64) -> Trial {
    Box::new(move |random| {
        let most = drawn(random, all, seen).last().map_or(0, |last| last + 1);
        (all as f64, tank(seen, most))
    })
}

fn of_workers(all: u32, ids: u32) -> Trial {
    Box::new(move |mut random| {
        let mut shares = vec![0; all as usize];
        (0..ids).for_each(|_| shares[below(&mut random, all) as usize] += 1);
        shares.retain(|&share| share > 0);
        (f64::from(all), workers(&shares).all)
    })
}

/// A fleet and how its ids are seen.
#[derive(Clone, Copy)]
struct Fleet {
    workers: u64,
    ticks: u64,
    /// Ids of a worker in a tick.
    mean: f64,
    /// Ids that are seen.
    seen: u64,
    /// Whether counters run on.
    runs_on: bool,
    /// Whether a worker has twice the rate of the next one; the mean is the first one's.
    uneven: bool,
}

impl Fleet {
    /// Ids in the order of their instants: 22 bits for worker and sequence, as Twitter's and
    /// Discord's have them.
    fn ids(self, mut random: &mut dyn Rng) -> Vec<u64> {
        const EPOCH_TICKS: u64 = 300_000_000_000;
        let mut ids = Vec::new();
        for worker in 0..self.workers {
            let mean = if self.uneven {
                self.mean / (1 << worker) as f64
            } else {
                self.mean
            };
            let mut at = 0.0;
            let (mut tick, mut number) = (u64::MAX, u64::from(below(&mut random, 4096)));
            loop {
                at -= libm::log(unit(&mut random)) / mean;
                let now = at as u64;
                if now >= self.ticks {
                    break;
                }
                let anew = !self.runs_on && now != tick;
                number = if anew { 0 } else { number + 1 };
                tick = now;
                let id = (EPOCH_TICKS + tick) << 22 | worker << 12 | number & 4095;
                ids.push((at, id));
            }
        }
        ids.sort_by(|a, b| a.0.total_cmp(&b.0));
        ids.into_iter().map(|(_, id)| id).collect()
    }

    /// Ids from the first that is seen to the last, and what those that are seen say of it.
    fn volume<S: Scheme<Id = Number>>(self, scheme: S, random: &mut dyn Rng) -> (f64, Estimate) {
        let ids = self.ids(random);
        let seen = drawn(random, ids.len() as u64, self.seen);
        let keys: Vec<u64> = seen.iter().map(|&at| ids[at as usize]).collect();
        let mut leaks = Leaks::new(scheme);
        leaks.see(&keys);
        let truth = seen[seen.len() - 1] - seen[0];
        let volume = leaks.finish().volume.estimate();
        (truth as f64, volume.unwrap_or(Estimate::exact(-1.0)))
    }
}

fn scheme<S: Listed>(name: &str) -> S {
    let spec: Spec = name.parse().unwrap();
    S::new(&Params::new(&spec, S::PARAMS).unwrap()).unwrap()
}

fn of_fleet(fleet: Fleet) -> Trial {
    let (snowflake, discord): (Snowflake, RunningSequence) = (scheme("twitter"), scheme("discord"));
    Box::new(move |random| match fleet.runs_on {
        false => fleet.volume(snowflake.clone(), random),
        true => fleet.volume(discord.clone(), random),
    })
}

/// So many workers, ticks, ids of a worker in a tick, ids that are seen.
fn snowflake(workers: u64, ticks: u64, mean: f64, seen: u64) -> Fleet {
    Fleet {
        workers,
        ticks,
        mean,
        seen,
        runs_on: false,
        uneven: false,
    }
}

fn running(workers: u64, ticks: u64, mean: f64, seen: u64) -> Fleet {
    Fleet {
        runs_on: true,
        ..snowflake(workers, ticks, mean, seen)
    }
}

fn uneven(workers: u64, ticks: u64, mean: f64, seen: u64) -> Fleet {
    Fleet {
        uneven: true,
        ..snowflake(workers, ticks, mean, seen)
    }
}

fn cases() -> Vec<(&'static str, Trial)> {
    vec![
        ("tank: 10 of 1,000", of_tank(1000, 10)),
        ("tank: 100 of 1,000,000", of_tank(1_000_000, 100)),
        ("tank: 50 of 100", of_tank(100, 50)),
        ("tank: 3 of 10^12", of_tank(1_000_000_000_000, 3)),
        ("workers: 20, 60 ids", of_workers(20, 60)),
        ("workers: 100, 150 ids", of_workers(100, 150)),
        ("workers: 1,000, 900 ids", of_workers(1000, 900)),
        (
            "snowflake: 4 workers, 0.2 a tick, 200 seen",
            of_fleet(snowflake(4, 5000, 0.2, 200)),
        ),
        (
            "snowflake: 8 workers, 1 a tick, 100 seen",
            of_fleet(snowflake(8, 400, 1.0, 100)),
        ),
        (
            "snowflake: 2 workers, 20 a tick, 100 seen",
            of_fleet(snowflake(2, 100, 20.0, 100)),
        ),
        (
            "snowflake: 1 worker, 5 a tick, 200 of 300 seen",
            of_fleet(snowflake(1, 60, 5.0, 200)),
        ),
        (
            "snowflake: 40 workers, 0.5 a tick, 120 seen",
            of_fleet(snowflake(40, 200, 0.5, 120)),
        ),
        (
            "snowflake: 5 uneven workers, 4 a tick, 300 seen",
            of_fleet(uneven(5, 800, 4.0, 300)),
        ),
        (
            "running: 1 worker, 2 a tick, 100 seen",
            of_fleet(running(1, 2000, 2.0, 100)),
        ),
        (
            "running: 6 workers, 1 a tick, 130 seen",
            of_fleet(running(6, 600, 1.0, 130)),
        ),
        (
            "running: 3 workers, 2 a tick, 60 seen",
            of_fleet(running(3, 1000, 2.0, 60)),
        ),
    ]
}

/// Shares of trials below, inside and above the interval.
fn coverage(trial: &Trial, trials: u64) -> [f64; 3] {
    let mut counts = [0; 3];
    for number in 0..trials {
        let (truth, found) = trial(&mut stream(1, "trials", number));
        let place = usize::from(truth >= found.low) + usize::from(truth > found.high);
        counts[place] += 1;
    }
    counts.map(|count| f64::from(count) / trials as f64)
}

/// At least 93 % less six standard deviations of 1,000 trials: a right program fails less than
/// once in 10⁶ seeds.
#[test]
fn true_values_lie_inside_their_intervals() {
    for (name, trial) in cases() {
        let [below, inside, above] = coverage(&trial, 1000);
        assert!(
            (0.88..=1.0).contains(&inside),
            "{name}: {below} {inside} {above}"
        );
    }
}

#[test]
#[ignore = "minutes without optimisation"]
fn coverage_of_10_000_trials() {
    let mut wrong = Vec::new();
    for (name, trial) in cases() {
        let [below, inside, above] = coverage(&trial, 10_000);
        println!(
            "{name:48} {:5.1} % ({:.1} below, {:.1} above)",
            inside * 100.0,
            below * 100.0,
            above * 100.0
        );
        // Exact; of so few workers that no interval of whole numbers is as narrow; or of lists
        // that hold most of the ids, of which the estimate makes no use.
        let covers_more = [
            "running: 1 worker",
            "running: 3 workers",
            "workers: 20",
            "snowflake: 1 worker",
        ];
        let covers_more = covers_more.iter().any(|case| name.starts_with(case));
        if inside < 0.93 || inside > 0.97 && !covers_more {
            wrong.push(name);
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}
