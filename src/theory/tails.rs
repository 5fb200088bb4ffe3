//! Tails of distributions: how odd a finding is if chance alone made it.
//!
//! A test's false alarms are as stated if its p-value is uniform, or larger, under chance.

use super::numeric::normal_above;

/// Probability that a standard normal variable is as far from 0 as `z`, either way.
pub fn normal_beyond(z: f64) -> f64 {
    2.0 * normal_above(z.abs())
}

/// The `z` that a standard normal variable is beyond, either way, with this probability.
pub fn normal_bound(probability: f64) -> f64 {
    let (mut low, mut high) = (0.0, 40.0);
    for _ in 0..100 {
        let middle = (low + high) / 2.0;
        if normal_beyond(middle) > probability {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

/// The probability, or less, that chance lets any of `tests` have a p-value as small as `p`;
/// exact if they are independent (Šidák 1967).
pub fn of_several(p: f64, tests: u64) -> f64 {
    if p >= 1.0 {
        return 1.0;
    }
    -libm::expm1(tests as f64 * libm::log1p(-p))
}

/// Probability that a Poisson variable of this mean, above 0, is at least `count`.
pub fn poisson_at_least(count: u64, mean: f64) -> f64 {
    if count == 0 {
        return 1.0;
    }
    // P(N ≥ k) is the regularized lower incomplete gamma function at (k, mean).
    let k = count as f64;
    if mean < k {
        // Terms from k upwards fall.
        ends(k, mean, |i| mean / (k + i))
    } else {
        1.0 - below(k, mean)
    }
}

/// Probability that a Poisson variable of this mean, above 0, is at most `count`.
pub fn poisson_at_most(count: u64, mean: f64) -> f64 {
    let next = count as f64 + 1.0;
    if mean < next {
        1.0 - poisson_at_least(count + 1, mean)
    } else {
        below(next, mean)
    }
}

/// Twice the smaller tail of a Poisson variable at `count`, at most 1.
pub fn poisson_beyond(count: u64, mean: f64) -> f64 {
    let tail = poisson_at_least(count, mean).min(poisson_at_most(count, mean));
    (2.0 * tail).min(1.0)
}

/// P(N < k) for a mean of at least k: terms from k - 1 downwards fall.
fn below(k: f64, mean: f64) -> f64 {
    ends(k - 1.0, mean, |i| (k - i).max(0.0) / mean)
}

/// The sum of the terms from that of `first` on, until they are too small to matter; the
/// `i`-th after it is `ratio(i)` of the one before.
fn ends(first: f64, mean: f64, ratio: impl Fn(f64) -> f64) -> f64 {
    let head = libm::exp(first * libm::log(mean) - mean - libm::lgamma(first + 1.0));
    let (mut sum, mut term, mut i) = (1.0, 1.0, 1.0);
    while term > sum * 1e-17 {
        term *= ratio(i);
        sum += term;
        i += 1.0;
    }
    (head * sum).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn poisson(count: u64, mean: f64) -> f64 {
        let k = count as f64;
        libm::exp(k * libm::log(mean) - mean - libm::lgamma(k + 1.0))
    }

    #[test]
    fn poisson_tails_are_sums_of_their_terms() {
        for mean in [0.01, 0.7, 3.0, 40.0, 700.0] {
            for count in [0, 1, 2, 5, 41, 650, 701, 800] {
                let below: f64 = (0..count).map(|k| poisson(k, mean)).sum();
                let most = below + poisson(count, mean);
                let above: f64 = (count..count + 2000).map(|k| poisson(k, mean)).sum();
                assert!((poisson_at_least(count, mean) - above).abs() < 1e-10);
                assert!((poisson_at_most(count, mean) - most).abs() < 1e-10);
            }
        }
        // Relative precision, far out.
        let far: f64 = (50..90).map(|k| poisson(k, 1.0)).sum();
        assert!((poisson_at_least(50, 1.0) / far - 1.0).abs() < 1e-9);
    }

    /// A Poisson variable of large mean is nearly normal.
    #[test]
    fn large_means_end() {
        let mean: f64 = 1e7;
        let count = (mean + 2.0 * mean.sqrt()) as u64;
        assert!((poisson_at_least(count, mean) - 0.022_75).abs() < 1e-4);
        assert_eq!(poisson_beyond(10_000_000, mean), 1.0);
    }

    #[test]
    fn bounds_are_published_quantiles() {
        assert!((normal_bound(0.05) - 1.959_963_984_540_054).abs() < 1e-9);
        assert!((normal_bound(0.01) - 2.575_829_303_548_901).abs() < 1e-9);
        assert!((of_several(0.5, 2) - 0.75).abs() < 1e-15);
        assert_eq!(of_several(1.0, 3), 1.0);
    }
}
