//! Closed forms beside the simulated cluster.

use super::load::{ONE_RANGE, ascending, relocated};
use super::{Check, EXACT, Setting, sampled};
use crate::tolerance::Tolerance;
use anyhow::Result;
use idlab::measure::{Clients, Service, ShardsPlan};
use idlab::shards::{
    COCKROACH, Cluster, HASH_FIXED, KeyMaker, RANGE_FIXED, ShardBits, ShardingKey, SizePoint,
    Store, TIKV, TIKV_96, Tenants, Windows, YUGABYTE,
};
use idlab::theory::shards as theory;
use rayon::prelude::*;
use std::f64::consts::LN_2;

const MIB: u64 = 1 << 20;
const HOT_NODE: (&str, &str) = ("hot_node_share", "share");
const BYTES: (&str, &str) = ("hot_node_bytes_share", "share");
const FILL: (&str, &str) = ("frozen_fill", "share");
const MOVED: (&str, &str) = ("moved_bytes_per_byte", "bytes/byte");
const RANGES: (&str, &str) = ("ranges", "ranges");

/// The last range of ascending ids: 10,000 rows/s of 256 bytes on six nodes.
pub fn intervals(setting: &Setting) -> Result<Vec<Check>> {
    const ROWS_PER_S: u64 = 10_000;
    // Size of a split, size from which a range is split.
    let stores: [(&'static Store, u64, u64); 4] = [
        (&COCKROACH, 512, 512),
        (&TIKV, 256, 384),
        (&TIKV_96, 96, 144),
        (&YUGABYTE, 512, 512),
    ];
    let setups = stores.map(|(store, ..)| setting.setup(store, ShardingKey::Range, 6));
    let mut checks = Vec::new();
    let plan = setting.plan(setups.to_vec(), ROWS_PER_S, 840);
    for ((store, split, from), found) in stores.into_iter().zip(ascending(&plan)?) {
        let case = format!("ascending tail on {}", store.name);
        let per_s = (ROWS_PER_S as f64, 256.0);
        let half = store.size.point == SizePoint::Half;
        let interval_s = match half {
            true => theory::half_split_interval_s((split * MIB) as f64, per_s.0, per_s.1),
            false => theory::fill_split_interval_s((split * MIB) as f64, per_s.0, per_s.1),
        };
        let splits_s = found.splits_s();
        let (first, last) = (splits_s.first(), splits_s.last());
        let (first, last) = (*first.unwrap_or(&f64::NAN), *last.unwrap_or(&f64::NAN));
        let intervals = splits_s.len().saturating_sub(1) as f64;
        let look_s = f64::from(store.size.check_s.max(1));
        let first_s = theory::fill_split_interval_s((from * MIB) as f64, per_s.0, per_s.1);
        checks.extend([
            Check::new(
                &case,
                ("time_between_splits_s", "s"),
                (last - first) / intervals,
                interval_s,
                Tolerance::absolute(look_s / intervals),
            ),
            Check::new(
                &case,
                ("time_to_first_split_s", "s"),
                found.total("time_to_first_split_s", &[]),
                first_s,
                Tolerance::absolute(look_s),
            ),
            Check::new(
                &case,
                FILL,
                found.total("frozen_fill", &[]),
                if half { 0.5 } else { 1.0 },
                Tolerance::absolute(0.01),
            ),
            Check::new(&case, HOT_NODE, found.hot_node("1s"), 1.0, EXACT),
            Check::shown(
                &case,
                BYTES,
                found.total("hot_node_bytes_share", &[]),
                "three copies on six nodes, balanced by the store's own rules: 1/6 when all is spread",
            ),
        ]);
    }
    Ok(checks)
}

const HALF: Store = relocated(MIB, SizePoint::Half);
const FULL: Store = relocated(3 * MIB / 2, SizePoint::Fill(MIB));
const NINE_TENTHS: Store = relocated(MIB, SizePoint::LeftPercent(90));
const TAIL: Store = relocated(MIB, SizePoint::Tail);
/// Rows of 256 bytes: 4096 fill a range of [`HALF`], split every 20.48 s.
const ROWS_PER_S: u64 = 100;
const HALF_INTERVAL_S: f64 = 20.48;

/// Ascending ids whose last range moves on at each split.
pub fn relocation(setting: &Setting) -> Result<Vec<Check>> {
    let cases: [(&str, &'static Store, u32, f64, f64); 6] = [
        ("half", &HALF, 4, 0.5, 0.5),
        ("half", &HALF, 6, 0.5, 0.5),
        ("half", &HALF, 10, 0.5, 0.5),
        ("fill", &FULL, 4, 1.0, 1.0 / 3.0),
        ("90:10", &NINE_TENTHS, 4, 0.9, 0.1),
        ("tail", &TAIL, 4, 1.0, 0.0),
    ];
    let setups = cases.map(|(_, store, nodes, ..)| setting.setup(store, ShardingKey::Range, nodes));
    let plan = setting.plan(setups.to_vec(), ROWS_PER_S, 10_000);
    let mut checks = Vec::new();
    for ((cut, _, nodes, fill, right), found) in cases.into_iter().zip(ascending(&plan)?) {
        let case = format!("ascending, cut {cut}, {nodes} nodes");
        let moved = theory::relocation_amplification(right);
        checks.extend([
            Check::new(&case, HOT_NODE, found.hot_node("1s"), 1.0, EXACT),
            Check::new(
                &case,
                BYTES,
                found.total("hot_node_bytes_share", &[]),
                1.0 / f64::from(nodes),
                Tolerance::absolute(0.02),
            ),
            Check::new(
                &case,
                MOVED,
                found.total("moved_bytes_per_byte", &[]),
                moved,
                Tolerance::relative(0.02),
            ),
            Check::new(
                &case,
                FILL,
                found.total("frozen_fill", &[]),
                fill,
                Tolerance::absolute(0.01),
            ),
        ]);
    }
    Ok(checks)
}

/// Nodes that take writes in a window, if the last range moves on at each split.
pub fn rolling_hotspot(setting: &Setting) -> Result<Vec<Check>> {
    let mut checks = Vec::new();
    for nodes in [2, 6, 10] {
        let setup = setting.setup(&HALF, ShardingKey::Range, nodes);
        let mut cluster = Cluster::new(setup);
        let mut windows = Windows::new(nodes, 1);
        for second in 0..10_000 {
            (0..ROWS_PER_S).for_each(|row| {
                cluster.write(u128::from(second * ROWS_PER_S + row + 1) << 64);
            });
            cluster.end_second(|written| windows.see(written));
            windows.end_second(cluster.now_s());
        }
        for (i, seconds) in [(1, 10.0), (2, 60.0)] {
            let ended = windows.ended(i);
            let sum: u32 = ended.iter().map(|ended| ended.writers).sum();
            checks.push(Check::new(
                format!("rolling hotspot, {nodes} nodes, window {seconds} s"),
                ("writers", "nodes"),
                f64::from(sum) / ended.len() as f64,
                theory::distinct_writers(nodes, seconds, HALF_INTERVAL_S),
                Tolerance::absolute(0.05),
            ));
        }
    }
    Ok(checks)
}

const DRAWS: u64 = 200_000;

/// Writes that the hottest node takes of [`DRAWS`].
fn hot_shares(
    setting: &Setting,
    cases: &[(String, &'static Store, ShardingKey, u32, u32, f64)],
) -> Result<Vec<Check>> {
    let setups = cases
        .iter()
        .map(|&(_, store, key, shards, nodes, _)| idlab::shards::Setup {
            shards,
            ..setting.setup(store, key, nodes)
        });
    let plan = setting.plan(setups.collect(), DRAWS / 10, 10);
    let found = ascending(&plan)?;
    let check =
        |((case, .., expected), found): (&(String, _, _, _, _, f64), super::load::Found)| {
            let share = found.total("hot_node_share", &[("window", "all")]);
            Check::new(
                case,
                HOT_NODE,
                share,
                *expected,
                sampled(*expected, DRAWS as f64, 4.0),
            )
        };
    Ok(cases.iter().zip(found).map(check).collect())
}

/// B buckets on N nodes by turns.
pub fn buckets(setting: &Setting) -> Result<Vec<Check>> {
    let cases = [4, 6].into_iter().flat_map(|nodes| {
        (1..=16).map(move |buckets| {
            let expected = theory::bucket_hot_share(buckets, nodes);
            let key = ShardingKey::HashBuckets(buckets);
            let case = format!("{key}, {nodes} nodes");
            (case, &ONE_RANGE, key, 1, nodes, expected)
        })
    });
    hot_shares(setting, &cases.collect::<Vec<_>>())
}

/// TiDB's AUTO_RANDOM, a region for each value of its shard bits.
pub fn shard_bits(setting: &Setting) -> Result<Vec<Check>> {
    let cases = [4, 6].into_iter().flat_map(|nodes| {
        (1..=5).map(move |bits| {
            let expected = theory::bucket_hot_share(1 << bits, nodes);
            let key = ShardingKey::AutoRandom(ShardBits {
                bits,
                transaction_rows: 1,
            });
            let case = format!("auto_random:{bits}, {nodes} nodes");
            (case, &RANGE_FIXED, key, 1 << bits, nodes, expected)
        })
    });
    hot_shares(setting, &cases.collect::<Vec<_>>())
}

/// The finalizer of SplitMix64, written again.
fn mixed(value: u64) -> u64 {
    let z = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// 1000 tenants by Zipf's law, hashed to 16 shards on four nodes.
pub fn tenants(setting: &Setting) -> Result<Vec<Check>> {
    let cases = [1.0, 1.2, 1.5].map(|exponent| {
        let tenants = Tenants {
            exponent,
            tenants: 1000,
            top: 0,
            salts: 1,
        };
        let shares = theory::zipf_shares(1000, exponent);
        let node = |tenant: usize| (mixed((tenant as u64) << 32) >> 60) as usize % 4;
        let expected = theory::hottest_bucket(&shares, 4, node);
        let key = ShardingKey::Tenant(tenants);
        (
            format!("tenants, zipf {exponent}, 4 nodes"),
            &RANGE_FIXED,
            key,
            16,
            4,
            expected,
        )
    });
    hot_shares(setting, &cases)
}

/// Ascending ids in ranges that are never split.
pub fn one_hot_node(setting: &Setting) -> Result<Vec<Check>> {
    let nodes = [4, 6, 10];
    let setups = nodes.map(|nodes| setting.setup(&RANGE_FIXED, ShardingKey::Range, nodes));
    let found = ascending(&setting.plan(setups.to_vec(), 1000, 10))?;
    let checks = nodes.into_iter().zip(found).flat_map(|(nodes, found)| {
        let n = f64::from(nodes);
        let forms = [
            (HOT_NODE, 1.0),
            (("gini", "coefficient"), (n - 1.0) / n),
            (("hhi", "index"), 1.0),
            (("max_over_mean", "ratio"), n),
            (("effective_nodes", "nodes"), 1.0),
        ];
        forms.map(|(measure, expected)| {
            let value = found.total(measure.0, &[("window", "all")]);
            Check::new(
                format!("one hot node of {nodes}"),
                measure,
                value,
                expected,
                EXACT,
            )
        })
    });
    Ok(checks.collect())
}

/// 24 clients that wait for their writes, four nodes.
pub fn closed_loop(setting: &Setting) -> Result<Vec<Check>> {
    const CLIENTS: u32 = 24;
    const NODES: usize = 4;
    let mut setups = vec![setting.setup(&HASH_FIXED, ShardingKey::Range, NODES as u32)];
    let mut cases = vec![("16 hashed shards".to_owned(), vec![0.25; NODES])];
    for buckets in [1, 2, 3, 4, 5, 6, 7, 8, 16] {
        let mut shares = vec![0.0; NODES];
        (0..buckets).for_each(|bucket| shares[bucket % NODES] += 1.0 / buckets as f64);
        let key = ShardingKey::HashBuckets(buckets as u32);
        cases.push((key.to_string(), shares));
        setups.push(setting.setup(&ONE_RANGE, key, NODES as u32));
    }
    let plan = ShardsPlan {
        clients: Clients::ClosedLoop {
            clients: CLIENTS,
            service: Service::Exponential,
        },
        ..setting.plan(setups, 1000, 200)
    };
    let found = ascending(&plan)?;
    let checks = cases.into_iter().zip(found).map(|((case, shares), found)| {
        Check::new(
            format!("{CLIENTS} clients, {case}, {NODES} nodes"),
            ("closed_loop_writes_per_s", "writes/s"),
            found.total("closed_loop_writes_per_s", &[]),
            theory::closed_throughput_per_s(plan.capacity_per_s as f64, CLIENTS, &shares),
            Tolerance::relative(0.01),
        )
    });
    Ok(checks.collect())
}

/// Uniform keys, ranges cut at half: rows per full range, over two octaves of growth.
///
/// Fills swing between 1/2 and 1 as long as ranges double together; ranges a row, averaged over the logarithm of time, do not.
pub fn uniform_fill(setting: &Setting) -> Result<Vec<Check>> {
    const STEPS: u32 = 64;
    let mut cluster = Cluster::new(setting.setup(&HALF, ShardingKey::Hash, 4));
    let mut maker = KeyMaker::new(ShardingKey::Hash, setting.seed);
    let mut row = 0u64;
    let mut per_range = 0.0;
    for step in 0..2 * STEPS {
        let rows = (100_000.0 * (f64::from(step) / f64::from(STEPS)).exp2()) as u64;
        while row < rows {
            row += 1;
            cluster.write(maker.key(row));
        }
        let bytes = (rows * 256) as f64;
        per_range += cluster.ranges().count() as f64 * MIB as f64 / bytes;
    }
    Ok(vec![Check::new(
        "uniform, cut half",
        ("mean_fill", "share"),
        f64::from(2 * STEPS) / per_range,
        LN_2,
        Tolerance::absolute(0.02),
    )])
}

/// Online cuts by load alone.
const ONLINE: Store = Store {
    load: COCKROACH.load,
    ..ONE_RANGE
};

/// Ranges that so many salted streams end in, 1000 rows/s each.
fn ranges_of_streams(seed: u64, streams: u32, seconds: u64) -> usize {
    let setting = Setting { trials: 0, seed };
    let key = ShardingKey::Salt(streams);
    let mut cluster = Cluster::new(setting.setup(&ONLINE, key, 4));
    let mut maker = KeyMaker::new(key, seed);
    let mut row = 0u64;
    for _ in 0..seconds {
        for _ in 0..1000 * streams {
            row += 1;
            cluster.write(maker.key(row));
        }
        cluster.end_second(|_| {});
    }
    cluster.ranges().count()
}

/// Groups of three streams are not cut.
pub fn groups_of_three(setting: &Setting) -> Result<Vec<Check>> {
    const RUNS: u64 = 9;
    let runs = |streams: u32, seconds: u64| {
        let seeds: Vec<u64> = (0..RUNS)
            .map(|run| setting.seed.wrapping_add(run))
            .collect();
        let ranges = seeds.into_par_iter();
        let ranges = ranges.map(|seed| ranges_of_streams(seed, streams, seconds));
        let mut ranges: Vec<usize> = ranges.collect();
        ranges.sort_unstable();
        ranges
    };
    let mut checks = Vec::new();
    // Each cut takes 11 s or a little more; before the groups of three are asked often.
    for (streams, seconds, expected) in [(3, 15, 1.0), (6, 15, 2.0), (12, 27, 4.0)] {
        let ranges = runs(streams, seconds);
        checks.push(
            Check::new(
                format!("{streams} salted streams, {seconds} s"),
                RANGES,
                ranges[ranges.len() / 2] as f64,
                expected,
                EXACT,
            )
            .note(format!("median of {RUNS} runs")),
        );
    }
    let cut = runs(3, 300).iter().filter(|&&ranges| ranges > 1).count();
    checks.push(Check::shown(
        "3 salted streams, 300 s",
        ("cut_share", "share"),
        cut as f64 / RUNS as f64,
        "the closed form is of one decision: asked each second, the finder at last cuts at a fresh slot that 100 counts happen to balance",
    ));
    Ok(checks)
}
