//! How high a counter is, from numbers of it that are seen: the German tank problem.

use crate::inspect::Estimate;

/// Probability of a value outside the interval.
const ALPHA: f64 = 0.05;

/// How many numbers 1, 2, … were given out, if `seen` different ones of them were drawn at
/// random and the greatest is `most`.
///
/// The value is the minimum-variance unbiased one, m (1 + 1/k) − 1. The interval begins at the
/// greatest number, below which nothing can be, and ends at the last N for which a greatest number
/// that small is not too rare: P(M < m) + ½ P(M = m) ≥ 5 %, by C(m, k) / C(N, k). Half of the
/// point's own probability (mid-p) keeps the coverage at 95 % where k is a large part of N;
/// where fewer than one in five are unseen, no interval of whole numbers comes near that: of 90 of
/// 100, the greatest is N in 90.0 % of draws and N − 1 or N in 99.1 %.
///
/// Source: Goodman, "Serial number analysis", JASA 47, 1952; Lancaster's mid-p, 1961.
pub fn tank(seen: u64, most: u64) -> Estimate {
    let (k, m) = (seen.clamp(1, most.max(1)) as f64, most.max(1) as f64);
    let own = libm::log1p(-k / (2.0 * m));
    let holds = |n: f64| ln_ratio(m, n, k) + own >= libm::log(ALPHA);
    let mut high = 2.0 * m;
    while holds(high) {
        high *= 2.0;
    }
    let mut low = m;
    // To a whole number, or as near as 53 bits are.
    while high - low > 1.0 && high - low > high * 1e-15 {
        let middle = libm::floor(low.midpoint(high));
        if holds(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    Estimate {
        value: m * (1.0 + 1.0 / k) - 1.0,
        low: m,
        high: low,
    }
}

/// ln (C(m, k) / C(n, k)), k ≤ m ≤ n.
fn ln_ratio(m: f64, n: f64, k: f64) -> f64 {
    if n < 1e8 {
        let falling = |x: f64| libm::lgamma(x + 1.0) - libm::lgamma(x - k + 1.0);
        return falling(m) - falling(n);
    }
    // A few factors of a huge number, or Stirling's formula with the large terms taken out.
    if k < 64.0 {
        let factor = |i: u32| libm::log((m - f64::from(i)) / (n - f64::from(i)));
        return (0..k as u32).map(factor).sum();
    }
    let rest = |x: f64| match x - k {
        left if left < 1e4 => {
            let exact = libm::lgamma(x + 1.0) - libm::lgamma(left + 1.0);
            exact - k * libm::log(x)
        }
        left => -(left + 0.5) * libm::log1p(-k / x) - k + (1.0 / x - 1.0 / left) / 12.0,
    };
    k * libm::log(m / n) + rest(m) - rest(n)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers 19, 40, 42 and 60: about 74 tanks, and at most 20^(1/4) times 60, were they not
    /// whole (Wikipedia, "German tank problem").
    #[test]
    fn the_textbook_example() {
        let found = tank(4, 60);
        assert_eq!((found.value, found.low), (74.0, 60.0));
        // C(60, 4) (1 - 4/120) = 471 380.5 is 5 % of what lies between C(124, 4) and C(125, 4).
        assert_eq!(found.high, 124.0);
        assert!(found.high < 60.0 * libm::pow(20.0, 0.25));
    }

    #[test]
    fn one_number_and_all_numbers() {
        let one = tank(1, 1000);
        assert_eq!((one.value, one.low, one.high), (1999.0, 1000.0, 19_990.0));
        assert_eq!(tank(100, 100), Estimate::exact(100.0));
        assert_eq!(tank(0, 0).low, 1.0);
    }

    /// The three ways to the same ratio, where two of them hold.
    #[test]
    fn large_counters_are_as_exact_as_small_ones() {
        let direct = |m: f64, n: f64, k: u32| -> f64 {
            (0..k)
                .map(|i| libm::log((m - f64::from(i)) / (n - f64::from(i))))
                .sum()
        };
        for (m, n, k) in [
            (1e6, 1.2e6, 30),
            (2e8, 2.1e8, 500),
            (3e8, 3e8 + 1e4, 5000),
            (9e17, 9.01e17, 1000),
        ] {
            let (found, expected) = (ln_ratio(m, n, f64::from(k)), direct(m, n, k));
            assert!(
                (found / expected - 1.0).abs() < 1e-6,
                "{found}, expected {expected}"
            );
        }
        // About m α^(-1/k), where k is far from m.
        let high = tank(100, 1 << 62).high / 2f64.powi(62);
        assert!((high / libm::pow(0.05, -0.01) - 1.0).abs() < 1e-3, "{high}");
    }
}
