//! When ids are asked for, and of whom.

use crate::clock::{NS_PER_S, Timestamp};
use crate::random;
use rand_chacha::ChaCha8Rng;

/// When ids are asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arrivals {
    /// At equal intervals, writers in turn.
    Steady,
    /// A Poisson process, each id from a random writer.
    Poisson,
    /// Bursts of [`BURST`] ids, 1 µs apart (closer at rates that need it), from one random writer each;
    /// exponential pauses between them keep the mean rate.
    Bursty,
}

const PS_PER_S: u64 = 1000 * NS_PER_S;

/// Ids in a burst of [`Arrivals::Bursty`].
pub const BURST: u64 = 100;

/// A stream of arrivals.
pub(super) struct ArrivalStream {
    arrivals: Arrivals,
    writers: u32,
    rate: u64,
    start: Timestamp,
    /// Time and writer of the next one.
    pub(super) next: (Timestamp, u32),
    /// Its number.
    pub(super) number: u64,
    /// Picoseconds past it: rates near one a nanosecond stay true.
    carry_ps: u64,
    random: ChaCha8Rng,
}

impl ArrivalStream {
    pub(super) fn new(
        arrivals: Arrivals,
        writers: u32,
        rate: u64,
        start: Timestamp,
        random: ChaCha8Rng,
    ) -> Self {
        let mut stream = Self {
            arrivals,
            writers,
            rate,
            start,
            next: (start, 0),
            number: 0,
            carry_ps: 0,
            random,
        };
        stream.next = stream.draw();
        stream
    }

    /// Takes the next arrival: its number, time and writer.
    #[inline]
    pub(super) fn take(&mut self) -> (u64, Timestamp, u32) {
        let (number, (at, writer)) = (self.number, self.next);
        self.number += 1;
        self.next = self.draw();
        (number, at, writer)
    }

    /// Time and writer of arrival `self.number`; `self.next` is the one before.
    #[inline]
    fn draw(&mut self) -> (Timestamp, u32) {
        let (last, writer) = self.next;
        match self.arrivals {
            Arrivals::Steady => {
                let ns = u128::from(self.number) * u128::from(NS_PER_S) / u128::from(self.rate);
                (
                    self.start.later(u64::try_from(ns).unwrap_or(u64::MAX)),
                    (self.number % u64::from(self.writers)) as u32,
                )
            }
            Arrivals::Poisson => {
                let gap_ps = random::exponential(&mut self.random, PS_PER_S / self.rate);
                let writer = random::below(&mut self.random, self.writers);
                (self.after(last, gap_ps), writer)
            }
            Arrivals::Bursty => {
                let spacing_ns = 1000.min(NS_PER_S / self.rate / 2);
                if !self.number.is_multiple_of(BURST) {
                    return (last.later(spacing_ns), writer);
                }
                let pause_ps = BURST * PS_PER_S / self.rate - (BURST - 1) * spacing_ns * 1000;
                let gap_ps = random::exponential(&mut self.random, pause_ps);
                let writer = random::below(&mut self.random, self.writers);
                (self.after(last, gap_ps), writer)
            }
        }
    }

    /// The instant `gap_ps` after `last`; the rest below a nanosecond is carried on.
    fn after(&mut self, last: Timestamp, gap_ps: u64) -> Timestamp {
        let ps = self.carry_ps + gap_ps;
        self.carry_ps = ps % 1000;
        last.later(ps / 1000)
    }
}
