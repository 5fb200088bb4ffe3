//! Profiles: when and where a store splits its ranges, and how it places them.
//!
//! To add a profile: write `src/shards/profile/<name>.rs` with one constant and add one
//! line to `stores!` below.

use crate::names;

const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;

/// What is known of a store's ranges.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Store {
    /// Name on the command line, `snake_case`.
    pub name: &'static str,
    /// One line on what it is and where the numbers are from.
    pub about: &'static str,
    /// What is assumed because it is not published, or not known to us for sure.
    pub assumed: &'static str,
    /// What the store calls the share of the hottest range or node.
    pub calls_it: &'static str,
    /// Whether it places rows by a hash of the key.
    pub hashed: bool,
    /// Splits by size.
    pub size: Size,
    /// Splits by load.
    pub load: Load,
    /// What becomes of the parts of a split.
    pub parts: Parts,
    /// Moves of leaders and replicas.
    pub balance: Option<Balance>,
    /// Merges of small ranges.
    pub merge: Option<Merge>,
    /// Copies of each range unless told.
    pub replication: u32,
    /// Ranges that a table is split into from the start.
    pub first_ranges: FirstRanges,
}

/// Ranges at the start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FirstRanges {
    /// One.
    One,
    /// As many as `--shards`, equal parts of the space of keys.
    Asked,
}

/// When a range is split for its size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Size {
    /// The size above which it is split.
    pub above: SizeLimit,
    /// Where.
    pub point: SizePoint,
    /// Seconds from one look at the sizes to the next; 0: with each write.
    pub check_s: u32,
    /// Bytes by which a range must have grown since its last look to be looked at again.
    pub growth_bytes: u64,
    /// Ranges split at one look at most, the largest first.
    pub splits: u32,
    /// So many rows count as a MiB if they are smaller than that; 0: rows do not count.
    pub rows_per_mib: u32,
}

impl Size {
    /// Sizes do not matter.
    pub const NEVER: Size = Size {
        above: SizeLimit::Never,
        point: SizePoint::Half,
        check_s: 0,
        growth_bytes: 0,
        splits: u32::MAX,
        rows_per_mib: 0,
    };
}

/// The size above which a range is split.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SizeLimit {
    /// Never.
    Never,
    /// So many bytes.
    Bytes(u64),
    /// HBase's SteppingSplitPolicy: the first while the table has one range on the node, else the second.
    Stepping(u64, u64),
    /// HBase's IncreasingToUpperBoundRegionSplitPolicy: the first times the cube of the
    /// table's ranges on the node, at most the second, which it is with more than 100.
    UpperBound(u64, u64),
    /// YugabyteDB's steps: below so many ranges a node, this size.
    Steps(&'static [(u32, u64)]),
    /// FoundationDB: min(500 MB, 4 × (10 MB + 45 × √ bytes of the database)).
    FoundationDb,
}

/// Where a range is split for its size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SizePoint {
    /// At half its bytes.
    Half,
    /// With so many per cent of its bytes to the left.
    LeftPercent(u32),
    /// After each so many bytes from the left, at most ten times; not the last if less than half of that would follow.
    Fill(u64),
    /// Into equal parts of half the limit, each 5 % more or less.
    EqualParts,
    /// Just behind its last row.
    Tail,
}

/// When a range is split for its load.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Load {
    /// Never, or not for writes.
    Never,
    /// The online reservoir ([`super::Online`]) over requests a second.
    Online {
        /// Requests a second from which a range is watched.
        requests_per_s: u32,
        /// Bytes of a request; a larger row counts as several.
        request_bytes: u32,
        /// Seconds that it is watched before a key is asked for.
        watch_s: u32,
        /// Seconds from one split of a range to the next at least.
        pause_s: u32,
    },
    /// Quantiles of the written bytes ([`super::Quantile`], whose numbers are FoundationDB's).
    Quantile,
}

/// What becomes of the parts of a split.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Parts {
    /// All stay on the replicas of the range, the same leader leads them. They share its load.
    Stay,
    /// The same, but the load of the last minute is the rightmost's, which is the old range.
    StayRightOld,
    /// One of them, at random, stays; the others go elsewhere.
    OneStays,
    /// The right part goes to the node with the fewest bytes.
    RightMoves,
}

/// How leaders and replicas are moved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Balance {
    /// Seconds from one round to the next.
    pub every_s: u32,
    /// By which per cent that varies, up or down.
    pub jitter_percent: u32,
    /// Away from nodes with more load than this.
    pub load: Option<LoadRule>,
    /// Towards equal numbers of ranges or of bytes.
    pub spread: Option<Spread>,
}

/// When a node has too much load.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LoadRule {
    /// Per cent above the mean, by which the node that takes a load is below it, and stays below
    /// the one that gives it …
    pub above_mean_percent: u32,
    /// … and at least so many requests a second above it.
    pub above_mean_per_s: u32,
    /// Leaders or replicas moved in a round.
    pub moves: u32,
    /// Ranges of more bytes than this keep their replicas.
    pub most_bytes: u64,
}

/// Equal numbers of ranges or of bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Spread {
    /// Of what.
    pub by: SpreadBy,
    /// Replicas moved in a round at most, …
    pub moves: u32,
    /// … so many of them away from a node …
    pub out_of_node: u32,
    /// … and so many to one.
    pub into_node: u32,
}

/// What a node should not have more of than another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SpreadBy {
    /// Ranges; two more are too many.
    Ranges,
    /// Bytes; so many more are too many. A range larger than `piece_bytes` is cut to move only so much of it.
    Bytes {
        /// Difference between two nodes.
        more_bytes: u64,
        /// Most bytes moved as one range.
        piece_bytes: u64,
    },
}

/// When two neighbours become one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Merge {
    /// Both are smaller than this.
    pub below: MergeBelow,
    /// Seconds since either was split.
    pub pause_s: u32,
    /// Seconds from one look to the next, which merges one pair.
    pub every_s: u32,
    /// Requests a second of both from which they stay as they are.
    pub below_per_s: u32,
    /// Bytes written a second to both from which they stay as they are.
    pub below_bytes_per_s: u64,
}

/// The size below which ranges are merged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MergeBelow {
    /// So many bytes.
    Bytes(u64),
    /// One part in so many of the size above which a range is split.
    PartOfLimit(u64),
}

impl Store {
    /// Bytes above which a range is split at the earliest; `None` if never.
    pub fn least_range_bytes(&self) -> Option<u64> {
        match self.size.above {
            SizeLimit::Never => None,
            SizeLimit::Bytes(bytes)
            | SizeLimit::Stepping(bytes, _)
            | SizeLimit::UpperBound(bytes, _) => Some(bytes),
            SizeLimit::Steps(steps) => steps.first().map(|(_, bytes)| *bytes),
            SizeLimit::FoundationDb => Some(40_000_000),
        }
    }
}

macro_rules! stores {
    ($($module:ident :: {$($store:ident),*}),* $(,)?) => {
        $(mod $module; pub use $module::{$($store),*};)*

        /// Every profile, in the order of `sim list`.
        pub const STORES: &[&Store] = &[$($(&$module::$store),*),*];
    };
}

stores! {
    cockroach::{COCKROACH},
    tikv::{TIKV, TIKV_96},
    hbase::{HBASE_STEPPING, HBASE_UPPER_BOUND},
    mongo::{MONGO_RANGE},
    yugabyte::{YUGABYTE},
    foundationdb::{FOUNDATIONDB},
    spanner_like::{SPANNER_LIKE},
    dynamo_like::{DYNAMO_LIKE},
    fixed::{HASH_FIXED, RANGE_FIXED},
}

/// The profile of this name.
///
/// # Errors
/// An unknown name, with the nearest one or all.
pub fn store(name: &str) -> Result<&'static Store, String> {
    let found = STORES.iter().find(|store| store.name == name);
    found.copied().ok_or_else(|| {
        let known = STORES.iter().map(|store| store.name);
        format!("no store {name:?}{}", names::nearest(name, known))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stores_are_found_by_name_and_names_differ() {
        for &known in STORES {
            assert_eq!(store(known.name), Ok(known));
        }
        let unknown = store("cockroachdb").unwrap_err();
        assert!(unknown.contains("did you mean \"cockroach\"?"), "{unknown}");
    }
}
