//! How many ids there were, from counters that run on: a writer's counter is read at two ids, and
//! the difference is what it issued, unless the counter went round in between.

use super::gaps::further;
use crate::inspect::Estimate;
use std::collections::BTreeMap;

/// Writers that are told apart; ids of further ones count for none.
const MOST_WRITERS: usize = 1 << 16;
/// Neighbouring ids of one writer from which a rate is told.
const LEAST_PAIRS: u64 = 16;

/// What the ids of one writer say.
#[derive(Clone, Copy, Debug)]
struct Writer {
    ids: u64,
    last_tick: u64,
    counter: u64,
    /// Ids from its first one here to its last, if the counter never went round unseen.
    steps: u64,
    /// The longest time without one of its ids here.
    longest_ticks: u64,
}

/// Pairs of neighbouring ids of one writer, whose distance is alike.
#[derive(Clone, Copy, Default, Debug)]
struct Pairs {
    count: u64,
    ticks: u64,
    steps: u64,
}

/// Counters of writers, read in the order of arrival.
#[derive(Clone, Debug)]
pub struct Counters {
    /// The counter's range is a power of two: its greatest value.
    most: u64,
    writers: BTreeMap<u64, Writer>,
    /// By the binary logarithm of the time between them.
    pairs: [Pairs; 65],
}

impl Counters {
    /// Counters of `bits` bits, at most 63.
    pub fn new(bits: u32) -> Self {
        Self {
            most: (1 << bits.min(63)) - 1,
            writers: BTreeMap::new(),
            pairs: [Pairs::default(); 65],
        }
    }

    /// The ids of each writer seen.
    pub fn shares(&self) -> Vec<u64> {
        self.writers.values().map(|writer| writer.ids).collect()
    }

    /// Takes the next id in the order of arrival.
    pub fn see(&mut self, writer: u64, tick: u64, counter: u64) {
        let full = self.writers.len() == MOST_WRITERS;
        let Some(known) = self.writers.get_mut(&writer) else {
            if !full {
                let new = Writer {
                    ids: 1,
                    last_tick: tick,
                    counter,
                    steps: 0,
                    longest_ticks: 0,
                };
                self.writers.insert(writer, new);
            }
            return;
        };
        known.ids += 1;
        let steps = counter.wrapping_sub(known.counter) & self.most;
        // An id that arrived late is no neighbour.
        let late = tick < known.last_tick || (tick == known.last_tick && steps > self.most / 2);
        if late {
            return;
        }
        let ticks = tick - known.last_tick;
        known.last_tick = tick;
        known.counter = counter;
        known.steps += steps;
        known.longest_ticks = known.longest_ticks.max(ticks);
        let pairs = &mut self.pairs[(u64::BITS - ticks.leading_zeros()) as usize];
        pairs.count += 1;
        pairs.ticks += ticks;
        pairs.steps += steps;
    }

    /// How long a counter surely does not go round: it would take eight times as long at the mean
    /// rate of pairs that are as near, which is told from the nearest ones on. 0 if even these
    /// are too far apart, or the counter does not run on.
    fn horizon_ticks(&self) -> u64 {
        let short = (self.most / 8).max(1) as f64;
        let (mut sum, mut horizon) = (Pairs::default(), 0);
        for (bits, pairs) in self
            .pairs
            .iter()
            .enumerate()
            .filter(|(_, pairs)| pairs.count > 0)
        {
            let longest = if bits == 0 {
                0
            } else {
                u64::MAX >> (64 - bits)
            };
            if sum.count >= LEAST_PAIRS {
                if sum.steps as f64 / sum.count as f64 > short {
                    return 0;
                }
                // Of ids of one tick some time lies between, too.
                let ticks = sum.ticks as f64 + sum.count as f64 / 2.0;
                let rate = sum.steps as f64 / ticks;
                if rate * longest as f64 > short {
                    break;
                }
            }
            sum.count += pairs.count;
            sum.ticks += pairs.ticks;
            sum.steps += pairs.steps;
            horizon = longest;
        }
        let told = sum.count >= LEAST_PAIRS && sum.steps as f64 / sum.count as f64 <= short;
        if told { horizon } else { 0 }
    }

    /// Ids from the first of the list to the last, by all writers; without an upper end if a counter
    /// may have gone round unseen.
    ///
    /// Between a writer's own first and last id the difference is exact. What is before and after
    /// are gaps like those between its ids ([`further`]).
    pub fn issued(&self) -> Estimate {
        let horizon_ticks = self.horizon_ticks();
        let (mut ids, mut issued, mut known, mut gaps) = (0u64, 0u64, 0u64, 0u64);
        for writer in self.writers.values() {
            ids += writer.ids;
            issued = issued.saturating_add(writer.steps).saturating_add(1);
            known += writer.ids.saturating_sub(2);
            gaps += writer.ids.min(2);
        }
        let least = issued.saturating_sub(1) as f64;
        let sure = |writer: &Writer| writer.longest_ticks <= horizon_ticks;
        match ids > 1 && self.writers.values().all(sure) {
            true if self.writers.len() == 1 => Estimate::exact(least),
            // Nothing before the earliest counts, nor after the latest.
            true => further(gaps - 2, known, issued.saturating_sub(ids)).plus(least),
            false => Estimate {
                high: f64::INFINITY,
                ..Estimate::exact(least)
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A writer with ten ids a tick, of which every `nth` is seen.
    fn one_writer(ids: u64, nth: usize) -> Counters {
        let mut counters = Counters::new(12);
        (0..ids)
            .step_by(nth)
            .for_each(|id| counters.see(3, id / 10, id & 4095));
        counters
    }

    #[test]
    fn differences_are_what_was_issued_while_the_counter_does_not_go_round() {
        let counters = one_writer(100_001, 50);
        assert_eq!(counters.issued(), Estimate::exact(100_000.0));
        assert!((5..100).contains(&counters.horizon_ticks()));
    }

    /// It goes round every 410 ticks: neighbours 300 ticks apart leave that open.
    #[test]
    fn a_counter_that_may_have_gone_round_bounds_from_below() {
        let counters = one_writer(1_000_001, 3001);
        let issued = counters.issued();
        assert_eq!((counters.horizon_ticks(), issued.high), (0, f64::INFINITY));
        assert!(issued.low <= 1_000_000.0);
    }

    #[test]
    fn ids_that_arrive_late_are_no_step_round_the_counter() {
        let mut counters = Counters::new(12);
        for id in 0..1000u64 {
            let id = id ^ 1;
            counters.see(0, id / 10, id);
        }
        let issued = counters.issued();
        assert!((995.0..=1000.0).contains(&issued.value), "{issued:?}");
    }

    #[test]
    fn ids_of_one_writer_each_say_little() {
        let mut counters = Counters::new(24);
        (0..5).for_each(|writer| counters.see(writer, writer, 77));
        let issued = counters.issued();
        assert_eq!((issued.low, issued.high), (4.0, f64::INFINITY));
        assert_eq!(counters.shares(), [1; 5]);
        let none = Counters::new(24).issued();
        assert_eq!(none.low, 0.0);
    }
}
