//! Rows purged from the trees of InnoDB, against MariaDB 10.11.19, page for page:
//! `results/reference/innodb_purge.csv`.

use idlab::id::{Column, Key};
use idlab::reference::Reference;
use idlab::source::{AnySource, Source, Stream};
use idlab::store::{InnoDb, InnoDbFormat, InnoDbIndex, InnoDbIndexed};
use sha2::{Digest, Sha256};
use std::collections::HashMap;

type Record = HashMap<String, String>;

const MEASURED: &str = include_str!("../../results/reference/innodb_purge.csv");
const PAGE_BYTES: u32 = 16384;

/// Of each tree, in the order of [`describe`].
const COMPARED: [&str; 11] = [
    "n_rows",
    "leaf_pages",
    "leaf_fill_pct",
    "leaf_recs_p05",
    "leaf_recs_p50",
    "leaf_recs_p95",
    "leaf_garbage_bytes_mean",
    "leaves_sha256",
    "root_level",
    "internal_pages",
    "internal_fill_pct",
];

fn describe<K: Key>(tree: &InnoDb<K>) -> Vec<String> {
    let leaves: Vec<_> = tree.leaves().collect();
    let garbage = tree.leaf_garbage();
    let (leaf_pages, internal_pages) = (leaves.len() as f64, tree.internal_pages());
    let usable = f64::from(tree.leaf_usable_bytes());
    let mut digest = Sha256::new();
    for (&(_, records, _), garbage) in leaves.iter().zip(&garbage) {
        digest.update(format!("{records} {garbage}\n"));
    }
    let digest = digest.finalize();
    let digest = digest[..8].iter().map(|byte| format!("{byte:02x}"));
    let used = leaves.iter().map(|leaf| f64::from(leaf.2)).sum::<f64>();
    let mut records: Vec<_> = leaves.iter().map(|leaf| leaf.1).collect();
    records.sort_unstable();
    let percentile = |p: usize| records[(records.len() * p).div_ceil(100) - 1].to_string();
    let internal_fill = match internal_pages {
        0 => 0.0,
        _ => 100.0 * tree.internal_used_bytes() as f64 / internal_pages as f64 / usable,
    };
    vec![
        tree.rows().to_string(),
        leaves.len().to_string(),
        format!("{:.3}", 100.0 * used / leaf_pages / usable),
        percentile(5),
        percentile(50),
        percentile(95),
        format!("{:.2}", f64::from(garbage.iter().sum::<u32>()) / leaf_pages),
        digest.collect(),
        tree.tree_level().to_string(),
        internal_pages.to_string(),
        format!("{internal_fill:.3}"),
    ]
}

/// Attempts to merge pages, and merges.
fn merges<K: Key>(tree: &InnoDb<K>) -> [u64; 2] {
    [tree.index_page_merge_attempts(), tree.merges()]
}

/// Loads and purges one table as was done for `records`, and compares.
fn check<K: Key>(source: &mut dyn Source<K>, column: Column, records: &[Record]) {
    let index = InnoDbIndex::Clustered { payload_bytes: 100 };
    let mut table = InnoDb::new(InnoDbFormat::new(index, column, PAGE_BYTES).unwrap());
    let mut indexed = InnoDbIndexed::new(column, 100, PAGE_BYTES).unwrap();
    let number = |record: &Record, column: &str| record[column].parse::<usize>().unwrap();
    let mut keys = Vec::new();
    let last = records.last().unwrap();
    let rows = number(last, "rows_inserted");
    source.fill(&mut keys, rows).unwrap();
    let (mut inserted, mut removed) = (0, 0);
    for record in records {
        let rows = number(record, "rows_inserted");
        let (new, old) = (inserted..rows, removed..rows - number(record, "n_rows"));
        (inserted, removed) = (new.end, old.end);
        let is_clustered = record["table_mode"] == "clustered_pk";
        if is_clustered {
            table.insert_all(&keys[new], &mut ());
            table.remove_all(&keys[old], &mut ());
        } else {
            indexed.insert_all(&keys[new], &mut ());
            indexed.remove_all(&keys[old], &mut ());
        }
        let found = match (is_clustered, record["btree"].as_str()) {
            (true, _) => describe(&table),
            (false, "clustered") => describe(indexed.table()),
            (false, _) => describe(indexed.index()),
        };
        let of = ["table_mode", "stream", "round", "btree"];
        let of = of.map(|column| record[column].as_str()).join(" ");
        for (column, found) in COMPARED.into_iter().zip(found) {
            assert_eq!(found, record[column], "{of}: {column}");
        }
        // These count the pages of both trees.
        let found = match is_clustered {
            true => merges(&table),
            false => {
                let (rows, ids) = (merges(indexed.table()), merges(indexed.index()));
                [rows[0] + ids[0], rows[1] + ids[1]]
            }
        };
        let counters = ["index_page_merge_attempts", "index_page_merge_successful"];
        let measured = counters.map(|column| number(record, column) as u64);
        assert_eq!(found, measured, "{of}: attempts to merge and merges");
    }
}

fn check_mode(mode: &str) {
    let mut reader = csv::Reader::from_reader(MEASURED.as_bytes());
    let records: Vec<Record> = reader.deserialize().map(Result::unwrap).collect();
    for records in records.chunk_by(|a, b| a["stream"] == b["stream"]) {
        if records[0]["table_mode"] != mode {
            continue;
        }
        let stream = Stream::from(Reference::new(&records[0]["stream"], 1).unwrap());
        match stream.keys {
            AnySource::Bytes8(mut source) => check(&mut *source, stream.column, records),
            AnySource::Bytes16(mut source) => check(&mut *source, stream.column, records),
            AnySource::Bytes20(mut source) => check(&mut *source, stream.column, records),
        }
    }
}

#[test]
fn clustered_tables_are_exact() {
    check_mode("clustered_pk");
}

#[test]
fn tables_with_an_index_are_exact() {
    check_mode("auto_inc_pk_plus_unique_secondary");
}
