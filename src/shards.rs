//! Range-sharded stores: where writes concentrate, and what cures that.
//!
//! A row's id becomes a sharding key ([`KeyMaker`]), its key finds a range of a
//! [`Cluster`], whose [`Store`] says when and where ranges are split, moved and merged.
//! [`Concentration`] tells how much of the writes one node or range takes.

mod cluster;
mod concentration;
mod finder;
mod key;
mod oracle;
mod profile;
mod range;
mod scan;

pub use cluster::{Cluster, MOST_NODES, MOST_SHARDS, RangeState, Setup, Totals, Written};
pub use concentration::{Concentration, Ended, WINDOWS_S, Windows};
pub use finder::{Online, Quantile, Refusal, Retrospective, Weighted};
pub use key::{KEYS, KeyMaker, MOST_BUCKETS, ShardBits, ShardingKey, Tenants};
pub use oracle::{Finder, Found, ORACLE, OracleRow, Traffic, simulate, trial};
pub use profile::*;
pub use range::MOST_REPLICAS;
pub(crate) use scan::Load as ScanLoad;
pub use scan::{Query, Scan};

/// A change of the ranges.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// A range was split at a key.
    Split {
        /// The key.
        key: u128,
        /// Whether its load was the reason.
        by_load: bool,
    },
    /// Two ranges became one.
    Merged {
        /// The key between them.
        key: u128,
    },
}
