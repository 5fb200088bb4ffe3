//! Engines inside this program against models and recorded loads.

use super::*;
use idlab::engine::EngineOptions;
use idlab::store::{SqliteIndexed, SqliteLayout, SqliteTree, Uniqueness};
use std::cell::Cell;

const ROWS: u64 = 20_000;

fn load(engine: &str, request: &Request) -> Loaded {
    let inserted = Cell::new(0);
    let mut engine = connect(engine, None, false).unwrap();
    let loaded = engine.load(request, &|rows| inserted.set(inserted.get() + rows));
    assert_eq!(inserted.get(), request.rows);
    loaded.unwrap()
}

fn number(tree: &Tree, column: &str) -> u64 {
    tree[column].parse().unwrap()
}

/// Leaf pages, internal pages and levels.
fn sizes<K: Key>(tree: &SqliteTree<K>) -> [u64; 3] {
    let levels = u64::from(tree.tree_level()) + 1;
    [tree.leaf_pages(), tree.internal_pages(), levels]
}

fn model<K: Key>(mut source: Box<dyn Source<K>>, column: Column, table: Table) -> Vec<[u64; 3]> {
    let options = EngineOptions {
        payload_bytes: 100,
        ..EngineOptions::default()
    };
    let mut keys = Vec::new();
    source.fill(&mut keys, ROWS as usize).unwrap();
    let layout = match (table, column) {
        (Table::Primary, Column::Bigint) => SqliteLayout::Rowid,
        (Table::Primary, _) => SqliteLayout::WithoutRowid,
        (Table::Indexed, _) => {
            let mut table = SqliteIndexed::new(column, options, Uniqueness::Promised).unwrap();
            table.insert_all(&keys, &mut ());
            return vec![sizes(table.table()), sizes(table.index())];
        }
    };
    let mut tree = SqliteTree::new(layout, column, options, Uniqueness::Promised).unwrap();
    tree.insert_all(&keys, &mut ());
    vec![sizes(&tree)]
}

#[test]
fn sqlite_has_the_pages_of_its_model() {
    for stream in ["rand8", "uuid4", "ksuid20_r10000"] {
        for table in [Table::Primary, Table::Indexed] {
            let loaded = load(
                "sqlite",
                &Request {
                    table,
                    ..Request::new(stream, ROWS)
                },
            );
            let measured = loaded.trees.iter().map(|tree| {
                ["leaf_pages", "internal_pages", "depth_levels"].map(|column| number(tree, column))
            });
            let Stream { column, keys, .. } = Reference::new(stream, 1).unwrap().into();
            let expected = match keys {
                AnySource::Bytes8(source) => model(source, column, table),
                AnySource::Bytes16(source) => model(source, column, table),
                AnySource::Bytes20(source) => model(source, column, table),
            };
            assert_eq!(measured.collect::<Vec<_>>(), expected, "{stream} {table:?}");
        }
    }
}

/// Compares a load, column by column, with the recorded one in `csv` that has the same
/// settings; columns named in `noisy` repeat only nearly.
fn same_as_recorded(engine: &str, csv: &str, request: &Request, settings: &[&str], noisy: &[&str]) {
    let loaded = load(engine, request);
    assert_eq!(loaded.missing, Vec::<String>::new());
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let recorded: Vec<BTreeMap<String, String>> =
        reader.deserialize().map(Result::unwrap).collect();
    let number = |text: &str| text.parse::<f64>().ok();
    for tree in &loaded.trees {
        let alike = |row: &&BTreeMap<String, String>| {
            let mut settings = settings
                .iter()
                .chain(&["stream", "n_rows", "payload_bytes"]);
            settings.all(|&name| row[name] == tree[name])
        };
        for (column, recorded) in recorded.iter().find(alike).unwrap() {
            let found = &tree[&**column];
            let same =
                found == recorded || number(found).is_some() && number(found) == number(recorded);
            let noisy =
                ["version", "load_wall_s"].contains(&&**column) || noisy.contains(&&**column);
            assert!(
                same || noisy,
                "{engine} {request:?} {column}: {found}, recorded {recorded}"
            );
        }
    }
}

#[test]
fn sqlite_and_lmdb_repeat_recorded_loads() {
    const SQLITE: &str = include_str!("../../results/reference/sqlite.csv");
    const LMDB: &str = include_str!("../../results/reference/lmdb.csv");
    let settings = [
        "btree",
        "table_mode",
        "cache_pages",
        "rows_per_txn",
        "page_bytes",
        "journal_mode",
    ];
    let request = Request::new("ksuid20_r10000", 100_000);
    same_as_recorded("sqlite", SQLITE, &request, &settings, &[]);
    same_as_recorded("lmdb", LMDB, &request, &["rows_per_txn"], &[]);
}

#[test]
fn redb_stores_all_bytes() {
    for (stream, width) in [("seq8", 8), ("uuid4", 16), ("ksuid20_r10000", 20)] {
        let tree = &load("redb", &Request::new(stream, ROWS)).trees[0];
        assert_eq!(number(tree, "stored_bytes"), ROWS * (width + 100));
        assert!(number(tree, "leaf_pages") > ROWS * (width + 104) / 4096);
    }
}

#[test]
fn what_an_engine_has_not_is_refused() {
    let indexed = Request {
        table: Table::Indexed,
        ..Request::new("seq8", 10)
    };
    for name in ["lmdb", "redb"] {
        let mut engine = connect(name, None, false).unwrap();
        assert!(engine.load(&indexed, &|_| {}).is_err());
        assert!(connect(name, Some("postgres://127.0.0.1"), false).is_err());
    }
    assert!(connect("oracle", None, false).is_err());
}

#[cfg(feature = "servers")]
#[test]
#[ignore = "needs scripts/engines.sh up"]
fn servers_repeat_recorded_loads() {
    const POSTGRESQL: &str = include_str!("../../results/reference/postgresql.csv");
    const INNODB: &str = include_str!("../../results/reference/innodb.csv");
    let request = Request::new("uuid4", 100_000);
    let settings = ["load_method", "checkpoint_every_rows", "shared_buffers_mib"];
    // The rows are of release 15. A transaction of the server's own may come between.
    let noisy = ["wal_other_bytes", "wal_total_lsn_bytes"];
    same_as_recorded("postgres", POSTGRESQL, &request, &settings, &noisy);
    let pool = [
        "buffer_pool_mib",
        "buffer_pool_reads",
        "buffer_pool_read_requests",
        "read_index_leaf_pages",
        "read_index_non_leaf_pages",
        "written_index_leaf_pages",
        "written_index_non_leaf_pages",
        "buffer_pages_written",
        "redo_bytes",
        "reads_per_insert",
    ];
    same_as_recorded("mariadb", INNODB, &request, &["table_mode", "btree"], &pool);
}
