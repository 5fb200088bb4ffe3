//! What it takes to write a list down: the bits of a code that learns as it goes.
//!
//! Two descriptions of the same ids are compared by their lengths (minimum description length,
//! Rissanen 1978): a bit less is twice as likely.

use std::collections::BTreeMap;

/// Bits of a whole number of unknown size (Elias' gamma code).
pub fn gamma(value: u64) -> f64 {
    f64::from(2 * (128 - (u128::from(value) + 1).leading_zeros()) - 1)
}

/// Bits of `counts` symbols by their frequencies, and of what it takes to learn each of them.
fn entropy(counts: impl Iterator<Item = u64> + Clone) -> f64 {
    let total = counts.clone().sum::<u64>() as f64;
    if total == 0.0 {
        return 0.0;
    }
    let own: f64 = counts
        .clone()
        .map(|count| count as f64 * libm::log2(count as f64))
        .sum();
    let learnt = counts.count() as f64 * 0.5 * libm::log2(total);
    total * libm::log2(total) - own + learnt
}

/// Differences between what comes and what was expected: their sizes by frequency, then their
/// other bits as they are.
#[derive(Default)]
pub struct Residuals {
    /// Counts by sign and length in bits.
    classes: BTreeMap<i32, u64>,
    /// Bits below the highest.
    rest: u64,
}

impl Residuals {
    /// Adds one.
    pub fn add(&mut self, residual: i128) {
        let length = 128 - residual.unsigned_abs().leading_zeros();
        let sign = if residual < 0 { -1 } else { 1 };
        *self.classes.entry(sign * length as i32).or_default() += 1;
        self.rest += u64::from(length.saturating_sub(1));
    }

    /// The bits that they take.
    pub fn bits(&self) -> f64 {
        entropy(self.classes.values().copied()) + self.rest as f64
    }

    /// The bits of differences from one value to the next.
    pub fn of(values: impl Iterator<Item = u64>) -> f64 {
        let mut residuals = Self::default();
        let mut last = None;
        for value in values {
            if let Some(last) = last {
                residuals.add(i128::from(value) - i128::from(last));
            }
            last = Some(value);
        }
        residuals.bits()
    }
}

/// Values that come again and again: their frequencies, and once the gaps between them.
#[derive(Default)]
pub struct Symbols(pub BTreeMap<u64, u64>);

impl Symbols {
    /// Adds one.
    pub fn add(&mut self, value: u64) {
        *self.0.entry(value).or_default() += 1;
    }

    /// The bits that they take.
    pub fn bits(&self) -> f64 {
        let mut end = 0;
        let gap = |value: &u64| {
            let gap = value - end;
            end = value.saturating_add(1);
            gamma(gap)
        };
        let named: f64 = self.0.keys().map(gap).sum();
        named + entropy(self.0.values().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_takes_twice_its_length_less_one() {
        let bits = [0, 1, 2, 3, 6, 7, u64::MAX].map(gamma);
        assert_eq!(bits, [1.0, 3.0, 3.0, 5.0, 5.0, 7.0, 129.0]);
    }

    #[test]
    fn what_is_constant_takes_next_to_nothing_and_what_is_random_all_of_its_bits() {
        let steps = Residuals::of((0..1000).map(|i| i * 4));
        // Of a thousand differences each has two bits below the highest.
        assert!((1998.0..2010.0).contains(&steps), "{steps}");
        let mut fair = Symbols::default();
        (0..1024).for_each(|i| fair.add(i % 4));
        // Two bits each, four gaps of nothing, half of ten bits to learn each.
        assert_eq!(fair.bits(), 2048.0 + 4.0 + 20.0);
    }
}
