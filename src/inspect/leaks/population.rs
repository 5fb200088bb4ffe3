//! How many ids there were, if each was of any worker and tick with the same odds.

use super::sequence::{Seen, Sequences};
use crate::inspect::Estimate;
use crate::inspect::estimate::{greatest, root};

/// Half of the 95 % quantile of χ² with one degree of freedom.
const DROP: f64 = 1.920_729_410_347_062;
/// Ids of all ticks that are as good as none.
const LEAST_MEAN: f64 = 1e-3;
/// The greatest sequence number that is told from others; greater ones count as this.
const MOST: u64 = (1 << 14) - 1;

/// N ids, each of which is of any worker and tick with the same odds, but for the workers' shares.
///
/// Of a worker and tick of which a number is seen, at least as many ids are there as the
/// greatest one tells: with which probability they are, all in all, is the likelihood of N, by
/// C(N, k) for the ways to see k of them. Where n(c) ids are in cell c,
///
/// L(N) = (N − k)! / Cᴺ · [zᴺ] ∏ Σ zⁿ / n! over n ≥ the least of each cell
///
/// and the coefficient is found at the saddle point, a rate at which N are expected of Poisson
/// numbers that are at least as large (Daniels 1954), relative to the Poisson distribution, of
/// which it is exact. The interval is that of the likelihood ratio (Wilks 1938).
///
/// The first and the last tick are half of one each, on average.
#[derive(Debug)]
pub(super) struct Population {
    ticks: f64,
    parts: Vec<Part>,
    /// Ids that are seen.
    pub(super) seen: f64,
    /// Ids that there are at least.
    least: f64,
}

/// Cells of the same mean.
#[derive(Debug)]
struct Part {
    /// Of all ids of a tick.
    share: f64,
    /// How many have at least 1, 2, … ids.
    counts: Vec<u64>,
}

/// A number of ids, and how likely it is.
struct Point {
    ids: f64,
    ln_likelihood: f64,
}

impl Population {
    pub(super) fn new(ticks: f64) -> Self {
        Self {
            ticks,
            parts: Vec::new(),
            seen: 0.0,
            least: 0.0,
        }
    }

    /// Adds the ids of workers that each have this share of all.
    pub(super) fn add(&mut self, share: f64, all: &Sequences, ids: &[Seen]) {
        let [mut whole, mut half] = [Vec::new(), Vec::new()];
        let (first, last) = (all.earliest, all.latest);
        for ids in ids.chunk_by(|a, b| (a.worker, a.tick) == (b.worker, b.tick)) {
            let (low, high) = (ids[0], place(ids[ids.len() - 1].number));
            let least = match (low.tick == first.tick, low.worker == first.worker) {
                (true, true) => high.saturating_sub(place(first.number)),
                (true, false) => high - place(low.number) + 1,
                _ => high + 1,
            };
            let is_end = low.tick == first.tick || low.tick == last.tick;
            let counts: &mut Vec<u64> = if is_end { &mut half } else { &mut whole };
            if least > counts.len() {
                counts.resize(least, 0);
            }
            if least > 0 {
                counts[least - 1] += 1;
            }
            self.least += least as f64;
        }
        self.seen += ids.len() as f64;
        for (share, counts) in [(share, whole), (share / 2.0, half)] {
            self.parts.push(Part { share, counts });
        }
    }

    /// By the logarithm of the rate of all ids a tick.
    fn at(&self, ln_rate: f64) -> Point {
        let mean = libm::exp(ln_rate) * self.ticks;
        let (mut ids, mut variance, mut ln_chance) = (mean, mean, mean);
        for part in &self.parts {
            let rate = libm::exp(ln_rate) * part.share;
            tails(rate, part.counts.len(), |number, tail| {
                let count = part.counts[number] as f64;
                if count > 0.0 {
                    ids += count * tail.weight;
                    variance += count * tail.weight * (number as f64 + 1.0 - rate - tail.weight);
                    ln_chance += count * tail.ln();
                }
            });
        }
        // Of the Poisson distribution, and how much narrower this is.
        let more = (ids - self.least).max(f64::MIN_POSITIVE);
        let own = more * libm::log(more) - more - libm::lgamma(more + 1.0);
        let narrower = libm::log((more / variance).max(f64::MIN_POSITIVE)) / 2.0;
        let ways = libm::lgamma((ids - self.seen).max(0.0) + 1.0);
        Point {
            ids,
            ln_likelihood: ways - ids * libm::log(mean) + ln_chance + own + narrower,
        }
    }

    pub(super) fn interval(&self) -> Estimate {
        let most =
            |part: &Part| libm::log(4.0 * part.counts.len() as f64 + 40.0) - libm::log(part.share);
        let end = self.parts.iter().map(most).fold(0.0, f64::max) + 3.0;
        let start = libm::log(LEAST_MEAN / self.ticks);
        let best = greatest(start, end, |ln_rate| self.at(ln_rate).ln_likelihood);
        let least = self.at(best).ln_likelihood - DROP;
        let above = |ln_rate: f64| self.at(ln_rate).ln_likelihood - least;
        let ids_at = |ln_rate: f64| self.at(ln_rate).ids;
        let low = match above(start) >= 0.0 {
            true => self.least,
            false => ids_at(root(start, best, above)),
        };
        let high = match above(end) >= 0.0 {
            true => f64::INFINITY,
            false => ids_at(root(best, end, above)),
        };
        Estimate {
            value: ids_at(best),
            low,
            high,
        }
    }
}

fn place(number: u64) -> usize {
    number.min(MOST) as usize
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

    fn id(worker: u64, tick: u64, number: u64) -> Seen {
        Seen {
            worker,
            tick,
            number,
        }
    }

    /// The coefficient by its definition: of 2 ticks of 1 worker, with numbers 0 and 1 seen.
    #[test]
    fn the_likelihood_is_that_of_its_definition() {
        let mut population = Population::new(3.0);
        let seen = vec![id(0, 0, 0), id(0, 1, 1), id(0, 2, 0), id(0, 9, 0)];
        population.add(
            1.0,
            &Sequences::new(seen).unwrap(),
            &[id(0, 1, 1), id(0, 2, 0)],
        );
        assert_eq!((population.seen, population.least), (2.0, 3.0));
        let factorial = |n: u32| (1..=n).map(f64::from).product::<f64>();
        // Of cells with at least 2, 1 and 0 ids.
        let expected = |n: u32| {
            let mut sum = 0.0;
            for (a, b) in (2..=n).flat_map(|a| (1..=n - a).map(move |b| (a, b))) {
                sum += 1.0 / (factorial(a) * factorial(b) * factorial(n - a - b));
            }
            libm::log(factorial(n - 2) * sum / 3f64.powi(n as i32))
        };
        let found = |n: f64| {
            let ln_rate = root(-8.0, 8.0, |ln_rate| population.at(ln_rate).ids - n);
            population.at(ln_rate).ln_likelihood
        };
        let base = found(8.0) - expected(8);
        for n in [4, 5, 6, 10, 15, 20] {
            let error = found(f64::from(n)) - expected(n) - base;
            assert!(error.abs() < 0.02, "{n}: {error}");
        }
    }
}
