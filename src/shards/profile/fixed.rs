use super::{FirstRanges, Load, Parts, Size, SizeLimit, SizePoint, Store};

/// A fixed number of ranges in equal parts of the space of keys, as an administrator
/// creates them; they never change.
pub const RANGE_FIXED: Store = Store {
    name: "range_fixed",
    about: "--shards ranges in equal parts of the space of keys, dealt out to the nodes by turns; no splits, no moves (RANGE partitions)",
    assumed: "",
    calls_it: "rows by partition",
    hashed: false,
    size: Size {
        above: SizeLimit::Never,
        point: SizePoint::Half,
        check_s: 0,
        ..Size::NEVER
    },
    load: Load::Never,
    parts: Parts::Stay,
    balance: None,
    merge: None,
    replication: 1,
    first_ranges: FirstRanges::Asked,
};

/// A fixed number of shards by a hash of the key: Kafka, Vitess, Citus, HASH partitions.
pub const HASH_FIXED: Store = Store {
    name: "hash_fixed",
    about: "--shards shards by a hash of the key, dealt out to the nodes by turns; no splits, no moves (Kafka, Vitess, Citus, HASH partitions)",
    hashed: true,
    ..RANGE_FIXED
};
