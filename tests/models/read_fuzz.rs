//! Whatever is read as a list of ids, nothing panics, and memory stays bounded.
//!
//! `IDLAB_FUZZ_INPUTS=10000000 cargo test --test models read_fuzz` reads as many inputs.

use idlab::clock::Timestamp;
use idlab::dump::{Dump, KINDS, Kind};
use idlab::id::{Id, Key};
use idlab::inspect::facts::Facts;
use idlab::inspect::recognise::recognise;
use idlab::scheme::{self, Scheme, Visitor};
use idlab::source::{AnySource, Source};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use std::io::Cursor;

/// Texts of every kind, to be changed.
const TEXTS: &[&str] = &[
    "1541815603606036480",
    "18446744073709551615",
    "-42",
    "9f98e133-eb7f-45b0-9676-cce001cd6f7a",
    "{C232AB00-9414-11EC-B3C8-9F6BDECED846}",
    "urn:uuid:017f22e2-79b0-7cc3-98c4-dc0c0c07398f",
    "01ARZ3NDEKTSV4RRFFQ69G5FAV",
    "0ujtsYcgvSTl8PAuAdqWYSMnLOv",
    "01226N0640J7Q",
    "507f1f77bcf86cd799439011",
    "9m4e2mr0ui3e8a215n4g",
    "036z951mhjikzik2gsl81gr7l",
    "-JhLeOlGIEjaIOFHR0xd",
    "V1StGXR8_Z5jdHi6B-myT",
    "tz4a98xxat96iws9zmbrgj3a",
    "7n42DGM5Tflk9n8mt7Fhc7",
    "\\xdeadbeef",
    "id",
    "(2 rows)",
    "+----+",
];
const BETWEEN: &[&str] = &[
    "\n", "\r\n", ",", ", ", "\n\n", "\"", "[", "]", "\t", "|", ";", "'", "\u{feff}", "#",
];

fn inputs() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        4 => prop::sample::select(TEXTS).prop_map(|text| text.as_bytes().to_vec()),
        4 => prop::sample::select(BETWEEN).prop_map(|text| text.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..5),
    ];
    let pieces = prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat());
    let clean = (prop::sample::select(TEXTS), 1..6usize, any::<(u8, u16)>());
    // Lists of one kind in which one byte is another.
    let changed = clean.prop_map(|(text, lines, (byte, place))| {
        let mut list = format!("{text}\n").repeat(lines).into_bytes();
        let place = usize::from(place) % list.len();
        list[place] = byte;
        list
    });
    prop_oneof![
        1 => prop::collection::vec(any::<u8>(), 0..100),
        3 => pieces,
        3 => changed,
    ]
}

struct See<'a, K>(&'a [K]);

impl<K: Key> Visitor for See<'_, K> {
    type Output = u64;

    fn visit<S: Scheme>(self, scheme: S) -> u64 {
        let mut facts = Facts::new(scheme);
        let keys = self.0.iter().map(|key| {
            <S::Id as Id>::Key::from_parts(
                if K::BYTES > 16 {
                    key.field(128, 32) as u32
                } else {
                    0
                },
                key.field(0, 128),
            )
        });
        facts.see(&keys.collect::<Vec<_>>());
        if let Some(instants) = facts.instants() {
            assert_eq!(instants.parts(7).iter().sum::<u64>(), facts.ids());
            instants.longest_gap_ns();
        }
        facts.missing();
        facts
            .fields()
            .iter()
            .map(|field| field.frequent(3).len() as u64)
            .sum()
    }
}

fn drain<K: Key>(mut source: Box<dyn Source<K>>, spec: Option<&str>) -> usize {
    let mut keys = Vec::new();
    // Refused or read to its end.
    let _ = source.fill(&mut keys, 1000);
    if let Some(spec) = spec {
        scheme::visit(&spec.parse().unwrap(), See(&keys)).unwrap();
    }
    keys.len()
}

fn read(bytes: &[u8], given: &[Kind]) {
    let Ok(mut dump) = Dump::list(Cursor::new(bytes.to_vec()), given) else {
        return;
    };
    let heads: Vec<_> = dump
        .kinds()
        .into_iter()
        .map(|kind| (kind, dump.head(kind)))
        .collect();
    let found = recognise(&heads, Timestamp::from_ms(1_780_000_000_000));
    let best = found.best().map(|fit| (fit.kind, fit.spec.clone()));
    if let Some((kind, _)) = best {
        dump.choose(kind);
    }
    let spec = best.as_ref().map(|(_, spec)| &**spec);
    let ids = match dump.into_stream().keys {
        AnySource::Bytes8(source) => drain(source, spec),
        AnySource::Bytes16(source) => drain(source, spec),
        AnySource::Bytes20(source) => drain(source, spec),
    };
    assert!(ids <= bytes.len());
}

fn parse_all(bytes: &[u8]) {
    for &(_, kind) in KINDS {
        if let Ok((high, low)) = kind.parse(bytes) {
            // What is read is written so that it is read again.
            let bits = if kind == Kind::Hex(0) {
                160
            } else {
                kind.bits()
            };
            let again = |text: String| kind.parse(text.as_bytes()) == Ok((high, low));
            let kind = if kind == Kind::Hex(0) {
                Kind::Hex(bits / 8)
            } else {
                kind
            };
            assert!(
                match kind.key_bytes() {
                    8 => again(kind.text(u64::from_parts(high, low))),
                    16 => again(kind.text(u128::from_parts(high, low))),
                    _ => again(kind.text(idlab::id::Key20::new(high, low))),
                },
                "{kind} {bytes:?}"
            );
        }
    }
}

#[test]
fn nothing_that_is_read_panics() {
    let inputs_wanted = std::env::var("IDLAB_FUZZ_INPUTS")
        .ok()
        .and_then(|text| text.parse().ok());
    let config = Config {
        cases: inputs_wanted.unwrap_or(2000),
        failure_persistence: None,
        ..Config::default()
    };
    let mut runner = TestRunner::new(config);
    let result = runner.run(&inputs(), |bytes| {
        read(&bytes, &[]);
        let given = KINDS[bytes.len() % KINDS.len()].1;
        read(&bytes, &[given]);
        if let Ok(dump) = Dump::open(Cursor::new(bytes.clone()), None) {
            dump.into_stream().keys.skip(1000).ok();
        }
        parse_all(&bytes);
        bytes.split(|byte| *byte == b'\n').for_each(parse_all);
        Ok(())
    });
    result.unwrap();
}
