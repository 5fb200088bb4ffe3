//! Limits of a median and of a share: exact, from the binomial distribution.

/// The median of some numbers with one-sided limits of what the true one is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Bounds {
    /// The median of the numbers.
    pub median: f64,
    /// The true median is below with at most the chance asked for; minus infinity if the
    /// numbers are too few to tell.
    pub low: f64,
    /// The true median is above with at most that chance; infinity if they are too few.
    pub high: f64,
}

impl Bounds {
    /// The limits that independent `numbers` give, each missed with a chance of at most
    /// `miss`; `None` of no numbers.
    ///
    /// They are order statistics: the k-th least number is above the median only if fewer
    /// than k of them are below it, which has a binomial chance whatever their distribution
    /// (David and Nagaraja, Order Statistics, section 7.1).
    pub fn of_median(mut numbers: Vec<f64>, miss: f64) -> Option<Self> {
        numbers.sort_unstable_by(f64::total_cmp);
        let middle = numbers.get(numbers.len() / 2)?;
        let below = numbers.get((numbers.len() - 1) / 2)?;
        let rank = rank(numbers.len() as u64, miss) as usize;
        let nth = |from_end: bool| match (rank.checked_sub(1), from_end) {
            (Some(at), false) => numbers.get(at),
            (Some(at), true) => numbers.iter().rev().nth(at),
            (None, _) => None,
        };
        Some(Self {
            median: (below + middle) / 2.0,
            low: nth(false).copied().unwrap_or(f64::NEG_INFINITY),
            high: nth(true).copied().unwrap_or(f64::INFINITY),
        })
    }
}

/// The largest k such that fewer than k of `n` fair coins show heads with a chance of at
/// most `miss`; 0 if none is.
fn rank(n: u64, miss: f64) -> u64 {
    (0..n)
        .take_while(|&heads| binomial_at_most(heads, n, 0.5) <= miss)
        .last()
        .map_or(0, |heads| heads + 1)
}

/// The chance of at most `k` successes in `n` trials that succeed with chance `p` each.
pub fn binomial_at_most(k: u64, n: u64, p: f64) -> f64 {
    if k >= n || p <= 0.0 {
        return 1.0;
    }
    if p >= 1.0 {
        return 0.0;
    }
    let ln_factorial = |n: u64| libm::lgamma(n as f64 + 1.0);
    let chance = |i: u64| {
        let ways = ln_factorial(n) - ln_factorial(i) - ln_factorial(n - i);
        libm::exp(ways + i as f64 * libm::log(p) + (n - i) as f64 * libm::log1p(-p))
    };
    (0..=k).map(chance).sum::<f64>().min(1.0)
}

/// The largest chance of success with which at most `k` of `n` trials succeed with a chance
/// of at least `miss`: the upper limit of Clopper and Pearson (1934), one-sided.
pub fn share_at_most(k: u64, n: u64, miss: f64) -> f64 {
    if k >= n {
        return 1.0;
    }
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        match binomial_at_most(k, n, middle) > miss {
            true => low = middle,
            false => high = middle,
        }
    }
    high
}

/// The lower limit of Clopper and Pearson, one-sided: see [`share_at_most`].
pub fn share_at_least(k: u64, n: u64, miss: f64) -> f64 {
    1.0 - share_at_most(n.saturating_sub(k), n, miss)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{stream, unit};

    /// From exact fractions of whole numbers.
    #[test]
    fn binomial_chances_are_known_ones() {
        for (k, n, p, chance) in [
            (0, 10, 0.5, 1.0 / 1024.0),
            (2, 10, 0.5, 56.0 / 1024.0),
            (10, 10, 0.5, 1.0),
            (42, 120, 0.5, 0.000649666548625138),
            (43, 120, 0.5, 0.0012234283814070795),
            (1, 3, 0.25, 27.0 / 32.0),
            (0, 2000, 0.001, 0.999f64.powi(2000)),
        ] {
            let found = binomial_at_most(k, n, p);
            assert!((found / chance - 1.0).abs() < 1e-11, "{k} of {n}: {found}");
        }
    }

    #[test]
    fn ranks_are_those_of_the_tables() {
        for (n, miss, expected) in [
            (9, 0.001, 0),
            (10, 0.001, 1),
            (40, 0.001, 10),
            (120, 0.001, 43),
            (5, 0.05, 1),
            (100, 0.025, 40),
        ] {
            assert_eq!(rank(n, miss), expected, "{n}");
        }
    }

    #[test]
    fn limits_are_order_statistics_on_both_sides() {
        let numbers = (1..=120).rev().map(f64::from).collect();
        let bounds = Bounds::of_median(numbers, 0.001).unwrap();
        let rank = 43.0;
        assert_eq!(
            (bounds.median, bounds.low, bounds.high),
            (60.5, rank, 121.0 - rank)
        );
        let few = Bounds::of_median(vec![3.0, 1.0, 2.0], 0.001).unwrap();
        assert_eq!(
            (few.median, few.low, few.high),
            (2.0, f64::NEG_INFINITY, f64::INFINITY)
        );
        assert_eq!(Bounds::of_median(Vec::new(), 0.001), None);
    }

    /// 20,000 samples of a skewed distribution of median 1, each limit missed with a chance
    /// of at most 5 %: five standard errors above that is 5.8 %.
    #[test]
    fn the_true_median_is_outside_as_rarely_as_asked() {
        let mut random = stream(9, "bounds", 0);
        let mut missed = [0; 2];
        for _ in 0..20_000 {
            let numbers = (0..25).map(|_| -libm::log2(unit(&mut random))).collect();
            let bounds = Bounds::of_median(numbers, 0.05).unwrap();
            missed[0] += u32::from(bounds.low > 1.0);
            missed[1] += u32::from(bounds.high < 1.0);
        }
        assert!(
            missed.iter().all(|&n| (200..1160).contains(&n)),
            "{missed:?}"
        );
    }

    #[test]
    fn shares_have_the_limits_of_clopper_and_pearson() {
        // No success in n: 1 - miss^(1/n).
        let none = share_at_most(0, 2000, 0.05);
        assert!((none - (1.0 - libm::pow(0.05, 1.0 / 2000.0))).abs() < 1e-12);
        assert!((share_at_least(100, 100, 0.05) - libm::pow(0.05, 0.01)).abs() < 1e-12);
        // 4 of 10 two-sided 95 %: 0.1216 to 0.7376, as tables have it.
        assert!((share_at_most(4, 10, 0.025) - 0.7376).abs() < 5e-5);
        assert!((share_at_least(4, 10, 0.025) - 0.1216).abs() < 5e-5);
        assert_eq!(
            (share_at_most(3, 3, 0.05), share_at_least(0, 3, 0.05)),
            (1.0, 0.0)
        );
    }
}
