use super::{Balance, FirstRanges, GIB, Load, LoadRule, MIB, Merge, Parts, Size, SizeLimit, SizePoint, Spread, SpreadBy, Store};

/// CockroachDB, zone `range_max_bytes` as it comes, `kv.range_split.objective` qps.
///
/// Sources: zone configuration and load-based splitting pages of its documentation;
/// `split.Decider` (2,500 requests a second, 10 s, one suggestion a minute),
/// `StoreRebalancer` (60 s ± 25 %, mean + max(10 %, 100 requests a second)), merge queue
/// (both below `range_min_bytes` 128 MiB, load boundaries kept for 5 min).
pub const COCKROACH: Store = Store {
    name: "cockroach",
    about: "CockroachDB: half of 512 MiB; load splits from 2,500 requests/s by an online reservoir; store rebalancer",
    assumed: "one range moved a round to even out numbers of ranges",
    calls_it: "Top Ranges QPS, rebalancing.queriespersecond; kv.loadsplitter.nosplitkey, queue.split.size_based, queue.split.load_based",
    hashed: false,
    size: Size {
        above: SizeLimit::Bytes(512 * MIB),
        point: SizePoint::Half,
        check_s: 0,
    },
    load: Load::Online {
        requests_per_s: 2500,
        watch_s: 10,
        pause_s: 60,
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
        }),
    }),
    merge: Some(Merge {
        below_bytes: 128 * MIB,
        pause_s: 300,
        every_s: 1,
        below_per_s: 1250,
    }),
    replication: 3,
    first_ranges: FirstRanges::One,
};
