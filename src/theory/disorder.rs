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

    /// Values to as many digits as their source prints.
    #[test]
    fn published_values_come_out() {
        assert!((inversions_of_skew(5.0) - 2.821).abs() < 6e-4);
        assert!((descents_of_skew(5.0) - 0.4446).abs() < 6e-5);
        assert_eq!(descents_of_skew(0.0), 0.0);
        assert!((descents_of_skew(20.0) - descents_of_skew(20.000_001)).abs() < 1e-8);
    }
}
