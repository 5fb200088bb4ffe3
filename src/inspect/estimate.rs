//! A number that is not known exactly.

/// A value with its 95 % interval.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Estimate {
    /// The likeliest value, or an unbiased one.
    pub value: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end; infinite if nothing bounds it.
    pub high: f64,
}

impl Estimate {
    /// A value that is known.
    pub fn exact(value: f64) -> Self {
        Self {
            value,
            low: value,
            high: value,
        }
    }

    /// The same in another unit.
    pub fn times(self, factor: f64) -> Self {
        Self {
            value: self.value * factor,
            low: self.low * factor,
            high: self.high * factor,
        }
    }

    /// The same and so many more.
    pub fn plus(self, more: f64) -> Self {
        Self {
            value: self.value + more,
            low: self.low + more,
            high: self.high + more,
        }
    }

    /// The same with both ends at least `least`, which is known to be so.
    pub fn at_least(self, least: f64) -> Self {
        Self {
            value: self.value.max(least),
            low: self.low.max(least),
            high: self.high.max(least),
        }
    }
}

/// Probability of a value outside of an interval.
const ALPHA: f64 = 0.05;

/// Whether what is observed is too rare for a value to be in its interval: `tail` is the
/// probability of what is as far out or further, with half of its own (mid-p, Lancaster 1961), and
/// `other_end` that of the last value at the other side. Each side has 2.5 %, but one has all 5 % if
/// that last value alone has as much, so that nothing can be left out there.
pub(super) fn is_rare(tail: f64, other_end: f64) -> bool {
    const HALF: f64 = ALPHA / 2.0;
    tail < if other_end < HALF { HALF } else { ALPHA }
}

/// Where `f`, which rises up to one place and falls from there on, is greatest, to 10⁻⁷ (golden
/// section, Kiefer 1953).
pub(super) fn greatest(low: f64, high: f64, f: impl Fn(f64) -> f64) -> f64 {
    const SHARE: f64 = 0.618_033_988_749_894_9;
    let (mut low, mut high) = (low, high);
    let [mut left, mut right] = [high - SHARE * (high - low), low + SHARE * (high - low)];
    let [mut at_left, mut at_right] = [f(left), f(right)];
    while high - low > 1e-7 {
        if at_left >= at_right {
            (high, right, at_right) = (right, left, at_left);
            left = high - SHARE * (high - low);
            at_left = f(left);
        } else {
            (low, left, at_left) = (left, right, at_right);
            right = low + SHARE * (high - low);
            at_right = f(right);
        }
    }
    low.midpoint(high)
}

/// Where `f`, which has the sign of `f(low)` up to one place and the other one from there on,
/// changes it, to 10⁻⁹; the end that it is nearer to if it does not (Ridders 1979).
pub(super) fn root(low: f64, high: f64, f: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (low, high);
    let (mut at_low, mut at_high) = (f(low), f(high));
    if at_low * at_high >= 0.0 {
        return if at_low.abs() < at_high.abs() {
            low
        } else {
            high
        };
    }
    for _ in 0..64 {
        let middle = low.midpoint(high);
        let at_middle = f(middle);
        let square = at_middle * at_middle - at_low * at_high;
        // Outside of the interval by rounding alone.
        let step = (middle - low) * at_middle * at_low.signum() / libm::sqrt(square);
        let next = (middle + step).clamp(low, high);
        let at_next = f(next);
        let mut places = [
            (low, at_low),
            (middle, at_middle),
            (next, at_next),
            (high, at_high),
        ];
        places.sort_by(|a, b| a.0.total_cmp(&b.0));
        let change = places.windows(2).find(|pair| pair[0].1 * pair[1].1 <= 0.0);
        let Some(&[(new_low, value_low), (new_high, value_high)]) = change else {
            break;
        };
        (low, at_low, high, at_high) = (new_low, value_low, new_high, value_high);
        if high - low < 1e-9 || at_low == 0.0 || at_high == 0.0 {
            break;
        }
    }
    match (at_low == 0.0, at_high == 0.0) {
        (true, _) => low,
        (_, true) => high,
        _ => low.midpoint(high),
    }
}

/// The first whole number from `least` on where `holds` ceases, less one; `None` if it still
/// holds at 2⁶². `holds` must do so at `least`.
pub(super) fn last_whole(least: u64, holds: impl Fn(u64) -> bool) -> Option<u64> {
    let mut step = 1;
    while holds(least + step) {
        step *= 2;
        if step >= 1 << 62 {
            return None;
        }
    }
    let (mut low, mut high) = (least + step / 2, least + step);
    while high - low > 1 {
        let middle = low.midpoint(high);
        if holds(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    Some(low)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_place_is_found() {
        let calls = std::cell::Cell::new(0);
        let cube = |x: f64| {
            calls.set(calls.get() + 1);
            x * x * x - 2.0
        };
        assert!((root(0.0, 100.0, cube) - 2f64.cbrt()).abs() < 1e-9);
        assert!(calls.get() < 40, "{}", calls.get());
        let step = |x: f64| if x < 3.25 { 1.0 } else { -1e9 };
        assert!((root(0.0, 10.0, step) - 3.25).abs() < 1e-9);
        assert_eq!(root(0.0, 10.0, |x| -1.0 - x), 0.0);
        for last in [5, 6, 7, 8, 9, 1000, 123_456_789] {
            assert_eq!(last_whole(5, |n| n <= last), Some(last));
        }
        assert_eq!(last_whole(5, |_| true), None);
    }
}
