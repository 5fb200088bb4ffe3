//! How long rows take from minting to being seen.

use crate::clock::{NS_PER_MS, NS_PER_S};
use crate::names::nearest;
use crate::random;
use rand_chacha::ChaCha8Rng;
use std::fmt;
use thiserror::Error;

/// Time from minting an id until readers see its row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Latency {
    /// None.
    None,
    /// Exponential.
    Exponential {
        /// Its mean.
        mean_ns: u64,
    },
    /// Lognormal: median 3 ms, sigma 0.7.
    Light,
    /// 99 % `Light`; 0.9 % lognormal, median 100 ms, sigma 0.8; 0.1 % lognormal, median 2 s, sigma 1.
    Heavy,
    /// 99 % `Light`; 1 % uniform up to 60 s.
    Batch,
}

/// Every latency as typed, with one line on what it is, in the order of `sim list`.
pub const LATENCIES: &[(&str, &str)] = &[
    ("none", "rows are seen when their ids are minted"),
    ("light", "lognormal, median 3 ms, sigma 0.7"),
    (
        "heavy",
        "99 % light; 0.9 % lognormal, median 100 ms, sigma 0.8; 0.1 % lognormal, median 2 s, sigma 1",
    ),
    ("batch", "99 % light; 1 % uniform up to 60 s"),
    ("exponential:TIME", "exponential with this mean"),
];

/// No latency has this name.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("unknown latency {0:?}{1}")]
pub struct LatencyError(String, String);

impl Latency {
    /// The latency of this name, other than `exponential`.
    ///
    /// # Errors
    /// An unknown name.
    pub fn named(name: &str) -> Result<Self, LatencyError> {
        match name {
            "none" => Ok(Latency::None),
            "light" => Ok(Latency::Light),
            "heavy" => Ok(Latency::Heavy),
            "batch" => Ok(Latency::Batch),
            _ => {
                let known = LATENCIES.iter().map(|(name, _)| *name);
                Err(LatencyError(name.to_owned(), nearest(name, known)))
            }
        }
    }

    /// Its mean, rounded up to a millisecond where it is lognormal.
    pub fn mean_ns(self) -> u64 {
        // A lognormal's mean is median · e^(sigma²/2): 3.84, 137.8 and 3297.5 ms.
        match self {
            Latency::None => 0,
            Latency::Exponential { mean_ns } => mean_ns,
            Latency::Light => 4 * NS_PER_MS,
            Latency::Heavy => 9 * NS_PER_MS,
            Latency::Batch => 304 * NS_PER_MS,
        }
    }

    pub(super) fn draw(self, random: &mut ChaCha8Rng) -> u64 {
        let light = |random: &mut ChaCha8Rng| random::lognormal(random, 3 * NS_PER_MS, 0.7);
        match self {
            Latency::None => 0,
            Latency::Exponential { mean_ns } => random::exponential(random, mean_ns),
            Latency::Light => light(random),
            Latency::Heavy => match random::below(random, 1000) {
                0 => random::lognormal(random, 2 * NS_PER_S, 1.0),
                1..=9 => random::lognormal(random, 100 * NS_PER_MS, 0.8),
                _ => light(random),
            },
            Latency::Batch => match random::below(random, 100) {
                0 => (random::unit(random) * (60 * NS_PER_S) as f64) as u64,
                _ => light(random),
            },
        }
    }
}

impl fmt::Display for Latency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Latency::None => "none",
            Latency::Light => "light",
            Latency::Heavy => "heavy",
            Latency::Batch => "batch",
            Latency::Exponential { mean_ns } => return write!(f, "exponential:{mean_ns}ns"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 10⁶ draws; each share's tolerance is 5.5 binomial standard deviations, the
    /// means' 5.5 standard errors of their own sample.
    #[test]
    fn draws_have_the_tails_and_means_that_names_promise() {
        for (latency, above_ns, share, mean_ms) in [
            (Latency::Light, 3 * NS_PER_MS, 0.5, 3.8329),
            // P(> 1 s): 0.009 · Q(ln 10 / 0.8) + 0.001 · Q(-ln 2).
            (Latency::Heavy, NS_PER_S, 7.739e-4, 8.3314),
            (Latency::Batch, 30 * NS_PER_S, 0.005, 303.79),
        ] {
            let mut random = random::stream(1, "latency", 0);
            let draws: Vec<u64> = (0..1_000_000).map(|_| latency.draw(&mut random)).collect();
            let found = draws.iter().filter(|draw| **draw > above_ns).count() as f64 / 1e6;
            let tolerance = 5.5 * (share * (1.0 - share) / 1e6_f64).sqrt();
            assert!(
                (found - share).abs() < tolerance + 1e-6,
                "{latency}: {found}"
            );
            let ms = draws.iter().map(|draw| *draw as f64 / 1e6);
            let mean = ms.clone().sum::<f64>() / 1e6;
            let variance = ms.map(|ms| (ms - mean).powi(2)).sum::<f64>() / 1e6;
            let error = (mean - mean_ms).abs();
            assert!(
                error < 5.5 * (variance / 1e6).sqrt() + 1e-3,
                "{latency}: {mean}"
            );
            assert!(latency.mean_ns() as f64 >= mean_ms * 1e6);
        }
    }
}
