//! `scru128`.

use crate::check::{Shape, ordered};
use crate::clocks::Fed;
use crate::row::{CHACHA12, Clock, Group, Mark, Row, State, THREAD_RNG, Who};
use crate::work::{Plain, each};
use rand::rngs::StdRng;
use scru128::Id;
use scru128::generator::with_rand010::Adapter;
use scru128::generator::{Generator, TimeSource};

const WHO: Who = Who::Peer("scru128");
const RESETS: Mark = Mark("Gives up order without a word when the clock goes back more than 10 s.");
const GETPID: Mark =
    Mark("Asks for its process number at each id: safe after a fork, for a system call.");

impl TimeSource for Fed {
    fn unix_ts_ms(&mut self) -> u64 {
        self.ms()
    }
}

fn plain(id: &Id) -> Plain {
    Plain::new(id.as_bytes())
}

/// Its rows.
pub fn rows() -> Vec<Row> {
    let check = ordered(Shape::Ms48);
    let rows = [
        Row::new(Group::One, "scru128", WHO, "new", check, || {
            each(scru128::new, plain)
        })
        .clock(Clock::Real)
        .random("reseeding ChaCha12")
        .state(State::Mutex)
        .mark(GETPID),
        Row::new(Group::One, "scru128", WHO, "Generator", check, || {
            let mut generator = Generator::with_rand010(rand::rng());
            each(move || generator.generate(), plain)
        })
        .clock(Clock::Real)
        .random(THREAD_RNG)
        .state(State::Local),
        Row::new(Group::One, "scru128", WHO, "Generator", check, || {
            let random = Adapter(rand::make_rng::<StdRng>());
            let mut generator = Generator::with_rand_and_time_sources(random, Fed::new());
            each(move || generator.generate(), plain)
        })
        .clock(Clock::Manual)
        .random(CHACHA12)
        .state(State::Local),
    ];
    rows.into_iter().map(|row| row.mark(RESETS)).collect()
}
