//! How many ids there were, from the sequence numbers of a few: where sequences begin anew with
//! each tick.
//!
//! A sequence number tells how many ids its worker had made in that tick before. There are
//! two ways to read them, and both take the ids for a sample at random of all there were:
//!
//! - [`recaptured`]: of the numbers below the greatest one seen of a worker and tick, so many
//!   were seen, too. That is the share of all ids that were seen, at any rates.
//! - [`Population`]: workers and rates are steady, so that each id is in any tick with the same
//!   odds, and how high numbers are tells how many ids there were. This needs no two ids of a tick.

use super::gaps::further;
use super::population::Population;
use super::workers::are_equal;
use crate::inspect::Estimate;

/// Ids of a worker, and its share of all, from which it has a part in an estimate by shares.
const LEAST_IDS: f64 = 8.0;
const LEAST_SHARE: f64 = 1e-3;
/// Numbers seen below another of the same tick, from which their share is told to a fifth.
const LEAST_RECAPTURED: u64 = 100;

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

/// Ids that are seen: by worker, tick and number.
#[derive(Clone, Debug)]
pub struct Sequences {
    seen: Vec<Seen>,
    /// The first of them to arrive of the first tick.
    pub(super) earliest: Seen,
    /// The last of the last.
    pub(super) latest: Seen,
}

/// Who has how many of the ids.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Spread {
    /// So many workers, all as many.
    Even(Estimate),
    /// Each worker its share of those seen. How far these err counts for nothing, so that the
    /// interval is too narrow where shares are uneven and ids few.
    ByShares,
}

impl Sequences {
    /// Of ids in the order of arrival; nothing of none.
    pub fn new(mut seen: Vec<Seen>) -> Option<Self> {
        // The first to arrive of the first tick, and the last of the last.
        let earliest = *seen.iter().min_by_key(|id| id.tick)?;
        let latest = *seen.iter().max_by_key(|id| id.tick)?;
        seen.sort_unstable();
        seen.dedup();
        Some(Self {
            seen,
            earliest,
            latest,
        })
    }

    fn ticks(&self) -> u64 {
        self.latest.tick - self.earliest.tick
    }

    /// Ids after the earliest one, up to the latest: recaptured, if enough are or rates change,
    /// else by a steady population of this spread.
    pub fn volume(&self, spread: Spread) -> Estimate {
        let (found, pairs) = self.recaptured();
        if pairs >= LEAST_RECAPTURED || self.ticks() == 0 || !self.is_steady() {
            return found;
        }
        self.population(spread)
    }

    /// Whether no part of the time has more ids than by chance.
    fn is_steady(&self) -> bool {
        let most = (self.seen.len() as u64 / 8).min(self.ticks() / 2);
        let parts = most.min(64);
        if parts < 2 {
            return true;
        }
        let mut counts = vec![0; parts as usize];
        for id in &self.seen {
            let since = u128::from(id.tick - self.earliest.tick);
            counts[(since * u128::from(parts) / (u128::from(self.ticks()) + 1)) as usize] += 1;
        }
        are_equal(&counts, 2.0)
    }

    /// The ids by numbers seen below others, and how many such there were.
    ///
    /// Going back in time from any place, the ids of a worker up to the next one seen are a gap like
    /// any other ([`further`]). Below the greatest number of a tick all is known; unknown are
    /// what is above it, and each worker's ids before its first one here.
    fn recaptured(&self) -> (Estimate, u64) {
        let (mut known, mut gaps, mut unseen) = (0u64, 0u64, 0u64);
        for ids in self.seen.chunk_by(|a, b| a.worker == b.worker) {
            for (place, ids) in ids.chunk_by(|a, b| a.tick == b.tick).enumerate() {
                let (count, least) = (ids.len() as u64, ids[0].number);
                unseen = unseen.saturating_add(ids[ids.len() - 1].number - least + 1 - count);
                known += count - 1;
                gaps += 1;
                if place > 0 {
                    unseen = unseen.saturating_add(least);
                } else if count > 1 {
                    // What is before a worker's first id ends with it.
                    (known, gaps) = (known - 1, gaps + 1);
                }
            }
        }
        let least = (self.seen.len() as u64 - 1).saturating_add(unseen) as f64;
        let (first, last) = (self.seen[0], self.seen[self.seen.len() - 1]);
        if (first.worker, first.tick) == (last.worker, last.tick) {
            return (Estimate::exact(least), known);
        }
        // Nothing before the earliest counts, nor after the latest.
        let more = further(gaps - 2, known, unseen);
        (more.plus(least), known)
    }

    /// The ids if rates are steady.
    pub fn population(&self, spread: Spread) -> Estimate {
        let all = self.seen.len() as f64;
        let mut population = Population::new(self.ticks() as f64);
        let mut workers = Estimate::exact(1.0);
        match spread {
            Spread::Even(all) if all.value.is_finite() => {
                workers = all.times(1.0 / all.value);
                population.add(1.0 / all.value, self, &self.seen);
            }
            // Of workers that are never seen twice there may be any number.
            Spread::Even(_) => {}
            Spread::ByShares => {
                let of_workers = self.seen.chunk_by(|a, b| a.worker == b.worker);
                let least = (LEAST_SHARE * all).max(LEAST_IDS);
                let told: Vec<_> = of_workers.filter(|ids| ids.len() as f64 >= least).collect();
                let told_ids: f64 = told.iter().map(|ids| ids.len() as f64).sum();
                for ids in told {
                    population.add(ids.len() as f64 / told_ids, self, ids);
                }
            }
        }
        if population.seen <= 0.0 {
            return Estimate {
                high: f64::INFINITY,
                ..Estimate::exact(all - 1.0)
            };
        }
        let told = population.seen / all;
        // The earliest is none of them.
        population.seen -= 1.0;
        product(population.interval().times(1.0 / told), workers)
    }
}

/// The product of two estimates that err independently: by what factor is added in squares.
fn product(a: Estimate, b: Estimate) -> Estimate {
    let value = a.value * b.value;
    if a.low == 0.0 || b.low == 0.0 || !value.is_finite() {
        return Estimate {
            value,
            low: a.low * b.low,
            high: a.high * b.high,
        };
    }
    let factor = |a: f64, b: f64| {
        let (a, b) = (libm::log(a), libm::log(b));
        libm::exp(libm::sqrt(a * a + b * b))
    };
    Estimate {
        value,
        low: value / factor(a.value / a.low, b.value / b.low),
        high: value * factor(a.high / a.value, b.high / b.value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inspect::leaks::population::chances;
    use crate::random::{below, stream};
    use proptest::prelude::*;

    /// Ids of one worker with these numbers, each in a tick of its own, among so many ticks.
    fn apart(numbers: impl Iterator<Item = u64>, ticks: u64) -> Sequences {
        let mut seen: Vec<_> = (0..)
            .zip(numbers)
            .map(|(tick, number)| id(0, tick, number))
            .collect();
        let last = seen.len() - 1;
        seen[last].tick = ticks;
        Sequences::new(seen).unwrap()
    }

    fn id(worker: u64, tick: u64, number: u64) -> Seen {
        Seen {
            worker,
            tick,
            number,
        }
    }

    /// Numbers in the proportions of a mean, mixed.
    fn proportions(mean: f64, ids: f64) -> Vec<u64> {
        let of = |(number, chance): (u64, f64)| {
            std::iter::repeat_n(number, (chance * ids).round() as usize)
        };
        (0..).zip(chances(mean, 1 << 12)).flat_map(of).collect()
    }

    #[test]
    fn the_mean_of_exact_proportions_is_found() {
        for mean in [0.05, 1.0, 7.5, 300.0] {
            let ticks = 1_000_000_000_000;
            let sequences = apart(proportions(mean, 1e6).into_iter(), ticks);
            let found = sequences
                .population(Spread::Even(Estimate::exact(1.0)))
                .times(1.0 / ticks as f64);
            assert!((found.value / mean - 1.0).abs() < 2e-3, "{mean}: {found:?}");
            assert!(found.low < mean && mean < found.high && found.high / found.low < 1.03);
        }
    }

    /// Three workers, of whom one has as many ids as the others together and one a third of that.
    #[test]
    fn workers_with_shares_add_up() {
        let ticks = 1_000_000_000_000;
        let mut seen = vec![id(0, 0, 0), id(0, ticks, 0)];
        for (worker, mean) in [(1, 3.0), (2, 2.0), (3, 1.0)] {
            let numbers = proportions(mean, mean * 1e5);
            seen.extend(
                (1..)
                    .zip(numbers)
                    .map(|(tick, number)| id(worker, tick, number)),
            );
        }
        let sequences = Sequences::new(seen).unwrap();
        let of = |spread| sequences.population(spread).value / ticks as f64;
        assert!((of(Spread::ByShares) / 6.0 - 1.0).abs() < 5e-3);
        // As if they were alike, the busy ones would count for more.
        assert!(of(Spread::Even(Estimate::exact(3.0))) > 6.3);
    }

    /// λ / (1 - e^-λ) = e^(1.92 / 100) at the end of the interval.
    #[test]
    fn a_hundred_zeros_bound_the_mean_from_above() {
        let ticks = 1_000_000;
        let found =
            apart([0; 101].into_iter(), ticks).population(Spread::Even(Estimate::exact(1.0)));
        let high = found.high / ticks as f64;
        let ratio = high / -libm::expm1(-high);
        assert!(
            (libm::log(ratio) * 100.0 / 1.920_729 - 1.0).abs() < 0.05,
            "{found:?}"
        );
        assert!(found.low < 5000.0, "{found:?}");
        assert!(Sequences::new(Vec::new()).is_none());
    }

    /// All that a worker made: the likelihood of no more is the greatest.
    #[test]
    fn a_population_that_is_all_seen_is_told() {
        let seen =
            (0..200).flat_map(|tick| (0..1 + tick % 3).map(move |number| id(0, tick, number)));
        let sequences = Sequences::new(seen.collect()).unwrap();
        let (by_rate, recaptured) = (
            sequences.population(Spread::Even(Estimate::exact(1.0))),
            sequences.volume(Spread::Even(Estimate::exact(1.0))),
        );
        for found in [by_rate, recaptured] {
            assert!((found.low - 398.0).abs() < 1.0, "{found:?}");
            assert!(found.high < 403.0, "{found:?}");
        }
    }

    #[test]
    fn ids_of_bursts_are_recaptured() {
        // A tenth of the time has half of the ids, and every second one is seen.
        let made = (0..2000).flat_map(|tick| {
            let ids = if (500..700).contains(&tick) { 18 } else { 2 };
            (0..ids).map(move |number| id(7, tick, number))
        });
        let made: Vec<_> = made.collect();
        let mut random = stream(1, "bursts", 0);
        let seen = made.into_iter().filter(|_| below(&mut random, 2) == 0);
        let sequences = Sequences::new(seen.collect()).unwrap();
        assert!(!sequences.is_steady());
        let found = sequences.volume(Spread::Even(Estimate::exact(1.0)));
        assert!(found.low < 7200.0 && 7190.0 < found.high, "{found:?}");
        assert!(found.high / found.low < 1.1);
    }

    /// A list under the wrong scheme may have any numbers.
    #[test]
    fn huge_numbers_are_taken_for_large_ones() {
        let found =
            apart([u64::MAX, 1 << 40, 3].into_iter(), 9).volume(Spread::Even(Estimate::exact(1.0)));
        assert!(found.low > 8000.0, "{found:?}");
    }

    proptest! {
        #[test]
        fn any_numbers_have_an_estimate(
            ids in prop::collection::vec((0u64..4, 0u64..60, 0u64..40), 1..60),
            workers in 4u64..50,
        ) {
            let seen = ids.iter().map(|&(worker, tick, number)| id(worker, tick, number));
            let sequences = Sequences::new(seen.collect()).unwrap();
            for spread in [Spread::Even(Estimate::exact(workers as f64)), Spread::ByShares] {
                let found = sequences.volume(spread);
                prop_assert!(found.low <= found.value && found.value <= found.high, "{found:?}");
                prop_assert!(found.low >= 0.0 && found.value.is_finite());
            }
        }
    }
}
