//! PostgreSQL's shared buffers against every recorded load: the same streams,
//! row by row, with the recorded settings.

use idlab::engine::{EngineOptions, Geometry, POSTGRES};
use idlab::id::{Column, Key};
use idlab::pool::{Method, PostgresPlan, PostgresPool, Release};
use idlab::reference::Reference;
use idlab::source::{AnySource, Source, Stream};
use idlab::store::{BTree, Uniqueness};
use rayon::prelude::*;
use std::collections::BTreeMap;

const MEASURED: &str = include_str!("../../results/reference/postgresql.csv");
const PAYLOAD_BYTES: u32 = 100;

/// A recorded load, by column.
type Load = BTreeMap<String, String>;

fn number(load: &Load, column: &str) -> u64 {
    load[column].parse().unwrap()
}

fn release_15(load: &Load) -> bool {
    load["version"].starts_with("15.")
}

/// Characters of an id as the loads wrote it.
fn id_chars(load: &Load, column: Column) -> u32 {
    match (load["stream"].as_str(), column) {
        // From 1 to 1,000,000.
        ("seq8" | "block8_p16_b1000", _) => 6,
        (_, Column::Uuid) => 32,
        (_, Column::Bytes(n)) => 3 + 2 * n,
        _ => 19,
    }
}

/// The plan of a recorded load.
fn plan(load: &Load, column: Column) -> PostgresPlan {
    let rows = number(load, "n_rows");
    let interval = Some(number(load, "checkpoint_every_rows")).filter(|&interval| interval > 0);
    PostgresPlan {
        buffers: number(load, "shared_buffers_mib") as usize * 128,
        release: match release_15(load) {
            true => Release::Postgres15,
            // The recorded heap sizes show that 16 pages were made at once, as
            // with 9 to 11 connections and the other settings as they come.
            false => Release::Postgres18 {
                max_connections: 10,
            },
        },
        method: match load["load_method"].as_str() {
            "copy" => Method::Copy {
                rows: interval.unwrap_or(rows),
                line_bytes: id_chars(load, column) + 1 + PAYLOAD_BYTES,
            },
            _ => Method::Insert,
        },
        checkpoint_rows: interval,
        column,
        payload_bytes: PAYLOAD_BYTES,
    }
}

fn fill<K: Key>(mut source: Box<dyn Source<K>>, rows: u64, plan: PostgresPlan) -> PostgresPool {
    let geometry = Geometry::new(&POSTGRES, plan.column, EngineOptions::default()).unwrap();
    let mut tree = BTree::new(geometry, Uniqueness::Promised);
    let mut pool = PostgresPool::new(plan);
    let mut keys = Vec::new();
    while tree.rows() < rows {
        keys.clear();
        let batch = (rows - tree.rows()).min(4096);
        source.fill(&mut keys, batch as usize).unwrap();
        tree.insert_all(&keys, &mut pool);
    }
    pool
}

/// The buffers after a load.
fn load_stream(stream: &str, rows: u64, plan: impl FnOnce(Column) -> PostgresPlan) -> PostgresPool {
    let Stream { column, keys, .. } = Stream::from(Reference::new(stream, 1).unwrap());
    let plan = plan(column);
    match keys {
        AnySource::Bytes8(source) => fill(source, rows, plan),
        AnySource::Bytes16(source) => fill(source, rows, plan),
        AnySource::Bytes20(source) => fill(source, rows, plan),
    }
}

/// Loads again and says what does not agree with the record.
fn check(load: &Load) -> Vec<String> {
    let rows = number(load, "n_rows");
    let pool = load_stream(&load["stream"], rows, |column| plan(load, column));
    let (index, heap) = (pool.index(), pool.heap());
    // Release 15 counts a new page as read.
    let new = |pages| if release_15(load) { pages } else { 0 };
    let index_reads = index.reads + new(index.new_pages);
    let heap_reads = heap.reads + new(heap.new_pages);
    let mut wrong = Vec::new();
    let mut expect = |what: &str, found: u64, measured: u64, most: u64| {
        if found.abs_diff(measured) > most {
            wrong.push(format!("{what}: {found}, measured {measured}: {load:?}"));
        }
    };
    let accesses = number(load, "idx_blks_read") + number(load, "idx_blks_hit");
    expect("index accesses", index_reads + index.hits, accesses, 0);
    // From load to load the engine itself differs by 1 in 1000, or by a few pages.
    let most = (number(load, "idx_misses_excl_new_pages") / 500).max(10);
    expect(
        "index reads",
        index_reads,
        number(load, "idx_blks_read"),
        most,
    );
    let heap_pages = number(load, "heap_bytes") / 8192;
    expect("heap pages", pool.heap_pages().into(), heap_pages, 0);
    expect("heap reads", heap_reads, number(load, "heap_blks_read"), 3);
    // Lines of growing width make batches of a few more rows, so there are more
    // free pages for release 18 to note in the map.
    let grows = ["seq8", "block8_p16_b1000"].contains(&load["stream"].as_str());
    let most = if grows && !release_15(load) { 120 } else { 3 };
    expect("heap hits", heap.hits, number(load, "heap_blks_hit"), most);
    if let Ok(measured) = load["buffers_backend_written"].parse() {
        // Only a checkpoint makes the statistic complete; else it is less.
        let writes = pool.backend_writes();
        let complete = number(load, "checkpoint_every_rows") > 0;
        expect(
            "writes",
            writes,
            if complete {
                measured
            } else {
                writes.max(measured)
            },
            3,
        );
    }
    wrong
}

#[test]
fn every_recorded_load_is_predicted() {
    let mut reader = csv::Reader::from_reader(MEASURED.as_bytes());
    let loads: Vec<Load> = reader.deserialize().collect::<Result<_, _>>().unwrap();
    assert_eq!(loads.len(), 86);
    let wrong: Vec<String> = loads.par_iter().flat_map(check).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Stream, of 1,000,000 rows; MiB of buffers; method; payload in bytes; rows from
/// checkpoint to checkpoint; reads of index pages that exist, and writes of the
/// connection, in PostgreSQL 15.18 with `bgwriter_lru_maxpages = 0`.
type Other = (&'static str, usize, &'static str, u32, u64, u64, u64);

const OTHER_SETTINGS: [Other; 7] = [
    ("seq8", 16, "copy", 100, 0, 0, 37_979),
    ("rand8", 8, "copy", 100, 0, 354_653, 395_762),
    ("rand8", 16, "copy", 100, 0, 104_961, 145_046),
    ("rand8", 16, "copy", 400, 0, 117_516, 234_247),
    ("rand8", 8, "insert1000", 127, 0, 379_811, 428_992),
    ("uuid4", 16, "copy", 100, 100_000, 230_123, 267_115),
    ("uuid4", 16, "insert1000", 100, 0, 252_205, 296_258),
];

#[test]
fn loads_with_other_settings_are_predicted() {
    OTHER_SETTINGS.par_iter().for_each(|&other| {
        let (stream, mib, method, payload_bytes, interval, reads, writes) = other;
        let interval = Some(interval).filter(|&interval| interval > 0);
        let pool = load_stream(stream, 1_000_000, |column| PostgresPlan {
            buffers: mib * 128,
            release: Release::Postgres15,
            method: match method {
                "copy" => Method::Copy {
                    rows: interval.unwrap_or(1_000_000),
                    line_bytes: if column == Column::Uuid { 32 } else { 19 } + 1 + payload_bytes,
                },
                _ => Method::Insert,
            },
            checkpoint_rows: interval,
            column,
            payload_bytes,
        });
        let found = [pool.index().reads - 1, pool.backend_writes()];
        for (found, measured) in found.into_iter().zip([reads, writes]) {
            assert!(
                found.abs_diff(measured) <= (measured / 500).max(50),
                "{other:?}: {found}"
            );
        }
    });
}
