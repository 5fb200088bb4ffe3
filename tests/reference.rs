//! The tree against PostgreSQL, page for page: releases 15.20 and 18.4 loaded the
//! same streams into a fresh table's primary key, in order, by one connection.

use idlab::engine::{EngineOptions, Geometry, POSTGRES};
use idlab::id::Key;
use idlab::measure::{Rows, measure_tree};
use idlab::record::Parameters;
use idlab::reference::Reference;
use idlab::source::{AnySource, Source, Stream};
use idlab::store::Uniqueness;

/// Stream, rows; leaf pages, internal pages, level of the root, splits whose new
/// entry went left and right; in 0.01 %: the share of leaves whose right neighbour
/// is older, and the leaf density, all as PostgreSQL 18.4 reported them (15.20
/// agrees on pages and splits; it counts a free line pointer into the density).
const MEASURED: &[(&str, u64, [u64; 5], [u64; 2])] = &[
    ("seq8", 1_000_000, [2733, 11, 2, 0, 2741], [0, 9001]),
    (
        "snow8_w16_s0_r10000",
        1_000_000,
        [2733, 11, 2, 0, 2741],
        [0, 9001],
    ),
    (
        "snow8_w16_s2_r10000",
        1_000_000,
        [2733, 11, 2, 1, 2740],
        [0, 9001],
    ),
    (
        "snow8_w16_s50_r10000",
        1_000_000,
        [3555, 14, 2, 1881, 1685],
        [3333, 6926],
    ),
    (
        "block8_p16_b1000",
        1_000_000,
        [4324, 16, 2, 472, 3865],
        [2296, 5698],
    ),
    ("rand8", 1_000_000, [3785, 12, 2, 1922, 1872], [4975, 6506]),
    ("uuid4", 1_000_000, [4819, 24, 2, 2380, 2460], [4995, 7162]),
    ("uuid7_r1000", 1_000_000, [3832, 20, 2, 0, 3849], [0, 8998]),
    ("uuid7_r10000", 1_000_000, [3832, 20, 2, 0, 3849], [0, 8998]),
    (
        "uuid7c_r10000",
        1_000_000,
        [3832, 20, 2, 0, 3849],
        [0, 8998],
    ),
    (
        "uuid7_w16_s50_r10000",
        1_000_000,
        [4318, 22, 2, 2142, 2195],
        [3326, 7989],
    ),
    ("ulid_r10000", 1_000_000, [4926, 32, 2, 0, 4955], [0, 9009]),
    (
        "ksuid20_r10000",
        1_000_000,
        [6527, 42, 2, 3248, 3318],
        [4964, 6810],
    ),
    ("uuid4", 100_000, [555, 4, 2, 272, 284], [4937, 6223]),
    ("rand8", 100_000, [307, 1, 1, 157, 149], [5049, 8016]),
    (
        "ksuid20_r10000",
        100_000,
        [667, 5, 2, 341, 328],
        [4993, 6665],
    ),
    (
        "uuid7_w16_s50_r10000",
        100_000,
        [438, 3, 2, 211, 227],
        [3356, 7876],
    ),
];

/// All that is compared, from the rows that `sim btree` writes.
fn measure<K: Key>(
    mut source: Box<dyn Source<K>>,
    rows: u64,
    geometry: Geometry,
) -> ([u64; 5], [u64; 2]) {
    let mut found = Rows::new("", "", "", Parameters::new());
    let unique = Uniqueness::Promised;
    measure_tree(
        &mut *source,
        Some(rows),
        geometry,
        unique,
        &mut found,
        |_| {},
    )
    .unwrap();
    let found = found.into_rows();
    let total = |measure: &str| {
        let row = found
            .iter()
            .find(|row| row.measure == measure && row.x.is_none());
        row.unwrap().value.as_f64()
    };
    let whole = |measure| total(measure) as u64;
    let per_10_000 = |measure| (total(measure) * 10_000.0).round() as u64;
    let [leaves, internal] = ["leaf_pages", "internal_pages"].map(whole);
    assert_eq!(whole("index_bytes"), 8192 * (1 + leaves + internal));
    let left = whole("left_splits");
    let right = whole("leaf_splits") + whole("internal_splits") - left;
    let shares = ["fragmentation_share", "fill_mean"].map(per_10_000);
    ([leaves, internal, whole("tree_level"), left, right], shares)
}

#[test]
fn postgres_pages_and_splits_are_exact() {
    for &(name, rows, pages, shares) in MEASURED {
        let stream = Stream::from(Reference::new(name, 1).unwrap());
        let geometry = Geometry::new(&POSTGRES, stream.column, EngineOptions::default()).unwrap();
        let found = match stream.keys {
            AnySource::Bytes8(source) => measure(source, rows, geometry),
            AnySource::Bytes16(source) => measure(source, rows, geometry),
            AnySource::Bytes20(source) => measure(source, rows, geometry),
        };
        assert_eq!(found, (pages, shares), "{name}, {rows} rows");
    }
}
