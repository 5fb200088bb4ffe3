//! A server that hands out numbers, as the processes that visit it know it.
//!
//! A request travels for half a round trip, is served at once or, while the server is down,
//! when it is back, and its answer travels for the other half. Requests are served in the
//! order in which they are sent; numbers whose process ends before they come are lost.

use super::{Param, Params, SpecError, Stall};
use crate::clock::{Clock, NS_PER_S, Timestamp};

/// Parameter: the round trip.
pub(super) const RTT: Param = Param {
    name: "rtt_us",
    default: "0",
    about: "round trip to the centre in microseconds, 0 to 60000000",
};

/// The server.
#[derive(Clone, Debug)]
pub(super) struct Centre {
    rtt_ns: u64,
    /// From when until when it is down, in order of their beginnings.
    outages: Vec<(Timestamp, Timestamp)>,
    visits: u64,
}

/// A request on its way, and what the answer to it is.
#[derive(Clone, Debug)]
pub(super) struct Request<T> {
    /// Monotonic reading of its sender.
    sent: Timestamp,
    answer: T,
}

impl Centre {
    /// A server as far away as parameter [`RTT`] says.
    pub fn new(params: &Params) -> Result<Self, SpecError> {
        Ok(Self {
            rtt_ns: params.number(RTT.name, 0..=60 * NS_PER_S / 1000)? * 1000,
            outages: Vec::new(),
            visits: 0,
        })
    }

    /// Requests so far.
    pub fn visits(&self) -> u64 {
        self.visits
    }

    /// It is down between these times; times come in order of `from`.
    pub fn outage(&mut self, from: Timestamp, until: Timestamp) {
        self.outages.push((from, until));
    }

    /// Whether it is down.
    pub fn is_down(&self, now: Timestamp) -> bool {
        self.back(now) != now
    }

    /// Sends a request that `answer` is the answer to.
    pub fn send<T>(&mut self, clock: &impl Clock, answer: T) -> Request<T> {
        self.visits += 1;
        Request {
            sent: clock.monotonic(),
            answer,
        }
    }

    /// The answer to `request`, once it is there.
    pub fn receive<T: Clone>(&self, request: &Request<T>, clock: &impl Clock) -> Result<T, Stall> {
        // Nothing to wait for, whatever the clock says by now.
        if self.rtt_ns > 0 || !self.outages.is_empty() {
            let there_ns = self.rtt_ns / 2;
            let served = self.back(request.sent.later(there_ns));
            let (now, due) = (clock.monotonic(), served.later(self.rtt_ns - there_ns));
            if now < due {
                let wait_ns = now.wait_ns(due);
                return Err(Stall::Exhausted { wait_ns });
            }
        }
        Ok(request.answer.clone())
    }

    /// When it serves what comes `at`.
    fn back(&self, at: Timestamp) -> Timestamp {
        let later = |at, &(from, until): &(Timestamp, Timestamp)| {
            if (from..until).contains(&at) {
                until
            } else {
                at
            }
        };
        self.outages.iter().fold(at, later)
    }
}
