//! `sim ids --real-time`: a generator on this machine's clock. No simulation: nothing of it is seeded.

use super::Sheet;
use crate::args;
use crate::writers::explain;
use anyhow::{Result, anyhow};
use idlab::clock::{CachedClock, Clock, NS_PER_S, SystemClock};
use idlab::fleet::FleetError;
use idlab::random::{Cipher, Secure};
use idlab::scheme::{Rollback, Scheme, Stall, Visitor};
use std::thread;
use std::time::Duration;

/// One writer, number 0, that mints as time goes by.
pub struct RealTime {
    /// When the clock goes back; `None`: as the scheme does by itself.
    pub rollback: Option<Rollback>,
    /// How many ids.
    pub count: u64,
    /// Time between two of them.
    pub every: Duration,
    /// Whether to show their fields.
    pub decode: bool,
    /// Whether the clock is read once a millisecond only, and the processor's counter in between.
    pub cached: bool,
}

/// Times that the clock was waited for.
#[derive(Default)]
struct Waits {
    count: u64,
    total: Duration,
}

impl Visitor for RealTime {
    type Output = Result<()>;

    fn visit<S: Scheme>(self, mut scheme: S) -> Result<()> {
        if let Some(rollback) = self.rollback {
            let set = scheme.set_rollback(rollback);
            set.map_err(|error| explain(FleetError::Rollback(error)))?;
        }
        let mut sheet = Sheet::new(&scheme, self.decode);
        let mut waits = Waits::default();
        let printed = match self.cached {
            true => self.print(&mut scheme, &CachedClock::new(), &mut sheet, &mut waits),
            false => self.print(&mut scheme, &SystemClock::default(), &mut sheet, &mut waits),
        };
        sheet.finish()?;
        if waits.count > 0 {
            args::say(&format!(
                "waited {} times for the clock, {} in all",
                waits.count,
                length(waits.total.as_nanos() as u64)
            ));
        }
        printed
    }
}

impl RealTime {
    fn print<S: Scheme>(
        &self,
        scheme: &mut S,
        clock: &impl Clock,
        sheet: &mut Sheet,
        waits: &mut Waits,
    ) -> Result<()> {
        let mut random = Secure::new(Cipher::best())?;
        let mut writer = scheme.writer(0)?;
        let (most_ns, times) = self.rollback.unwrap_or_default().patience();
        let mut left = self.count;
        while left > 0 {
            match scheme.mint(&mut writer, clock, &mut random) {
                Ok(id) => {
                    sheet.add(scheme, id, 0)?;
                    left -= 1;
                    if !self.every.is_zero() && left > 0 {
                        sheet.flush()?;
                        thread::sleep(self.every);
                    }
                }
                Err(Stall::Exhausted { wait_ns }) => thread::sleep(Duration::from_nanos(wait_ns)),
                Err(Stall::ClockBehind { wait_ns }) if wait_ns <= most_ns => {
                    let wait = Duration::from_nanos(wait_ns.saturating_mul(times.into()));
                    waits.count += 1;
                    waits.total += wait;
                    sheet.flush()?;
                    thread::sleep(wait);
                }
                Err(Stall::ClockBehind { wait_ns }) => {
                    let behind = length(wait_ns);
                    return Err(anyhow!("the clock is {behind} behind the last id"));
                }
                Err(stall @ Stall::OutOfRange) => {
                    return Err(anyhow!("{}: {stall}", scheme.name()));
                }
            }
        }
        Ok(())
    }
}

/// `2.000 s`, or less than a second in ms.
fn length(ns: u64) -> String {
    match ns {
        NS_PER_S.. => format!("{:.3} s", ns as f64 / 1e9),
        _ => format!("{:.3} ms", ns as f64 / 1e6),
    }
}
