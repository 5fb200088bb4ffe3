//! How many ids a tick has, from the sequence numbers of a few: where sequences begin anew with
//! each tick.
//!
//! Ids come to a worker at random, λ of them in a tick (Poisson). Of all its ids, one that is
//! picked at random has sequence number s with probability P(N > s) / λ: a tick has such an id if
//! it has more than s. λ is estimated by maximum likelihood; the interval is that of the
//! likelihood ratio (Wilks 1938). Both are well defined: ln P(N > s) is concave in ln λ, as
//! it is a gamma distribution's.
//!
//! Workers either are alike, or each has its share of all ids, that of the ids that are seen.
//!
//! Not modelled: rates that change; then λ is the rate that the average id has company of, which
//! is more than the average tick's.

use crate::inspect::Estimate;
use crate::inspect::estimate::root;

/// Half of the 95 % quantile of χ² with one degree of freedom.
const DROP: f64 = 1.920_729_410_347_062;
/// The least mean that is told from 0, by its logarithm.
const LN_LEAST: f64 = -30.0;
/// The greatest sequence number that is told from others; greater ones count as this.
const MOST: u64 = (1 << 14) - 1;
/// Ids of a worker, and its share of all, from which it has a part in an estimate by shares.
const LEAST_IDS: usize = 8;
const LEAST_SHARE: f64 = 1e-3;

/// An id that is seen.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Seen {
    /// Who made it.
    pub worker: u64,
    /// When.
    pub tick: u64,
    /// Its sequence number, from 0.
    pub number: u64,
}

/// How the ids are spread over workers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Spread {
    /// Evenly: the ids of one worker in a tick are estimated.
    Even,
    /// By shares: those of all workers together.
    ByShares,
}

/// Ids in a tick; nothing from no ids. `seen` is put in order.
///
/// Ids that share worker and tick say less than independent ones: the interval is wider by what
/// that adds to the variance of the likelihood's slope (Rao and Scott 1981).
pub fn ids_per_tick(seen: &mut [Seen], spread: Spread) -> Option<Estimate> {
    seen.sort_unstable();
    let parts: Vec<Part> = match spread {
        Spread::Even => vec![Part::new(0.0, seen)],
        Spread::ByShares => {
            let all = seen.len() as f64 - 1.0;
            let of_workers = seen.chunk_by(|a, b| a.worker == b.worker);
            // Its other ids tell how likely one of a worker is.
            let share = |ids: &[Seen]| (ids.len() as f64 - 1.0) / all;
            let counts =
                of_workers.filter(|ids| ids.len() >= LEAST_IDS && share(ids) >= LEAST_SHARE);
            counts
                .map(|ids| Part::new(libm::log(share(ids)), ids))
                .collect()
        }
    };
    let likelihood = Sum(parts);
    if likelihood.0.iter().all(|part| part.seen.is_empty()) {
        return None;
    }
    let best = likelihood.best();
    Some(likelihood.interval(best, likelihood.design_effect(best)))
}

/// Ids of workers with the same share.
struct Part<'a> {
    ln_share: f64,
    seen: &'a [Seen],
    /// How often each number was seen.
    counts: Vec<u64>,
}

impl<'a> Part<'a> {
    fn new(ln_share: f64, seen: &'a [Seen]) -> Self {
        let mut counts = Vec::new();
        for number in seen.iter().map(|seen| place(seen.number)) {
            if number >= counts.len() {
                counts.resize(number + 1, 0);
            }
            counts[number] += 1;
        }
        Self {
            ln_share,
            seen,
            counts,
        }
    }

    fn at(&self, ln_mean: f64) -> Likelihood {
        let ids = self.seen.len() as f64;
        let mut found = Likelihood {
            ln_likelihood: -ids * ln_mean,
            slope: -ids,
        };
        tails(libm::exp(ln_mean), self.counts.len(), |number, tail| {
            let count = self.counts[number] as f64;
            if count > 0.0 {
                found.ln_likelihood += count * tail.ln();
                found.slope += count * tail.weight;
            }
        });
        found
    }
}

fn place(number: u64) -> usize {
    number.min(MOST) as usize
}

/// The likelihood of all parts together.
struct Sum<'a>(Vec<Part<'a>>);

impl Sum<'_> {
    fn at(&self, ln_mean: f64) -> Likelihood {
        let none = Likelihood {
            ln_likelihood: 0.0,
            slope: 0.0,
        };
        self.0.iter().fold(none, |sum, part| {
            let part = part.at(ln_mean + part.ln_share);
            Likelihood {
                ln_likelihood: sum.ln_likelihood + part.ln_likelihood,
                slope: sum.slope + part.slope,
            }
        })
    }

    /// Above all likely means, by its logarithm.
    fn ln_most(&self) -> f64 {
        let most = |part: &Part| libm::log(4.0 * part.counts.len() as f64 + 40.0) - part.ln_share;
        self.0.iter().map(most).fold(0.0, f64::max)
    }

    /// ln λ of the greatest likelihood; [`LN_LEAST`] if all numbers are 0.
    fn best(&self) -> f64 {
        root(LN_LEAST, self.ln_most(), |ln_mean| self.at(ln_mean).slope)
    }

    fn interval(&self, best: f64, design_effect: f64) -> Estimate {
        let least = self.at(best).ln_likelihood - DROP * design_effect;
        let above = |ln_mean: f64| self.at(ln_mean).ln_likelihood - least;
        let low = match above(LN_LEAST) >= 0.0 {
            true => 0.0,
            false => {
                let near = (best - 1.0).max(LN_LEAST);
                let from = if above(near) < 0.0 { near } else { LN_LEAST };
                libm::exp(root(from, best, above))
            }
        };
        let (mut reach, end) = (0.25, self.ln_most() + 3.0);
        while best + reach < end && above(best + reach) >= 0.0 {
            reach *= 2.0;
        }
        let ln_far = (best + reach).min(end);
        let high = match above(ln_far) >= 0.0 {
            true => f64::INFINITY,
            false => libm::exp(root(best, ln_far, above)),
        };
        let all_zero = self.0.iter().all(|part| part.counts.len() <= 1);
        Estimate {
            value: if all_zero { 0.0 } else { libm::exp(best) },
            low,
            high,
        }
    }

    fn design_effect(&self, best: f64) -> f64 {
        let (mut together, mut apart) = (0.0, 0.0);
        for part in &self.0 {
            let weights = weights(libm::exp(best + part.ln_share), part.counts.len());
            let slope = |seen: &Seen| weights[place(seen.number)] - 1.0;
            for ids in part
                .seen
                .chunk_by(|a, b| (a.worker, a.tick) == (b.worker, b.tick))
            {
                let sum: f64 = ids.iter().map(slope).sum();
                together += sum * sum;
                apart += ids
                    .iter()
                    .map(slope)
                    .map(|slope| slope * slope)
                    .sum::<f64>();
            }
        }
        match together > 0.0 {
            true => (together / apart).max(1.0),
            false => 1.0,
        }
    }
}

/// The logarithm of the likelihood and its slope by ln λ.
struct Likelihood {
    ln_likelihood: f64,
    slope: f64,
}

/// P(N > s) and its slope.
struct Tail {
    /// The probability, as a product of these: the first may be too small for a float.
    ln_base: f64,
    factor: f64,
    /// d ln P(N > s) / d ln λ = λ P(N = s) / P(N > s).
    weight: f64,
}

impl Tail {
    fn ln(&self) -> f64 {
        self.ln_base + libm::log(self.factor)
    }
}

/// Calls `each` with P(N > s) for s from `numbers` − 1 down to 0; N is Poisson of this mean.
fn tails(mean: f64, numbers: usize, mut each: impl FnMut(usize, Tail)) {
    let ln_mean = libm::log(mean);
    let ln_mass = |s: f64| s * ln_mean - mean - libm::lgamma(s + 1.0);
    let top = numbers.max((mean + 12.0 * libm::sqrt(mean)) as usize + 40);
    // Above the mean: P(N > s) / P(N = s + 1), which is 1 + λ/(s+2) + …
    let mut ratio = 1.0;
    // Below it: P(N > s) and P(N = s).
    let mut plain: Option<(f64, f64)> = None;
    for s in (0..top).rev() {
        let next = s as f64 + 1.0;
        if next >= mean {
            ratio = 1.0 + ratio * mean / (next + 1.0);
            if s < numbers {
                let tail = Tail {
                    ln_base: ln_mass(next),
                    factor: ratio,
                    weight: next / ratio,
                };
                each(s, tail);
            }
            continue;
        }
        let (above, mass) = plain.unwrap_or_else(|| {
            let mass = libm::exp(ln_mass(next));
            (ratio * libm::exp(ln_mass(next + 1.0)), mass)
        });
        let (above, mass) = (above + mass, mass * next / mean);
        plain = Some((above, mass));
        if s < numbers {
            let tail = Tail {
                ln_base: 0.0,
                factor: above,
                weight: mean * mass / above,
            };
            each(s, tail);
        }
    }
}

fn weights(mean: f64, numbers: usize) -> Vec<f64> {
    let mut weights = vec![1.0; numbers];
    tails(mean, numbers, |number, tail| weights[number] = tail.weight);
    weights
}

/// Probability of each sequence number from 0 on, for an id picked at random among those of
/// workers with `mean` ids a tick; at most `numbers` of them, the rest is left out.
pub fn chances(mean: f64, numbers: usize) -> Vec<f64> {
    if mean < 1e-9 {
        return vec![1.0];
    }
    let numbers = numbers.min((mean + 12.0 * libm::sqrt(mean)) as usize + 40);
    let mut chances = vec![0.0; numbers];
    tails(mean, numbers, |number, tail| {
        chances[number] = libm::exp(tail.ln()) / mean;
    });
    chances
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// P(N > s) as one minus a sum.
    fn above(mean: f64, s: usize) -> f64 {
        let mass =
            |i: usize| libm::exp(i as f64 * libm::log(mean) - mean - libm::lgamma(i as f64 + 1.0));
        1.0 - (0..=s).map(mass).sum::<f64>()
    }

    #[test]
    fn tails_are_those_of_the_poisson_distribution() {
        for mean in [0.01, 0.7, 3.0, 19.5, 200.0] {
            tails(mean, 400, |s, tail| {
                let expected = above(mean, s);
                if expected > 1e-3 {
                    let found = libm::exp(tail.ln());
                    assert!(
                        (found / expected - 1.0).abs() < 1e-8,
                        "{mean}, {s}: {found}, {expected}"
                    );
                }
            });
        }
    }

    #[test]
    fn chances_add_up_to_one_and_fall() {
        for mean in [1e-12, 0.001, 1.0, 42.0, 4000.0] {
            let chances = chances(mean, 1 << 20);
            assert!((chances.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{mean}");
            assert!(chances.is_sorted_by(|a, b| a >= b));
        }
    }

    /// Ids with these numbers, each in a tick of its own.
    fn apart(numbers: impl Iterator<Item = u64>) -> Vec<Seen> {
        let id = |(tick, number)| Seen {
            worker: 0,
            tick,
            number,
        };
        (0..).zip(numbers).map(id).collect()
    }

    /// Numbers in the proportions of a mean.
    fn proportions(mean: f64, ids: f64) -> Vec<Seen> {
        let of = |(number, chance): (u64, f64)| {
            std::iter::repeat_n(number, (chance * ids).round() as usize)
        };
        apart((0..).zip(chances(mean, 1 << 12)).flat_map(of))
    }

    #[test]
    fn the_mean_of_exact_proportions_is_found() {
        for mean in [0.05, 1.0, 7.5, 300.0] {
            let found = ids_per_tick(&mut proportions(mean, 1e6), Spread::Even).unwrap();
            assert!((found.value / mean - 1.0).abs() < 1e-3, "{mean}: {found:?}");
            assert!(found.low < mean && mean < found.high && found.high / found.low < 1.03);
        }
    }

    /// Three workers, of whom one has as many ids as the others together and one a third of that.
    #[test]
    fn workers_with_shares_add_up() {
        let mut seen = Vec::new();
        for (worker, mean) in [(1, 3.0), (2, 2.0), (3, 1.0)] {
            let ids = proportions(mean, mean * 1e5).into_iter();
            seen.extend(ids.map(|id| Seen { worker, ..id }));
        }
        let found = ids_per_tick(&mut seen, Spread::ByShares).unwrap();
        assert!((found.value / 6.0 - 1.0).abs() < 2e-3, "{found:?}");
        // As if they were alike, the busy ones would count for more.
        let even = ids_per_tick(&mut seen, Spread::Even).unwrap();
        assert!(even.value * 3.0 > 6.3, "{even:?}");
    }

    /// λ / (1 - e^-λ) = e^(1.92 / 100) at the end of the interval.
    #[test]
    fn a_hundred_zeros_bound_the_mean_from_above() {
        let found = ids_per_tick(&mut apart([0; 100].into_iter()), Spread::Even).unwrap();
        assert_eq!((found.value, found.low), (0.0, 0.0));
        let ratio = found.high / -libm::expm1(-found.high);
        assert!((libm::log(ratio) * 100.0 - DROP).abs() < 1e-6, "{found:?}");
        assert!(ids_per_tick(&mut [], Spread::Even).is_none());
        assert!(ids_per_tick(&mut apart(0..5), Spread::ByShares).is_none());
    }

    /// The second id of a tick says again what the first did, if both are of its end.
    #[test]
    fn ids_of_one_tick_say_less() {
        let ids = |tick: u64| {
            let numbers = [0..2, 7..9][tick as usize % 2].clone();
            numbers.map(move |number| Seen {
                worker: 0,
                tick,
                number,
            })
        };
        let mut together: Vec<_> = (1..40).flat_map(ids).collect();
        let mut alone = apart(together.iter().map(|id| id.number));
        let [wide, narrow] =
            [&mut together, &mut alone].map(|seen| ids_per_tick(seen, Spread::Even).unwrap());
        assert_eq!(wide.value, narrow.value);
        assert!(wide.high - wide.low > 1.1 * (narrow.high - narrow.low));
    }

    /// A list under the wrong scheme may have any numbers.
    #[test]
    fn huge_numbers_are_taken_for_large_ones() {
        let found = ids_per_tick(&mut apart([u64::MAX, 1 << 40].into_iter()), Spread::Even);
        let found = found.unwrap();
        assert!(
            found.low > MOST as f64 / 2.0 && found.high.is_finite(),
            "{found:?}"
        );
    }

    proptest! {
        #[test]
        fn any_numbers_have_an_estimate(numbers in prop::collection::vec(0u64..40, 1..20)) {
            let mut seen = apart(numbers.into_iter());
            let found = ids_per_tick(&mut seen, Spread::Even).unwrap();
            prop_assert!(found.low <= found.value && found.value <= found.high);
            prop_assert!(found.high.is_finite());
        }
    }
}
