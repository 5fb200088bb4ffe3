//! Ids whose text tells them: by alphabet and length.

use super::{Fit, IMPLAUSIBLE_BITS, span_of};
use crate::dump::{Head, Kind};
use crate::id::{Cuid2, Id};

/// The schemes of this kind.
pub fn fits(kind: Kind, head: &Head) -> Vec<Fit> {
    let specs: &[(&str, &str)] = match kind {
        Kind::Ulid => &[
            ("ulid", "26 characters of base 32"),
            (
                "ulid:tail=monotonic",
                "26 characters of base 32; steps of 1 show only within a millisecond",
            ),
        ],
        Kind::Ksuid => &[("ksuid", "27 characters of base 62")],
        Kind::ObjectId => &[("object_id", "24 hex digits")],
        Kind::Xid => &[("xid", "20 characters of base 32, the last one 0 or g")],
        Kind::Scru128 => &[("scru128", "25 characters of base 36")],
        Kind::PushId => &[("push_id", "20 characters of base 64")],
        Kind::NanoId => &[("nanoid", "21 characters of base 64")],
        Kind::PublicId => &[("public_id", "22 characters of base 62")],
        Kind::Cuid2 => &[("cuid2", "24 characters of base 36, a letter first")],
        _ => &[],
    };
    let counts = kind == Kind::Ulid && steps_by_one(head);
    let specs = specs
        .iter()
        .filter(|(spec, _)| !counts || spec.ends_with("monotonic"));
    let fit = |(spec, why): &(&str, &str)| {
        let (span, plausible) = match head {
            Head::Bytes8(keys) => span_of(spec, keys),
            Head::Bytes16(keys) => span_of(spec, keys),
            Head::Bytes20(keys) => span_of(spec, keys),
        }?;
        let mut bits = if plausible { 0.0 } else { IMPLAUSIBLE_BITS };
        if kind == Kind::Cuid2 {
            bits += luck_of_hex(head);
        }
        let instants = match plausible {
            true => "",
            false => ", but its instants are not plausible",
        };
        Some(Fit {
            spec: (*spec).to_owned(),
            also: Vec::new(),
            kind,
            bits,
            span,
            is_future: false,
            why: match counts {
                true => "26 characters of base 32, steps of 1 within a millisecond".to_owned(),
                false => format!("{why}{instants}"),
            },
        })
    };
    specs.filter_map(fit).collect()
}

/// Whether any two ids are neighbours.
fn steps_by_one(head: &Head) -> bool {
    let Head::Bytes16(keys) = head else {
        return false;
    };
    let mut sorted = keys.clone();
    sorted.sort_unstable();
    sorted.windows(2).any(|pair| pair[1] - pair[0] == 1)
}

/// What speaks against cuid2s of hex digits alone: each is one with odds of 16 in 36.
fn luck_of_hex(head: &Head) -> f64 {
    let Head::Bytes16(keys) = head else {
        return 0.0;
    };
    let hex = |key: &u128| {
        let text = Cuid2::from_key(*key).to_string();
        text.bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    match keys.iter().all(hex) {
        true => keys.len() as f64 * 24.0 * libm::log2(36.0 / 16.0),
        false => 0.0,
    }
}
