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

    /// The same with both ends at least `least`, which is known to be so.
    pub fn at_least(self, least: f64) -> Self {
        Self {
            value: self.value.max(least),
            low: self.low.max(least),
            high: self.high.max(least),
        }
    }
}

/// Where `holds`, which does so at `low`, ceases to do so before `high`: the last place, to
/// the precision of 48 halvings.
pub(super) fn last_where(low: f64, high: f64, holds: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (low, high);
    for _ in 0..48 {
        let middle = low.midpoint(high);
        if holds(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
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
        assert!((last_where(0.0, 10.0, |x| x * x < 2.0) - 2f64.sqrt()).abs() < 1e-12);
        for last in [5, 6, 7, 8, 9, 1000, 123_456_789] {
            assert_eq!(last_whole(5, |n| n <= last), Some(last));
        }
        assert_eq!(last_whole(5, |_| true), None);
    }
}
