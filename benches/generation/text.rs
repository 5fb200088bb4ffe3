//! Rows of this crate's text forms.

use crate::check::Check;
use crate::fixtures;
use crate::ours::plain;
use crate::row::{Group, Row, Who};
use crate::work::{Plain, Turn, Work, turn};
use idlab::id::Id;

/// Every row of this crate's encoders and parsers.
pub fn rows() -> Vec<Row> {
    use fixtures as f;
    let text = |scheme, expected, make: fn() -> Box<dyn Work>| {
        Row::boxed(
            Group::Text,
            scheme,
            Who::Ours,
            "encode",
            Check::Same(expected),
            make,
        )
    };
    let parse = |scheme, expected, make: fn() -> Box<dyn Work>| {
        Row::boxed(
            Group::Parse,
            scheme,
            Who::Ours,
            "parse",
            Check::Same(expected),
            make,
        )
    };
    vec![
        text("uuid", f::uuid_texts, || {
            encode(f::uuids(), |id, out: &mut [u8; 36]| {
                id.encode(out);
            })
        }),
        text("ulid", f::ulid_texts, || {
            encode(f::ulids(), |id, out: &mut [u8; 26]| {
                id.encode(out);
            })
        }),
        text("ksuid", f::ksuid_texts, || {
            encode(f::ksuids(), |id, out: &mut [u8; 27]| {
                id.encode(out);
            })
        }),
        parse("uuid", f::uuid_bytes, || Box::new(parsed(f::uuids()))),
        parse("ulid", f::ulid_bytes, || Box::new(parsed(f::ulids()))),
        parse("ksuid", f::ksuid_bytes, || Box::new(parsed(f::ksuids()))),
        parse("number", f::number_bytes, || Box::new(parsed(f::numbers()))),
    ]
}

fn encode<I: 'static, const N: usize>(
    ids: Vec<I>,
    encode: impl Fn(&I, &mut [u8; N]) + 'static,
) -> Box<dyn Work> {
    Box::new(turn(ids, [0; N], encode, |text: &[u8; N]| Plain::new(text)))
}

fn parsed<I: Id>(
    ids: Vec<I>,
) -> Turn<String, I, impl FnMut(&String, &mut I), impl Fn(&I) -> Plain> {
    let first = ids[0];
    let parse = |text: &String, out: &mut I| *out = text.parse().expect("a text of our own");
    turn(fixtures::texts(ids), first, parse, |id: &I| plain(*id))
}
