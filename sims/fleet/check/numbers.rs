//! Worker numbers chosen at random, and leases that pauses outlive: drawn without a fleet.

use super::blocks::{BLOCKS, Estimate, ROWS};
use super::{Check, Setting};
use anyhow::Result;
use idlab::random;
use idlab::theory::clash;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

const NOTE: Tolerated = (super::EXACT, "drawn without a fleet");
type Tolerated = (crate::tolerance::Tolerance, &'static str);

/// The share of blocks of draws in which it happens.
fn share(
    random: &mut ChaCha8Rng,
    draws: u64,
    mut happens: impl FnMut(&mut ChaCha8Rng) -> bool,
) -> Estimate {
    let each = draws / BLOCKS as u64;
    let block = |_| (0..each).filter(|_| happens(random)).count() as f64 / each as f64;
    Estimate::of(&(0..BLOCKS).map(block).collect::<Vec<f64>>())
}

/// Workers who choose their numbers at random.
pub fn same_number(setting: &Setting) -> Result<Vec<Check>> {
    let cases = [
        (5, 1024),
        (38, 1024),
        (300, 65_536),
        (5, 32),
        (10, 32),
        (100, 16_384),
    ];
    let check = |&(workers, numbers): &(u32, u32)| {
        let mut random = random::stream(setting.seed, "check.number", (workers * numbers).into());
        // By number: the last trial that chose it.
        let mut chosen = vec![0u64; numbers as usize];
        let mut trial = 0;
        let found = share(&mut random, ROWS, |random| {
            trial += 1;
            let mut choose = |_| {
                let number = &mut chosen[random::below(random, numbers) as usize];
                std::mem::replace(number, trial) == trial
            };
            (0..workers).any(&mut choose)
        });
        let case = format!("{workers} workers, {numbers} numbers");
        let expected = clash::same_number(workers.into(), numbers.into());
        Ok(
            Check::new(case, ("same_number_probability", "share"), found, expected)
                .about(NOTE.0, NOTE.1),
        )
    };
    cases.par_iter().map(check).collect()
}

/// Pauses at random times of a lease's life.
pub fn lost_leases(setting: &Setting) -> Result<Vec<Check>> {
    // Seconds of a lease and between renewals.
    let cases = [(15, 5), (10, 2), (6, 3)];
    let check = |&(ttl_s, renewal_s): &(u32, u32)| {
        let (ttl, renewal) = (f64::from(ttl_s), f64::from(renewal_s));
        let mut random = random::stream(setting.seed, "check.lease", ttl_s.into());
        let lost =
            |random: &mut ChaCha8Rng, pause_s: f64| pause_s > ttl - renewal * random::unit(random);
        let lognormal = share(&mut random, 4 * ROWS, |random| {
            let pause_s = random::lognormal(random, 100_000_000, 1.8) as f64 / 1e9;
            lost(random, pause_s)
        });
        let pareto = share(&mut random, 4 * ROWS, |random| {
            let pause_s = 0.05 * libm::pow(random::unit(random), -1.0 / 1.2);
            lost(random, pause_s)
        });
        let measure = ("lease_lost_probability", "share");
        let case =
            |pause: &str| format!("lease {ttl_s} s, renewed each {renewal_s} s, {pause} pause");
        let of_lognormal = clash::lease_lost(ttl, renewal, |x| clash::lognormal_above(0.1, 1.8, x));
        let of_pareto = clash::lease_lost(ttl, renewal, |x| clash::pareto_above(0.05, 1.2, x));
        Ok(vec![
            Check::new(case("lognormal"), measure, lognormal, of_lognormal).about(NOTE.0, NOTE.1),
            Check::new(case("Pareto"), measure, pareto, of_pareto).about(NOTE.0, NOTE.1),
        ])
    };
    let checks: Result<Vec<Vec<Check>>> = cases.par_iter().map(check).collect();
    Ok(checks?.into_iter().flatten().collect())
}
