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
