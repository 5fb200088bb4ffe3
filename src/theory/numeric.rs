//! Integrals and functions that the closed forms share.

use std::f64::consts::{SQRT_2, TAU};

/// Integral of `f`, by Simpson's rule on 20 000 intervals.
pub(super) fn integral(from: f64, to: f64, f: impl Fn(f64) -> f64) -> f64 {
    const PAIRS: u32 = 10_000;
    let step = (to - from) / f64::from(2 * PAIRS);
    let at = |i: u32| f(from + f64::from(i) * step);
    let inner = |i: u32| 4.0 * at(2 * i + 1) + 2.0 * at(2 * i + 2);
    let sum: f64 = at(0) + (0..PAIRS).map(inner).sum::<f64>() - at(2 * PAIRS);
    sum * step / 3.0
}

/// Density of the standard normal distribution.
pub(super) fn normal_density(z: f64) -> f64 {
    libm::exp(-z * z / 2.0) / libm::sqrt(TAU)
}

/// Share of the standard normal distribution above `z`.
pub(super) fn normal_above(z: f64) -> f64 {
    libm::erfc(z / SQRT_2) / 2.0
}

/// Ein(z) = ∫ (1 - e^-t)/t from 0 to z.
pub(super) fn ein(z: f64) -> f64 {
    // From here on ln z and Euler's constant are all that 53 bits hold.
    if z > 40.0 {
        return libm::log(z) + 0.577_215_664_901_532_9;
    }
    integral(
        0.0,
        z,
        |t| {
            if t == 0.0 { 1.0 } else { -libm::expm1(-t) / t }
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_two_forms_of_ein_meet() {
        assert!((ein(40.0) - ein(40.0 + 1e-12)).abs() < 1e-10);
        assert!((ein(1.0) - 0.796_599_599_297_053).abs() < 1e-12);
    }

    #[test]
    fn the_normal_distribution_has_its_quantiles() {
        assert!((normal_above(1.959_963_984_540_054) - 0.025).abs() < 1e-15);
        let share = integral(-8.0, 1.0, normal_density) + normal_above(1.0);
        assert!((share - 1.0).abs() < 1e-12);
    }
}
