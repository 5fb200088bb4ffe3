use super::{Balance, FirstRanges, GIB, Load, MIB, Parts, Size, SizeLimit, SizePoint, Spread, SpreadBy, Store};

/// YugabyteDB with automatic tablet splitting, range sharding, defaults of 2.15.
///
/// Source: its documentation on tablet splitting (`tablet_split_low_phase_size_threshold_bytes` and so on).
pub const YUGABYTE: Store = Store {
    name: "yugabyte",
    about: "YugabyteDB, range-sharded: half of 512 MiB with fewer than 8 tablets a node, of 10 GiB with fewer than 24, else of 100 GiB; one split at a time; no load splits",
    assumed: "one split a second, the largest tablet first; tablets stay on the nodes of the one they were cut from until numbers of tablets are evened out, one every 10 s",
    calls_it: "tablet write ops (rows_inserted by tablet)",
    hashed: false,
    size: Size {
        above: SizeLimit::Steps(&[(8, 512 * MIB), (24, 10 * GIB), (u32::MAX, 100 * GIB)]),
        point: SizePoint::Half,
        check_s: 1,
        splits: 1,
        ..Size::NEVER
    },
    load: Load::Never,
    parts: Parts::Stay,
    balance: Some(Balance {
        every_s: 10,
        jitter_percent: 0,
        load: None,
        spread: Some(Spread {
            by: SpreadBy::Ranges,
            moves: 1,
            out_of_node: u32::MAX,
            into_node: u32::MAX,
        }),
    }),
    merge: None,
    replication: 3,
    first_ranges: FirstRanges::One,
};
