//! `uuid7`.

use crate::check::{Check, Shape, ordered, unique};
use crate::clocks::Fed;
use crate::fixtures;
use crate::row::{CHACHA12, Clock, Group, Mark, Row, State, THREAD_RNG, Who};
use crate::work::{Plain, each, turn};
use rand::rngs::StdRng;
use uuid7::generator::TimeSource;
use uuid7::generator::with_rand010::Adapter;
use uuid7::{Uuid, V7Generator};

const WHO: Who = Who::Peer("uuid7");
const RESETS: Mark = Mark("Gives up order without a word when the clock goes back more than 10 s.");
const GETPID: Mark =
    Mark("Asks for its process number at each id: safe after a fork, for a system call.");
const RESEEDING: &str = "reseeding ChaCha12";

impl TimeSource for Fed {
    fn unix_ts_ms(&mut self) -> u64 {
        self.ms()
    }
}

fn plain(id: &Uuid) -> Plain {
    Plain::new(id.as_bytes())
}

/// Its rows.
pub fn rows() -> Vec<Row> {
    let v7 = ordered(Shape::Uuid(7));
    vec![
        Row::new(
            Group::One,
            "uuid_v4",
            WHO,
            "uuid4",
            unique(Shape::Uuid(4)),
            || each(uuid7::uuid4, plain),
        )
        .random(RESEEDING)
        .state(State::Mutex)
        .mark(GETPID),
        Row::new(Group::One, "uuid_v7", WHO, "uuid7", v7, || {
            each(uuid7::uuid7, plain)
        })
        .clock(Clock::Real)
        .random(RESEEDING)
        .state(State::Mutex)
        .mark(GETPID)
        .mark(RESETS),
        Row::new(Group::One, "uuid_v7", WHO, "V7Generator", v7, || {
            let mut generator = V7Generator::with_rand010(rand::rng());
            each(move || generator.generate(), plain)
        })
        .clock(Clock::Real)
        .random(THREAD_RNG)
        .state(State::Local)
        .mark(RESETS),
        Row::new(Group::One, "uuid_v7", WHO, "V7Generator", v7, || {
            let random = Adapter(rand::make_rng::<StdRng>());
            let mut generator = V7Generator::with_rand_and_time_sources(random, Fed::new());
            each(move || generator.generate(), plain)
        })
        .clock(Clock::Manual)
        .random(CHACHA12)
        .state(State::Local)
        .mark(RESETS),
        Row::new(
            Group::Text,
            "uuid",
            WHO,
            "encode",
            Check::Same(fixtures::uuid_texts),
            || {
                let ids = fixtures::uuids().into_iter().map(|id| Uuid::from(id.0));
                let encode = |id: &Uuid, out: &mut [u8; 36]| {
                    out.copy_from_slice(id.encode().as_bytes());
                };
                turn(ids.collect(), [0; 36], encode, |text| Plain::new(text))
            },
        ),
        Row::new(
            Group::Parse,
            "uuid",
            WHO,
            "from_str",
            Check::Same(fixtures::uuid_bytes),
            || {
                let texts = fixtures::texts(fixtures::uuids());
                let parse = |text: &String, out: &mut Uuid| {
                    *out = text.parse().expect("the text of a UUID");
                };
                turn(texts, Uuid::NIL, parse, plain)
            },
        ),
    ]
}
