use super::{Balance, FirstRanges, GIB, Load, LoadRule, MIB, Merge, MergeBelow, Parts, Size, SizeLimit, SizePoint, Spread, SpreadBy, Store};

/// CockroachDB, zone `range_max_bytes` as it comes, `kv.range_split.objective` qps.
///
/// Sources: zone configuration and load-based splitting pages of its documentation;
/// `split.Decider` (2,500 requests a second, 10 s, begun anew after a split),
/// `StoreRebalancer` (60 s ± 25 %, mean + max(10 %, 100 requests a second)), merge queue
/// (both below `range_min_bytes` 128 MiB, less than half the load of a split, load boundaries kept for 5 min).
pub const COCKROACH: Store = Store {
    name: "cockroach",
    about: "CockroachDB: half of 512 MiB; load splits from 2,500 requests/s by an online reservoir; store rebalancer",
    assumed: "the node that takes a lease is 10 % below the mean and stays so below the one that gives it; one range moved a round to even out numbers of ranges; one merge a second; writes are the only requests",
    calls_it: "Top Ranges QPS, rebalancing.queriespersecond; kv.loadsplitter.nosplitkey, queue.split.size_based, queue.split.load_based",
    hashed: false,
    size: Size {
        above: SizeLimit::Bytes(512 * MIB),
        point: SizePoint::Half,
        check_s: 0,
        ..Size::NEVER
    },
    load: Load::Online {
        requests_per_s: 2500,
        request_bytes: u32::MAX,
        watch_s: 10,
        pause_s: 0,
    },
    parts: Parts::Stay,
    balance: Some(Balance {
        every_s: 60,
        jitter_percent: 25,
        load: Some(LoadRule {
            above_mean_percent: 10,
            above_mean_per_s: 100,
            moves: 1000,
            most_bytes: 1024 * GIB,
        }),
        spread: Some(Spread {
            by: SpreadBy::Ranges,
            moves: 1,
            out_of_node: u32::MAX,
            into_node: u32::MAX,
        }),
    }),
    merge: Some(Merge {
        below: MergeBelow::Bytes(128 * MIB),
        pause_s: 300,
        every_s: 1,
        below_per_s: 1250,
        below_bytes_per_s: u64::MAX,
    }),
    replication: 3,
    first_ranges: FirstRanges::One,
};
