//! `cargo bench --bench shards`: writes a second into a range-sharded store, all measures on.
//!
//! Ids come from memory. The store is CockroachDB's profile, split beforehand into equal
//! parts of the space of keys.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use idlab::fleet::{FleetSpec, IntoStream};
use idlab::id::Column;
use idlab::measure::{Clients, Rows, ShardsPlan, measure_shards};
use idlab::record::Parameters;
use idlab::scheme;
use idlab::shards::{COCKROACH, FirstRanges, Setup, ShardingKey, Store};
use idlab::source::{AnySource, Source, SourceError};
use std::hint::black_box;

const PRE_SPLIT: Store = Store {
    first_ranges: FirstRanges::Asked,
    ..COCKROACH
};
const ROWS: u64 = 1_000_000;
const ROWS_PER_S: u64 = 10_000;

/// Ids from memory.
struct Ids<'a>(&'a [u128]);

impl Source<u128> for Ids<'_> {
    fn fill(&mut self, ids: &mut Vec<u128>, rows: usize) -> Result<(), SourceError> {
        let (now, later) = self.0.split_at(rows.min(self.0.len()));
        ids.extend_from_slice(now);
        self.0 = later;
        Ok(())
    }
}

/// Ids of a scheme, by 16 writers.
fn ids(name: &str) -> Vec<u128> {
    let fleet = FleetSpec {
        writers: 16,
        ..FleetSpec::single(ROWS_PER_S, 1)
    };
    let spec = name.parse().expect("a scheme");
    let stream = scheme::visit_keys(&spec, IntoStream(fleet))
        .expect("a scheme")
        .expect("a fleet");
    let AnySource::Bytes16(mut source) = stream.keys else {
        unreachable!("the scheme's ids have 16 bytes");
    };
    let mut ids = Vec::new();
    source.fill(&mut ids, ROWS as usize).expect("ids");
    ids
}

fn write(ids: &[u128], ranges: u32) {
    let setup = Setup {
        store: &PRE_SPLIT,
        key: ShardingKey::Range,
        column: Column::Uuid,
        nodes: 9,
        replication: 3,
        shards: ranges,
        row_bytes: 256,
        seed: 1,
    };
    let plan = ShardsPlan {
        setups: vec![setup],
        clients: Clients::OpenLoop { rate: ROWS_PER_S },
        ids_per_s: ROWS_PER_S,
        capacity_per_s: ROWS_PER_S,
        seconds: ROWS / ROWS_PER_S,
        seed: 1,
    };
    let mut rows = [Rows::new("bench", "ids", "cockroach", Parameters::new())];
    let grids = measure_shards(&mut Ids(ids), &plan, &mut rows, &|_| {});
    black_box(grids.expect("ids from memory").len());
}

fn shards(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("shards");
    group.sample_size(10).throughput(Throughput::Elements(ROWS));
    for scheme in ["uuid_v7", "uuid_v4"] {
        let ids = ids(scheme);
        for ranges in [10, 100, 1000, 10_000] {
            let id = BenchmarkId::new(scheme, format!("{ranges} ranges"));
            group.bench_with_input(id, &ranges, |bench, &ranges| {
                bench.iter(|| write(&ids, ranges))
            });
        }
    }
    group.finish();
}

criterion_group!(benches, shards);
criterion_main!(benches);
