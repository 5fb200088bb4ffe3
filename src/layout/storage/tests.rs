//! Against the trees themselves.

use super::*;
use crate::engine::TEXTBOOK;
use crate::random;
use crate::store::{BTree, InnoDb};
use rand::Rng;
use rayon::prelude::*;

const ROWS: u64 = 200_000;
const COLUMNS: [Column; 4] = [
    Column::Bigint,
    Column::Uuid,
    Column::Bytes(20),
    Column::Text(36),
];

/// Pages of a tree of so many rows.
fn load(mut tree: impl crate::store::Tree<u64>, rows: u64, arrival: Arrival, seed: u64) -> f64 {
    let mut random = random::stream(seed, "layout", 0);
    let keys: Vec<u64> = match arrival {
        Arrival::InOrder => (0..rows).map(|i| WIDE_ID + i).collect(),
        Arrival::AtRandom => (0..rows).map(|_| random.next_u64() >> 1).collect(),
    };
    tree.insert_all(&keys, &mut ());
    let size = tree.size();
    (size.leaf_pages + size.internal_pages) as f64
}

fn postgres(column: Column, rows: u64, arrival: Arrival, seed: u64) -> f64 {
    let geometry = Geometry::new(&POSTGRES, column, EngineOptions::default()).unwrap();
    let tree = BTree::new(geometry, Uniqueness::Promised);
    geometry.meta_pages as f64 + load(tree, rows, arrival, seed)
}

fn in_innodb(index: InnoDbIndex, column: Column, rows: u64, arrival: Arrival, seed: u64) -> f64 {
    let format = InnoDbFormat::new(index, column, INNODB.page_bytes).unwrap();
    load(InnoDb::new(format), rows, arrival, seed)
}

fn in_sqlite(layout: SqliteLayout, column: Column, rows: u64, arrival: Arrival, seed: u64) -> f64 {
    let options = EngineOptions::default();
    let tree = SqliteTree::new(layout, column, options, Uniqueness::Promised).unwrap();
    load(tree, rows, arrival, seed)
}

const INNODB_INDEXES: [InnoDbIndex; 3] = [
    InnoDbIndex::Clustered { payload_bytes: 0 },
    InnoDbIndex::Secondary {
        primary_key_bytes: 8,
    },
    InnoDbIndex::Secondary {
        primary_key_bytes: 36,
    },
];

/// Page for page.
#[test]
fn postgres_and_innodb_in_order_are_the_trees() {
    let order = Arrival::InOrder;
    let rows = [1, 100, 291, 292, 1000, 60_000, ROWS];
    let cases: Vec<_> = (COLUMNS.iter())
        .flat_map(|column| rows.map(|rows| (*column, rows)))
        .collect();
    cases.into_par_iter().for_each(|(column, rows)| {
        let found = nbtree(&POSTGRES, column, rows, order).unwrap();
        let expected = postgres(column, rows, order, 0);
        assert_eq!(found, expected, "postgres, {column}, {rows}");
        for index in INNODB_INDEXES {
            let found = innodb(index, column, rows, order).unwrap();
            let expected = in_innodb(index, column, rows, order, 0);
            assert_eq!(found, expected, "innodb, {index:?}, {column}, {rows}");
        }
    });
}

/// Within 1 %, and 4 pages: what precedes the rule's steady state.
#[test]
fn sqlite_in_order_is_the_tree_but_for_a_hundredth() {
    let order = Arrival::InOrder;
    let cases: Vec<_> = (COLUMNS.iter())
        .flat_map(|column| [1, 200, 1000, 60_000, ROWS].map(|rows| (*column, rows)))
        .collect();
    cases.into_par_iter().for_each(|(column, rows)| {
        let index = SqliteLayout::UniqueIndex;
        let mut layouts = vec![index];
        layouts.extend((column == Column::Bigint).then_some(SqliteLayout::Rowid));
        for layout in layouts {
            let found = sqlite(layout, column, false, rows, order).unwrap();
            let expected = in_sqlite(layout, column, rows, order, 0);
            assert!(
                (found - expected).abs() <= 0.01 * expected + 4.0,
                "{layout:?}, {column}, {rows}: {found}, the tree has {expected}"
            );
        }
    });
}

/// The mean of 8 trees within 5 % (PostgreSQL's and InnoDB's vary by some 3 %, so their mean
/// by 1 %), each of SQLite's within 3 %.
#[test]
fn trees_at_random_are_as_expected() {
    let (rows, order) = (60_000, Arrival::AtRandom);
    for column in [Column::Bigint, Column::Uuid, Column::Text(36)] {
        let close = |name: &str, found: f64, tree: &(dyn Fn(u64) -> f64 + Sync)| {
            let mean = (0..8).into_par_iter().map(tree).sum::<f64>() / 8.0;
            assert!(
                (found / mean - 1.0).abs() < 0.05,
                "{name}, {column}: {found}, the trees have {mean}"
            );
        };
        let found = nbtree(&POSTGRES, column, rows, order).unwrap();
        close("postgres", found, &|seed| {
            postgres(column, rows, order, seed)
        });
        for index in INNODB_INDEXES {
            let found = innodb(index, column, rows, order).unwrap();
            let tree = |seed| in_innodb(index, column, rows, order, seed);
            close(&format!("innodb, {index:?}"), found, &tree);
        }
    }
    let index = COLUMNS.map(|column| (SqliteLayout::UniqueIndex, column));
    for (layout, column) in index
        .into_iter()
        .chain([(SqliteLayout::Rowid, Column::Bigint)])
    {
        let is_rowid = layout == SqliteLayout::Rowid;
        let found = sqlite(layout, column, is_rowid, ROWS, order).unwrap();
        let tree = in_sqlite(layout, column, ROWS, order, 1);
        assert!(
            (found / tree - 1.0).abs() < 0.03,
            "{layout:?}, {column}: {found}, the tree has {tree}"
        );
    }
}

#[test]
fn what_a_table_takes_is_the_sum_of_its_copies() {
    // 28 bytes an entry, 261 a leaf, 204 children: 1 + 3,831,418 + 18,782 + 92 + 1 pages.
    let pages = nbtree(&POSTGRES, Column::Uuid, 1_000_000_000, Arrival::InOrder);
    assert_eq!(pages, Ok(3_850_294.0));
    let table = Table {
        rows: 5_000,
        secondary: 4,
        foreign: 3,
    };
    assert_eq!(table.raw_bytes(16), 640_000);
    let of = |engine, column| Storage::new(engine, column, table).unwrap();
    for engine in ENGINES {
        let [narrow, wide] = [Column::Bigint, Column::Uuid].map(|column| of(engine, column));
        assert!(narrow[0].total_bytes() < wide[0].total_bytes());
    }
    let [in_order, at_random] = of(&POSTGRES, Column::Uuid);
    assert_eq!(in_order.primary_bytes, 22.0 * 8192.0);
    assert_eq!(in_order.foreign_bytes, 3.0 * in_order.primary_bytes);
    assert_eq!(in_order.column_bytes, 4.0 * 16.0 * 5e3);
    assert_eq!(in_order.secondary_bytes, at_random.secondary_bytes);
    // A further index holds no key in PostgreSQL, and the key in InnoDB.
    let secondary = |engine, column| of(engine, column)[0].secondary_bytes;
    let [narrow, wide] =
        [Column::Bigint, Column::Text(36)].map(|column| secondary(&POSTGRES, column));
    assert_eq!(narrow, wide);
    let [narrow, wide] =
        [Column::Bigint, Column::Text(36)].map(|column| secondary(&INNODB, column));
    assert!(wide > 1.5 * narrow);
    let error = Storage::new(&TEXTBOOK, Column::Bigint, table).unwrap_err();
    assert_eq!(
        error.message,
        "textbook: sizes of its indexes are not predicted"
    );
}
