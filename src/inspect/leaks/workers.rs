//! How many workers there are, from those that are seen.

use crate::inspect::Estimate;
use crate::inspect::estimate::{is_rare, last_whole};

/// Workers seen, and how many there may be.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Workers {
    /// Different ones in the list.
    pub seen: u64,
    /// All there are.
    pub all: Estimate,
    /// How that is estimated.
    pub by: Method,
}

/// How a number of workers is estimated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Method {
    /// All have equal shares of the ids (the coupon collector's problem): what number makes
    /// it likeliest that so many are seen, with those that make it neither too rare to see so
    /// few nor so many. Of few workers the interval can only hold the true number in a share
    /// of lists that is far from 95 %: 3 ids are of 2 workers in 75 %, and of 1 or 2 in 100 %.
    EqualShares,
    /// Shares differ: Chao's lower bound, S + f₁ (f₁ − 1) / 2 (f₂ + 1), by those seen once and
    /// twice (Chao 1984, with the correction for bias). There is no upper end, unless none was
    /// seen once: then nothing speaks for more.
    Chao1,
}

impl Method {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::EqualShares => "equal shares",
            Self::Chao1 => "Chao1",
        }
    }
}

/// Draws up to which probabilities are exact.
const EXACT_IDS: u64 = 400;
/// The workers of ids picked at random; `shares` are the ids of each worker seen.
pub fn workers(shares: &[u64]) -> Workers {
    let (seen, ids) = (shares.len() as u64, shares.iter().sum::<u64>());
    if seen > 1 && !are_equal(shares, 4.0) {
        let so_often = |times| shares.iter().filter(|&&share| share == times).count() as f64;
        let (once, twice) = (so_often(1), so_often(2));
        let all = seen as f64 + once * (once - 1.0) / (2.0 * (twice + 1.0));
        let all = match once {
            0.0 => Estimate::exact(seen as f64),
            _ => Estimate {
                value: all,
                low: seen as f64,
                high: f64::INFINITY,
            },
        };
        let by = Method::Chao1;
        return Workers { seen, all, by };
    }
    Workers {
        seen,
        all: coupon_collector(seen, ids),
        by: Method::EqualShares,
    }
}

/// Whether shares differ no more than by chance: Pearson's χ² is within so many standard
/// deviations of its mean.
pub(super) fn are_equal(shares: &[u64], deviations: f64) -> bool {
    let mean = shares.iter().sum::<u64>() as f64 / shares.len() as f64;
    let square = |&share: &u64| (share as f64 - mean) * (share as f64 - mean) / mean;
    let freedom = shares.len() as f64 - 1.0;
    // Of few shares, the tail is longer than the normal one.
    let skew = deviations * deviations / 2.0;
    shares.iter().map(square).sum::<f64>()
        <= freedom + deviations * libm::sqrt(2.0 * freedom) + skew
}

/// Workers with equal shares, of whom `seen` turn up among `ids` ids.
fn coupon_collector(seen: u64, ids: u64) -> Estimate {
    if seen == 0 {
        return Estimate::exact(0.0);
    }
    let to_f64 = |end: Option<u64>| end.map_or(f64::INFINITY, |end| end as f64);
    // More workers, more of them seen.
    let fewer = |all: u64| expected(all as f64, ids as f64) <= seen as f64;
    let value = to_f64(last_whole(seen, fewer));
    let at_most = |seen, all| seen_at_most(seen, all, ids);
    let too_few = |all: u64| is_rare(at_most(seen, all), 1.0 - at_most(all.min(ids), all));
    let too_many = |all: u64| is_rare(1.0 - at_most(seen, all), at_most(1, all));
    let high = to_f64(last_whole(seen, |all| all == seen || !too_few(all)));
    let low = match too_many(seen) {
        true => to_f64(last_whole(seen, too_many)) + 1.0,
        false => seen as f64,
    };
    Estimate {
        value: value.clamp(low, high),
        low,
        high,
    }
}

/// Workers of `all` that are expected among `ids` ids.
fn expected(all: f64, ids: f64) -> f64 {
    -all * libm::expm1(ids * libm::log1p(-1.0 / all))
}

/// P(fewer than `seen`) + ½ P(`seen`) of `all` workers among `ids` ids.
fn seen_at_most(seen: u64, all: u64, ids: u64) -> f64 {
    match ids <= EXACT_IDS {
        true => exactly(seen, all, ids),
        false => nearly(seen, all, ids),
    }
}

/// The same by the Poisson distribution of the unseen if they are few, else by the normal one.
fn nearly(seen: u64, all: u64, ids: u64) -> f64 {
    let (w, k) = (all as f64, ids as f64);
    let none_of = |workers: f64| libm::exp(k * libm::log1p(-workers / w));
    let unseen = w * none_of(1.0);
    if unseen < 20.0 {
        let left = all - seen;
        if unseen == 0.0 {
            return if left == 0 { 0.5 } else { 0.0 };
        }
        // P(more unseen than `left`) + half its own.
        let ln_mass = |u: f64| u * libm::log(unseen) - unseen - libm::lgamma(u + 1.0);
        let below: f64 = (0..left).map(|u| libm::exp(ln_mass(u as f64))).sum();
        return 1.0 - below - libm::exp(ln_mass(left as f64)) / 2.0;
    }
    let pairs = if all > 1 {
        w * (w - 1.0) * none_of(2.0)
    } else {
        0.0
    };
    let variance = (unseen + pairs - unseen * unseen).max(1e-9);
    let z = (seen as f64 - (w - unseen)) / libm::sqrt(variance);
    libm::erfc(-z / std::f64::consts::SQRT_2) / 2.0
}

/// The same, from the probabilities themselves.
fn exactly(seen: u64, all: u64, ids: u64) -> f64 {
    let mut chances = chances_of_seen(seen, all, ids);
    let own = chances.pop().unwrap_or(0.0);
    chances.iter().sum::<f64>() + own / 2.0
}

/// Probabilities of 0, 1, … up to `most` workers of `all` among `ids` ids.
///
/// Id by id: the next one is of a worker seen before, or of another.
pub(super) fn chances_of_seen(most: u64, all: u64, ids: u64) -> Vec<f64> {
    let w = all as f64;
    let most = most as usize;
    let mut chances = vec![0.0; most + 1];
    chances[0] = 1.0;
    for id in 0..ids as usize {
        for s in (1..=most.min(id + 1)).rev() {
            let (known, new) = (s as f64 / w, (w - s as f64 + 1.0) / w);
            chances[s] = chances[s] * known + chances[s - 1] * new;
        }
        chances[0] = 0.0;
    }
    chances
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{below, stream};

    /// Of 3 workers among 3 ids: 1 with 3/27, 2 with 18/27, 3 with 6/27.
    #[test]
    fn probabilities_of_three_draws() {
        let expected = [(1, 3.0 / 54.0), (2, 12.0 / 27.0), (3, 24.0 / 27.0)];
        for (seen, chance) in expected {
            assert!((exactly(seen, 3, 3) - chance).abs() < 1e-12);
        }
    }

    #[test]
    fn approximations_are_near_the_exact_probabilities() {
        for (all, ids) in [(300, 2000), (600, 2000), (1500, 1900)] {
            let middle = expected(all as f64, ids as f64) as u64;
            for seen in [middle - 8, middle, (middle + 4).min(all)] {
                let (exact, near) = (exactly(seen, all, ids), nearly(seen, all, ids));
                assert!(
                    (exact - near).abs() < 0.03,
                    "{seen} of {all}, {ids}: {exact}, {near}"
                );
            }
        }
    }

    #[test]
    fn workers_that_are_all_seen_often_are_all_there_are() {
        let found = workers(&[50; 8]);
        assert_eq!(found.all, Estimate::exact(8.0));
        assert_eq!((found.seen, found.by), (8, Method::EqualShares));
        assert_eq!(workers(&[100]).all, Estimate::exact(1.0));
        // Millions of ids cost no more.
        assert_eq!(workers(&[100_000; 64]).all, Estimate::exact(64.0));
        assert_eq!(workers(&[]).all.value, 0.0);
    }

    #[test]
    fn workers_never_seen_twice_are_without_bound() {
        let found = workers(&[1; 5]).all;
        assert_eq!((found.value, found.high), (f64::INFINITY, f64::INFINITY));
        assert!((4.0..10.0).contains(&found.low), "{found:?}");
    }

    #[test]
    fn unequal_shares_have_a_lower_bound_only() {
        let mut shares = vec![1000, 500, 3, 2, 2];
        shares.extend([1; 4]);
        let found = workers(&shares);
        assert_eq!((found.seen, found.by), (9, Method::Chao1));
        // 9 + 4 · 3 / (2 · 3)
        assert_eq!(found.all.value, 11.0);
        assert_eq!((found.all.low, found.all.high), (9.0, f64::INFINITY));
    }

    #[test]
    fn a_thousand_draws_of_a_hundred_workers_are_told() {
        let mut random = stream(1, "workers", 0);
        let mut shares = vec![0; 100];
        (0..150).for_each(|_| shares[below(&mut random, 100) as usize] += 1);
        shares.retain(|&share| share > 0);
        let found = workers(&shares);
        assert!(
            found.all.low <= 100.0 && 100.0 <= found.all.high,
            "{found:?}"
        );
        assert!(found.all.high < 200.0);
    }
}
