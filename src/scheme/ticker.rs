//! Ticks of a clock with a tail that tells the ids of one tick apart.

use super::rollback::Rollback;
use super::{SpecError, Stall};
use crate::clock::{Clock, NS_PER_MS, Timestamp};

/// The last millisecond that 48 bits hold.
pub(super) const LAST_MS: u64 = (1 << 48) - 1;

// Readings end in the year 2554, so none is beyond 48 bits.
const _: () = assert!(u64::MAX / NS_PER_MS < LAST_MS);

/// Milliseconds of a 48-bit field as an instant; later ones than 2554 saturate.
pub(super) fn instant(ms: u128) -> Timestamp {
    Timestamp((ms as u64).saturating_mul(NS_PER_MS))
}

/// Ticks of equal length since an epoch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ticks {
    /// Start of tick 0, in nanoseconds since the Unix epoch.
    pub epoch_ns: u64,
    /// Length of a tick.
    pub tick_ns: u64,
    /// The last tick there is.
    pub last: u64,
}

/// Milliseconds since the Unix epoch in 48 bits.
pub(super) const MILLISECONDS: Ticks = Ticks {
    epoch_ns: 0,
    tick_ns: NS_PER_MS,
    last: LAST_MS,
};

impl Ticks {
    /// The tick of `now`, if there is one.
    #[inline]
    pub fn of(self, now: Timestamp) -> Option<u64> {
        let tick = now.0.checked_sub(self.epoch_ns)? / self.tick_ns;
        (tick <= self.last).then_some(tick)
    }

    /// The first instant of `tick`.
    #[inline]
    pub fn start(self, tick: u64) -> Timestamp {
        Timestamp(
            tick.saturating_mul(self.tick_ns)
                .saturating_add(self.epoch_ns),
        )
    }
}

/// Sequence numbers that [`Rollback::BackFill`] keeps for past ticks, from 1 on.
const BACK_SLOTS: u8 = 4;

/// What a writer remembers that issues ids by tick and tail.
#[derive(Clone, Debug)]
pub struct Ticker<T> {
    /// Most ids have the tick of the one before.
    open: Open<T>,
    /// Tick and tail of the last id, unless `open` has them; no tail: all of the tick may have
    /// been used.
    last: Option<(u64, Option<T>)>,
    /// Wall and monotonic clock at the first id, for [`Rollback::Monotonic`].
    start: Option<(Timestamp, Timestamp)>,
    /// The past tick that [`Rollback::BackFill`] used last, while the clock is behind.
    back: Option<u64>,
    /// The slot that it uses.
    slot: u8,
}

/// The tick of the last id, while readings in it need no look at anything else.
#[derive(Clone, Copy, Default, Debug)]
struct Open<T> {
    /// Its length in nanoseconds; 0 if there is none...
    ns: u64,
    /// ...its beginning,
    from_ns: u64,
    /// its number,
    tick: u64,
    /// and the tail of the last id.
    tail: T,
}

impl<T: Default> Default for Ticker<T> {
    fn default() -> Self {
        Self {
            open: Open::default(),
            last: None,
            start: None,
            back: None,
            slot: 0,
        }
    }
}

impl<T: Copy + Default + From<u8>> Ticker<T> {
    /// A writer whose last id had this tick and tail.
    pub fn after(tick: u64, tail: T) -> Self {
        Self {
            last: Some((tick, Some(tail))),
            ..Self::default()
        }
    }

    /// Tick and tail of the next id. `advance` makes a tail from the last one of its tick, or
    /// from `None` in a new tick; `None` if there is no further one.
    ///
    /// # Errors
    /// The clock is behind, the tick used up, or the clock outside of `ticks`.
    #[inline]
    pub fn next(
        &mut self,
        ticks: &Ticks,
        rollback: &Rollback,
        clock: &impl Clock,
        mut advance: impl FnMut(Option<T>) -> Option<T>,
    ) -> Result<(u64, T), Stall> {
        let mut read = None;
        let open = &mut self.open;
        if open.ns > 0 {
            let now = clock.now();
            if now.0.wrapping_sub(open.from_ns) < open.ns
                && let Some(tail) = advance(Some(open.tail))
            {
                open.tail = tail;
                return Ok((open.tick, tail));
            }
            read = Some(now);
        }
        self.next_of_any(ticks, rollback, clock, read, advance)
    }

    /// The tail of the last id, if further ones of its tick may follow at the same reading:
    /// who changes it has issued those in between.
    #[inline]
    pub fn open(&mut self) -> Option<(u64, &mut T)> {
        let open = &mut self.open;
        (open.ns > 0).then_some((open.tick, &mut open.tail))
    }

    /// Takes note that the next reading must be looked at.
    fn close(&mut self) {
        if self.open.ns > 0 {
            self.last = Some((self.open.tick, Some(self.open.tail)));
            self.open.ns = 0;
        }
    }

    /// [`Ticker::next`] for any state; `read` is the wall clock's reading if it was taken.
    #[inline(never)]
    fn next_of_any(
        &mut self,
        &ticks: &Ticks,
        &rollback: &Rollback,
        clock: &impl Clock,
        read: Option<Timestamp>,
        mut advance: impl FnMut(Option<T>) -> Option<T>,
    ) -> Result<(u64, T), Stall> {
        self.close();
        let now = match (read, rollback, self.last) {
            (Some(now), ..) => now,
            (None, Rollback::Monotonic, _) => self.monotonic(clock),
            (None, Rollback::Logical, Some((last, _))) => ticks.start(last),
            _ => clock.now(),
        };
        let tick = ticks.of(now).ok_or(Stall::OutOfRange)?;
        let found = match self.last {
            Some((last, tail)) if tick < last => {
                return self.behind(ticks, rollback, now, (last, tail), advance);
            }
            Some((last, tail)) if tick == last => match tail.and_then(|tail| advance(Some(tail))) {
                Some(tail) => (tick, tail),
                None => return self.used_up(ticks, rollback, now, tick, advance),
            },
            _ => (
                tick,
                first(rollback, &mut advance).ok_or(Stall::OutOfRange)?,
            ),
        };
        self.back = None;
        self.last = Some((found.0, Some(found.1)));
        if !matches!(rollback, Rollback::Monotonic | Rollback::Logical) {
            self.open = Open {
                ns: ticks.tick_ns,
                from_ns: ticks.start(tick).0,
                tick,
                tail: found.1,
            };
        }
        Ok(found)
    }

    /// Forbids all ticks up to the one of `floor`: a writer that has forgotten what it used.
    pub fn resume(&mut self, ticks: Ticks, floor: Timestamp) {
        if let Some(tick) = ticks.of(floor) {
            self.close();
            self.last = Some((tick, None));
        }
    }

    /// The wall clock at the first id, and the time since then by the monotonic clock.
    fn monotonic(&mut self, clock: &impl Clock) -> Timestamp {
        let monotonic = clock.monotonic();
        let (wall, start) = *self.start.get_or_insert_with(|| (clock.now(), monotonic));
        wall.later(monotonic.0.saturating_sub(start.0))
    }

    #[cold]
    fn behind(
        &mut self,
        ticks: Ticks,
        rollback: Rollback,
        now: Timestamp,
        (last, tail): (u64, Option<T>),
        mut advance: impl FnMut(Option<T>) -> Option<T>,
    ) -> Result<(u64, T), Stall> {
        let wait_ns = now.wait_ns(ticks.start(last));
        let refused = Stall::ClockBehind { wait_ns };
        let mut next = || tail.and_then(|tail| advance(Some(tail)));
        let found = match rollback {
            Rollback::Refuse | Rollback::Wait { .. } | Rollback::Monotonic | Rollback::Logical => {
                return Err(refused);
            }
            Rollback::Hold { most_ns } if wait_ns > most_ns => return Err(refused),
            Rollback::Hold { .. } => (last, next().ok_or(refused)?),
            Rollback::Consume | Rollback::Borrow { .. } => match next() {
                Some(tail) => (last, tail),
                None => return self.used_up(ticks, rollback, now, last, advance),
            },
            Rollback::BackFill => {
                let past = match self.back {
                    Some(past) => past,
                    None => {
                        self.slot = self.slot % BACK_SLOTS + 1;
                        last
                    }
                };
                let past = past.checked_sub(1).ok_or(refused)?;
                self.back = Some(past);
                return Ok((past, self.slot.into()));
            }
            Rollback::Ignore => {
                let tick = ticks.of(now).ok_or(Stall::OutOfRange)?;
                (tick, advance(None).ok_or(Stall::OutOfRange)?)
            }
        };
        self.last = Some((found.0, Some(found.1)));
        Ok(found)
    }

    /// The sequence of `tick` is used up.
    #[cold]
    fn used_up(
        &mut self,
        ticks: Ticks,
        rollback: Rollback,
        now: Timestamp,
        tick: u64,
        mut advance: impl FnMut(Option<T>) -> Option<T>,
    ) -> Result<(u64, T), Stall> {
        let next = ticks.start(tick + 1);
        let most_ns = match rollback {
            Rollback::Logical => u64::MAX,
            Rollback::Borrow { most_ns } => most_ns,
            _ => 0,
        };
        if next > now.later(most_ns) {
            let wait_ns = Timestamp(now.0.saturating_add(most_ns)).wait_ns(next);
            return Err(Stall::Exhausted { wait_ns });
        }
        if tick == ticks.last {
            return Err(Stall::OutOfRange);
        }
        let tail = advance(None).ok_or(Stall::OutOfRange)?;
        self.last = Some((tick + 1, Some(tail)));
        Ok((tick + 1, tail))
    }
}

/// The first tail of a tick.
fn first<T: From<u8>>(
    rollback: Rollback,
    advance: &mut impl FnMut(Option<T>) -> Option<T>,
) -> Option<T> {
    match rollback {
        Rollback::BackFill => advance(Some(BACK_SLOTS.into())),
        _ => advance(None),
    }
}

/// Refuses a rollback that a scheme of random tails cannot follow.
pub(super) fn without_slots(scheme: &str, rollback: Rollback) -> Result<Rollback, SpecError> {
    match rollback {
        Rollback::BackFill | Rollback::Logical => Err(SpecError(format!(
            "{scheme} has no sequence numbers, as {rollback} needs"
        ))),
        _ => Ok(rollback),
    }
}

#[cfg(test)]
mod tests;
