//! `ulid`.

use crate::check::{Check, Shape, ordered, unique};
use crate::clocks::Fed;
use crate::fixtures;
use crate::row::{CHACHA12, Clock, Draws, Group, Mark, Row, State, THREAD_RNG, Who};
use crate::work::{Plain, each, turn};
use rand::rngs::StdRng;
use ulid::{Generator, Ulid};

const WHO: Who = Who::Peer("ulid");
const FROZEN: Mark = Mark("Keeps the last timestamp without limit when the clock goes back.");
const WRAPS: Mark = Mark(
    "Takes texts above 7ZZZZZZZZZZZZZZZZZZZZZZZZZ, which wrap; the specification refuses them.",
);

fn plain(id: &Ulid) -> Plain {
    Plain::new(&id.to_bytes())
}

/// Its rows.
pub fn rows() -> Vec<Row> {
    vec![
        Row::new(
            Group::One,
            "ulid",
            WHO,
            "generate",
            unique(Shape::Ms48),
            || each(Ulid::generate, plain),
        )
        .clock(Clock::Real)
        .random(THREAD_RNG)
        .state(State::ThreadLocal),
        Row::new(
            Group::One,
            "ulid",
            WHO,
            "from_datetime",
            unique(Shape::Ms48),
            || {
                let (fed, mut random) = (Fed::new(), rand::make_rng::<StdRng>());
                each(
                    move || Ulid::from_datetime_with_source(fed.system_time(), &mut random),
                    plain,
                )
            },
        )
        .clock(Clock::Manual)
        .random(CHACHA12),
        Row::new(
            Group::One,
            "ulid",
            WHO,
            "Generator, monotonic",
            ordered(Shape::Ms48),
            || {
                let mut generator = Generator::new();
                each(
                    move || generator.generate().expect("room in the millisecond"),
                    plain,
                )
            },
        )
        .clock(Clock::Real)
        .random(THREAD_RNG)
        .state(State::Local)
        .draws(Draws::EachMs)
        .mark(FROZEN),
        Row::new(
            Group::One,
            "ulid",
            WHO,
            "Generator, monotonic",
            ordered(Shape::Ms48),
            || {
                let (mut generator, fed) = (Generator::new(), Fed::new());
                let mut random = rand::make_rng::<StdRng>();
                let next = move || {
                    let id = generator
                        .generate_from_datetime_with_source(fed.system_time(), &mut random);
                    id.expect("room in the millisecond")
                };
                each(next, plain)
            },
        )
        .clock(Clock::Manual)
        .random(CHACHA12)
        .state(State::Local)
        .draws(Draws::EachMs)
        .mark(FROZEN),
        Row::new(
            Group::Text,
            "ulid",
            WHO,
            "array_to_str",
            Check::Same(fixtures::ulid_texts),
            || {
                let ids = fixtures::ulids().into_iter().map(|id| Ulid(id.0));
                let encode = |id: &Ulid, out: &mut [u8; 26]| {
                    id.array_to_str(out);
                };
                turn(ids.collect(), [0; 26], encode, |text| Plain::new(text))
            },
        ),
        Row::new(
            Group::Parse,
            "ulid",
            WHO,
            "from_string",
            Check::Same(fixtures::ulid_bytes),
            || {
                let texts = fixtures::texts(fixtures::ulids());
                let parse = |text: &String, out: &mut Ulid| {
                    *out = Ulid::from_string(text).expect("the text of a ULID");
                };
                turn(texts, Ulid::nil(), parse, plain)
            },
        )
        .mark(WRAPS),
    ]
}
