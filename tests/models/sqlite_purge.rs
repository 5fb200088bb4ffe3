//! Rows removed from the trees of SQLite, against SQLite 3.40.1, page for page:
//! `results/reference/sqlite_purge.csv`.

use idlab::engine::EngineOptions;
use idlab::id::{Column, Key};
use idlab::reference::Reference;
use idlab::source::{AnySource, Source, Stream};
use idlab::store::{SqliteIndexed, SqliteLayout, SqliteTree, Uniqueness};
use sha2::{Digest, Sha256};
use std::collections::HashMap;

type Record = HashMap<String, String>;

const MEASURED: &str = include_str!("../../results/reference/sqlite_purge.csv");
const PAGE_BYTES: u64 = 4096;

/// A table that rows come into and leave.
trait Table<K> {
    fn insert_all(&mut self, keys: &[K]);
    fn remove_all(&mut self, keys: &[K]);
    /// What is measured of the tree `btree`, in the order of [`COMPARED`].
    fn describe(&self, btree: &str) -> Vec<String>;
}

/// Columns that must agree; the last only if the file holds one tree.
const COMPARED: [&str; 13] = [
    "n_rows",
    "depth_levels",
    "leaf_pages",
    "internal_pages",
    "leaf_fill_pct",
    "internal_fill_pct",
    "leaf_cells_p05",
    "leaf_cells_p50",
    "leaf_cells_p95",
    "leaves_sha256",
    "db_pages",
    "freelist_pages",
    "leaf_noncontiguous_pct",
];

fn describe<K: Key>(
    tree: &SqliteTree<K>,
    used_pages: u64,
    free_pages: u64,
    alone: bool,
) -> Vec<String> {
    let leaves: Vec<_> = tree.leaves().collect();
    let (leaf_pages, internal_pages) = (tree.leaf_pages(), tree.internal_pages());
    assert_eq!(leaves.len() as u64, leaf_pages);
    let fill = |used: u64, header: u64, pages: u64| match pages {
        0 => "0.000".to_owned(),
        _ => format!(
            "{:.3}",
            100.0 * (used + header * pages) as f64 / (pages * PAGE_BYTES) as f64
        ),
    };
    let leaf_bytes = leaves.iter().map(|leaf| u64::from(leaf.2)).sum();
    let mut cells: Vec<_> = leaves.iter().map(|leaf| leaf.1).collect();
    let mut digest = Sha256::new();
    for &(_, cells, used) in &leaves {
        digest.update(format!("{cells} {}\n", PAGE_BYTES - 8 - u64::from(used)));
    }
    let digest = digest.finalize();
    let digest: String = digest[..8]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    cells.sort_unstable();
    let [p05, p50, p95] = [5, 50, 95].map(|p| cells[(cells.len() * p).div_ceil(100) - 1]);
    let apart = leaves.windows(2).filter(|pair| pair[1].0 != pair[0].0 + 1);
    let apart = 100.0 * apart.count() as f64 / (leaves.len() - 1).max(1) as f64;
    vec![
        tree.rows().to_string(),
        (tree.tree_level() + 1).to_string(),
        leaf_pages.to_string(),
        internal_pages.to_string(),
        fill(leaf_bytes, 8, leaf_pages),
        fill(tree.internal_used_bytes(), 12, internal_pages),
        p05.to_string(),
        p50.to_string(),
        p95.to_string(),
        digest,
        (1 + used_pages + free_pages).to_string(),
        free_pages.to_string(),
        if alone {
            format!("{apart:.3}")
        } else {
            String::new()
        },
    ]
}

impl<K: Key> Table<K> for SqliteTree<K> {
    fn insert_all(&mut self, keys: &[K]) {
        self.insert_all(keys, &mut ());
    }

    fn remove_all(&mut self, keys: &[K]) {
        self.remove_all(keys, &mut ());
    }

    fn describe(&self, _: &str) -> Vec<String> {
        let used_pages = self.leaf_pages() + self.internal_pages();
        describe(self, used_pages, self.free_pages(), true)
    }
}

impl<K: Key> Table<K> for SqliteIndexed<K> {
    fn insert_all(&mut self, keys: &[K]) {
        self.insert_all(keys, &mut ());
    }

    fn remove_all(&mut self, keys: &[K]) {
        self.remove_all(keys, &mut ());
    }

    fn describe(&self, btree: &str) -> Vec<String> {
        let (table, index) = (self.table(), self.index());
        let table_pages = table.leaf_pages() + table.internal_pages();
        let used_pages = table_pages + index.leaf_pages() + index.internal_pages();
        match btree {
            "rowid_table" => describe(table, used_pages, self.free_pages(), false),
            _ => describe(index, used_pages, self.free_pages(), false),
        }
    }
}

/// Loads and purges one table as was done for `records`, and compares.
fn check<K: Key>(
    table: &mut dyn Table<K>,
    source: &mut dyn Source<K>,
    records: &[Record],
    failures: &mut Vec<String>,
) {
    let number = |record: &Record, column: &str| record[column].parse::<usize>().unwrap();
    let last = records.last().unwrap();
    let mut keys = Vec::new();
    source
        .fill(&mut keys, number(last, "rows_inserted"))
        .unwrap();
    let (mut inserted, mut removed) = (0, 0);
    for record in records {
        let kept = number(record, "n_rows");
        while inserted < number(record, "rows_inserted") || inserted - removed > kept {
            let batch = match inserted {
                0 => number(record, "rows_inserted"),
                _ => number(record, "batch_rows"),
            };
            let end = (inserted + batch).min(number(record, "rows_inserted"));
            table.insert_all(&keys[inserted..end]);
            inserted = end;
            table.remove_all(&keys[removed..inserted - kept]);
            removed = inserted - kept;
        }
        let found = table.describe(&record["btree"]);
        for (column, found) in COMPARED.into_iter().zip(found) {
            if !found.is_empty() && found != record[column] {
                let of = ["table_mode", "stream", "batch_rows", "round", "btree"];
                let of = of.map(|column| record[column].as_str()).join(" ");
                failures.push(format!("{of}: {column} {found}, not {}", record[column]));
            }
        }
    }
}

fn check_mode(mode: &str) {
    let mut reader = csv::Reader::from_reader(MEASURED.as_bytes());
    let records: Vec<Record> = reader.deserialize().map(Result::unwrap).collect();
    let records: Vec<_> = records
        .into_iter()
        .filter(|record| record["table_mode"] == mode)
        .collect();
    let mut failures = Vec::new();
    let load = |record: &Record| (record["stream"].clone(), record["batch_rows"].clone());
    for records in records.chunk_by(|a, b| load(a) == load(b)) {
        let stream = Stream::from(Reference::new(&records[0]["stream"], 1).unwrap());
        let column = stream.column;
        let failures = &mut failures;
        match stream.keys {
            AnySource::Bytes8(mut source) => check(
                &mut *table(mode, column, &records[0]),
                &mut *source,
                records,
                failures,
            ),
            AnySource::Bytes16(mut source) => check(
                &mut *table(mode, column, &records[0]),
                &mut *source,
                records,
                failures,
            ),
            AnySource::Bytes20(mut source) => check(
                &mut *table(mode, column, &records[0]),
                &mut *source,
                records,
                failures,
            ),
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn table<K: Key>(mode: &str, column: Column, record: &Record) -> Box<dyn Table<K>> {
    let options = EngineOptions {
        page_bytes: Some(PAGE_BYTES as u32),
        payload_bytes: record["payload_bytes"].parse().unwrap(),
        ..Default::default()
    };
    let promised = Uniqueness::Promised;
    let layout = match mode {
        "uidx" => return Box::new(SqliteIndexed::new(column, options, promised).unwrap()),
        "ipk" => SqliteLayout::Rowid,
        _ => SqliteLayout::WithoutRowid,
    };
    Box::new(SqliteTree::new(layout, column, options, promised).unwrap())
}

#[test]
fn rowid_tables_are_exact() {
    check_mode("ipk");
}

#[test]
fn tables_without_rowid_are_exact() {
    check_mode("wr");
}

#[test]
fn tables_with_a_unique_index_are_exact() {
    check_mode("uidx");
}
