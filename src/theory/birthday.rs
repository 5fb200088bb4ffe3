//! The birthday problem, from a handful of draws to 2^64 of 2^128: whether any two are equal.
//!
//! Each logarithm keeps its digits near 0 (log1p, expm1), so probabilities of 10^-30 are as
//! exact as those of a half. Numbers of draws and of values are whole; as `f64` the powers of 2
//! are exact up to 2^1023.

/// Draws up to which the logarithms are added up one by one.
const SUMMED: f64 = 1024.0;

/// Probability that some two of `draws` uniform draws among `values` are equal.
pub fn some_equal(draws: f64, values: f64) -> f64 {
    -libm::expm1(ln_all_differ(draws, values))
}

/// Σ ln(1 - i/d) for 0 ≤ i < n; of many draws by Euler and Maclaurin, whose next term is below
/// 10^-10 of the sum.
fn ln_all_differ(draws: f64, values: f64) -> f64 {
    if draws > values {
        return f64::NEG_INFINITY;
    }
    if draws <= SUMMED {
        let last = draws as u32;
        // From the small end, for precision.
        return (1..last).map(|i| libm::log1p(-f64::from(i) / values)).sum();
    }
    let share = draws / values;
    // Of 1,024 draws and more among twice as many values: below e^-300.
    if share > 0.5 {
        return f64::NEG_INFINITY;
    }
    let ends = -libm::log1p(-share) / 2.0 - share / (values * (1.0 - share)) / 12.0;
    ends - values * above_the_diagonal(share)
}

/// u + (1 - u) ln(1 - u) = Σ u^k / (k (k - 1)): minus the integral of ln(1 - t) from 0 to u.
fn above_the_diagonal(share: f64) -> f64 {
    if share > 0.1 {
        return share + (1.0 - share) * libm::log1p(-share);
    }
    // The terms left out are below 10^-18 of the first.
    let terms = (2..20).rev().map(|k| 1.0 / (k * (k - 1)) as f64);
    terms.fold(0.0, |sum, term| sum * share + term) * share * share
}

/// The fewest draws among `values` of which two are equal with `probability` or more,
/// which lies above 0 and below 1; to the precision of an `f64`.
pub fn draws_until(probability: f64, values: f64) -> f64 {
    let (mut too_few, mut enough) = (1.0, values + 1.0);
    loop {
        let middle = ((too_few + enough) / 2.0).floor();
        if middle <= too_few || middle >= enough {
            return enough;
        }
        match some_equal(middle, values) < probability {
            true => too_few = middle,
            false => enough = middle,
        }
    }
}

/// Probability that some two of `draws` are equal if only those of one tick can be: they arrive
/// as a Poisson process, `per_tick` in each on average, and each draws among `values`.
///
/// A value of a tick is then drawn a Poisson number of times of mean λ = m/d, at most once with
/// e^-λ (1 + λ), and there are n/λ of these: ln P = -n (1 - ln(1 + λ) / λ).
pub fn some_equal_in_a_tick(draws: f64, per_tick: f64, values: f64) -> f64 {
    let load = per_tick / values;
    let each = if load > 0.1 {
        1.0 - libm::log1p(load) / load
    } else {
        // Σ (-1)^k λ^k / (k + 1), from the far end.
        let terms = (1..20).rev().map(|k| 1.0 / f64::from(k + 1));
        terms.fold(0.0, |sum, term| term - sum * load) * load
    };
    -libm::expm1(-draws * each)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const POWER: fn(i32) -> f64 = |bits| libm::pow(2.0, f64::from(bits));

    #[track_caller]
    fn close(found: f64, expected: f64, relative: f64) {
        assert!(
            (found / expected - 1.0).abs() <= relative,
            "{found:e}, expected {expected:e}"
        );
    }

    /// The first two by hand: 1 - 365·364·…·343 / 365^23, and 1 - e^(-1/2) but for 2^-65. The
    /// others are sums of 60 digits.
    #[test]
    fn known_answers() {
        assert_eq!(format!("{:.6}", some_equal(23.0, 365.0)), "0.507297");
        close(
            some_equal(POWER(64), POWER(128)),
            0.393_469_340_287_366_6,
            1e-14,
        );
        assert_eq!(
            format!("{:.6}", some_equal(POWER(64), POWER(128))),
            "0.393469"
        );
        for &(draws, bits, expected) in KNOWN {
            close(some_equal(draws, POWER(bits)), expected, 1e-13);
        }
    }

    #[test]
    fn edges() {
        assert_eq!(some_equal(0.0, 10.0), 0.0);
        assert_eq!(some_equal(1.0, 10.0), 0.0);
        assert_eq!(some_equal(2.0, 1.0), 1.0);
        close(some_equal(2.0, POWER(128)), POWER(-128), 1e-15);
        assert_eq!(some_equal(POWER(127), POWER(128)), 1.0);
        assert_eq!(some_equal_in_a_tick(0.0, 1.0, 16.0), 0.0);
        assert_eq!(some_equal_in_a_tick(1e30, 1e9, 16.0), 1.0);
    }

    #[test]
    fn as_few_draws_as_it_takes() {
        assert_eq!(draws_until(0.5, 365.0), 23.0);
        assert_eq!(draws_until(0.999, 365.0), 70.0);
        assert_eq!(draws_until(0.5, 1.0), 2.0);
        close(
            draws_until(0.5, POWER(122)),
            2.714_922_669_395_445e18,
            1e-12,
        );
    }

    /// One tick by the sum over its numbers of draws.
    #[test]
    fn a_tick_is_a_poisson_number_of_draws() {
        for (mean, values) in [(0.01, 16.0), (3.0, 50.0), (3.0, 400.0), (20.0, 64.0)] {
            let of = |k: u32| {
                let k = f64::from(k);
                libm::exp(k * libm::log(mean) - mean - libm::lgamma(k + 1.0))
            };
            let expected: f64 = (2..200)
                .map(|k| of(k) * some_equal(f64::from(k), values))
                .sum();
            close(some_equal_in_a_tick(mean, mean, values), expected, 1e-11);
        }
        // Two ticks are two chances.
        let one = some_equal_in_a_tick(5.0, 5.0, 1000.0);
        let two = some_equal_in_a_tick(10.0, 5.0, 1000.0);
        close(two, 1.0 - (1.0 - one) * (1.0 - one), 1e-13);
    }

    proptest! {
        /// The integral against the sum, with the error of each addition carried along.
        #[test]
        fn many_draws_are_their_sum(draws in 1025u32..20_000, spread in 1.0f64..1e6) {
            let values = (f64::from(draws) * f64::from(draws) * spread / 20.0).ceil();
            let (mut sum, mut lost) = (0.0, 0.0);
            for i in 1..draws {
                let term = libm::log1p(-f64::from(i) / values) - lost;
                let next = sum + term;
                lost = (next - sum) - term;
                sum = next;
            }
            let expected = -libm::expm1(sum);
            prop_assert!((some_equal(draws.into(), values) / expected - 1.0).abs() < 1e-12);
        }

        /// Against the product of whole fractions.
        #[test]
        fn few_draws_are_their_product(draws in 2u32..30, values in 30u32..2000) {
            let product = (0..draws).map(|i| f64::from(values - i) / f64::from(values));
            let expected = 1.0 - product.product::<f64>();
            prop_assert!((some_equal(draws.into(), values.into()) - expected).abs() < 1e-14);
        }

        #[test]
        fn fewer_would_not_do(values in 2u32..1_000_000, percent in 1u32..100) {
            let probability = f64::from(percent) / 100.0;
            let draws = draws_until(probability, values.into());
            prop_assert!(some_equal(draws, values.into()) >= probability);
            prop_assert!(some_equal(draws - 1.0, values.into()) < probability);
        }
    }

    /// Draws, bits of a value, and the probability.
    const KNOWN: &[(f64, i32, f64)] = &[
        (1024.0, 20, 3.932_717_733_272_501e-1),
        (1025.0, 20, 3.938_642_813_611_102_4e-1),
        (77_163.0, 32, 4.999_998_905_173_483_5e-1),
        (4e5, 36, 6.878_128_922_632_435e-1),
        (1e9, 62, 1.027_495_228_365_326_7e-1),
        (1e9, 74, 2.646_942_925_370_317_7e-5),
        (4_294_967_296.0, 64, 3.934_693_402_402_936e-1),
        (1e12, 80, 3.387_281_853_112_04e-1),
        (100.0, 122, 9.309_915_258_512_517e-34),
        (1_099_511_627_776.0, 122, 1.136_868_377_215_061_7e-13),
        (2.71e18, 122, 4.987_427_541_726_445e-1),
        (9_223_372_036_854_775_808.0, 122, 9.996_645_373_720_975e-1),
    ];
}
