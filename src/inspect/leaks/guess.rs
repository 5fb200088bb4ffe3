//! How likely a stranger hits the next id.

use super::population::chances;

/// What there is to guess of the next id, by one who knows the ids so far.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Unknown {
    /// Bits that are drawn anew.
    pub random_bits: u32,
    /// Writers that it may be of, if the id tells them apart; else 1.
    pub writers: f64,
    /// Length of the tick; `None` without a clock.
    pub tick_ns: Option<u64>,
    /// The counter.
    pub counter: Counter,
    /// Share of the ids that were the one before them plus one.
    pub stepped: f64,
}

/// What is known of a counter.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Counter {
    /// There is none, or its next value follows from the last one.
    Known,
    /// It begins anew with each tick, of which a writer has so many ids.
    PerTick(f64),
    /// It begins anywhere in each tick, in so many bits.
    Anywhere(u32),
}

impl Unknown {
    /// Probability that one of `tries` guesses is the next id, made by one who knows
    /// when it is made to within `known_ns`.
    ///
    /// The guesses are the likeliest ids, or the last id plus one and then these.
    pub fn odds(&self, tries: u64, known_ns: u64) -> f64 {
        let tries = tries as f64;
        let next = self.stepped + (1.0 - self.stepped) * self.likeliest(tries - 1.0, known_ns);
        self.likeliest(tries, known_ns).max(next).clamp(0.0, 1.0)
    }

    fn likeliest(&self, tries: f64, known_ns: u64) -> f64 {
        let ticks = self
            .tick_ns
            .map_or(1, |tick_ns| (known_ns / tick_ns.max(1)).max(1));
        let alike = self.writers.max(1.0) * ticks as f64 * libm::exp2(f64::from(self.random_bits));
        match self.counter {
            Counter::Known => tries / alike,
            Counter::Anywhere(bits) => tries / (alike * libm::exp2(f64::from(bits))),
            Counter::PerTick(mean) => {
                // Low numbers first: they are the likeliest.
                let mut left = tries;
                let mut odds = 0.0;
                for chance in chances(mean, 1 << 16) {
                    odds += chance * (left / alike).min(1.0);
                    left -= alike;
                    if left <= 0.0 {
                        break;
                    }
                }
                odds
            }
        }
        .min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND_NS: u64 = 1_000_000_000;

    fn near(found: f64, expected: f64) {
        assert!(
            (found / expected - 1.0).abs() < 1e-9,
            "{found}, expected {expected}"
        );
    }

    fn unknown() -> Unknown {
        Unknown {
            random_bits: 0,
            writers: 1.0,
            tick_ns: None,
            counter: Counter::Known,
            stepped: 0.0,
        }
    }

    #[test]
    fn a_ticket_is_certain_and_random_bits_are_not() {
        near(unknown().odds(1, SECOND_NS), 1.0);
        let uuid_v4 = Unknown {
            random_bits: 122,
            ..unknown()
        };
        near(uuid_v4.odds(1 << 20, SECOND_NS), libm::exp2(-102.0));
    }

    #[test]
    fn a_snowflake_hides_behind_its_milliseconds_and_workers() {
        let snowflake = Unknown {
            writers: 4.0,
            tick_ns: Some(1_000_000),
            counter: Counter::PerTick(1e-12),
            ..unknown()
        };
        near(snowflake.odds(1, SECOND_NS), 1.0 / 4000.0);
        near(snowflake.odds(1, 1), 0.25);
        near(snowflake.odds(4000, SECOND_NS), 1.0);
        // Of ids that come 1 a tick, a share of 1 - 1/e is the first of its tick.
        let busy = Unknown {
            counter: Counter::PerTick(1.0),
            ..snowflake
        };
        near(busy.odds(4, 1), -libm::expm1(-1.0));
        near(busy.odds(8, 1), 2.0 * -libm::expm1(-1.0) - libm::exp(-1.0));
    }

    /// Half of the ids are the last one plus one, the others are hidden in 80 bits.
    #[test]
    fn a_tail_that_counts_gives_itself_away() {
        let ulid = Unknown {
            random_bits: 80,
            tick_ns: Some(1_000_000),
            stepped: 0.5,
            ..unknown()
        };
        near(ulid.odds(1, SECOND_NS), 0.5);
        let tsid = Unknown {
            writers: 2.0,
            tick_ns: Some(1_000_000),
            counter: Counter::Anywhere(12),
            ..unknown()
        };
        near(tsid.odds(1, 1), libm::exp2(-13.0));
        near(tsid.odds(u64::MAX, 1), 1.0);
    }
}
