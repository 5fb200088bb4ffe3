use super::{FirstRanges, Load, Parts, Size, SizeLimit, SizePoint, Store};

/// As DynamoDB is described: the sharding key is the partition key, which is hashed.
///
/// Source: its developer guide on partitions (10 GB; 1,000 writes of 1 KB a second a partition).
pub const DYNAMO_LIKE: Store = Store {
    name: "dynamo_like",
    about: "as DynamoDB is described, the key as partition key: hashed, 10 GB or 1,000 writes/s of 1 KB a partition; never merges",
    assumed: "a partition is watched for a minute before it is cut; a new one goes to the node with the fewest bytes; copies are not modelled",
    calls_it: "WriteThrottleEvents, KeyRangeThroughputExceeded",
    hashed: true,
    size: Size {
        above: SizeLimit::Bytes(10_000_000_000),
        point: SizePoint::Half,
        check_s: 0,
        ..Size::NEVER
    },
    load: Load::Online {
        requests_per_s: 1000,
        request_bytes: 1024,
        watch_s: 60,
        pause_s: 60,
    },
    parts: Parts::RightMoves,
    balance: None,
    merge: None,
    replication: 1,
    first_ranges: FirstRanges::One,
};
