//! Ids and texts that encoders and parsers are timed with: the same for everyone.

use crate::row::CHUNK;
use crate::work::Plain;
use idlab::id::{Key20, Ksuid, Number, Ulid, Uuid};
use idlab::random::{bits128, stream};
use rand::Rng;

fn bits() -> impl Iterator<Item = u128> {
    let mut random = stream(1, "fixtures", 0);
    (0..CHUNK).map(move |_| bits128(&mut random))
}

/// UUIDs of version 4.
pub fn uuids() -> Vec<Uuid> {
    bits().map(|bits| Uuid(bits).with_version(4)).collect()
}

/// ULIDs.
pub fn ulids() -> Vec<Ulid> {
    bits().map(Ulid).collect()
}

/// KSUIDs.
pub fn ksuids() -> Vec<Ksuid> {
    let mut random = stream(1, "fixtures", 1);
    // The upper half of all seconds is after the last text that every peer takes.
    let id = |bits| Ksuid(Key20::new(random.next_u32() >> 1, bits));
    bits().map(id).collect()
}

/// Numbers of 63 bits.
pub fn numbers() -> Vec<Number> {
    bits().map(|bits| Number((bits >> 65) as u64)).collect()
}

/// The text of each id, as this crate displays it.
pub fn texts<I: ToString>(ids: Vec<I>) -> Vec<String> {
    ids.iter().map(I::to_string).collect()
}

/// What encoders of UUIDs are held to.
pub fn uuid_texts() -> Vec<Plain> {
    plain(texts(uuids()))
}

/// What encoders of ULIDs are held to.
pub fn ulid_texts() -> Vec<Plain> {
    plain(texts(ulids()))
}

/// What encoders of KSUIDs are held to.
pub fn ksuid_texts() -> Vec<Plain> {
    plain(texts(ksuids()))
}

fn plain(texts: Vec<String>) -> Vec<Plain> {
    texts
        .iter()
        .map(|text| Plain::new(text.as_bytes()))
        .collect()
}

/// What parsers of UUIDs are held to.
pub fn uuid_bytes() -> Vec<Plain> {
    uuids().into_iter().map(crate::ours::plain).collect()
}

/// What parsers of ULIDs are held to.
pub fn ulid_bytes() -> Vec<Plain> {
    ulids().into_iter().map(crate::ours::plain).collect()
}

/// What parsers of KSUIDs are held to.
pub fn ksuid_bytes() -> Vec<Plain> {
    ksuids().into_iter().map(crate::ours::plain).collect()
}

/// What parsers of numbers are held to.
pub fn number_bytes() -> Vec<Plain> {
    numbers().into_iter().map(crate::ours::plain).collect()
}
