//! Closed forms of what a reader with `id > last_seen` loses, ids asked for by a Poisson process.

/// Share lost by a reader who never rests, central counter, exponential commits with
/// `in_flight` rows on their way on average.
///
/// A row is safe if no later one overtakes it: the mean of exp(-λ G(A)) is
/// Σ ρᵏ / ((ρ + 1) … (ρ + 1 + k)).
pub fn skipped_of_exponential(in_flight: f64) -> f64 {
    let (mut safe, mut term, mut k) = (0.0, 1.0 / (in_flight + 1.0), 1.0);
    while term > 1e-17 {
        safe += term;
        k += 1.0;
        term *= in_flight / (in_flight + k);
    }
    1.0 - safe
}

/// Share that the slower of two writers loses, its clock `offset_s` behind that of a
/// writer of `other_rate` rows a second; polls each `poll_s` (0: never rests), no latency.
pub fn skipped_behind(other_rate: f64, offset_s: f64, poll_s: f64) -> f64 {
    let none = libm::exp(-other_rate * offset_s);
    let polls = other_rate * poll_s;
    if poll_s == 0.0 {
        1.0 - none
    } else if poll_s <= offset_s {
        1.0 - none * libm::expm1(polls) / polls
    } else {
        (offset_s - (1.0 - none) / other_rate) / poll_s
    }
}

/// Share lost by a reader who never rests, ids in random order within a tick of
/// `rows_per_tick` on average: 1 - Ein(Λ)/Λ.
pub fn skipped_in_ticks(rows_per_tick: f64) -> f64 {
    // Ein(z) = ∫ (1 - e^-t)/t from 0 to z, by Simpson's rule.
    const HALVES: u32 = 10_000;
    let value = |t: f64| {
        if t == 0.0 { 1.0 } else { -libm::expm1(-t) / t }
    };
    let step = rows_per_tick / f64::from(2 * HALVES);
    let at = |i: u32| value(f64::from(i) * step);
    let inner = |i: u32| 4.0 * at(2 * i + 1) + 2.0 * at(2 * i + 2);
    let sum: f64 = at(0) + (0..HALVES).map(inner).sum::<f64>() - at(2 * HALVES);
    1.0 - sum * step / 3.0 / rows_per_tick
}

/// Share lost behind a lag window of `lag_s`, well in the tail of exponential commits of
/// mean `mean_s`, at `rate` rows a second, perfect clocks; an approximation.
pub fn skipped_behind_lag(rate: f64, mean_s: f64, poll_s: f64, lag_s: f64) -> f64 {
    let polls = if poll_s == 0.0 {
        1.0
    } else {
        -libm::expm1(-poll_s / mean_s) * mean_s / poll_s
    };
    libm::exp(-lag_s / mean_s) * polls * (rate * mean_s) / (1.0 + rate * mean_s)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values to as many digits as their source prints.
    #[test]
    fn published_values_come_out() {
        for (in_flight, skipped) in [
            (0.1, 0.0462),
            (1.0, 0.2817),
            (10.0, 0.6667),
            (100.0, 0.8812),
        ] {
            assert!((skipped_of_exponential(in_flight) - skipped).abs() < 6e-5);
        }
        for (rate, offset_s, poll_s, skipped) in [
            (100.0, 0.01, 0.0, 0.632121),
            (100.0, 0.01, 0.004, 0.547670),
            (100.0, 0.01, 1.0, 0.003679),
            (400.0, 0.05, 0.1, 0.475000),
        ] {
            assert!((skipped_behind(rate, offset_s, poll_s) - skipped).abs() < 6e-7);
        }
        for (rows, skipped) in [(1.0, 0.2034), (10.0, 0.7120), (100.0, 0.9482)] {
            assert!((skipped_in_ticks(rows) - skipped).abs() < 6e-5);
        }
    }
}
