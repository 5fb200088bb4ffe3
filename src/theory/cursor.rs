//! Closed forms of what a reader with `id > last_seen` loses, ids asked for by a Poisson process.

mod latencies;

pub use latencies::Latencies;

use super::numeric::{ein, integral, normal_above, normal_density};

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

/// Share lost by a reader who never rests, no latency, normal clock error of each row,
/// `rows_per_sd` rows minted in its standard deviation: 1 - E exp(-r (Z Φ(Z) + φ(Z))).
pub fn skipped_of_skew(rows_per_sd: f64) -> f64 {
    let safe = |z: f64| {
        let before = z * normal_above(-z) + normal_density(z);
        normal_density(z) * libm::exp(-rows_per_sd * before)
    };
    1.0 - integral(-10.0, 10.0, safe)
}

/// Share that each of these writers loses, a constant clock lead (seconds) and a rate (rows a
/// second) each; the reader never rests, no latency. 1 - exp(-Σ λ (θ - own θ)⁺), in the order given.
pub fn skipped_by_offsets(writers: &[(f64, f64)]) -> Vec<f64> {
    let mut fastest: Vec<usize> = (0..writers.len()).collect();
    fastest.sort_unstable_by(|&a, &b| writers[b].0.total_cmp(&writers[a].0));
    let mut skipped = vec![0.0; writers.len()];
    let (mut rates, mut last, mut overtaken) = (0.0, 0.0, 0.0);
    for writer in fastest {
        let (lead_s, rate) = writers[writer];
        if rates > 0.0 {
            overtaken += rates * (last - lead_s);
        }
        skipped[writer] = -libm::expm1(-overtaken);
        rates += rate;
        last = lead_s;
    }
    skipped
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
    1.0 - ein(rows_per_tick) / rows_per_tick
}

/// Share lost by a reader who never rests, numbers handed out in blocks of `block` to
/// `writers` of equal rate; an approximation: (1 - 1/W)(1 - 1/B).
pub fn skipped_in_blocks(writers: f64, block: f64) -> f64 {
    (1.0 - 1.0 / writers) * (1.0 - 1.0 / block)
}

/// Share of rows that are committed more than `lag_s` after their key time: exponential
/// commits of mean `mean_s`, normal clock error of standard deviation `sd_s` (0: none).
pub fn later_than(mean_s: f64, sd_s: f64, lag_s: f64) -> f64 {
    if sd_s == 0.0 {
        return libm::exp(-lag_s / mean_s).min(1.0);
    }
    let (ratio, lag) = (sd_s / mean_s, lag_s / sd_s);
    let above = ratio - lag;
    // e^(ratio²/2 - D/m) Q(above), where the first factor may be larger than a float.
    let tail = if above > 20.0 {
        let square = above * above;
        normal_density(lag) / above * (1.0 - 1.0 / square + 3.0 / (square * square))
    } else {
        libm::exp(ratio * (ratio / 2.0 - lag)) * normal_above(above)
    };
    normal_above(lag) + tail
}

/// Share lost behind a lag window of `lag_s` by such rows, well in the tail of the commits,
/// at `rate` rows a second; an approximation.
pub fn skipped_behind_lag(rate: f64, mean_s: f64, sd_s: f64, poll_s: f64, lag_s: f64) -> f64 {
    later_than(mean_s, sd_s, lag_s) * overtaken(rate, mean_s, poll_s)
}

/// The lag window in seconds that loses the share `skipped` of such rows; an approximation
/// for small shares, never below 0.
pub fn lag_for(skipped: f64, rate: f64, mean_s: f64, sd_s: f64, poll_s: f64) -> f64 {
    let ratio = sd_s / mean_s;
    let tail = libm::exp(ratio * ratio / 2.0) * overtaken(rate, mean_s, poll_s);
    (mean_s * libm::log(tail / skipped)).max(0.0)
}

/// Probability that a larger id was read before a late row of exponential commits.
fn overtaken(rate: f64, mean_s: f64, poll_s: f64) -> f64 {
    let polls = if poll_s == 0.0 {
        1.0
    } else {
        -libm::expm1(-poll_s / mean_s) * mean_s / poll_s
    };
    polls * (rate * mean_s) / (1.0 + rate * mean_s)
}

/// Share lost by a reader of a dense sequence who never rests and gives a gap up after
/// `timeout_s`; exponential commits of mean `mean_s`, `rate` rows a second.
///
/// Commits have no memory: a row must outlive the timeout after it was overtaken.
pub fn skipped_at_gaps(rate: f64, mean_s: f64, timeout_s: f64) -> f64 {
    libm::exp(-timeout_s / mean_s) * skipped_of_exponential(rate * mean_s)
}

/// Share of time in which such a reader waits for aborted rows, a share `aborted` of the
/// numbers; commits take no time. A row after an aborted one begins a wait: none did if the
/// rows of the last timeout, and the one before, are some that were not aborted, then some
/// that were. 1 - (k² e^(-λ G r) - r² e^(-λ G k)) / (k - r), k = 1 - r.
pub fn stalled_at_gaps(rate: f64, aborted: f64, timeout_s: f64) -> f64 {
    let (kept, rows) = (1.0 - aborted, rate * timeout_s);
    let f = |x: f64| x * x * libm::exp(rows * (x - 1.0));
    let apart = kept - aborted;
    if apart.abs() < 1e-6 {
        // The derivative of f.
        return 1.0 - (2.0 / kept + rows) * f(kept);
    }
    1.0 - (f(kept) - f(aborted)) / apart
}

/// Mean age in seconds of the oldest open transaction: exponential of mean `mean_s`,
/// `in_flight` open on average, 0 if none is: Ein(ρ) means.
pub fn horizon_age_s(mean_s: f64, in_flight: f64) -> f64 {
    mean_s * ein(in_flight)
}

/// Mean time in seconds from the commit of a row until such transactions that began before it
/// have ended too: the longest of N + 1 exponential rests, N Poisson, less the row's own.
pub fn horizon_delay_s(mean_s: f64, in_flight: f64) -> f64 {
    if in_flight == 0.0 {
        return 0.0;
    }
    let of_one_more = -libm::expm1(-in_flight) / in_flight;
    mean_s * (ein(in_flight) + of_one_more - 1.0)
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
        for (in_flight, skipped) in [
            (0.1, 0.0462),
            (1.0, 0.2817),
            (10.0, 0.6667),
            (100.0, 0.8812),
        ] {
            close(skipped_of_exponential(in_flight), skipped, 6e-5);
        }
        close(skipped_of_skew(5.0), 0.72847, 6e-6);
        for (rate, offset_s, poll_s, skipped) in [
            (100.0, 0.01, 0.0, 0.632121),
            (100.0, 0.01, 0.004, 0.547670),
            (100.0, 0.01, 1.0, 0.003679),
            (400.0, 0.05, 0.1, 0.475000),
        ] {
            close(skipped_behind(rate, offset_s, poll_s), skipped, 6e-7);
        }
        for (rows, skipped) in [(1.0, 0.2034), (10.0, 0.7120), (100.0, 0.9482)] {
            close(skipped_in_ticks(rows), skipped, 6e-5);
        }
        for (writers, block, skipped) in [
            (4.0, 50.0, 0.735),
            (16.0, 50.0, 0.919),
            (4.0, 1000.0, 0.749),
        ] {
            close(skipped_in_blocks(writers, block), skipped, 6e-4);
        }
        for (rate, sd_ms, mean_ms, poll_ms, lag_ms, skipped) in [
            (1000.0, 2.0, 10.0, 0.0, 50.0, 6.249e-3),
            (1000.0, 2.0, 10.0, 10.0, 50.0, 3.950e-3),
            (1000.0, 2.0, 10.0, 500.0, 30.0, 9.235e-4),
            (50.0, 5.0, 20.0, 200.0, 60.0, 2.568e-3),
            (20.0, 5.0, 50.0, 1000.0, 200.0, 4.602e-4),
        ] {
            let [mean, sd, poll, lag] = [mean_ms, sd_ms, poll_ms, lag_ms].map(|ms| ms / 1e3);
            let found = skipped_behind_lag(rate, mean, sd, poll, lag);
            close(found, skipped, 2e-4 * skipped);
            // Back to the window.
            close(lag_for(found, rate, mean, sd, poll), lag, 1e-5 * lag);
        }
        close(skipped_at_gaps(100.0, 0.02, 0.1), 2.714e-3, 6e-7);
        close(stalled_at_gaps(100.0, 0.01, 3.0), 0.950, 6e-4);
        close(horizon_age_s(0.02, 20.0), 0.0715, 6e-5);
        close(horizon_age_s(0.02, 200.0), 0.1175, 6e-5);
        // The harmonic sum over the Poisson distribution.
        let poisson = |n: u32| {
            libm::exp(f64::from(n) * libm::log(3.0) - 3.0 - libm::lgamma(f64::from(n) + 1.0))
        };
        let rests = (0..80).map(|n| poisson(n) * (crate::theory::harmonic(u64::from(n) + 1) - 1.0));
        close(horizon_delay_s(1.0, 3.0), rests.sum(), 1e-10);
    }

    /// Rows one by one: the last one aborted or not, no wait begun so far.
    #[test]
    fn waits_for_aborted_rows_are_those_of_a_chain_of_rows() {
        for aborted in [0.0, 0.05, 0.3, 0.5, 0.9, 1.0] {
            let kept = 1.0 - aborted;
            for rows in [0.1, 3.0, 20.0] {
                let (mut after_kept, mut after_aborted) = (kept, aborted);
                let mut none = 0.0;
                for n in 0..200 {
                    let n = f64::from(n);
                    let poisson = libm::exp(n * libm::log(rows) - rows - libm::lgamma(n + 1.0));
                    none += poisson * (after_kept + after_aborted);
                    after_aborted = aborted * (after_kept + after_aborted);
                    after_kept *= kept;
                }
                close(
                    stalled_at_gaps(10.0, aborted, rows / 10.0),
                    1.0 - none,
                    1e-9,
                );
            }
        }
    }

    #[test]
    fn two_writers_are_the_least_of_many() {
        let skipped = skipped_by_offsets(&[(-0.004, 10.0), (0.006, 100.0)]);
        close(skipped[0], skipped_behind(100.0, 0.01, 0.0), 1e-12);
        assert_eq!(skipped[1], 0.0);
        assert!(skipped_by_offsets(&[]).is_empty());
    }

    /// The sum over pairs, and the published spread of random fleets.
    #[test]
    fn offsets_of_many_writers_are_summed_over_pairs() {
        let leads: Vec<(f64, f64)> = (0..20)
            .map(|i| ((f64::from(i * 7 % 20) - 10.0) * 1e-3, 50.0 + f64::from(i)))
            .collect();
        for (found, (own, _)) in skipped_by_offsets(&leads).into_iter().zip(&leads) {
            let sum: f64 = leads
                .iter()
                .map(|(lead, rate)| rate * (lead - own).max(0.0))
                .sum();
            close(found, 1.0 - libm::exp(-sum), 1e-12);
        }
    }

    #[test]
    fn late_rows_are_the_tail_of_a_sum() {
        // Without an error, and where the error decides.
        close(later_than(0.01, 0.0, 0.03), libm::exp(-3.0), 1e-15);
        close(later_than(1e-6, 0.01, 0.01), 0.158_655, 5e-5);
        let convolved = |lag: f64| {
            integral(-10.0, 10.0, |z| {
                normal_density(z) * later_than(0.01, 0.0, (lag - 0.004 * z).max(0.0))
            })
        };
        for lag in [0.0, 0.005, 0.02] {
            close(later_than(0.01, 0.004, lag), convolved(lag), 1e-6);
        }
    }
}
