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

    /// Quantiles of exponential latency less normal clock error, in milliseconds.
    fn quantiles(mean_ms: f64, sd_ms: f64) -> Latencies {
        const EACH: u32 = 1000;
        let middle = |i: u32| (f64::from(i) + 0.5) / f64::from(EACH);
        let exponential = |i| -mean_ms * libm::log1p(-middle(i));
        // The normal quantile by bisection.
        let normal = |i| {
            let (mut low, mut high) = (-9.0, 9.0);
            for _ in 0..60 {
                let z = (low + high) / 2.0;
                if crate::theory::numeric::normal_above(z) > 1.0 - middle(i) {
                    low = z;
                } else {
                    high = z;
                }
            }
            sd_ms * low
        };
        let leads: Vec<f64> = match sd_ms {
            0.0 => vec![0.0],
            _ => (0..EACH).map(normal).collect(),
        };
        let values = (0..EACH).map(exponential);
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

    #[test]
    fn nothing_and_infinity_are_refused() {
        assert!(Latencies::new(Vec::new()).is_none());
        assert!(Latencies::new(vec![1.0, f64::INFINITY]).is_none());
        let one = Latencies::new(vec![1.0]).unwrap();
        assert_eq!((one.above(0.5), one.above(1.0)), (1.0, 0.0));
        assert_eq!(one.skipped(10.0, 0.0), 0.0);
    }
}
