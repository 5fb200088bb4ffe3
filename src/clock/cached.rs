//! [`CachedClock`]: the real-time clock at the price of the processor's counter.

use super::{Clock, SystemClock, Timestamp};
use std::cell::Cell;

/// Counts up at an even rate; cheaper to read than a clock.
pub trait Counter {
    /// The count now.
    fn count(&self) -> u64;

    /// Nanoseconds from one count to a later one; 0 if it is not later.
    fn elapsed_ns(&self, from: u64, to: u64) -> u64;
}

impl Counter for quanta::Clock {
    #[inline]
    fn count(&self) -> u64 {
        self.raw()
    }

    #[inline]
    fn elapsed_ns(&self, from: u64, to: u64) -> u64 {
        self.delta_as_nanos(from, to)
    }
}

/// A clock of one thread that reads its wall clock once a millisecond and the counter in
/// between (the time-stamp counter where there is a steady one, else the monotonic clock).
///
/// With e the relative error of the counter's rate plus the rate at which the wall clock is
/// slewed, a reading differs from the wall clock by at most e of a millisecond (1 µs for the
/// 500 ppm of ntpd and as much of the counter) and the time that a look at the wall clock
/// took. A look during which the thread was interrupted is taken anew, up to 8 times. A step of the wall clock is followed late, by
/// at most [`CachedClock::REFRESH_NS`] of the counter's time. Readings go back only when the
/// wall clock is found to be back by more than [`CachedClock::SLACK_NS`]; for less they wait.
///
/// The bound is held by tests with wall clocks that step and slew, and measured on the
/// machine by `sim latency --clock cached`.
#[derive(Debug)]
pub struct CachedClock<W = SystemClock, C = quanta::Clock> {
    wall: W,
    counter: C,
    anchor: Cell<Anchor>,
}

/// The last look at the wall clock.
#[derive(Clone, Copy, Debug)]
struct Anchor {
    count: u64,
    wall: Timestamp,
    /// What had been read by then: readings wait here.
    read: Timestamp,
}

impl Anchor {
    /// The reading so long after.
    fn at(&self, elapsed_ns: u64) -> Timestamp {
        self.wall.later(elapsed_ns).max(self.read)
    }
}

impl CachedClock {
    /// The system's clock.
    pub fn new() -> Self {
        Self::of(SystemClock::default(), quanta::Clock::new())
    }
}

impl Default for CachedClock {
    fn default() -> Self {
        Self::new()
    }
}

impl<W: Clock, C: Counter> CachedClock<W, C> {
    /// Nanoseconds from one look at the wall clock to the next.
    pub const REFRESH_NS: u64 = 1_000_000;

    /// Nanoseconds by which readings wait for a wall clock that they have passed.
    pub const SLACK_NS: u64 = 10_000;

    /// A clock of `wall` and `counter`.
    pub fn of(wall: W, counter: C) -> Self {
        let (count, now) = look(&wall, &counter);
        let anchor = Cell::new(Anchor {
            count,
            wall: now,
            read: now,
        });
        Self {
            wall,
            counter,
            anchor,
        }
    }

    #[cold]
    #[inline(never)]
    fn refresh(&self) -> Timestamp {
        let last = self.anchor.get();
        let (count, wall) = look(&self.wall, &self.counter);
        let passed = last.at(self.counter.elapsed_ns(last.count, count));
        let read = match passed.0.saturating_sub(wall.0) {
            0..=Self::SLACK_NS => wall.max(passed),
            _ => wall,
        };
        self.anchor.set(Anchor { count, wall, read });
        read
    }
}

/// Most looks at a wall clock in a row.
const LOOKS: u32 = 8;
/// A look that took no longer was not interrupted.
const LOOK_NS: u64 = 1_000;

/// A count and the reading that belongs to it: of the look that took least.
fn look(wall: &impl Clock, counter: &impl Counter) -> (u64, Timestamp) {
    let mut least_ns = u64::MAX;
    let mut found = (0, Timestamp::default());
    for _ in 0..LOOKS {
        let (before, now, after) = (counter.count(), wall.now(), counter.count());
        let took_ns = counter.elapsed_ns(before, after);
        if took_ns < least_ns {
            (least_ns, found) = (took_ns, (after, now));
        }
        if least_ns <= LOOK_NS {
            break;
        }
    }
    found
}

impl<W: Clock, C: Counter> Clock for CachedClock<W, C> {
    #[inline]
    fn now(&self) -> Timestamp {
        let anchor = self.anchor.get();
        let count = self.counter.count();
        let elapsed_ns = self.counter.elapsed_ns(anchor.count, count);
        // A counter that is back started anew: on another machine, or after a suspension.
        if count >= anchor.count && elapsed_ns < Self::REFRESH_NS {
            anchor.at(elapsed_ns)
        } else {
            self.refresh()
        }
    }

    fn monotonic(&self) -> Timestamp {
        self.wall.monotonic()
    }
}

#[cfg(test)]
mod tests;
