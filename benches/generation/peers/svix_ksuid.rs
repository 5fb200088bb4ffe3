//! `svix-ksuid`.

use crate::check::{Check, Shape, unique};
use crate::clocks::Fed;
use crate::fixtures;
use crate::row::{Clock, Group, Mark, OS, Row, Who};
use crate::work::{Plain, each, turn};
use svix_ksuid::{Ksuid, KsuidLike};

const WHO: Who = Who::Peer("svix-ksuid");
const WRAPS_TIME: Mark = Mark("Instants before 2014-05-13 wrap to the far future.");
const WRAPS: Mark = Mark("Takes texts above aWgEPTl1tmebfsQzFP4bxwgy80V, which wrap.");

fn plain(id: &Ksuid) -> Plain {
    Plain::new(id.bytes())
}

/// Its rows.
pub fn rows() -> Vec<Row> {
    vec![
        Row::new(
            Group::One,
            "ksuid",
            WHO,
            "now",
            unique(Shape::Ksuid),
            || each(|| Ksuid::now(None), plain),
        )
        .clock(Clock::Real)
        .random(OS)
        .mark(WRAPS_TIME),
        Row::new(
            Group::One,
            "ksuid",
            WHO,
            "from_seconds",
            unique(Shape::Ksuid),
            || {
                let fed = Fed::new();
                each(
                    move || Ksuid::from_seconds(Some(fed.seconds() as i64), None),
                    plain,
                )
            },
        )
        .clock(Clock::Manual)
        .random(OS)
        .mark(WRAPS_TIME),
        Row::new(
            Group::Text,
            "ksuid",
            WHO,
            "to_base62",
            Check::Same(fixtures::ksuid_texts),
            || {
                let ids = fixtures::ksuids().into_iter();
                let ids = ids.map(|id| {
                    id.to_string()
                        .parse::<Ksuid>()
                        .expect("the text of a KSUID")
                });
                let encode = |id: &Ksuid, out: &mut [u8; 27]| {
                    out.copy_from_slice(id.to_base62().as_bytes());
                };
                turn(ids.collect(), [0; 27], encode, |text| Plain::new(text))
            },
        ),
        Row::new(
            Group::Parse,
            "ksuid",
            WHO,
            "from_base62",
            Check::Same(fixtures::ksuid_bytes),
            || {
                let texts = fixtures::texts(fixtures::ksuids());
                let parse = |text: &String, out: &mut Ksuid| {
                    *out = Ksuid::from_base62(text).expect("the text of a KSUID");
                };
                turn(texts, Ksuid::from_bytes([0; 20]), parse, plain)
            },
        )
        .mark(WRAPS),
    ]
}
