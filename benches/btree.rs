//! `cargo bench --bench btree`: the tree with all default measures on, against
//! the standard library's `BTreeMap<u128, ()>`, fed the same keys in one run.
//!
//! Ends with the ratio of the medians for each order of keys. Times are of one
//! thread; the measured side counts, samples and checks everything that
//! `sim btree` does.

use criterion::{BenchmarkId, Criterion, SamplingMode, Throughput};
use idlab::engine::{EngineOptions, POSTGRES};
use idlab::id::Column;
use idlab::measure::{Plan, Rows, measure_tree};
use idlab::record::Parameters;
use idlab::reference::Reference;
use idlab::source::{Source, SourceError};
use idlab::store::{Design, Uniqueness};
use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::{Duration, Instant};

const ROWS: usize = 10_000_000;
const QUICK_ROWS: usize = 200_000;

/// Loads keys and returns how many it holds.
type Load = fn(&[u128]) -> u64;

/// Keys from memory.
struct Keys<'a>(&'a [u128]);

impl Source<u128> for Keys<'_> {
    fn fill(&mut self, keys: &mut Vec<u128>, rows: usize) -> Result<(), SourceError> {
        let (now, later) = self.0.split_at(rows.min(self.0.len()));
        keys.extend_from_slice(now);
        self.0 = later;
        Ok(())
    }
}

/// Loads the measured tree; returns its rows and leaves.
fn measured(keys: &[u128]) -> u64 {
    let design = Design::new(&POSTGRES, Column::Uuid, EngineOptions::default())
        .expect("the engine's own page holds its entries");
    let mut rows = Rows::new("bench", "keys", POSTGRES.name, Parameters::new());
    let plan = Plan {
        rows: Some(keys.len() as u64),
        ..Plan::new(design, Uniqueness::Promised)
    };
    let run = measure_tree(&mut Keys(keys), plan, &mut rows, &|_| {}).expect("the keys differ");
    black_box(rows.into_rows());
    run.rows
}

/// Loads the standard map; returns its length.
fn standard(keys: &[u128]) -> u64 {
    let mut map = BTreeMap::new();
    keys.iter().for_each(|&key| {
        map.insert(key, ());
    });
    black_box(map.len() as u64)
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let quick = std::env::args().any(|arg| arg == "--quick" || arg == "--test");
    let rows = if quick { QUICK_ROWS } else { ROWS };
    let mut summary = Vec::new();
    for (order, stream) in [("random", "uuid4"), ("ascending", "uuid7c_r1000")] {
        let mut keys = Vec::with_capacity(rows);
        let mut source = Reference::new(stream, 1).expect("a reference stream");
        source
            .fill(&mut keys, rows)
            .expect("a reference stream has no end");
        let sides: [(&str, Load); 2] = [("idlab, measured", measured), ("BTreeMap", standard)];
        let mut medians = [None; 2];
        let mut group = criterion.benchmark_group(format!("btree/{order}"));
        group
            .throughput(Throughput::Elements(rows as u64))
            .sampling_mode(SamplingMode::Flat)
            .sample_size(10)
            .warm_up_time(Duration::from_millis(1))
            .measurement_time(Duration::from_secs(1));
        for ((name, load), median) in sides.into_iter().zip(&mut medians) {
            let mut times = Vec::new();
            group.bench_with_input(BenchmarkId::from_parameter(name), &keys, |bench, keys| {
                bench.iter_custom(|loads| {
                    (0..loads)
                        .map(|_| {
                            let start = Instant::now();
                            let loaded = load(keys);
                            let time = start.elapsed();
                            assert_eq!(loaded, keys.len() as u64);
                            times.push(time);
                            time
                        })
                        .sum()
                });
            });
            times.sort_unstable();
            *median = times.get(times.len() / 2).copied();
        }
        group.finish();
        if let [Some(ours), Some(standard)] = medians {
            let per_insert_ns = |time: Duration| time.as_secs_f64() * 1e9 / rows as f64;
            summary.push(format!(
                "{order:9} {rows} rows: {:.1} ns an insert, BTreeMap {:.1} ns: ratio {:.3}",
                per_insert_ns(ours),
                per_insert_ns(standard),
                ours.as_secs_f64() / standard.as_secs_f64()
            ));
        }
    }
    summary.iter().for_each(|line| println!("{line}"));
    criterion.final_summary();
}
