use super::{Balance, FirstRanges, Load, MIB, Parts, Size, SizeLimit, SizePoint, Spread, SpreadBy, Store};

/// MongoDB since 6.0.3, sharded by range: a range is cut only when it is moved.
///
/// Source: its manual on the balancer (three times 128 MB apart) and on data partitioning.
pub const MONGO_RANGE: Store = Store {
    name: "mongo_range",
    about: "MongoDB since 6.0.3, ranged: no splits; the balancer cuts off and moves 128 MB when two shards are 384 MB apart, each shard one at a time",
    assumed: "what is moved is cut off at the left end; a round of migrations lasts 10 s; a shard is one node here",
    calls_it: "shard distribution (getShardDistribution)",
    hashed: false,
    size: Size {
        above: SizeLimit::Never,
        point: SizePoint::Half,
        check_s: 0,
        ..Size::NEVER
    },
    load: Load::Never,
    parts: Parts::Stay,
    balance: Some(Balance {
        every_s: 10,
        jitter_percent: 0,
        load: None,
        spread: Some(Spread {
            by: SpreadBy::Bytes {
                more_bytes: 384 * MIB,
                piece_bytes: 128 * MIB,
            },
            moves: u32::MAX,
            out_of_node: 1,
            into_node: 1,
        }),
    }),
    merge: None,
    replication: 1,
    first_ranges: FirstRanges::One,
};
