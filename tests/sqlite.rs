//! The trees against SQLite 3.40.1, page for page: it loaded the same streams
//! into a fresh table, in order, by one connection.

use idlab::engine::EngineOptions;
use idlab::id::{Column, Key};
use idlab::reference::Reference;
use idlab::source::{AnySource, Source, Stream};
use idlab::store::{SqliteIndexed, SqliteLayout, SqliteTree, Uniqueness};

/// Table, stream, rows, page size and payload in bytes; then of each tree what
/// SQLite's `dbstat` says: leaf pages, internal pages, levels; how full leaves
/// and internal pages are (%); entries of a leaf at the 5th, 50th and 95th
/// percentile; and if the file holds one tree, the share of leaves that do not
/// follow the leaf before in the file (%).
///
/// `ipk` is `id INTEGER PRIMARY KEY`, `wr` is `WITHOUT ROWID`, `uidx` is a table
/// with a unique index: first the table, then the index.
const MEASURED: &str = "
ipk seq8 1000000 4096 100 | 27028 69 3 99.542 86.201 37 37 37 0.248
ipk snow8_w16_s0_r10000 1000000 4096 100 | 31009 131 3 91.525 86.976 27 31 35 0.416
ipk snow8_w16_s2_r10000 1000000 4096 100 | 31072 131 3 91.339 87.152 31 31 35 0.415
ipk snow8_w16_s50_r10000 1000000 4096 100 | 31299 132 3 90.678 87.124 26 33 35 83.178
ipk block8_p16_b1000 1000000 4096 100 | 29877 76 3 90.069 86.511 32 33 37 98.989
ipk rand8 1000000 4096 100 | 32002 131 3 88.685 89.706 20 32 35 99.956
ipk seq8 100000 4096 100 | 2703 8 3 99.400 73.148 37 37 37 0.222
ipk snow8_w16_s0_r10000 100000 4096 100 | 3103 14 3 91.463 81.435 27 31 35 0.387
ipk snow8_w16_s2_r10000 100000 4096 100 | 3102 14 3 91.492 81.409 31 31 35 0.387
ipk snow8_w16_s50_r10000 100000 4096 100 | 3138 14 3 90.445 82.350 26 33 35 83.551
ipk block8_p16_b1000 100000 4096 100 | 2979 8 3 90.209 80.591 32 33 37 98.355
ipk rand8 100000 4096 100 | 3195 14 3 88.829 83.800 20 33 35 99.750
ipk seq8 1000000 8192 100 | 13511 18 3 99.466 82.456 74 74 74 0.118
ipk seq8 1000000 16384 100 | 6756 5 3 99.410 74.153 148 148 148 0.044
ipk seq8 1000000 4096 400 | 111112 280 3 90.499 87.326 9 9 9 0.250
ipk rand8 1000000 8192 100 | 15873 32 3 89.301 90.922 49 65 70 99.918
ipk rand8 1000000 4096 32 | 12953 54 3 88.767 88.086 58 80 86 99.876
ipk rand8 1000000 4096 400 | 125794 508 4 81.125 90.928 5 8 9 99.996
ipk block8_p16_b1000 1000000 8192 100 | 15130 20 3 88.833 83.104 57 65 74 96.933
ipk block8_p16_b1000 1000000 16384 100 | 7783 6 3 86.299 71.193 74 130 147 91.956
ipk block8_p16_b1000 1000000 4096 32 | 11374 30 3 88.166 83.444 69 87 98 95.076
ipk block8_p16_b1000 1000000 4096 400 | 120976 294 3 83.136 90.541 8 8 9 99.907
ipk snow8_w16_s50_r10000 1000000 8192 100 | 15529 34 3 91.283 83.772 56 64 70 18.779
ipk snow8_w16_s50_r10000 1000000 16384 100 | 7669 9 3 92.370 78.076 123 128 141 0.313
ipk snow8_w16_s50_r10000 1000000 4096 32 | 12648 54 3 90.918 86.061 70 79 86 7.883
ipk snow8_w16_s50_r10000 1000000 4096 400 | 123593 520 4 82.568 87.333 5 8 9 99.400
wr uuid4 1000000 4096 100 | 33086 1165 5 87.954 88.347 17 30 33 99.964
wr uuid7_r1000 1000000 4096 100 | 33333 1192 5 87.281 86.995 29 29 29 3.444
wr uuid7_r10000 1000000 4096 100 | 33333 1192 5 87.281 86.995 29 29 29 3.444
wr uuid7c_r10000 1000000 4096 100 | 33333 1192 5 87.281 86.995 29 29 29 3.444
wr ulid_r10000 1000000 4096 100 | 33333 1192 5 87.281 86.995 29 29 29 3.444
wr ksuid20_r10000 1000000 4096 100 | 34062 1230 5 88.123 88.858 17 29 32 97.152
wr uuid7_w16_s50_r10000 1000000 4096 100 | 32429 1160 5 89.793 86.970 24 30 33 85.004
wr uuid4 100000 4096 100 | 3309 116 4 87.944 88.713 17 30 33 99.698
wr uuid7_r1000 100000 4096 100 | 3333 120 4 87.290 86.386 29 29 29 3.421
wr uuid7_r10000 100000 4096 100 | 3333 120 4 87.290 86.386 29 29 29 3.421
wr uuid7c_r10000 100000 4096 100 | 3333 120 4 87.290 86.386 29 29 29 3.421
wr ulid_r10000 100000 4096 100 | 3333 120 4 87.290 86.386 29 29 29 3.421
wr ksuid20_r10000 100000 4096 100 | 3410 123 4 88.022 88.934 17 29 32 96.773
wr uuid7_w16_s50_r10000 100000 4096 100 | 3243 117 4 89.791 86.208 23 31 33 84.269
wr uuid4 1000000 8192 100 | 16651 287 4 88.769 90.085 39 61 66 99.940
wr uuid4 1000000 4096 32 | 14669 237 4 88.751 87.931 49 70 75 99.884
wr uuid4 1000000 4096 400 | 114535 14740 7 80.223 81.486 4 8 9 99.996
wr uuid7_r10000 1000000 8192 100 | 16949 303 4 87.184 86.861 58 58 58 1.747
wr uuid7_r10000 1000000 16384 100 | 8475 76 3 87.880 86.502 117 117 117 0.873
wr uuid7_r10000 1000000 4096 32 | 14925 242 4 87.209 87.618 66 66 66 1.581
wr uuid7_r10000 1000000 4096 400 | 111110 13891 7 83.009 83.872 8 8 8 11.111
wr ksuid20_r10000 1000000 8192 100 | 17144 303 4 88.975 90.621 39 59 64 92.183
wr ksuid20_r10000 1000000 16384 100 | 8582 79 3 89.596 86.922 96 119 128 81.937
wr ksuid20_r10000 1000000 4096 400 | 114494 14677 7 81.011 82.568 4 8 9 99.723
wr uuid7_w16_s50_r10000 1000000 8192 100 | 16256 291 4 90.960 86.744 52 61 66 23.316
wr uuid7_w16_s50_r10000 1000000 4096 32 | 14311 232 4 90.999 87.634 60 69 75 14.822
wr uuid7_w16_s50_r10000 1000000 4096 400 | 112762 13842 7 81.644 85.415 4 8 9 99.464
uidx seq8 1000000 4096 100 | 27778 71 3 99.468 86.098 36 36 36 | 3326 16 3 87.505 81.192 298 298 298
uidx snow8_w16_s0_r10000 1000000 4096 100 | 29412 75 3 98.130 86.300 34 34 34 | 4730 29 3 87.357 83.776 210 210 210
uidx snow8_w16_s2_r10000 1000000 4096 100 | 29412 75 3 98.130 86.300 34 34 34 | 4730 29 3 87.357 83.776 210 210 210
uidx snow8_w16_s50_r10000 1000000 4096 100 | 29412 75 3 98.130 86.300 34 34 34 | 4325 26 3 95.558 85.431 210 237 240
uidx block8_p16_b1000 1000000 4096 100 | 27778 71 3 99.468 86.098 36 36 36 | 3315 16 3 87.796 80.923 170 314 340
uidx rand8 1000000 4096 100 | 29412 75 3 98.130 86.300 34 34 34 | 4537 27 3 91.083 86.301 181 226 240
uidx uuid4 1000000 4096 100 | 31250 79 3 98.620 87.048 32 32 32 | 6717 54 3 90.333 88.235 122 153 163
uidx uuid7_r1000 1000000 4096 100 | 31250 79 3 98.620 87.048 32 32 32 | 6935 57 3 87.480 86.328 143 143 143
uidx uuid7_r10000 1000000 4096 100 | 31250 79 3 98.620 87.048 32 32 32 | 6935 57 3 87.480 86.328 143 143 143
uidx uuid7c_r10000 1000000 4096 100 | 31250 79 3 98.620 87.048 32 32 32 | 6935 57 3 87.480 86.328 143 143 143
uidx ulid_r10000 1000000 4096 100 | 31250 79 3 98.620 87.048 32 32 32 | 6935 57 3 87.480 86.328 143 143 143
uidx ksuid20_r10000 1000000 4096 100 | 32259 82 3 98.569 86.573 31 31 31 | 7842 73 3 89.670 86.749 104 130 140
uidx uuid7_w16_s50_r10000 1000000 4096 100 | 31250 79 3 98.620 87.048 32 32 32 | 6575 54 3 92.293 86.393 143 149 163
uidx seq8 100000 4096 100 | 2778 8 3 99.070 75.171 36 36 36 | 316 3 3 87.546 39.827 298 298 357
uidx snow8_w16_s0_r10000 100000 4096 100 | 2942 8 3 97.980 79.593 34 34 34 | 464 4 3 87.506 58.752 210 210 224
uidx snow8_w16_s2_r10000 100000 4096 100 | 2942 8 3 97.980 79.593 34 34 34 | 464 4 3 87.506 58.752 210 210 224
uidx snow8_w16_s50_r10000 100000 4096 100 | 2942 8 3 97.980 79.593 34 34 34 | 423 4 3 96.008 53.558 210 239 255
uidx block8_p16_b1000 100000 4096 100 | 2778 8 3 99.070 75.168 36 36 36 | 316 3 3 87.546 39.827 170 324 402
uidx rand8 100000 4096 100 | 2942 8 3 97.980 79.593 34 34 34 | 445 4 3 91.252 56.305 185 229 244
uidx uuid4 100000 4096 100 | 3125 9 3 98.504 75.168 32 32 32 | 659 7 3 90.994 66.033 124 156 165
uidx uuid7_r1000 100000 4096 100 | 3125 9 3 98.504 75.168 32 32 32 | 685 7 3 87.524 68.715 143 143 149
uidx uuid7_r10000 100000 4096 100 | 3125 9 3 98.504 75.168 32 32 32 | 685 7 3 87.524 68.715 143 143 149
uidx uuid7c_r10000 100000 4096 100 | 3125 9 3 98.504 75.168 32 32 32 | 685 7 3 87.524 68.715 143 143 149
uidx ulid_r10000 100000 4096 100 | 3125 9 3 98.504 75.168 32 32 32 | 685 7 3 87.524 68.715 143 143 149
uidx ksuid20_r10000 100000 4096 100 | 3226 9 3 98.453 77.585 31 31 31 | 771 8 3 90.284 77.094 106 132 144
uidx uuid7_w16_s50_r10000 100000 4096 100 | 3125 9 3 98.504 75.168 32 32 32 | 650 6 3 92.258 76.038 143 150 169
";

/// What is compared, as the measurements are written.
fn describe<K: Key>(tree: &SqliteTree<K>) -> String {
    let (leaf_pages, internal_pages) = (tree.leaf_pages(), tree.internal_pages());
    let page_bytes = u64::from(tree.page_bytes());
    assert_eq!(
        tree.index_bytes(),
        page_bytes * (leaf_pages + internal_pages)
    );
    let percent = |part: u64, whole: u64| 100.0 * part as f64 / whole as f64;
    let leaves: Vec<_> = tree.leaves().collect();
    assert_eq!(leaves.len() as u64, leaf_pages);
    let leaf_bytes = 8 * leaf_pages + leaves.iter().map(|leaf| u64::from(leaf.2)).sum::<u64>();
    let internal_bytes = 12 * internal_pages + tree.internal_used_bytes();
    let mut entries: Vec<_> = leaves.iter().map(|leaf| leaf.1).collect();
    entries.sort_unstable();
    let [p05, p50, p95] = [5, 50, 95].map(|p| entries[(entries.len() * p).div_ceil(100) - 1]);
    format!(
        "{leaf_pages} {internal_pages} {} {:.3} {:.3} {p05} {p50} {p95}",
        tree.tree_level() + 1,
        percent(leaf_bytes, leaf_pages * page_bytes),
        percent(internal_bytes, internal_pages * page_bytes),
    )
}

/// The share of leaves that do not follow the leaf before in the file.
fn apart<K: Key>(tree: &SqliteTree<K>) -> String {
    let numbers: Vec<_> = tree.leaves().map(|leaf| leaf.0).collect();
    let apart = numbers.windows(2).filter(|pair| pair[1] != pair[0] + 1);
    format!(
        "{:.3}",
        100.0 * apart.count() as f64 / (numbers.len() - 1) as f64
    )
}

fn load<K: Key>(
    table: &str,
    mut source: Box<dyn Source<K>>,
    column: Column,
    rows: u64,
    options: EngineOptions,
) -> String {
    let mut keys = Vec::new();
    source.fill(&mut keys, rows as usize).unwrap();
    if table == "uidx" {
        let mut table = SqliteIndexed::new(column, options, Uniqueness::Promised).unwrap();
        table.insert_all(&keys, &mut ());
        return format!("{} | {}", describe(table.table()), describe(table.index()));
    }
    let layout = match table {
        "ipk" => SqliteLayout::Rowid,
        _ => SqliteLayout::WithoutRowid,
    };
    let mut tree = SqliteTree::new(layout, column, options, Uniqueness::Promised).unwrap();
    tree.insert_all(&keys, &mut ());
    format!("{} {}", describe(&tree), apart(&tree))
}

/// Loads the tables of one kind again and compares all that was measured.
fn check(table: &str) {
    let measured = MEASURED.lines().filter_map(|line| line.split_once(" | "));
    for (load_of, expected) in measured {
        let words: Vec<_> = load_of.split(' ').collect();
        if words[0] != table {
            continue;
        }
        let [rows, page_bytes, payload_bytes] = [2, 3, 4].map(|i| words[i].parse().unwrap());
        let options = EngineOptions {
            page_bytes: Some(page_bytes),
            payload_bytes,
            ..Default::default()
        };
        let stream = Stream::from(Reference::new(words[1], 1).unwrap());
        let (column, rows) = (stream.column, u64::from(rows));
        let found = match stream.keys {
            AnySource::Bytes8(source) => load(table, source, column, rows, options),
            AnySource::Bytes16(source) => load(table, source, column, rows, options),
            AnySource::Bytes20(source) => load(table, source, column, rows, options),
        };
        assert_eq!(found, expected, "{load_of}");
    }
}

#[test]
fn rowid_tables_are_exact() {
    check("ipk");
}

#[test]
fn tables_without_rowid_are_exact() {
    check("wr");
}

#[test]
fn tables_with_a_unique_index_are_exact() {
    check("uidx");
}
