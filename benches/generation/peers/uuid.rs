//! `uuid`, with its feature `fast-rng`; a build has it for all or for none.

use crate::check::{Check, Shape, ordered, unique};
use crate::clocks::Fed;
use crate::fixtures;
use crate::floor::os;
use crate::row::{Clock, Group, Mark, OS, Row, State, THREAD_RNG, Who};
use crate::work::{Plain, each, turn};
use uuid::{Builder, ContextV7, NoContext, Timestamp, Uuid};

const WHO: Who = Who::Peer("uuid");
const DEFAULT: Mark = Mark(
    "What Uuid::new_v4 does without the feature fast-rng: getrandom of 16 bytes, then Builder::from_random_bytes.",
);
const FROZEN: Mark = Mark("Keeps the last timestamp without limit when the clock goes back.");
const UNORDERED: Mark = Mark("Without a counter: not in order within a millisecond.");

fn plain(id: &Uuid) -> Plain {
    Plain::new(id.as_bytes())
}

/// A row of version 4; generic, so that the call is not one through a pointer.
fn v4(call: &str, next: impl Fn() -> Uuid + Copy + Send + Sync + 'static) -> Row {
    let check = unique(Shape::Uuid(4));
    Row::new(Group::One, "uuid_v4", WHO, call, check, move || {
        each(next, plain)
    })
}

/// Its rows.
pub fn rows() -> Vec<Row> {
    let v7 = ordered(Shape::Uuid(7));
    vec![
        v4("new_v4, fast-rng", Uuid::new_v4)
            .random(THREAD_RNG)
            .state(State::ThreadLocal),
        v4("new_v4, default", || {
            Builder::from_random_bytes(os().to_ne_bytes()).into_uuid()
        })
        .random(OS)
        .mark(DEFAULT),
        Row::new(Group::One, "uuid_v7", WHO, "now_v7", v7, || {
            each(Uuid::now_v7, plain)
        })
        .clock(Clock::Real)
        .random(THREAD_RNG)
        .state(State::Mutex)
        .mark(FROZEN),
        Row::new(
            Group::One,
            "uuid_v7",
            WHO,
            "new_v7 of ContextV7",
            v7,
            || {
                let context = ContextV7::new();
                each(move || Uuid::new_v7(Timestamp::now(&context)), plain)
            },
        )
        .clock(Clock::Real)
        .random(THREAD_RNG)
        .state(State::Local)
        .mark(FROZEN),
        Row::new(
            Group::One,
            "uuid_v7",
            WHO,
            "new_v7 of ContextV7",
            v7,
            move || {
                let (context, fed) = (ContextV7::new(), Fed::new());
                let next = move || {
                    let (seconds, ns) = fed.parts();
                    Uuid::new_v7(Timestamp::from_unix(&context, seconds, ns))
                };
                each(next, plain)
            },
        )
        .clock(Clock::Manual)
        .random(THREAD_RNG)
        .state(State::Local)
        .mark(FROZEN),
        Row::new(
            Group::One,
            "uuid_v7",
            WHO,
            "new_v7 of NoContext",
            unique(Shape::Uuid(7)),
            || each(|| Uuid::new_v7(Timestamp::now(NoContext)), plain),
        )
        .clock(Clock::Real)
        .random(THREAD_RNG)
        .state(State::ThreadLocal)
        .mark(UNORDERED),
        Row::new(
            Group::Text,
            "uuid",
            WHO,
            "encode_lower",
            Check::Same(fixtures::uuid_texts),
            || {
                let ids = fixtures::uuids()
                    .into_iter()
                    .map(|id| Uuid::from_u128(id.0));
                let encode = |id: &Uuid, out: &mut [u8; 36]| {
                    id.as_hyphenated().encode_lower(out);
                };
                turn(ids.collect(), [0; 36], encode, |text| Plain::new(text))
            },
        ),
        Row::new(
            Group::Parse,
            "uuid",
            WHO,
            "parse_str",
            Check::Same(fixtures::uuid_bytes),
            || {
                let texts = fixtures::texts(fixtures::uuids());
                let parse = |text: &String, out: &mut Uuid| {
                    *out = Uuid::parse_str(text).expect("the text of a UUID");
                };
                turn(texts, Uuid::nil(), parse, plain)
            },
        ),
    ]
}
