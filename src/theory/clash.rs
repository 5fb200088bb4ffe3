//! Closed forms of ids that come twice: equal worker numbers, relived time, lost leases.

use super::numeric::{integral, normal_above};

/// Probability that some two of `workers` who choose among `numbers` at random choose the same.
pub fn same_number(workers: u64, numbers: u64) -> f64 {
    if workers > numbers {
        return 1.0;
    }
    let distinct: f64 = (1..workers)
        .map(|i| libm::log1p(-(i as f64) / numbers as f64))
        .sum();
    -libm::expm1(distinct)
}

/// Ids that come twice in a tick: two generators of one worker number count from 0 in it,
/// with Poisson numbers of ids of these means. E[min(N, M)] = Σ P(N ≥ k) P(M ≥ k).
pub fn duplicates_per_tick(ids_per_tick: f64, of_the_other: f64) -> f64 {
    let above = poisson_above(ids_per_tick);
    let other = poisson_above(of_the_other);
    above.iter().zip(other).map(|(a, b)| a * b).sum()
}

/// Variance of the number of ids that come twice in a tick, as [`duplicates_per_tick`] counts
/// them: Σ (2k - 1) P(N ≥ k) P(M ≥ k) less the square of the mean.
pub fn variance_per_tick(ids_per_tick: f64, of_the_other: f64) -> f64 {
    let above = poisson_above(ids_per_tick);
    let other = poisson_above(of_the_other);
    let both = above.iter().zip(other).map(|(a, b)| a * b);
    let odd = (0..).map(|k| f64::from(2 * k + 1));
    let square: f64 = both.zip(odd).map(|(p, odd)| odd * p).sum();
    square - libm::pow(duplicates_per_tick(ids_per_tick, of_the_other), 2.0)
}

/// The same if both begin at random among `starts` sequence numbers:
/// Σ P(N > a) P(N > b) (R - |a - b|) / R².
pub fn duplicates_from_random_starts(ids_per_tick: f64, starts: u32) -> f64 {
    let above = poisson_above(ids_per_tick);
    let starts = f64::from(starts);
    let mut sum = 0.0;
    for (a, p) in above.iter().enumerate() {
        for (b, q) in above.iter().enumerate() {
            sum += p * q * (starts - a.abs_diff(b) as f64).max(0.0);
        }
    }
    sum / (starts * starts)
}

/// P(N > k) of a Poisson distribution by k, as far as it matters.
fn poisson_above(mean: f64) -> Vec<f64> {
    if mean <= 0.0 {
        return Vec::new();
    }
    let most = (mean + 12.0 * libm::sqrt(mean) + 40.0) as u32;
    let of = |k: f64| libm::exp(k * libm::log(mean) - mean - libm::lgamma(k + 1.0));
    let mut above = vec![0.0; most as usize + 1];
    let mut sum = 0.0;
    for k in (0..most).rev() {
        sum += of(f64::from(k + 1));
        above[k as usize] = sum;
    }
    above
}

/// Probability that a pause outlives a lease of `ttl_s`, renewed each `renewal_s`, at a random
/// time of its life; `above(x)` is the probability of a pause above x seconds.
pub fn lease_lost(ttl_s: f64, renewal_s: f64, above: impl Fn(f64) -> f64) -> f64 {
    integral(ttl_s - renewal_s, ttl_s, above) / renewal_s
}

/// Share of a lognormal distribution above `x`; `sigma` is the logarithm's standard deviation.
pub fn lognormal_above(median: f64, sigma: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 1.0;
    }
    normal_above(libm::log(x / median) / sigma)
}

/// Share of a Pareto distribution above `x`.
pub fn pareto_above(least: f64, shape: f64, x: f64) -> f64 {
    if x <= least {
        return 1.0;
    }
    libm::pow(least / x, shape)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn close(found: f64, expected: f64, tolerance: f64) {
        assert!(
            (found - expected).abs() <= tolerance,
            "{found}, expected {expected}"
        );
    }

    /// Values to as many digits as their source prints.
    #[test]
    fn published_values_come_out() {
        for (workers, numbers, probability) in [
            (5, 1024, 0.0097),
            (10, 1024, 0.0431),
            (38, 1024, 0.501),
            (50, 1024, 0.704),
            (300, 65_536, 0.496),
            (5, 32, 0.280),
            (10, 32, 0.792),
        ] {
            close(same_number(workers, numbers), probability, 6e-4);
        }
        for (ids, twice) in [(0.05, 0.002380), (0.5, 0.163165), (2.0, 1.228494)] {
            close(duplicates_per_tick(ids, ids), twice, 6e-7);
        }
        for (ids, twice) in [(0.05, 2.50e-5), (0.5, 2.49e-3), (2.0, 3.95e-2)] {
            close(duplicates_from_random_starts(ids, 100), twice, 6e-3 * twice);
        }
        let lognormal = lease_lost(15.0, 5.0, |x| lognormal_above(0.1, 1.8, x));
        close(lognormal, 3.76e-3, 6e-6);
        close(
            lease_lost(15.0, 5.0, |x| pareto_above(0.05, 1.2, x)),
            1.35e-3,
            6e-6,
        );
    }

    /// Λ (1 - e^(-2Λ) (I₀(2Λ) + I₁(2Λ))), the Bessel functions by their series.
    #[test]
    fn equal_rates_are_what_bessel_functions_say() {
        let bessel = |order: i32, z: f64| {
            let terms = (0..200).map(|k: i32| {
                let logs = f64::from(2 * k + order) * libm::log(z / 2.0)
                    - libm::lgamma(f64::from(k + 1))
                    - libm::lgamma(f64::from(k + order + 1));
                libm::exp(logs)
            });
            terms.sum::<f64>()
        };
        for ids in [0.01, 0.3, 5.0, 40.0] {
            let z = 2.0 * ids;
            let expected = ids * (1.0 - libm::exp(-z) * (bessel(0, z) + bessel(1, z)));
            close(duplicates_per_tick(ids, ids), expected, 1e-10 * ids);
        }
    }

    /// Against the sum over all pairs of numbers.
    #[test]
    fn variances_are_those_of_the_distribution() {
        let of = |mean: f64, k: u32| {
            let k = f64::from(k);
            libm::exp(k * libm::log(mean) - mean - libm::lgamma(k + 1.0))
        };
        for (ids, other) in [(0.5, 0.5), (10.0, 8.0), (33.0, 33.0)] {
            let pairs = || (0..150).flat_map(|n| (0..150).map(move |m| (n, m)));
            let moment = |power: f64| -> f64 {
                let term = |(n, m): (u32, u32)| {
                    libm::pow(n.min(m).into(), power) * of(ids, n) * of(other, m)
                };
                pairs().map(term).sum()
            };
            let expected = moment(2.0) - libm::pow(moment(1.0), 2.0);
            close(variance_per_tick(ids, other), expected, 1e-9 * expected);
        }
    }

    #[test]
    fn edges() {
        assert_eq!(same_number(1, 10), 0.0);
        assert_eq!(same_number(11, 10), 1.0);
        assert_eq!(duplicates_per_tick(3.0, 0.0), 0.0);
        // One start is a start from 0.
        let same = duplicates_per_tick(0.5, 0.5);
        let tails = poisson_above(0.5);
        let one: f64 = tails.iter().map(|p| p * p).sum();
        close(same, one, 1e-15);
        close(duplicates_from_random_starts(0.5, 1), one, 1e-15);
        // A busy one against an idle one: all of the idle one's.
        close(duplicates_per_tick(1e4, 3.0), 3.0, 1e-9);
    }
}
