//! The error of a clock between two events: a line.

use super::{NS_PER_S, Timestamp};

/// No clock gains or loses more than this by its rate: half of the time.
const MOST_PPB: i64 = 500_000_000;

/// The rate of a clock that stands still.
const STILL_PPB: i64 = -(NS_PER_S as i64);

/// Local less true time as a line, and the steps that led to it.
#[derive(Clone, Debug)]
pub(super) struct Line {
    /// Error at `since`: positive if the clock is fast.
    error_ns: i64,
    rate_ppb: i64,
    since: Timestamp,
    /// Sum of the steps: what the wall clock has and the monotonic clock has not.
    stepped_ns: i64,
    /// The rate to go on with, of a clock that stands still.
    paused_ppb: Option<i64>,
}

impl Line {
    pub(super) fn new(since: Timestamp, error_ns: i64) -> Self {
        Self {
            error_ns,
            rate_ppb: 0,
            since,
            stepped_ns: 0,
            paused_ppb: None,
        }
    }

    pub(super) fn error_ns(&self) -> i64 {
        self.error_ns
    }

    pub(super) fn since(&self) -> Timestamp {
        self.since
    }

    /// Error at a time from `since` on.
    pub(super) fn error_at(&self, now: Timestamp) -> i64 {
        let past_ns = now.0.saturating_sub(self.since.0);
        // Rounded down, so that readings never fall as long as the rate is at least -1.
        let past = i64::try_from(past_ns).ok();
        let grown_ns = match past.and_then(|past| past.checked_mul(self.rate_ppb)) {
            Some(product) => product.div_euclid(NS_PER_S as i64),
            None => {
                let product = i128::from(past_ns) * i128::from(self.rate_ppb);
                let grown_ns = product.div_euclid(NS_PER_S.into());
                grown_ns.clamp(i64::MIN.into(), i64::MAX.into()) as i64
            }
        };
        self.error_ns.saturating_add(grown_ns)
    }

    /// The wall clock.
    pub(super) fn wall(&self, now: Timestamp) -> Timestamp {
        Timestamp(now.0.saturating_add_signed(self.error_at(now)))
    }

    /// The clock that is never stepped.
    pub(super) fn monotonic(&self, now: Timestamp) -> Timestamp {
        let error_ns = self.error_at(now).saturating_sub(self.stepped_ns);
        Timestamp(now.0.saturating_add_signed(error_ns))
    }

    /// Makes the monotonic clock what the wall clock is.
    pub(super) fn forget_steps(&mut self) {
        self.stepped_ns = 0;
    }

    /// Goes on from `at`.
    pub(super) fn advance(&mut self, at: Timestamp) {
        self.error_ns = self.error_at(at);
        self.since = at;
    }

    /// Turns both clocks' rate, now or when they go on.
    pub(super) fn turn(&mut self, rate_ppb: i64) {
        let rate_ppb = rate_ppb.clamp(-MOST_PPB, MOST_PPB);
        match &mut self.paused_ppb {
            Some(paused) => *paused = rate_ppb,
            None => self.rate_ppb = rate_ppb,
        }
    }

    /// Steps the wall clock.
    pub(super) fn step(&mut self, by_ns: i64) {
        let error_ns = self.error_ns.saturating_add(by_ns);
        self.step_to(error_ns);
    }

    /// Steps the wall clock so that its error is this one.
    pub(super) fn step_to(&mut self, error_ns: i64) {
        let by_ns = error_ns.saturating_sub(self.error_ns);
        self.stepped_ns = self.stepped_ns.saturating_add(by_ns);
        self.error_ns = error_ns;
    }

    /// Stops both clocks.
    pub(super) fn pause(&mut self) {
        if self.paused_ppb.is_none() {
            self.paused_ppb = Some(self.rate_ppb);
            self.rate_ppb = STILL_PPB;
        }
    }

    /// Lets both clocks go on.
    pub(super) fn resume(&mut self) {
        if let Some(rate_ppb) = self.paused_ppb.take() {
            self.rate_ppb = rate_ppb;
        }
    }
}

/// The rate that makes up `way_ns` in `in_ns`, no faster than `most_ppb`.
pub(super) fn rate_ppb(way_ns: i64, in_ns: u64, most_ppb: i64) -> i64 {
    let ppb = i128::from(way_ns) * i128::from(NS_PER_S) / i128::from(in_ns.max(1));
    ppb.clamp(-i128::from(most_ppb), most_ppb.into()) as i64
}
