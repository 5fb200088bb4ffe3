//! The page cache against SQLite 3.40.1: its own counters of hits, misses, writes
//! and spills, of every recorded load.

use idlab::engine::EngineOptions;
use idlab::id::{Column, Key};
use idlab::pool::{Counts, Pcache, SqliteLoad};
use idlab::reference::Reference;
use idlab::source::{AnySource, Source, Stream};
use idlab::store::{
    Insert, PageId, Sink, Space, Split, SqliteIndexed, SqliteLayout, SqliteTree, Touch, Uniqueness,
};
use rayon::prelude::*;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, Debug, Deserialize)]
struct Load {
    stream: String,
    n_rows: usize,
    payload_bytes: u32,
    page_bytes: u32,
    cache_pages: u32,
    rows_per_txn: u64,
    table_mode: String,
    conn_cache_hit: u64,
    conn_cache_miss: u64,
    conn_cache_write: u64,
    conn_cache_spill: u64,
}

/// Cache sizes in pages and rows a transaction, each with a page cache.
struct Caches(BTreeMap<(u32, u64), SqliteLoad>);

impl Sink for Caches {
    const TOUCHES: bool = true;

    fn begin(&mut self) {
        self.0.values_mut().for_each(SqliteLoad::begin);
    }

    fn touch(&mut self, touch: Touch) {
        self.0.values_mut().for_each(|cache| cache.touch(touch));
    }

    fn insert(&mut self, _: &Insert) {}
    fn split(&mut self, _: &Split) {}
}

/// Loads one stream into one kind of table, with the caches of all loads of it;
/// returns the loads that come out different, and how.
fn wrong<K: Key>(loads: &[Load], column: Column, source: &mut dyn Source<K>) -> Vec<String> {
    let first = &loads[0];
    let options = EngineOptions {
        page_bytes: Some(first.page_bytes),
        payload_bytes: first.payload_bytes,
        ..Default::default()
    };
    let promised = Uniqueness::Promised;
    let layout = match &*first.table_mode {
        "wr" => SqliteLayout::WithoutRowid,
        _ => SqliteLayout::Rowid,
    };
    let indexed = first.table_mode == "uidx";
    let mut table = SqliteIndexed::new(column, options, promised).unwrap();
    let mut tree = (!indexed).then(|| SqliteTree::new(layout, column, options, promised).unwrap());
    let roots = [Space::Index, Space::Table].map(|space| PageId::new(space, 0));
    let roots = &roots[..1 + usize::from(indexed)];
    let cache = |load: &Load| {
        let (size, rows) = (load.cache_pages, load.rows_per_txn);
        let cache = SqliteLoad::new(Pcache::new(size, roots), rows);
        ((size, rows), cache)
    };
    let mut caches = Caches(loads.iter().map(cache).collect());
    let stops: BTreeSet<_> = loads.iter().map(|load| load.n_rows).collect();
    let mut wrong = Vec::new();
    let mut rows = 0;
    for stop in stops {
        let mut keys = Vec::new();
        source.fill(&mut keys, stop - rows).unwrap();
        rows = stop;
        match &mut tree {
            Some(tree) => tree.insert_all(&keys, &mut caches),
            None => table.insert_all(&keys, &mut (), &mut (), &mut caches),
        }
        for load in loads.iter().filter(|load| load.n_rows == stop) {
            // The load commits here whether it ends or goes on.
            assert_eq!(stop as u64 % load.rows_per_txn, 0);
            let cache = &mut caches.0.get_mut(&(load.cache_pages, load.rows_per_txn));
            let counts = cache.as_mut().unwrap().finish();
            let sum = |of: fn(&Counts) -> u64| -> u64 { counts.iter().map(of).sum() };
            let found = [
                sum(|counts| counts.hits),
                sum(|counts| counts.reads),
                sum(|counts| counts.write_backs + counts.flushes),
                sum(|counts| counts.write_backs),
            ];
            let expected = [
                load.conn_cache_hit,
                load.conn_cache_miss,
                load.conn_cache_write,
                load.conn_cache_spill,
            ];
            if found != expected {
                wrong.push(format!("{load:?}: found {found:?}"));
            }
        }
    }
    wrong
}

#[test]
fn counters_are_exact() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/results/reference/sqlite.csv");
    let loads = csv::Reader::from_path(path).unwrap().into_deserialize();
    let mut tables: BTreeMap<_, Vec<Load>> = BTreeMap::new();
    for load in loads {
        let load: Load = load.unwrap();
        let table = (
            load.table_mode.clone(),
            load.stream.clone(),
            load.page_bytes,
            load.payload_bytes,
        );
        tables.entry(table).or_default().push(load);
    }
    assert!(tables.len() > 50);
    let wrong: Vec<_> = tables
        .into_values()
        .collect::<Vec<_>>()
        .into_par_iter()
        .flat_map_iter(|loads| {
            let stream = Stream::from(Reference::new(&loads[0].stream, 1).unwrap());
            match stream.keys {
                AnySource::Bytes8(mut keys) => wrong(&loads, stream.column, &mut *keys),
                AnySource::Bytes16(mut keys) => wrong(&loads, stream.column, &mut *keys),
                AnySource::Bytes20(mut keys) => wrong(&loads, stream.column, &mut *keys),
            }
        })
        .collect();
    assert!(
        wrong.is_empty(),
        "{} wrong\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
