use super::{Balance, FirstRanges, GIB, Load, LoadRule, Merge, MergeBelow, MIB, Parts, Size, SizeLimit, SizePoint, Spread, SpreadBy, Store};

/// As Spanner is described; Google publishes neither its thresholds nor its split points.
///
/// Source: its documentation on splits and hot-spot statistics (a split of `CPU_USAGE_SCORE`
/// 100 that stays so for more than 10 min needs a change of the schema).
pub const SPANNER_LIKE: Store = Store {
    name: "spanner_like",
    about: "as Spanner is described: about 8 GB, load splits in minutes; not its published rules, which there are none",
    assumed: "all numbers but the 8 GB: a range is watched from 2,500 requests/s for a minute, by an online reservoir; moves every minute",
    calls_it: "SPLIT_STATS_TOP_MINUTE.CPU_USAGE_SCORE",
    hashed: false,
    size: Size {
        above: SizeLimit::Bytes(8 * GIB),
        point: SizePoint::Half,
        check_s: 0,
        ..Size::NEVER
    },
    load: Load::Online {
        requests_per_s: 2500,
        request_bytes: u32::MAX,
        watch_s: 60,
        pause_s: 120,
    },
    parts: Parts::Stay,
    balance: Some(Balance {
        every_s: 60,
        jitter_percent: 0,
        load: Some(LoadRule {
            above_mean_percent: 10,
            above_mean_per_s: 100,
            moves: 1000,
            most_bytes: u64::MAX,
        }),
        spread: Some(Spread {
            by: SpreadBy::Ranges,
            moves: 1,
            out_of_node: u32::MAX,
            into_node: u32::MAX,
        }),
    }),
    merge: Some(Merge {
        below: MergeBelow::Bytes(256 * MIB),
        pause_s: 3600,
        every_s: 60,
        below_per_s: 1000,
        below_bytes_per_s: u64::MAX,
    }),
    replication: 3,
    first_ranges: FirstRanges::One,
};
