//! What readers lose if rows differ from each other in their effective latency alone.

/// Effective latencies in seconds (commit time less key time), each as likely as the others
/// and independent of the rows before: a measured sample, or quantiles of a distribution.
///
/// A row that the reader may see `x` after its key time is safe from rows of larger ids if
/// none of them was readable before: exp(-λ G(x)), G(x) = E[(x - A)⁺].
#[derive(Clone, Debug)]
pub struct Latencies(Vec<f64>);

impl Latencies {
    /// Of these values; `None` if there is none or one is not finite.
    pub fn new(mut values_s: Vec<f64>) -> Option<Self> {
        if values_s.is_empty() || !values_s.iter().all(|value| value.is_finite()) {
            return None;
        }
        values_s.sort_unstable_by(f64::total_cmp);
        Some(Self(values_s))
    }

    /// Share above `lag_s`: what a lag window cannot hold back.
    pub fn above(&self, lag_s: f64) -> f64 {
        let within = self.0.partition_point(|value| *value <= lag_s);
        1.0 - within as f64 / self.0.len() as f64
    }

    /// Pairs of rows out of order, a row, at `rate` rows a second: λ/2 E|A - A'|.
    pub fn inversions_per_row(&self, rate: f64) -> f64 {
        let count = self.0.len() as f64;
        // Σ over pairs of the larger less the smaller.
        let each = self.0.iter().enumerate();
        let sum: f64 = each
            .map(|(i, value)| (2.0 * i as f64 + 1.0 - count) * value)
            .sum();
        rate * sum / (count * count)
    }

    /// Share that a cursor loses with a poll each `poll_s` (0: never rests) at `rate` rows a second.
    pub fn skipped(&self, rate: f64, poll_s: f64) -> f64 {
        self.lost(rate, poll_s, 0.0)
    }

    /// The same with a lag window: no row is readable earlier than `lag_s` after its key time.
    pub fn skipped_behind_lag(&self, rate: f64, poll_s: f64, lag_s: f64) -> f64 {
        let held = self.0.iter().map(|value| value.max(lag_s));
        Self(held.collect()).lost(rate, poll_s, 0.0)
    }

    /// The same for a cursor that reads the last `width_s` of key time again: the larger id
    /// must have been minted so much later.
    pub fn skipped_by_overlap(&self, rate: f64, poll_s: f64, width_s: f64) -> f64 {
        self.lost(rate, poll_s, width_s)
    }

    fn lost(&self, rate: f64, poll_s: f64, width_s: f64) -> f64 {
        let safe = Safe::new(&self.0, rate);
        let row = |value: &f64| {
            let x = value - width_s;
            if poll_s == 0.0 {
                safe.at(x)
            } else {
                // Time since the last poll is uniform.
                (safe.until(x) - safe.until(x - poll_s)) / poll_s
            }
        };
        1.0 - self.0.iter().map(row).sum::<f64>() / self.0.len() as f64
    }
}

/// exp(-λ G(x)) and its integral: G is straight between two latencies.
struct Safe<'a> {
    knots: &'a [f64],
    rate: f64,
    /// At each knot: λ G, and the integral up to there from the first.
    heights: Vec<(f64, f64)>,
}

impl<'a> Safe<'a> {
    fn new(knots: &'a [f64], rate: f64) -> Self {
        let mut safe = Self {
            knots,
            rate,
            heights: Vec::with_capacity(knots.len()),
        };
        let (mut height, mut area) = (0.0, 0.0);
        for (i, pair) in knots.windows(2).enumerate() {
            safe.heights.push((height, area));
            let width = pair[1] - pair[0];
            area = safe.area(i, width);
            height += safe.slope(i) * width;
        }
        safe.heights.push((height, area));
        safe
    }

    /// Slope of λ G after knot `i`.
    fn slope(&self, i: usize) -> f64 {
        self.rate * (i as f64 + 1.0) / self.knots.len() as f64
    }

    /// The integral up to `width` after knot `i`.
    fn area(&self, i: usize, width: f64) -> f64 {
        let (height, area) = self.heights[i];
        let slope = self.slope(i);
        area - libm::exp(-height) * libm::expm1(-slope * width) / slope
    }

    /// The last knot at `x` or before, and the distance from it.
    fn knot(&self, x: f64) -> Option<(usize, f64)> {
        let i = self
            .knots
            .partition_point(|knot| *knot <= x)
            .checked_sub(1)?;
        Some((i, x - self.knots[i]))
    }

    fn at(&self, x: f64) -> f64 {
        self.knot(x).map_or(1.0, |(i, width)| {
            libm::exp(-self.heights[i].0 - self.slope(i) * width)
        })
    }

    fn until(&self, x: f64) -> f64 {
        match self.knot(x) {
            None => x - self.knots[0],
            Some((i, width)) => self.area(i, width),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::theory::cursor::{skipped_of_exponential, skipped_of_skew};

    fn middles(count: u32) -> impl Iterator<Item = f64> {
        (0..count).map(move |i| (f64::from(i) + 0.5) / f64::from(count))
    }

    /// Quantiles of the standard normal distribution, by bisection.
    fn normal(count: u32) -> impl Iterator<Item = f64> {
        middles(count).map(|share| {
            let (mut low, mut high) = (-9.0, 9.0);
            for _ in 0..50 {
                let z = (low + high) / 2.0;
                if crate::theory::numeric::normal_above(z) > 1.0 - share {
                    low = z;
                } else {
                    high = z;
                }
            }
            low
        })
    }

    /// Quantiles of exponential latency less normal clock error, in milliseconds.
    fn quantiles(mean_ms: f64, sd_ms: f64) -> Latencies {
        let count = if sd_ms == 0.0 { 1 } else { 1000 };
        let leads: Vec<f64> = normal(count).map(|z| sd_ms * z).collect();
        let values = middles(1000).map(|share| -mean_ms * libm::log1p(-share));
        let values = values.flat_map(|value| leads.iter().map(move |lead| (value + lead) / 1e3));
        Latencies::new(values.collect()).unwrap()
    }

    #[test]
    fn a_sample_says_what_the_series_and_the_integral_say() {
        for in_flight in [0.1, 1.0, 10.0] {
            let found = quantiles(10.0, 0.0).skipped(in_flight * 100.0, 0.0);
            let expected = skipped_of_exponential(in_flight);
            assert!((found / expected - 1.0).abs() < 2e-3, "{found} {expected}");
        }
        let found = quantiles(0.0, 5.0).skipped(1000.0, 0.0);
        assert!((found / skipped_of_skew(5.0) - 1.0).abs() < 2e-3);
        let inversions = quantiles(10.0, 0.0).inversions_per_row(1000.0);
        assert!((inversions / 5.0 - 1.0).abs() < 2e-3, "{inversions}");
    }

    /// Short rests are as none, and the integral over rests is that of a sum over many.
    #[test]
    fn rests_are_integrated_exactly() {
        let latencies = Latencies::new(vec![0.001, 0.004, 0.004, 0.010, 0.050]).unwrap();
        let none = latencies.skipped(300.0, 0.0);
        assert!((latencies.skipped(300.0, 1e-7) - none).abs() < 1e-5);
        for (lag, width) in [(0.0, 0.0), (0.0, 0.003), (0.006, 0.0)] {
            let (poll, rests) = (0.02, 20_000);
            let held: Vec<f64> = latencies.0.iter().map(|value| value.max(lag)).collect();
            let safe = |x: f64| {
                let sum: f64 = held.iter().map(|value| (x - value).max(0.0)).sum();
                libm::exp(-300.0 * sum / held.len() as f64)
            };
            let rest = |i: i32| poll * (f64::from(i) + 0.5) / f64::from(rests);
            let values = held
                .iter()
                .flat_map(|value| (0..rests).map(move |i| (value, i)));
            let sum: f64 = values.map(|(value, i)| safe(value - width - rest(i))).sum();
            let expected = 1.0 - sum / f64::from(rests) / held.len() as f64;
            let found = match width {
                0.0 => latencies.skipped_behind_lag(300.0, poll, lag),
                _ => latencies.skipped_by_overlap(300.0, poll, width),
            };
            assert!((found - expected).abs() < 1e-7, "{found} {expected}");
        }
    }

    /// The same double integral by a rectangle rule on a grid of 10 µs.
    #[test]
    fn a_slow_integral_says_the_same() {
        let found = quantiles(10.0, 2.0).skipped(1000.0, 0.5);
        assert!((found / 1.45796e-2 - 1.0).abs() < 1e-3, "{found}");
    }

    /// 99 % of commits lognormal of 3 ms, 0.9 % of 100 ms, 0.1 % of 2 s, at 200 rows a second
    /// behind windows of 0.1 to 10 s: values printed to two digits.
    #[test]
    fn published_values_of_heavy_commits_come_out() {
        let lognormal = |median: f64, sigma: f64, count| {
            normal(count).map(move |z| median * libm::exp(sigma * z))
        };
        let values = lognormal(0.003, 0.7, 198_000)
            .chain(lognormal(0.1, 0.8, 1_800))
            .chain(lognormal(2.0, 1.0, 200));
        let latencies = Latencies::new(values.collect()).unwrap();
        for (lag_s, above, each_second, each_quarter) in [
            (0.1, 5.5e-3, 1.4e-3, 2.6e-3),
            (1.0, 7.5e-4, 6.0e-4, 7.1e-4),
            (2.0, 4.8e-4, 4.0e-4, 4.6e-4),
            (5.0, 1.7e-4, 1.5e-4, 1.7e-4),
            (10.0, 5.2e-5, 4.7e-5, 5.0e-5),
        ] {
            for (found, expected) in [
                (latencies.above(lag_s), above),
                (latencies.skipped_behind_lag(200.0, 1.0, lag_s), each_second),
                (
                    latencies.skipped_behind_lag(200.0, 0.25, lag_s),
                    each_quarter,
                ),
            ] {
                // Half a digit, and a quantile more or less.
                let tolerance = 0.04 * expected + 5e-6;
                assert!(
                    (found - expected).abs() < tolerance,
                    "{lag_s}: {found} {expected}"
                );
            }
        }
    }

    #[test]
    fn nothing_and_infinity_are_refused() {
        assert!(Latencies::new(Vec::new()).is_none());
        assert!(Latencies::new(vec![1.0, f64::INFINITY]).is_none());
        let one = Latencies::new(vec![1.0]).unwrap();
        assert_eq!((one.above(0.5), one.above(1.0)), (1.0, 0.0));
        assert_eq!(one.skipped(10.0, 0.0), 0.0);
    }
}
