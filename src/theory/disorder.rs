//! Closed forms of how far ids are out of order, minted by a Poisson process.

use super::numeric::normal_above;
use std::f64::consts::{PI, SQRT_2};

/// Pairs out of order, a row: commits exponential, `in_flight` rows on their way on average.
pub fn inversions_of_exponential(in_flight: f64) -> f64 {
    in_flight / 2.0
}

/// Pairs out of order, a row: normal clock error of each row, `rows_per_sd` rows minted in
/// its standard deviation.
pub fn inversions_of_skew(rows_per_sd: f64) -> f64 {
    rows_per_sd / libm::sqrt(PI)
}

/// Pairs out of order, a row: writers in equal shares whose clocks are off by these constants,
/// `rate` ids a second together, no time from minting to commit: (λ/2) E|A - A'|.
pub fn inversions_of_offsets(rate: f64, offsets_ns: &[i64]) -> f64 {
    let mut sorted = offsets_ns.to_vec();
    sorted.sort_unstable();
    let count = sorted.len().max(1) as f64;
    // Of the pairs among n, the i-th smallest is the larger in i and the smaller in n - 1 - i.
    let weighted = (0u32..)
        .zip(&sorted)
        .map(|(below, &offset)| (2.0 * f64::from(below) - (count - 1.0)) * (offset as f64) * 1e-9);
    rate * weighted.sum::<f64>() / (count * count)
}

/// Share of rows whose id is below that of the row before, by such clock error:
/// 1/2 - e^(r²) Q(r√2).
pub fn descents_of_skew(rows_per_sd: f64) -> f64 {
    let r = rows_per_sd;
    if r > 20.0 {
        let square = r * r;
        let series = 1.0 - 0.5 / square + 0.75 / (square * square);
        return 0.5 - series / (2.0 * r * libm::sqrt(PI));
    }
    0.5 - libm::exp(r * r) * normal_above(SQRT_2 * r)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two clocks d apart: half of the pairs are of different writers, half of those in the
    /// wrong order if they are less than d apart.
    #[test]
    fn inversions_of_offsets_are_those_of_each_pair() {
        assert!((inversions_of_offsets(1000.0, &[0, 10_000_000]) - 2.5).abs() < 1e-9);
        let offsets = [5, -3, 12, 0, 7].map(|ms: i64| ms * 1_000_000);
        let pairs = offsets.iter().flat_map(|a| offsets.map(|b| a.abs_diff(b)));
        let mean_s = pairs.sum::<u64>() as f64 / 25.0 * 1e-9;
        assert!((inversions_of_offsets(400.0, &offsets) - 200.0 * mean_s).abs() < 1e-9);
        assert_eq!(inversions_of_offsets(400.0, &[]), 0.0);
    }

    /// Values to as many digits as their source prints.
    #[test]
    fn published_values_come_out() {
        assert!((inversions_of_skew(5.0) - 2.821).abs() < 6e-4);
        assert!((descents_of_skew(5.0) - 0.4446).abs() < 6e-5);
        assert_eq!(descents_of_skew(0.0), 0.0);
        assert!((descents_of_skew(20.0) - descents_of_skew(20.000_001)).abs() < 1e-8);
    }
}
