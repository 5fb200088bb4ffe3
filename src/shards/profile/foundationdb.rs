use super::{Balance, FirstRanges, Load, Merge, MergeBelow, Parts, Size, SizeLimit, SizePoint, Spread, SpreadBy, Store};

/// FoundationDB's data distribution.
///
/// Sources: `ServerKnobs.cpp` (`SHARD_MIN_BYTES_PER_KSEC` and so on), `DDShardTracker.actor.cpp`
/// (August 2026). The design text says 1 GB/s for the write bandwidth, the knob is bytes in 1,000 s.
pub const FOUNDATIONDB: Store = Store {
    name: "foundationdb",
    about: "FoundationDB: equal parts of min(500 MB, 4 × (10 MB + 45 √ bytes)), cuts from 1 MB/s over 120 s into parts of 250 kB/s; one random part stays",
    assumed: "every 10 s at most two moves out of each server and ten into it, between servers that are 500 MB apart; one merge in 10 s, not within two minutes of a split",
    calls_it: "storage_server_write_queue_size; RelocateShardStartSplit",
    hashed: false,
    size: Size {
        above: SizeLimit::FoundationDb,
        point: SizePoint::EqualParts,
        check_s: 1,
        ..Size::NEVER
    },
    load: Load::Quantile,
    parts: Parts::OneStays,
    balance: Some(Balance {
        every_s: 10,
        jitter_percent: 0,
        load: None,
        spread: Some(Spread {
            by: SpreadBy::Bytes {
                more_bytes: 500_000_000,
                piece_bytes: u64::MAX,
            },
            moves: u32::MAX,
            out_of_node: 2,
            into_node: 10,
        }),
    }),
    merge: Some(Merge {
        below: MergeBelow::PartOfLimit(4),
        pause_s: 120,
        every_s: 10,
        below_per_s: u32::MAX,
        below_bytes_per_s: 100_000,
    }),
    replication: 3,
    first_ranges: FirstRanges::One,
};
