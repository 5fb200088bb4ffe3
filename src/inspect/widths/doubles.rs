//! Numbers of 64 bits as IEEE doubles, which have 53 bits for them.

use crate::inspect::Estimate;

/// Whether `number` is another one as a double: its first and last 1 bit are more than 53 apart.
///
/// As a test by `number as f64 as u64` would have it, but for the numbers that round up to 2⁶⁴:
/// that conversion saturates, and takes 2⁶⁴ − 1 for unchanged.
#[inline]
pub fn is_changed(number: u64) -> bool {
    number.leading_zeros() + number.trailing_zeros() < 64 - 53
}

/// Ids of so many doubles are kept.
const MOST: usize = 1 << 16;

/// Which ids become the same double, in bounded memory: all ids of some doubles are kept,
/// chosen by a hash, of all doubles at first and of half as many whenever the ids are too many
/// (distinct sampling, Gibbons 2001).
#[derive(Clone, Debug, Default)]
pub struct Doubles {
    ids: Vec<u64>,
    /// Ids are kept of doubles whose hashes begin with so many zeros.
    zeros: u32,
}

impl Doubles {
    /// Takes a number.
    #[inline]
    pub fn see(&mut self, number: u64) {
        // Below, no number is changed and none becomes another.
        if number >> 53 == 0 || hash(number).leading_zeros() < self.zeros {
            return;
        }
        self.ids.push(number);
        if self.ids.len() >= 2 * MOST {
            self.make_room();
        }
    }

    #[cold]
    fn make_room(&mut self) {
        self.ids.sort_unstable();
        self.ids.dedup();
        while self.ids.len() > MOST && self.zeros < 64 {
            self.zeros += 1;
            self.ids
                .retain(|&number| hash(number).leading_zeros() >= self.zeros);
        }
    }

    /// Distinct ids less distinct doubles, and of how many doubles one was looked at.
    ///
    /// Exact if all were. Otherwise the interval is that of a sum over doubles of which each is
    /// kept with the same chance, independently.
    pub fn collapsed(&self) -> (Estimate, u64) {
        let mut ids = self.ids.clone();
        ids.sort_unstable();
        ids.dedup();
        let (mut lost, mut squares) = (0.0, 0.0);
        for alike in ids.chunk_by(|&a, &b| a as f64 == b as f64) {
            let extra = alike.len() as f64 - 1.0;
            lost += extra;
            squares += extra * extra;
        }
        let one_in = 1u64 << self.zeros.min(63);
        let scale = one_in as f64;
        let error = 1.959_964 * libm::sqrt(squares * scale * (scale - 1.0));
        let estimate = Estimate {
            value: lost * scale,
            low: (lost * scale - error).max(lost),
            high: lost * scale + error,
        };
        (estimate, one_in)
    }
}

/// A hash of the double that a number becomes.
#[inline]
fn hash(number: u64) -> u64 {
    // Stafford's mix 13 (Steele, Lea and Flood 2014) without its last step.
    let bits = (number as f64).to_bits();
    let bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::stream;
    use proptest::prelude::*;
    use rand::Rng;
    use std::collections::BTreeSet;

    /// ECMAScript's `Number.MAX_SAFE_INTEGER`, and the example of X's "Twitter IDs":
    /// 90071992547409921 is shown as 90071992547409920.
    #[test]
    fn published_numbers_that_change() {
        assert!(!is_changed(9_007_199_254_740_991));
        assert!(is_changed(9_007_199_254_740_993));
        assert!(is_changed(90_071_992_547_409_921));
        assert_eq!(
            90_071_992_547_409_921u64 as f64 as u64,
            90_071_992_547_409_920
        );
        assert!(is_changed(u64::MAX));
        assert!(!is_changed(1 << 63) && !is_changed(0));
    }

    #[test]
    fn few_numbers_are_counted_exactly() {
        let mut doubles = Doubles::default();
        // 1024 apart at 2^62 and beyond: 8 ids of each double, more or less.
        let numbers: BTreeSet<u64> = (0..10_000).map(|i| (1 << 62) + i * 128).collect();
        numbers.iter().for_each(|&number| doubles.see(number));
        let distinct: BTreeSet<u64> = numbers.iter().map(|&n| (n as f64).to_bits()).collect();
        let lost = (numbers.len() - distinct.len()) as f64;
        assert_eq!(doubles.collapsed(), (Estimate::exact(lost), 1));
    }

    /// 5 standard errors: missed less than once in 10⁶ hashes, and this one is fixed.
    #[test]
    fn many_numbers_are_counted_in_a_sample() {
        let mut doubles = Doubles::default();
        let mut random = stream(1, "doubles", 0);
        let mut numbers = BTreeSet::new();
        for i in 0..600_000u64 {
            let number = (1 << 62) + (i << 10) + random.next_u64() % 2048;
            numbers.insert(number);
            doubles.see(number);
        }
        let distinct: BTreeSet<u64> = numbers.iter().map(|&n| (n as f64).to_bits()).collect();
        let lost = (numbers.len() - distinct.len()) as f64;
        let (found, one_in) = doubles.collapsed();
        assert!(one_in > 1 && doubles.ids.len() < 2 * MOST);
        let error = (found.high - found.value) / 1.96;
        assert!(
            (found.value - lost).abs() < 5.0 * error,
            "{found:?}, {lost}"
        );
        assert!(error < lost / 50.0);
    }

    proptest! {
        #[test]
        fn a_number_is_changed_if_its_double_is_another(number: u64, shift in 0u32..64) {
            for number in [number >> shift, number << shift, number] {
                let changed = number as f64 as u128 != u128::from(number);
                prop_assert_eq!(is_changed(number), changed);
            }
        }
    }
}
