use super::super::{COCKROACH, HASH_FIXED, KeyMaker, RANGE_FIXED, Setup, Store};
use super::*;
use crate::id::Column;

/// Ranges, streams and rows read of each query after 100,000 rows in a store of 64 fixed
/// ranges, or of those that the key has from the start.
fn scans(store: &'static Store, key: &str, ascending: bool) -> [(u64, u64, u64); 5] {
    let key: ShardingKey = key.parse().unwrap();
    let mut cluster = Cluster::new(Setup {
        store,
        key,
        column: Column::Bigint,
        nodes: 4,
        replication: 1,
        shards: 64,
        row_bytes: 100,
        seed: 1,
    });
    let mut maker = KeyMaker::new(key, 1);
    let mut sample = Vec::new();
    for row in 0..100_000u64 {
        let id = match ascending {
            true => row << 40,
            false => super::super::key::mix(row) >> 1,
        };
        let key = maker.key(id);
        cluster.write(key);
        if row % 10 == 0 {
            sample.push((row, key));
        }
    }
    cluster.end_second(|_| {});
    let load = Load {
        cluster: &cluster,
        ascending,
        rows_an_hour: 36_000,
        sample: &sample,
    };
    Query::ALL.map(|(query, _)| {
        let scan = load.scan(query);
        (scan.ranges, scan.streams, scan.rows_read)
    })
}

#[test]
fn what_each_query_costs_by_key() {
    const ONE: (u64, u64, u64) = (1, 1, 1);
    const ALL: (u64, u64, u64) = (64, 64, 100_000);
    let cases = [
        // All rows are in the first range of RANGE_FIXED: ids up to 2^57 of 2^63.
        (
            &RANGE_FIXED,
            "range",
            true,
            [(1, 1, 100), (1, 1, 25_000), (1, 1, 20_000), ONE, ONE],
        ),
        (&RANGE_FIXED, "range", false, [ALL, ALL, ALL, ONE, ONE]),
        (&RANGE_FIXED, "hash", true, [ALL, ALL, ALL, ONE, ONE]),
        (
            &RANGE_FIXED,
            "bit_reversed",
            true,
            [ALL, ALL, ALL, ONE, ONE],
        ),
        // Buckets: a stream each; only hash and modulo can be computed from the id.
        (
            &COCKROACH,
            "hash:8",
            true,
            [(8, 8, 800), (8, 8, 25_000), (8, 8, 20_000), ONE, (8, 8, 1)],
        ),
        (
            &COCKROACH,
            "id_mod:8",
            true,
            [(8, 8, 800), (8, 8, 25_000), (8, 8, 20_000), ONE, (8, 8, 1)],
        ),
        // Salts share the one range that the table begins with.
        (
            &COCKROACH,
            "salt:8",
            true,
            [
                (1, 8, 800),
                (1, 8, 25_000),
                (1, 8, 20_000),
                (1, 8, 1),
                (1, 8, 1),
            ],
        ),
        (
            &RANGE_FIXED,
            "salt:8",
            true,
            [
                (8, 8, 800),
                (8, 8, 25_000),
                (8, 8, 20_000),
                (8, 8, 1),
                (8, 8, 1),
            ],
        ),
        (
            &RANGE_FIXED,
            "auto_random:3",
            true,
            [(8, 8, 800), (8, 8, 25_000), (8, 8, 20_000), ONE, ONE],
        ),
        // The counter is in order whatever the ids are.
        (
            &RANGE_FIXED,
            "shard_row_id_bits:3",
            false,
            [
                (8, 8, 800),
                (8, 8, 25_000),
                (8, 8, 20_000),
                (2, 1, 2),
                (2, 1, 2),
            ],
        ),
        // 500 tenants are in all 64 ranges; one tenant is in one.
        (
            &RANGE_FIXED,
            "tenant:zipf:1:tenants=500",
            true,
            [
                (64, 500, 50_000),
                (64, 500, 25_000),
                (1, 1, 20),
                (64, 500, 1),
                (64, 500, 1),
            ],
        ),
        (
            &RANGE_FIXED,
            "tenant:zipf:1:tenants=500",
            false,
            [ALL, ALL, (1, 1, 100), (64, 500, 1), (64, 500, 1)],
        ),
        // A store that hashes has no order; without the salt each place is tried.
        (&HASH_FIXED, "range", true, [ALL, ALL, ALL, ONE, ONE]),
        (
            &HASH_FIXED,
            "salt:8",
            true,
            [ALL, ALL, ALL, (8, 8, 1), (8, 8, 1)],
        ),
    ];
    for (store, key, ascending, expected) in cases {
        let found = scans(store, key, ascending);
        assert_eq!(
            found, expected,
            "{} {key} ascending: {ascending}",
            store.name
        );
    }
}
