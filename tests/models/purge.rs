//! Purges of the oldest rows against PostgreSQL's: the same streams, DELETE and VACUUM
//! after the same rows, every recorded state of the index.

use idlab::engine::{ENGINES, EngineOptions, Geometry, POSTGRES};
use idlab::id::{Column, Key};
use idlab::measure::{Plan, Rows, measure_any};
use idlab::record::Parameters;
use idlab::reference::Reference;
use idlab::source::{AnySource, Source, Stream};
use idlab::store::{BTree, Design, LoadError, Purge, Uniqueness};
use rayon::prelude::*;
use std::collections::{BTreeMap, VecDeque};

const MEASURED: &str = include_str!("../../results/reference/postgresql_purge.csv");

/// The index after a VACUUM, by column.
type State = BTreeMap<String, String>;

fn number(state: &State, column: &str) -> u64 {
    state[column].parse().unwrap()
}

/// What `pgstatindex` says of leaf density and fragmentation, in release 15: a free
/// line pointer of 4 bytes a page counts as used.
fn density_and_fragmentation<K: Key>(tree: &BTree<K>) -> [String; 2] {
    let usable = tree.leaf_usable_bytes();
    let leaves: Vec<_> = tree.leaves().collect();
    let used: u64 = leaves
        .iter()
        .map(|leaf| u64::from(usable.min(leaf.2 + 4)))
        .sum();
    let descents = leaves
        .windows(2)
        .filter(|pair| pair[1].0 < pair[0].0)
        .count();
    let pages = leaves.len() as f64;
    [used as f64 / f64::from(usable), descents as f64].map(|sum| {
        let per_cent = format!("{:.2}", sum / pages * 100.0);
        per_cent
            .trim_end_matches('0')
            .trim_end_matches('.')
            .to_owned()
    })
}

/// Purges again as recorded in `states`, which are of one table, and says what differs.
fn replay<K: Key>(
    mut source: Box<dyn Source<K>>,
    mut tree: BTree<K>,
    states: &[State],
) -> Vec<String> {
    let (keep, every) = (
        number(&states[0], "keep_rows"),
        number(&states[0], "purge_every_rows"),
    );
    let (mut queue, mut batch) = (VecDeque::new(), Vec::new());
    let mut inserted = 0;
    let mut wrong = Vec::new();
    for state in states {
        while inserted < number(state, "inserted_rows") {
            batch.clear();
            source.fill(&mut batch, every as usize).unwrap();
            tree.insert_all(&batch, &mut ());
            queue.extend(&batch);
            inserted += every;
        }
        let oldest: Vec<K> = queue.drain(..queue.len() - keep as usize).collect();
        tree.remove_all(&oldest);
        let [density, fragmentation] = density_and_fragmentation(&tree);
        let found = [
            ("rows", tree.rows().to_string()),
            ("tree_level", tree.tree_level().to_string()),
            ("leaf_pages", tree.leaf_pages().to_string()),
            ("internal_pages", tree.internal_pages().to_string()),
            ("deleted_pages", tree.free_pages().to_string()),
            ("free_pages", tree.reusable_pages().to_string()),
            ("index_bytes", tree.index_bytes().to_string()),
            ("avg_leaf_density_pct", density),
            ("leaf_fragmentation_pct", fragmentation),
        ];
        for (column, found) in found {
            if found != state[column] {
                wrong.push(format!("{column} {found}: {state:?}"));
            }
        }
    }
    assert_eq!(tree.first_duplicate(), None);
    wrong
}

#[test]
fn every_recorded_state_is_predicted() {
    let mut reader = csv::Reader::from_reader(MEASURED.as_bytes());
    let states: Vec<State> = reader.deserialize().collect::<Result<_, _>>().unwrap();
    assert_eq!(states.len(), 246);
    let table = |state: &State| ["stream", "keep_rows"].map(|column| state[column].clone());
    let tables: Vec<_> = states.chunk_by(|a, b| table(a) == table(b)).collect();
    let wrong: Vec<String> = tables
        .par_iter()
        .flat_map(|states| {
            let Stream { column, keys, .. } =
                Stream::from(Reference::new(&states[0]["stream"], 1).unwrap());
            let geometry = Geometry::new(&POSTGRES, column, EngineOptions::default()).unwrap();
            let promised = Uniqueness::Promised;
            match keys {
                AnySource::Bytes8(source) => replay(source, BTree::new(geometry, promised), states),
                AnySource::Bytes16(source) => {
                    replay(source, BTree::new(geometry, promised), states)
                }
                AnySource::Bytes20(source) => {
                    replay(source, BTree::new(geometry, promised), states)
                }
            }
        })
        .collect();
    assert!(
        wrong.is_empty(),
        "{} differ\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// The plan of a load of 8-byte ids with purges.
fn plan(design: Design, rows: u64, purge: Purge) -> Plan {
    Plan {
        rows: Some(rows),
        purge: Some(purge),
        ..Plan::new(design, Uniqueness::Promised)
    }
}

#[test]
fn a_measured_load_ends_as_recorded() {
    let stream = "block8_p16_b1000";
    let mut reader = csv::Reader::from_reader(MEASURED.as_bytes());
    let states = reader.deserialize().map(Result::unwrap);
    let of_table = |state: &State| state["stream"] == stream && state["keep_rows"] == "100000";
    let state: State = states.filter(of_table).last().unwrap();
    let purge = Purge {
        keep_rows: 100_000,
        every_rows: number(&state, "purge_every_rows"),
    };
    let design = Design::new(&POSTGRES, Column::Bigint, EngineOptions::default()).unwrap();
    let plan = plan(design, number(&state, "inserted_rows"), purge);
    let keys = Stream::from(Reference::new(stream, 1).unwrap()).keys;
    let mut rows = Rows::new("", stream, "", Parameters::new());
    let found = measure_any(keys, plan, &mut rows, &|_| {}).unwrap();
    assert_eq!(found.rows, 100_000);
    let rows = rows.into_rows();
    let total = |measure: &str| {
        let row = rows
            .iter()
            .find(|row| row.measure == measure && row.x.is_none());
        row.unwrap().value.to_string()
    };
    assert_eq!(total("leaf_pages"), state["leaf_pages"]);
    assert_eq!(total("index_bytes"), state["index_bytes"]);
    assert_eq!(total("free_pages"), state["deleted_pages"]);
    let curve = rows.iter().filter(|row| row.measure == "index_bytes");
    let last = curve
        .filter_map(|row| row.x)
        .map(|x| x.as_f64())
        .fold(0.0, f64::max);
    assert_eq!(last, plan.rows.unwrap() as f64);
}

#[test]
fn an_engine_without_a_purge_is_told() {
    let purge = Purge {
        keep_rows: 100,
        every_rows: 10,
    };
    for engine in ENGINES {
        let design = Design::new(*engine, Column::Bigint, EngineOptions::default()).unwrap();
        let keys = Stream::from(Reference::new("rand8", 1).unwrap()).keys;
        let mut rows = Rows::new("", "", "", Parameters::new());
        let found = measure_any(keys, plan(design, 1000, purge), &mut rows, &|_| {});
        match found {
            Ok(found) => assert!(design.has_purge() && found.rows == 100, "{engine:?}"),
            Err(LoadError::NoPurge) => assert!(!design.has_purge(), "{engine:?}"),
            Err(error) => panic!("{engine:?}: {error}"),
        }
    }
}
