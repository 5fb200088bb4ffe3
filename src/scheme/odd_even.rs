//! Odd and even: two ticket servers, one with the odd numbers, one with the even ones.
//!
//! Callers take them in turn, so that either may fail: in an outage the odd one is down, and
//! all go to the even one. Nothing keeps the two level. A server that issued fewer than the
//! other, after an outage or from the start (`lag`), stays behind: from then on every other id
//! is smaller than the one before it, and readers by `id > last_seen` lose it.
//!
//! - Layout: sign 1 (always 0), counter 63; odd or even by server.
//! - Ids per tick: unbounded, there is no tick; every id costs a visit, and a writer makes
//!   one at a time.
//! - Lifetime: 2⁶² − 1 ids a server, then [`Stall::OutOfRange`]; no epoch.
//! - Rollback: none, no wall clock is read. Not even one writer's ids ascend.
//! - Source: Flickr's ticket servers, 2010: increment 2, offsets 1 and 2.

use super::auto_increment::LAST;
use super::centre::{self, Centre, Request};
use super::{Field, FieldKind, Limits, Listed, Param, Params, Scheme, SpecError, Stall, WriterError};
use crate::clock::{Clock, Timestamp};
use crate::id::Number;
use rand::Rng;

/// Two ticket servers.
#[derive(Clone, Debug)]
pub struct OddEven {
    servers: [Server; 2],
}

#[derive(Clone, Debug)]
struct Server {
    next: u64,
    centre: Centre,
}

/// What a caller of the two servers remembers.
#[derive(Debug)]
pub struct OddEvenWriter {
    /// The server whose turn it is.
    turn: usize,
    /// The id on its way.
    next: Option<Request<u64>>,
}

impl Listed for OddEven {
    const NAME: &'static str = "odd_even";
    const ABOUT: &'static str = "two ticket servers, odd and even numbers in turn, 64 bits (Flickr 2010)";
    const PARAMS: &'static [Param] = &[
        Param {
            name: "lag",
            default: "0",
            about: "ids that the even server is behind at the start, 0 to 1000000000",
        },
        centre::RTT,
    ];

    fn new(params: &Params) -> Result<Self, SpecError> {
        let odd = 1 + 2 * params.number("lag", 0..=1_000_000_000)?;
        let server = |next| {
            let centre = Centre::new(params)?;
            Ok(Server { next, centre })
        };
        Ok(Self {
            servers: [server(odd)?, server(2)?],
        })
    }
}

impl Scheme for OddEven {
    type Id = Number;
    type Writer = OddEvenWriter;

    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn fields(&self) -> Vec<Field> {
        vec![
            Field::new("sign", 1, FieldKind::Fixed),
            Field::new("counter", 63, FieldKind::Counter),
        ]
    }

    fn limits(&self) -> Limits {
        Limits::default()
    }

    /// A new caller; every other one begins with the other server.
    fn writer(&mut self, number: u32) -> Result<OddEvenWriter, WriterError> {
        Ok(OddEvenWriter {
            turn: number as usize % 2,
            next: None,
        })
    }

    #[inline]
    fn mint(
        &mut self,
        writer: &mut OddEvenWriter,
        clock: &impl Clock,
        _: &mut impl Rng,
    ) -> Result<Number, Stall> {
        if self.servers[writer.turn].centre.is_down(clock.monotonic()) {
            // What it was asked for is lost; the other one is asked.
            writer.next = None;
            writer.turn = 1 - writer.turn;
        }
        let Server { next, centre } = &mut self.servers[writer.turn];
        let request = match &mut writer.next {
            Some(request) => request,
            None if *next > LAST => return Err(Stall::OutOfRange),
            request => {
                let id = *next;
                *next += 2;
                request.insert(centre.send(clock, id))
            }
        };
        let id = centre.receive(request, clock)?;
        writer.next = None;
        writer.turn = 1 - writer.turn;
        Ok(Number(id))
    }

    fn outage(&mut self, from: Timestamp, until: Timestamp) {
        self.servers[0].centre.outage(from, until);
    }

    fn visits(&self) -> Option<u64> {
        Some(self.servers.iter().map(|server| server.centre.visits()).sum())
    }

    fn ascends(&self) -> bool {
        false
    }

    fn timestamp(&self, _: Number) -> Option<Timestamp> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::stream;

    fn scheme(spec: &str) -> OddEven {
        let spec = spec.parse().unwrap();
        OddEven::new(&Params::new(&spec, OddEven::PARAMS).unwrap()).unwrap()
    }

    #[inline]
    fn mint(scheme: &mut OddEven, writer: &mut OddEvenWriter, at: u64) -> Result<u64, Stall> {
        let id = scheme.mint(writer, &Timestamp(at), &mut stream(1, "test", 0));
        id.map(|id| id.0)
    }

    #[test]
    fn callers_take_turns() {
        let mut scheme = scheme("odd_even");
        let (mut a, mut b) = (scheme.writer(0).unwrap(), scheme.writer(1).unwrap());
        let mut next = |writer: &mut _| mint(&mut scheme, writer, 0).unwrap();
        let ids = [next(&mut a), next(&mut b), next(&mut a), next(&mut b), next(&mut a)];
        assert_eq!(ids, [1, 2, 4, 3, 5]);
    }

    #[test]
    fn a_server_that_lags_stays_behind() {
        let mut scheme = scheme("odd_even:lag=100");
        let mut a = scheme.writer(0).unwrap();
        let ids = [0; 4].map(|at| mint(&mut scheme, &mut a, at).unwrap());
        assert_eq!(ids, [201, 2, 203, 4]);
    }

    /// No call waits for the server that is down, and it is behind when it is back.
    #[test]
    fn in_an_outage_all_go_to_the_even_server() {
        let mut scheme = scheme("odd_even:rtt_us=2");
        let mut a = scheme.writer(0).unwrap();
        let trip = |scheme: &mut _, a: &mut _, at| {
            assert_eq!(mint(scheme, a, at), Err(Stall::Exhausted { wait_ns: 2_000 }));
            mint(scheme, a, at + 2_000).unwrap()
        };
        assert_eq!(trip(&mut scheme, &mut a, 0), 1);
        scheme.outage(Timestamp(10_000), Timestamp(20_000));
        let ids = [10_000, 13_000, 16_000].map(|at| trip(&mut scheme, &mut a, at));
        assert_eq!(ids, [2, 4, 6]);
        let ids = [20_000, 23_000, 26_000].map(|at| trip(&mut scheme, &mut a, at));
        assert_eq!(ids, [3, 8, 5]);
        assert_eq!(scheme.visits(), Some(7));
    }

    #[test]
    fn a_request_on_its_way_to_a_server_that_fails_is_sent_again() {
        let mut scheme = scheme("odd_even:rtt_us=2");
        let mut a = scheme.writer(0).unwrap();
        assert!(mint(&mut scheme, &mut a, 0).is_err());
        scheme.outage(Timestamp(500), Timestamp(1_000_000));
        assert_eq!(mint(&mut scheme, &mut a, 2_000), Err(Stall::Exhausted { wait_ns: 2_000 }));
        assert_eq!(mint(&mut scheme, &mut a, 4_000), Ok(2));
    }
}
