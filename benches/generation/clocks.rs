//! One counting clock for everyone, in everyone's unit.

use idlab::clock::{Clock, ManualClock, Timestamp};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// First reading: 2026-01-01T00:00:00Z.
pub const START: Timestamp = Timestamp::from_ms(1_767_225_600_000);
/// What a reading adds: 4,000 ids a millisecond use up no sequence of 12 bits.
pub const STEP_NS: u64 = 250;
/// What a reading for a whole chunk adds: four chunks a millisecond.
pub const CHUNK_STEP_NS: u64 = 256_000;

/// Twitter's epoch, in Unix milliseconds.
pub const TWITTER_MS: u64 = 1_288_834_974_657;
/// The epoch of TSIDs, 2020-01-01, in Unix milliseconds.
pub const TSID_MS: u64 = 1_577_836_800_000;

/// A counting clock at its start.
pub fn manual() -> ManualClock {
    ManualClock::new(START, STEP_NS)
}

/// The counting clock, as peers want to be told the time.
pub struct Fed(ManualClock);

impl Fed {
    /// At its start.
    pub fn new() -> Self {
        Self(manual())
    }

    /// Unix milliseconds.
    #[inline]
    pub fn ms(&self) -> u64 {
        self.0.now().ms()
    }

    /// Unix seconds.
    #[inline]
    pub fn seconds(&self) -> u64 {
        self.0.now().seconds()
    }

    /// Unix seconds, and nanoseconds of the second.
    #[inline]
    pub fn parts(&self) -> (u64, u32) {
        let ns = self.0.now().0;
        (ns / 1_000_000_000, (ns % 1_000_000_000) as u32)
    }

    /// The standard library's form.
    #[inline]
    pub fn system_time(&self) -> SystemTime {
        UNIX_EPOCH + Duration::from_nanos(self.0.now().0)
    }
}

/// The counting clock for peers that insist on sharing it: a load and a store, no
/// locked instruction, so one thread at a time.
pub fn shared_ms(step_ns: u64) -> impl Fn() -> i64 + Send + Sync + 'static {
    let next = AtomicU64::new(START.0);
    move || {
        let now = next.load(Ordering::Relaxed);
        next.store(now + step_ns, Ordering::Relaxed);
        Timestamp(now).ms() as i64
    }
}
