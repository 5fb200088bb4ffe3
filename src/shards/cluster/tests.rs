use super::super::{
    Balance, COCKROACH, HASH_FIXED, Load, Parts, RANGE_FIXED, Size, SizeLimit, SizePoint, Spread,
    SpreadBy,
};
use super::*;

/// Splits at `limit` bytes, parts as told, and no more.
const fn by_size(limit: u64, point: SizePoint, parts: Parts) -> Store {
    Store {
        name: "by_size",
        size: Size {
            above: SizeLimit::Bytes(limit),
            point,
            check_s: 0,
            ..Size::NEVER
        },
        parts,
        ..RANGE_FIXED_ONE
    }
}

const RANGE_FIXED_ONE: Store = Store {
    first_ranges: FirstRanges::One,
    ..RANGE_FIXED
};

fn setup(store: &'static Store, nodes: u32) -> Setup {
    Setup {
        store,
        key: ShardingKey::Range,
        column: Column::Bigint,
        nodes,
        replication: 1,
        shards: 16,
        row_bytes: 100,
        seed: 1,
    }
}

/// Writes `rows` keys, so many a second; returns the hottest node's share in each second.
fn run(cluster: &mut Cluster, rows: u64, per_s: u64, key: impl Fn(u64) -> u128) -> Vec<f64> {
    let mut shares = Vec::new();
    for row in 0..rows {
        cluster.write(key(row));
        if (row + 1) % per_s == 0 {
            let mut nodes = vec![0u32; cluster.setup().nodes as usize];
            cluster.end_second(|written| nodes[usize::from(written.replicas[0])] += written.rows);
            let most = nodes.iter().max().copied().unwrap_or(0);
            shares.push(f64::from(most) / nodes.iter().sum::<u32>() as f64);
        }
    }
    shares
}

fn ascending(row: u64) -> u128 {
    u128::from(row + 1) << 64
}

fn random_key(row: u64) -> u128 {
    super::super::key::rehashed(u128::from(row))
}

/// Section "half": the left part is frozen at half the limit, every split moves half a range.
#[test]
fn an_ascending_tail_that_moves_is_hot_all_the_time_and_spread_in_the_end() {
    const HALF: Store = by_size(200_000, SizePoint::Half, Parts::RightMoves);
    let mut cluster = Cluster::new(setup(&HALF, 4));
    let shares = run(&mut cluster, 41_000, 100, ascending);
    // 2,000 rows fill a range; each split leaves 1,000 behind: one every 1,000 rows.
    assert!(
        shares.iter().filter(|&&share| share < 1.0).count() <= 40,
        "only where a split falls in a second"
    );
    assert_eq!(cluster.totals().splits_by_size, 39);
    let frozen: Vec<u64> = cluster.ranges().map(|range| range.rows).collect();
    assert!(
        frozen[..39].iter().all(|&rows| rows.abs_diff(1000) <= 1),
        "{frozen:?}"
    );
    let bytes = cluster.bytes_by_node();
    let hottest = *bytes.iter().max().unwrap() as f64 / 4_100_000.0;
    assert!((hottest - 0.25).abs() < 0.04, "{bytes:?}");
    let moved = cluster.totals().moved_bytes as f64 / 4_100_000.0;
    assert!((moved - 1.0).abs() < 0.06, "{moved}");
}

#[test]
fn fill_leaves_full_ranges_and_tail_moves_nothing() {
    const FILL: Store = by_size(300_000, SizePoint::Fill(200_000), Parts::Stay);
    let mut cluster = Cluster::new(setup(&FILL, 4));
    run(&mut cluster, 41_000, 100, ascending);
    let rows: Vec<u64> = cluster.ranges().map(|range| range.rows).collect();
    let (last, frozen) = rows.split_last().unwrap();
    assert!(
        frozen.iter().all(|&rows| rows.abs_diff(2000) <= 2),
        "{rows:?}"
    );
    assert!((1000..=3001).contains(last), "{rows:?}");

    const TAIL: Store = by_size(200_000, SizePoint::Tail, Parts::RightMoves);
    let mut cluster = Cluster::new(setup(&TAIL, 4));
    let shares = run(&mut cluster, 41_000, 100, ascending);
    assert!(shares.iter().filter(|&&share| share < 1.0).count() <= 21);
    assert_eq!(cluster.totals().moved_bytes, 0);
    assert!(
        cluster
            .ranges()
            .filter(|range| !range.written)
            .all(|range| range.rows.abs_diff(2001) <= 1)
    );
}

#[test]
fn uniform_keys_are_halved_to_ln_2_on_average_and_rows_are_never_lost() {
    const HALF: Store = by_size(100_000, SizePoint::Half, Parts::RightMoves);
    let mut cluster = Cluster::new(setup(&HALF, 5));
    let mut fills = Vec::new();
    for step in 1..=40u64 {
        run(&mut cluster, 5000, 1000, |row| random_key(step << 32 | row));
        let ranges: Vec<_> = cluster.ranges().collect();
        assert_eq!(
            ranges.iter().map(|range| range.rows).sum::<u64>(),
            5000 * step
        );
        assert!(ranges.is_sorted_by_key(|range| range.low));
        if step > 20 {
            fills.push(5000.0 * step as f64 / ranges.len() as f64 / 1000.0);
        }
    }
    let mean = fills.iter().sum::<f64>() / fills.len() as f64;
    assert!((mean - std::f64::consts::LN_2).abs() < 0.05, "{mean}");
}

/// The buckets of a fixed number of shards lie on the nodes by turns: ceil(B / N) / B.
#[test]
fn fixed_buckets_have_the_share_of_the_closed_form() {
    for (buckets, nodes) in [(4, 4), (5, 4), (6, 4), (7, 4), (16, 6), (3, 5)] {
        let mut maker = super::super::KeyMaker::new(ShardingKey::HashBuckets(buckets), 1);
        let setup = Setup {
            key: ShardingKey::HashBuckets(buckets),
            ..setup(&COCKROACH_STILL, nodes)
        };
        let mut cluster = Cluster::new(setup);
        let mut rows = vec![0u64; nodes as usize];
        let all = 200_000u64;
        for row in 0..all {
            rows[cluster.write(maker.key(row + 1)) as usize] += 1;
        }
        let share = *rows.iter().max().unwrap() as f64 / all as f64;
        let expected = crate::theory::shards::bucket_hot_share(buckets, nodes);
        // Five standard errors of a binomial share.
        let error = 5.0 * (expected * (1.0 - expected) / all as f64).sqrt();
        assert!(
            (share - expected).abs() <= error,
            "{buckets} on {nodes}: {share}, {expected}"
        );
    }
}

const COCKROACH_STILL: Store = Store {
    balance: None,
    merge: None,
    load: Load::Never,
    ..COCKROACH
};

/// Ascending ids and a finder that judges what comes after: never a key.
#[test]
fn the_online_finder_refuses_an_ascending_stream_and_splits_a_random_one() {
    let mut cluster = Cluster::new(setup(&COCKROACH, 4));
    run(&mut cluster, 200_000, 5000, ascending);
    assert_eq!(
        (
            cluster.totals().splits_by_load,
            cluster.totals().splits_by_size
        ),
        (0, 0)
    );
    assert!(cluster.totals().refused[Refusal::Unbalanced as usize] > 0);
    let mut cluster = Cluster::new(setup(&COCKROACH, 4));
    let shares = run(&mut cluster, 1_000_000, 5000, random_key);
    assert_eq!(cluster.totals().first_split_s, Some(11));
    assert!(cluster.totals().splits_by_load >= 1);
    assert!(shares.last().unwrap() < &0.6, "{:?}", shares.last());
}

#[test]
fn equal_numbers_of_ranges_are_reached_and_kept() {
    const EVEN: Store = Store {
        balance: Some(Balance {
            every_s: 1,
            jitter_percent: 0,
            load: None,
            spread: Some(Spread {
                by: SpreadBy::Ranges,
                moves: 1,
                out_of_node: u32::MAX,
                into_node: u32::MAX,
            }),
        }),
        ..by_size(10_000, SizePoint::Half, Parts::Stay)
    };
    for replication in [1, 3] {
        let mut cluster = Cluster::new(Setup {
            replication,
            ..setup(&EVEN, 5)
        });
        run(&mut cluster, 60_000, 100, random_key);
        for _ in 0..2000 {
            cluster.end_second(|_| {});
        }
        let ranges = cluster.ranges_by_node();
        let (least, most) = (ranges.iter().min().unwrap(), ranges.iter().max().unwrap());
        assert!(most - least <= 1, "{ranges:?}");
        for range in cluster.living() {
            let mut copies = cluster.copies(range).to_vec();
            copies.sort_unstable();
            copies.dedup();
            assert_eq!(
                copies.len(),
                replication as usize,
                "a node holds one copy of a range"
            );
        }
    }
}

#[test]
fn a_hashed_store_spreads_ascending_ids() {
    let mut cluster = Cluster::new(setup(&HASH_FIXED, 4));
    let shares = run(&mut cluster, 100_000, 10_000, ascending);
    assert!(
        shares.iter().all(|share| (share - 0.25).abs() < 0.03),
        "{shares:?}"
    );
    let mut cluster = Cluster::new(setup(&RANGE_FIXED, 4));
    let shares = run(&mut cluster, 100_000, 10_000, ascending);
    assert!(shares.iter().all(|&share| share == 1.0), "{shares:?}");
}

#[test]
fn equal_parts_begin_where_they_should() {
    assert_eq!(equal_parts(4, 0), [1 << 126, 1 << 127, 3 << 126]);
    assert_eq!(equal_parts(2, 1 << 127), [1 << 126]);
    assert!(equal_parts(1, 0).is_empty());
    assert_eq!(equal_parts(3, 0).len(), 2);
}

/// Every store, by a random sequence of writes and seconds: what must always be true.
mod always {
    use super::super::super::{KeyMaker, STORES};
    use super::*;
    use proptest::prelude::*;

    fn check(cluster: &mut Cluster, rows: u64, key: u128) {
        let ranges: Vec<_> = cluster.ranges().collect();
        assert_eq!(ranges[0].low, 0);
        assert!(ranges.is_sorted_by(|one, next| one.low < next.low));
        assert_eq!(ranges.iter().map(|range| range.rows).sum::<u64>(), rows);
        let prefixes: Vec<_> = cluster.lows.iter().map(|&low| prefix(low)).collect();
        assert_eq!(cluster.prefixes, prefixes);
        // Each number is of a range or free, once.
        let mut numbers = [cluster.order.clone(), cluster.free.clone()].concat();
        numbers.sort_unstable();
        assert!(numbers.into_iter().eq(0..cluster.ranges.len() as u32));
        for range in cluster.living() {
            let mut copies = cluster.copies(range).to_vec();
            copies.sort_unstable();
            copies.dedup();
            assert_eq!(copies.len(), cluster.setup.replication as usize);
            assert!(u32::from(*copies.last().unwrap()) < cluster.setup.nodes);
        }
        // A way to a range, the cached one too, is that of a look at all of them.
        let at = ranges.iter().rposition(|range| range.low <= key).unwrap();
        let (low, high, number) = cluster.last;
        if key >= low && (key < high || high == 0) {
            assert_eq!(number, cluster.order[at]);
        }
        assert_eq!(cluster.route(key), cluster.order[at]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn rows_ranges_and_replicas_add_up(
            store in 0..STORES.len(),
            key in proptest::sample::select(vec![
                "range", "hash:5", "salt:3", "id_mod:4", "bit_reversed", "tenant:zipf:1:tenants=9", "auto_random:3",
            ]),
            nodes in prop_oneof![1..6u32, Just(1024)],
            replication in 1..=5u32,
            // From a few rows in a range to many.
            row_bytes in prop_oneof![Just(30_000_000u32), 100_000..4_000_000u32],
            seconds in proptest::collection::vec((0..3u32, 0..700u64, any::<u64>()), 1..60),
            seed in any::<u64>(),
        ) {
            let setup = Setup {
                store: STORES[store],
                key: key.parse().unwrap(),
                column: Column::Bigint,
                nodes,
                replication: replication.min(nodes),
                shards: 7,
                row_bytes,
                seed,
            };
            let mut cluster = Cluster::new(setup);
            let mut maker = KeyMaker::new(setup.key, seed);
            let mut rows = 0;
            for (kind, writes, salt) in seconds {
                let mut last = 0;
                for write in 0..writes {
                    let id = match kind {
                        0 => rows << 30,
                        1 => super::super::super::key::mix(salt ^ write) >> 1,
                        // A stream elsewhere.
                        _ => (salt >> 1) + write,
                    };
                    last = maker.key(id);
                    cluster.write(last);
                    rows += 1;
                }
                let last = match setup.store.hashed {
                    true => super::super::super::key::rehashed(last),
                    false => last,
                };
                check(&mut cluster, rows, last);
                // Now and then a pause long enough for merges.
                for _ in 0..=if salt % 8 == 0 { 400 } else { 0 } {
                    cluster.end_second(|_| {});
                }
                check(&mut cluster, rows, last);
                assert_eq!(cluster.totals().rows, rows);
            }
        }
    }
}

/// A counter with its bits reversed meets equal intervals in step; its sample must not.
#[test]
fn a_sample_tells_the_halves_of_reversed_counters_and_of_writers_in_turn() {
    for rows in [1500u64, 10_000, 100_000] {
        let mut sample = super::super::range::Sample::default();
        (0..rows).for_each(|row| sample.see(u128::from(row.reverse_bits()) << 64));
        let keys = sample.sorted();
        let left = keys.iter().filter(|&&key| key < 1 << 127).count();
        let share = left as f64 / keys.len() as f64;
        assert!((share - 0.5).abs() < 0.1, "{rows}: {share}");
        assert!((512..=1024).contains(&keys.len()), "{}", keys.len());
        assert!((keys.len() as u64 * sample.stride()).abs_diff(rows) <= sample.stride());
    }
}

/// TiKV counts 10,000 rows as a MiB: small rows are split by their number, 3.84 M at a cut of 2.56 M.
#[test]
fn tikv_splits_small_rows_by_their_number_and_looks_every_16_mib() {
    use super::super::TIKV;
    let mut cluster = Cluster::new(Setup {
        row_bytes: 20,
        ..setup(&TIKV, 3)
    });
    run(&mut cluster, 3_800_000, 100_000, ascending);
    (0..10).for_each(|_| cluster.end_second(|_| {}));
    assert_eq!(cluster.totals().splits_by_size, 0);
    run(&mut cluster, 300_000, 100_000, |row| {
        ascending(3_800_000 + row)
    });
    (0..10).for_each(|_| cluster.end_second(|_| {}));
    let rows: Vec<_> = cluster.ranges().map(|range| range.rows).collect();
    assert_eq!(rows.len(), 2);
    assert!(rows[0].abs_diff(2_560_000) < 10_000, "{rows:?}");
    // Above the limit, but not yet 16 MiB more than when it was looked at.
    let mut cluster = Cluster::new(Setup {
        row_bytes: 1 << 20,
        ..setup(&TIKV, 3)
    });
    run(&mut cluster, 384, 384, ascending);
    (0..10).for_each(|_| cluster.end_second(|_| {}));
    run(&mut cluster, 15, 15, |row| ascending(384 + row));
    (0..20).for_each(|_| cluster.end_second(|_| {}));
    assert_eq!(cluster.totals().splits_by_size, 0);
    run(&mut cluster, 1, 1, |row| ascending(399 + row));
    (0..20).for_each(|_| cluster.end_second(|_| {}));
    assert_eq!(cluster.totals().splits_by_size, 1);
}

/// YugabyteDB has one split outstanding, the largest tablet's.
#[test]
fn yugabyte_splits_one_tablet_at_a_time() {
    use super::super::YUGABYTE;
    let mut cluster = Cluster::new(Setup {
        key: ShardingKey::HashBuckets(4),
        row_bytes: 1 << 20,
        ..setup(&YUGABYTE, 3)
    });
    for row in 0..2400u64 {
        cluster.write(u128::from(row % 4) << 112 | u128::from(row) << 64);
    }
    for second in 1..=4 {
        cluster.end_second(|_| {});
        assert_eq!(cluster.totals().splits_by_size, second);
    }
}

/// MongoDB: a shard takes part in one migration of a round, so that floor(n / 2) run.
#[test]
fn mongo_migrates_between_half_of_its_shards_at_once() {
    use super::super::MONGO_RANGE;
    let mut cluster = Cluster::new(Setup {
        key: ShardingKey::IdMod(5),
        row_bytes: 1 << 20,
        ..setup(&MONGO_RANGE, 5)
    });
    // Shards of 2000, 1500, 1000, 500 and 0 MiB.
    for row in 0..5000u128 {
        let shard = match row {
            0..2000 => 0,
            2000..3500 => 1,
            3500..4500 => 2,
            _ => 3,
        };
        cluster.write(shard << 112 | row << 32);
    }
    (0..10).for_each(|_| cluster.end_second(|_| {}));
    assert_eq!(cluster.totals().replica_moves, 2);
    assert_eq!(cluster.totals().moved_bytes, 2 * (128 << 20));
    let bytes = cluster.bytes_by_node();
    let mib: Vec<_> = bytes.iter().map(|bytes| bytes >> 20).collect();
    assert_eq!(mib, [1872, 1372, 1000, 628, 128]);
}

/// FoundationDB merges what is below a quarter of the limit and hardly written.
#[test]
fn foundationdb_merges_by_size_and_bytes_a_second() {
    use super::super::FOUNDATIONDB;
    let merges = |rows: u64, per_s: u64| {
        let mut cluster = Cluster::new(Setup {
            key: ShardingKey::IdMod(2),
            row_bytes: 1000,
            ..setup(&FOUNDATIONDB, 3)
        });
        // Both ranges are cut from one, as a split would.
        cluster.setup.key = ShardingKey::Range;
        for row in 0..rows {
            cluster.write(u128::from(row % 2) << 112 | u128::from(row) << 32);
        }
        for _ in 0..200 {
            for row in 0..per_s {
                cluster.write(u128::from(row % 2) << 112);
            }
            cluster.end_second(|_| {});
        }
        cluster.totals().merges
    };
    // A quarter of 4 × (10 MB + 45 √ bytes) is 10.2 MB here.
    assert_eq!(merges(18_000, 0), 1);
    assert_eq!(merges(26_000, 0), 0);
    assert_eq!(merges(2_000, 20), 1);
    assert_eq!(merges(2_000, 120), 0, "120 kB/s");
}

/// HBase counts the table's regions on the server of the one it looks at.
#[test]
fn hbase_limits_depend_on_the_regions_of_the_server() {
    use super::super::{HBASE_STEPPING, HBASE_UPPER_BOUND};
    let limits = |store, buckets| {
        let cluster = Cluster::new(Setup {
            key: ShardingKey::IdMod(buckets),
            ..setup(store, 2)
        });
        cluster.limit_bytes(&cluster.ranges[0]) >> 20
    };
    let stepping = [1, 2, 3].map(|buckets| limits(&HBASE_STEPPING, buckets));
    assert_eq!(stepping, [256, 256, 10 << 10]);
    let upper = [1, 3, 5, 8, 250].map(|buckets| limits(&HBASE_UPPER_BOUND, buckets));
    assert_eq!(upper, [256, 2048, 6912, 10 << 10, 10 << 10]);
}

/// A row of 4 KB costs four write units: a quarter of the rows are hot.
#[test]
fn dynamo_counts_kilobytes() {
    use super::super::DYNAMO_LIKE;
    for (row_bytes, per_s, splits) in [
        (1024, 990, 0),
        (1024, 1010, 1),
        (4096, 240, 0),
        (4096, 260, 1),
    ] {
        let mut cluster = Cluster::new(Setup {
            row_bytes,
            ..setup(&DYNAMO_LIKE, 2)
        });
        run(&mut cluster, per_s * 62, per_s, ascending);
        let totals = cluster.totals();
        assert_eq!(totals.splits_by_load, splits, "{row_bytes} {per_s}");
        assert_eq!(totals.merges, 0);
    }
}

/// CockroachDB watches anew after a split: uniform writes reach four ranges in a minute.
#[test]
fn cockroach_splits_by_load_until_each_range_is_below_the_rate() {
    let mut cluster = Cluster::new(setup(&COCKROACH, 4));
    run(&mut cluster, 300_000, 9000, random_key);
    let totals = cluster.totals();
    assert!(totals.splits_by_load >= 3, "{totals:?}");
    assert_eq!(totals.first_split_s, Some(11));
}

#[test]
fn many_ranges_and_many_shards() {
    let mut cluster = Cluster::new(Setup {
        shards: MOST_SHARDS,
        ..setup(&RANGE_FIXED, MOST_NODES)
    });
    assert_eq!(cluster.ranges().count(), MOST_SHARDS as usize);
    run(&mut cluster, 200_000, 10_000, |row| random_key(row) >> 1);
    let nodes = cluster.bytes_by_node();
    assert!(nodes.iter().all(|&bytes| bytes > 0), "{nodes:?}");

    const SMALL: Store = by_size(200, SizePoint::Half, Parts::RightMoves);
    let mut cluster = Cluster::new(setup(&SMALL, 3));
    run(&mut cluster, 20_000, 5000, random_key);
    assert!(cluster.ranges().count() > 8000);
    assert_eq!(
        cluster.ranges().map(|range| range.rows).sum::<u64>(),
        20_000
    );
}

/// 16 equal buckets on 9 nodes: seven nodes have two. No move makes that better, so none is made.
#[test]
fn what_cannot_be_more_even_stays_where_it_is() {
    use super::super::TIKV;
    let mut cluster = Cluster::new(Setup {
        key: ShardingKey::HashBuckets(16),
        replication: 3,
        ..setup(&TIKV, 9)
    });
    let mut maker = super::super::KeyMaker::new(ShardingKey::HashBuckets(16), 1);
    let keys: Vec<u128> = (0..3_000_000u64).map(|row| maker.key(row)).collect();
    run(&mut cluster, 3_000_000, 10_000, |row| keys[row as usize]);
    let totals = cluster.totals();
    assert!(
        totals.replica_moves + totals.leader_moves < 30,
        "{totals:?}"
    );
}
