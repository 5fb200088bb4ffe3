use super::{Balance, FirstRanges, GIB, Load, MIB, Parts, Size, SizeLimit, SizePoint, Spread, SpreadBy, Store};

/// HBase 2: SteppingSplitPolicy, 2 × the flush size of 128 MiB, then 10 GiB.
///
/// Source: `SteppingSplitPolicy.java`, `hbase.hregion.max.filesize`.
pub const HBASE_STEPPING: Store = Store {
    name: "hbase_stepping",
    about: "HBase 2 (SteppingSplitPolicy): half of 256 MiB while the table has one region on the server, else of 10 GiB",
    assumed: "a region is cut in the middle; both daughters open on the server of the region; the balancer evens out numbers of regions every 300 s; a copy in HDFS is no replica",
    calls_it: "region write request rate (writeRequestCount)",
    hashed: false,
    size: Size {
        above: SizeLimit::Stepping(256 * MIB, 10 * GIB),
        point: SizePoint::Half,
        check_s: 1,
        ..Size::NEVER
    },
    load: Load::Never,
    parts: Parts::Stay,
    balance: Some(Balance {
        every_s: 300,
        jitter_percent: 0,
        load: None,
        spread: Some(Spread {
            by: SpreadBy::Ranges,
            moves: 1000,
            out_of_node: u32::MAX,
            into_node: u32::MAX,
        }),
    }),
    merge: None,
    replication: 1,
    first_ranges: FirstRanges::One,
};

/// HBase 0.94 to 1: IncreasingToUpperBoundRegionSplitPolicy.
///
/// Source: `IncreasingToUpperBoundRegionSplitPolicy.java`.
pub const HBASE_UPPER_BOUND: Store = Store {
    name: "hbase_upper_bound",
    about: "HBase 0.94 to 1 (IncreasingToUpperBound): half of 256 MiB × the cube of the table's regions on the server, at most 10 GiB",
    size: Size {
        above: SizeLimit::UpperBound(256 * MIB, 10 * GIB),
        point: SizePoint::Half,
        check_s: 1,
        ..Size::NEVER
    },
    ..HBASE_STEPPING
};
