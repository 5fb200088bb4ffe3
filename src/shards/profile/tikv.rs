use super::{Balance, FirstRanges, Load, LoadRule, MIB, Merge, MergeBelow, Parts, Size, SizeLimit, SizePoint, Spread, SpreadBy, Store};

/// TiKV with PD since 8.3: regions of 256 MiB, split from 384 MiB.
///
/// Load splits are for reads alone, so that writes never cause one; the hot-region
/// scheduler moves leaders of hot regions, not the only one of a node.
/// Sources: `coprocessor/config.rs`, `split_check`, `split_config` of TiKV; `hot_region.go`,
/// `balance_region.go`, `merge_checker.go` of PD (August 2026).
pub const TIKV: Store = Store {
    name: "tikv",
    about: "TiKV + PD since 8.3: cut every 256 MiB from 384 MiB on (or every 2.56 M rows from 3.84 M on), looked at every 10 s and 16 MiB; load splits for reads only; hot-region scheduler",
    assumed: "a round every 10 s, by the writes of the last minute and not by three heartbeats of 60 s; the node that takes a leader stays 5 % below the one that gives it; one region moved a round to even out numbers; both regions of a merge are small",
    calls_it: "hot_region, hot_peers_summary; tikv_load_base_split_event{no_balance_key, ...}",
    hashed: false,
    size: Size {
        above: SizeLimit::Bytes(384 * MIB),
        point: SizePoint::Fill(256 * MIB),
        check_s: 10,
        growth_bytes: 16 * MIB,
        rows_per_mib: 10_000,
        ..Size::NEVER
    },
    load: Load::Never,
    parts: Parts::StayRightOld,
    balance: Some(Balance {
        every_s: 10,
        jitter_percent: 0,
        load: Some(LoadRule {
            above_mean_percent: 5,
            above_mean_per_s: 1,
            moves: 4,
            most_bytes: 512 * MIB,
        }),
        spread: Some(Spread {
            by: SpreadBy::Ranges,
            moves: 1,
            out_of_node: u32::MAX,
            into_node: u32::MAX,
        }),
    }),
    merge: Some(Merge {
        below: MergeBelow::Bytes(54 * MIB),
        pause_s: 3600,
        every_s: 10,
        below_per_s: u32::MAX,
        below_bytes_per_s: u64::MAX,
    }),
    replication: 3,
    first_ranges: FirstRanges::One,
};

/// TiKV before 8.3: regions of 96 MiB, split from 144 MiB.
///
/// Sources: as for [`TIKV`]; merges below 20 MiB.
pub const TIKV_96: Store = Store {
    name: "tikv_96",
    about: "TiKV + PD before 8.3: cut every 96 MiB from 144 MiB on, else as tikv",
    size: Size {
        above: SizeLimit::Bytes(144 * MIB),
        point: SizePoint::Fill(96 * MIB),
        check_s: 10,
        growth_bytes: 6 * MIB,
        rows_per_mib: 10_000,
        ..Size::NEVER
    },
    merge: Some(Merge {
        below: MergeBelow::Bytes(20 * MIB),
        pause_s: 3600,
        every_s: 10,
        below_per_s: u32::MAX,
        below_bytes_per_s: u64::MAX,
    }),
    ..TIKV
};
