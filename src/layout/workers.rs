//! Fleets that look for worker numbers.

use crate::theory::birthday::some_equal;

/// Days of a year of the Gregorian calendar, on average.
const DAYS_PER_YEAR: f64 = 365.2425;

/// Services of several replicas, each with a generator inside: a worker each.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Workers {
    /// Services whose ids must not clash.
    pub services: u64,
    /// Replicas of each.
    pub replicas: u64,
}

impl Workers {
    /// All of them.
    pub fn count(self) -> u128 {
        u128::from(self.services) * u128::from(self.replicas)
    }

    /// Worker numbers that leases need: a deploy starts new replicas before it stops the old.
    pub fn leases(self) -> u128 {
        self.count().saturating_mul(2)
    }

    /// Bits that so many numbers need.
    pub fn bits(numbers: u128) -> u32 {
        u128::BITS - numbers.saturating_sub(1).leading_zeros()
    }

    /// Workers that must share a generator if there are `numbers` numbers: 1 if each has its own.
    pub fn per_number(self, numbers: u128) -> u128 {
        self.count().div_ceil(numbers.max(1))
    }

    /// Probability that some two have the same of `numbers` numbers, each chosen at random.
    pub fn clash(self, numbers: u128) -> f64 {
        some_equal(self.count() as f64, numbers as f64)
    }

    /// The same within a year in which all choose anew at each deploy.
    pub fn clash_in_a_year(self, numbers: u128, deploys_per_day: f64) -> f64 {
        let once = self.clash(numbers);
        -libm::expm1(deploys_per_day * DAYS_PER_YEAR * libm::log1p(-once))
    }

    /// Years until `numbers` numbers are used up if each start of a worker takes a new one.
    pub fn years_of_new_numbers(self, numbers: u128, deploys_per_day: f64) -> f64 {
        numbers as f64 / (self.count() as f64 * deploys_per_day * DAYS_PER_YEAR)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLEET: Workers = Workers {
        services: 50,
        replicas: 20,
    };

    #[test]
    fn a_thousand_workers() {
        assert_eq!((FLEET.count(), FLEET.leases()), (1000, 2000));
        assert_eq!(
            [1, 2, 3, 1000, 1024, 1025].map(Workers::bits),
            [0, 1, 2, 10, 10, 11]
        );
        assert_eq!(
            [1, 512, 999, 1000].map(|n| FLEET.per_number(n)),
            [1000, 2, 2, 1]
        );
        assert!(FLEET.clash(1024) > 0.999_999);
        // 1 - e^(-1000·999 / 2 / 2^22), by hand.
        assert!((FLEET.clash(1 << 22) - 0.1123).abs() < 5e-5);
        let year = FLEET.clash_in_a_year(1 << 40, 10.0);
        let expected = 1.0 - f64::powf(1.0 - FLEET.clash(1 << 40), 3652.425);
        assert!((year / expected - 1.0).abs() < 1e-9);
        assert_eq!(FLEET.clash_in_a_year(1, 1.0), 1.0);
        // 2^22 numbers, 10,000 starts a day.
        let days = FLEET.years_of_new_numbers(1 << 22, 10.0) * DAYS_PER_YEAR;
        assert!((days - 419.4304).abs() < 1e-9);
    }

    #[test]
    fn nobody_and_everybody() {
        let one = Workers {
            services: 1,
            replicas: 1,
        };
        assert_eq!((one.clash(1), one.per_number(1)), (0.0, 1));
        let most = Workers {
            services: u64::MAX,
            replicas: u64::MAX,
        };
        assert_eq!(most.clash(1024), 1.0);
        assert_eq!(most.per_number(1 << 20), most.count() >> 20 | 1);
    }
}
