//! Published numbers that do not depend on a machine's speed.

use super::load::{ascending, relocated};
use super::{Check, Setting};
use crate::tolerance::Tolerance;
use anyhow::Result;
use idlab::random;
use idlab::shards::{HASH_FIXED, RANGE_FIXED, Setup, ShardingKey, SizePoint, Store, TIKV, TIKV_96};
use std::collections::BTreeMap;

/// How near a published number should be.
const NEAR: Tolerance = Tolerance::relative(0.15);
const HOT_NODE: (&str, &str) = ("hot_node_share", "share");

/// One hot region; and a region that grows faster than it can be split.
pub fn tikv(setting: &Setting) -> Result<Vec<Check>> {
    let hot = Setup {
        row_bytes: 25_600,
        ..setting.setup(&TIKV, ShardingKey::Range, 6)
    };
    let found = ascending(&setting.plan(vec![hot], 1000, 600))?;
    let params = [("window", "1s"), ("of", "settled")];
    let busy = 1.0 / found[0].total("hot_replica_share", &params);
    let case = "tikv, ascending, 6 stores, 3 copies";
    let source = "tikv/tikv#14135; TiDB's page on writing at a high rate";
    let mut checks = vec![
        Check::new(case, HOT_NODE, found[0].hot_node("1s"), 1.0, NEAR).note(source),
        Check::new(case, ("busy_stores", "stores"), busy, 3.0, NEAR).note(source),
    ];
    // 200 MiB/s to one region: ten cuts each 10 s are not enough.
    let row_bytes = 1 << 16;
    let fast = Setup {
        row_bytes,
        ..setting.setup(&TIKV_96, ShardingKey::Range, 6)
    };
    let seconds = 200;
    let found = ascending(&setting.plan(vec![fast], 3200, seconds))?;
    let looks = (seconds / 10) as f64;
    checks.push(
        Check::new(
            "tikv_96, ascending, 200 MiB/s",
            ("splits_per_look", "splits"),
            found[0].total("splits_by_size", &[]) / looks,
            10.0,
            NEAR,
        )
        .note("tikv/tikv#9785: at most 10 regions of 96 MiB every 10 s"),
    );
    Ok(checks)
}

const HUNDRED_MB: u64 = 100_000_000;
const HALF: Store = relocated(HUNDRED_MB, SizePoint::Half);
const NINE_TENTHS: Store = relocated(HUNDRED_MB, SizePoint::LeftPercent(90));

/// Ascending keys in shards of 100 MB, cut in halves or 90:10.
pub fn cuts(setting: &Setting) -> Result<Vec<Check>> {
    let stores = [("half", &HALF, 1.0), ("90:10", &NINE_TENTHS, 1.0 / 9.0)];
    let setups = stores.map(|(_, store, _)| Setup {
        row_bytes: 10_000,
        ..setting.setup(store, ShardingKey::Range, 6)
    });
    let found = ascending(&setting.plan(setups.to_vec(), 1000, 600))?;
    let checks = stores
        .into_iter()
        .zip(found)
        .map(|((cut, _, moved), found)| {
            Check::new(
                format!("shards of 100 MB cut {cut}"),
                ("moved_bytes_per_byte", "bytes/byte"),
                found.total("moved_bytes_per_byte", &[]),
                moved,
                NEAR,
            )
            .note("apple/foundationdb#5034")
        });
    Ok(checks.collect())
}

/// Snowflake ids modulo 256: what ten clients draw that each take an id in 54.5 % of the milliseconds, the sequence
/// starting at 0 and 1 by turns.
pub fn mycat(setting: &Setting) -> Result<Vec<Check>> {
    const CLIENTS: u32 = 10;
    const PER_MILLE: u32 = 545;
    /// Ids by residue.
    const PUBLISHED: [u32; 11] = [
        6616, 12_994, 12_420, 11_509, 9559, 7650, 4740, 2470, 950, 246, 32,
    ];
    let all: u32 = PUBLISHED.iter().sum();
    let mut random = random::stream(setting.seed, "shards.mycat", 0);
    let mut residues: BTreeMap<u32, u32> = BTreeMap::new();
    let (mut ids, mut start) = (0, 0);
    while ids < all {
        let drawn = (0..CLIENTS)
            .filter(|_| random::below(&mut random, 1000) < PER_MILLE)
            .count() as u32;
        for sequence in start..start + drawn {
            *residues.entry(sequence % 256).or_default() += 1;
        }
        ids += drawn;
        start = if drawn > 0 { 1 - start } else { start };
    }
    let share = |count: u32, of: u32| f64::from(count) / f64::from(of);
    let hottest = residues.values().copied().max().unwrap_or(0);
    let of = |residue: u32| share(residues.get(&residue).copied().unwrap_or(0), ids);
    let case = "snowflake mod 256, sequence from 0 or 1";
    let note = "MyCATApache/Mycat-Server#2616, 69,186 ids; its counts fit ten clients, 5.45 ids/ms in all, and a sequence that starts at 0 and 1 by turns";
    Ok(vec![
        Check::new(
            case,
            ("shards_used", "shards"),
            residues.len() as f64,
            11.0,
            NEAR,
        )
        .note(note),
        Check::new(
            case,
            ("hot_share", "share"),
            share(hottest, ids),
            0.188,
            NEAR,
        )
        .note(note),
        Check::new(
            case,
            ("share_of_residue_0", "share"),
            of(0),
            share(PUBLISHED[0], all),
            NEAR,
        )
        .note(note),
        Check::new(
            case,
            ("share_of_residue_5", "share"),
            of(5),
            share(PUBLISHED[5], all),
            NEAR,
        )
        .note(note),
    ])
}

/// Ceilings and fan-out that follow from shares alone.
pub fn shares(setting: &Setting) -> Result<Vec<Check>> {
    let buckets = ShardingKey::HashBuckets(10);
    let setups = vec![
        setting.setup(&RANGE_FIXED, ShardingKey::Range, 5),
        setting.setup(&super::load::ONE_RANGE, buckets, 5),
        setting.setup(&HASH_FIXED, ShardingKey::Range, 4),
        setting.setup(&RANGE_FIXED, ShardingKey::HashBuckets(10), 5),
    ];
    let found = ascending(&setting.plan(setups, 20_000, 40))?;
    let speed_up = ("speed_up", "ratio");
    let streams = ("scan_streams", "streams");
    let rfc = "CockroachDB RFC 20191028: flat without, linear with 10 hash shards; values only in a figure";
    let point = |query| [("query", query)];
    let node = 14_000.0;
    Ok(vec![
        Check::new(
            "sequential, 5 nodes",
            speed_up,
            found[0].total("speed_up", &[]),
            1.0,
            NEAR,
        )
        .note(rfc),
        Check::new(
            "sequential, 10 hash shards, 5 nodes",
            speed_up,
            found[1].total("speed_up", &[]),
            5.0,
            NEAR,
        )
        .note(rfc),
        Check::new(
            "point read, prefix of 10 not derived",
            streams,
            found[3].total("scan_streams", &point("point_bucket_unknown")),
            10.0,
            NEAR,
        )
        .note("CockroachDB RFC 20191028: such a read goes to all shards"),
        Check::new(
            "point read, prefix of 10 derived",
            streams,
            found[3].total("scan_streams", &point("point")),
            1.0,
            NEAR,
        )
        .note("CockroachDB RFC 20191028: such a read goes to all shards"),
        Check::new(
            "ascending, 1000 writes/s a partition",
            ("ceiling_writes_per_s", "writes/s"),
            found[0].total("ceiling_writes_per_s", &[]),
            1000.0,
            NEAR,
        )
        .note("DynamoDB's developer guide: 1000 WCU/s a partition, whatever the table has"),
        Check::new(
            "spread, 14,000 writes/s a node, 4 nodes",
            ("ceiling_writes_per_s", "writes/s"),
            found[2].total("speed_up", &[]) * node,
            4.0 * node,
            NEAR,
        )
        .note("Bigtable's page on performance: 14,000 writes/s a node, linear if spread"),
    ])
}
