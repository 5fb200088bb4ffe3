//! The tree against InnoDB: MariaDB 10.11.19 loaded the same streams into a fresh
//! table, in order, by one connection; its page files and counters were then read.

use idlab::id::{Column, Key};
use idlab::reference::Reference;
use idlab::source::{AnySource, Source, Stream};
use idlab::store::{InnoDb, InnoDbFormat, InnoDbIndex};

/// Stream, rows, payload bytes; `index_page_splits`, `index_page_merge_attempts` and
/// `index_page_merge_successful` of all the table's trees; then of a tree the level
/// of its root, leaf pages, internal pages and the percentiles 5, 50 and 95 of the
/// records of a leaf. A table with one tree is clustered by the ids; one with two
/// by a counter, and the second tree is an index of the ids.
const MEASURED: &str = "
seq8                 1000000 100  8412    0  0  2  8404  11 119 119 119
snow8_w16_s0_r10000  1000000 100 13309 2091  3  2 10943  16   3 118 123
snow8_w16_s2_r10000  1000000 100 15241  387  1  2 14726  23   4  63 120
snow8_w16_s50_r10000 1000000 100 15716   33  3  2 15500  32   9  68 116
block8_p16_b1000     1000000 100  9363    0  0  2  9340  21  39 118 118
rand8                1000000 100 12050    7  1  2 11945  17  50  82 119
uuid4                1000000 100 12732    6  0  2 12609  33  49  78 113
uuid7_r1000          1000000 100 10145 1118  0  2  9005  16 110 112 113
uuid7_r10000         1000000 100 14205 2244  4  2 11700  23   3 110 116
uuid7c_r10000        1000000 100  8943    0  0  2  8930  16 112 112 112
ulid_r10000          1000000 100 14218 2267  5  2 11693  22   3 110 116
ksuid20_r10000       1000000 100 13101    3  1  2 12938  48  53  76 109
uuid7_w16_s50_r10000 1000000 100 14018   35  3  2 13773  40  15  74 112
seq8                 1000000 100 10266    0  0  2  8930  12 112 112 112  2  1326   4 755 755 755
uuid4                1000000 100 11918    2  0  2  9435  12 106 106 106  2  2465   9 274 433 527
uuid7_r10000         1000000 100 12764  223  1  2  9435  12 106 106 106  2  3049   8   6 275 549
uuid7_w16_s50_r10000 1000000 100 12044    0  0  2  9435  12 106 106 106  2  2596   7 352 386 413
snow8_w16_s50_r10000 1000000 100 11212    0  0  2  8930  12 112 112 112  2  2270   6 403 437 470
block8_p16_b1000     1000000 100 11674    0  0  2  8930  12 112 112 112  2  2727   9  28 246 742
ksuid20_r10000       1000000 100 12841    0  0  2  9710  12 103 103 103  2  3103  15 242 308 446
seq8                  100000 100   840    0  0  1   841   1 119 119 119
snow8_w16_s0_r10000   100000 100  1330    4  0  2  1097   3   3 117 123
snow8_w16_s2_r10000   100000 100  1495    8  0  2  1453   4   5  63 120
snow8_w16_s50_r10000  100000 100  1555    0  0  2  1534   4   8  70 116
block8_p16_b1000      100000 100   940    0  0  2   939   3  36 118 118
rand8                 100000 100  1210    2  0  2  1204   3  46  82 119
uuid4                 100000 100  1254    0  0  2  1242   3  53  80 112
uuid7_r1000           100000 100  1004    4  0  2   905   3 110 112 113
uuid7_r10000          100000 100  1431  108  0  2  1171   4   3 110 115
ksuid20_r10000        100000 100  1300    0  0  2  1286   5  55  77 109
uuid7_w16_s50_r10000  100000 100  1424    3  1  2  1402   6  14  73 111
uuid4                1000000  32  6355    2  0  2  6320  17 108 152 227
seq8                 1000000  32  3926    0  0  2  3923   6 255 255 255
uuid4                1000000 400 42214   91 27  2 41050 112  10  24  35
uuid7_r10000         1000000 400 46852 6304 20  2 40076  73   3  31  36
";

/// A tree as the page files show it.
#[derive(Debug, PartialEq)]
struct Shape {
    root_level: u64,
    leaf_pages: u64,
    percentiles: [u64; 3],
}

#[derive(Debug)]
struct Grown {
    shape: Shape,
    internal_pages: u64,
    /// Internal pages that were merged away or given up.
    given_up: u64,
    /// `index_page_splits`, `index_page_merge_attempts`, `index_page_merge_successful`.
    counters: [u64; 3],
}

fn grow<K: Key>(keys: &[K], column: Column, index: InnoDbIndex) -> Grown {
    let mut tree = InnoDb::new(InnoDbFormat::new(index, column, 16384).unwrap());
    tree.insert_all(keys, &mut ());
    assert_eq!(tree.rows(), keys.len() as u64);
    assert!(tree.keys().is_sorted());
    let mut entries: Vec<_> = tree.leaves().map(|(_, entries, _)| entries).collect();
    entries.sort_unstable();
    let percentile = |percent: usize| entries[(entries.len() * percent).div_ceil(100) - 1].into();
    let root_level = u64::from(tree.tree_level());
    let pages = tree.leaf_pages() + tree.internal_pages();
    Grown {
        shape: Shape {
            root_level,
            leaf_pages: tree.leaf_pages(),
            percentiles: [5, 50, 95].map(percentile),
        },
        internal_pages: tree.internal_pages(),
        // Each page but the first came by a split or as a new root.
        given_up: 1 + tree.splits() + root_level - pages,
        counters: [
            tree.index_page_splits(),
            tree.index_page_merge_attempts(),
            tree.merges(),
        ],
    }
}

/// The trees of a table: one, or with `index` the one of a counter and the ids' own.
fn load<K: Key>(
    mut source: Box<dyn Source<K>>,
    rows: u64,
    column: Column,
    payload_bytes: u32,
    index: bool,
) -> Vec<Grown> {
    let mut keys = Vec::new();
    source.fill(&mut keys, rows as usize).unwrap();
    if !index {
        let table = InnoDbIndex::Clustered { payload_bytes };
        return vec![grow(&keys, column, table)];
    }
    let counter: Vec<u64> = (1..=rows).collect();
    let table = InnoDbIndex::Clustered {
        // The id is one more column.
        payload_bytes: payload_bytes + column.value_bytes(),
    };
    let index = InnoDbIndex::Secondary {
        primary_key_bytes: 8,
    };
    vec![
        grow(&counter, Column::Bigint, table),
        grow(&keys, column, index),
    ]
}

#[test]
fn leaves_and_splits_are_exact() {
    for line in MEASURED.trim().lines() {
        let mut words = line.split_whitespace();
        let name = words.next().unwrap();
        let numbers: Vec<u64> = words.map(|word| word.parse().unwrap()).collect();
        let [rows, payload, splits, attempts, merges, ref trees @ ..] = numbers[..] else {
            panic!("{line}");
        };
        let stream = Stream::from(Reference::new(name, 1).unwrap());
        let (column, payload, index) = (stream.column, payload as u32, trees.len() > 6);
        let found = match stream.keys {
            AnySource::Bytes8(source) => load(source, rows, column, payload, index),
            AnySource::Bytes16(source) => load(source, rows, column, payload, index),
            AnySource::Bytes20(source) => load(source, rows, column, payload, index),
        };
        for (found, measured) in found.iter().zip(trees.chunks(6)) {
            let shape = Shape {
                root_level: measured[0],
                leaf_pages: measured[1],
                percentiles: [measured[3], measured[4], measured[5]],
            };
            assert_eq!(found.shape, shape, "{line}");
            // The count of internal pages took in those that had been given up and
            // not yet used again: it was 22 or 23, 21 or 22 on repeating a load.
            let internal = found.internal_pages..=found.internal_pages + found.given_up;
            assert!(internal.contains(&measured[2]), "{line}: {found:?}");
        }
        let [all_splits, all_attempts, all_merges] =
            [0, 1, 2].map(|counter| found.iter().map(|tree| tree.counters[counter]).sum::<u64>());
        assert_eq!((all_splits, all_merges), (splits, merges), "{line}");
        assert_eq!(all_attempts, attempts, "{line}: {found:?}");
    }
}
