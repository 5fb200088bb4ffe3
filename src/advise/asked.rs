//! What is required of ids.

use crate::clock::{ClockModel, NS_PER_MS, NS_PER_S, Timestamp};
use crate::engine::Profile;
use crate::fleet::{Arrivals, Clocks, Conduct, FleetSpec, Latency, START};
use crate::scheme::Rollback;

/// The order of ids, over all writers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// Any.
    None,
    /// Ids minted 2 s apart are in order.
    Second,
    /// Ids minted 10 ms apart are in order.
    Ms,
    /// Each id is larger than all that were minted before.
    Strict,
}

/// How the store divides its rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sharding {
    /// Not at all.
    None,
    /// By a hash of the key.
    Hash,
    /// By ranges of the key.
    Range,
}

/// How much is simulated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Effort {
    /// Rows of a fleet's run.
    pub fleet_rows: u64,
    /// Time in which clocks go wrong.
    pub clock_s: u64,
    /// Most writes a second to a sharded store.
    pub shard_rate: u64,
    /// Time of a range-sharded store.
    pub shard_s: u64,
    /// Rows of a tree.
    pub tree_rows: u64,
}

impl Default for Effort {
    fn default() -> Self {
        Self {
            fleet_rows: 200_000,
            clock_s: 600,
            shard_rate: 10_000,
            shard_s: 300,
            tree_rows: 500_000,
        }
    }
}

/// What is required.
#[derive(Clone, Debug)]
pub struct Asked {
    /// Most bytes of an id in its column; any if `None`.
    pub bytes: Option<u32>,
    /// Order of ids.
    pub order: Order,
    /// Whether each writer can be given a number of its own.
    pub registry: bool,
    /// Whether ids are shown to outsiders, who must not guess them or learn time or volume from them.
    pub public: bool,
    /// How the store divides its rows.
    pub shards: Sharding,
    /// Ids a second, all writers together.
    pub rate: u64,
    /// Rows that the table will have.
    pub rows: u64,
    /// Memory for pages, of a sharded store on each node.
    pub memory_bytes: u64,
    /// Processes that mint ids; a sharded store has as many nodes.
    pub nodes: u32,
    /// Writes a second that a node of a sharded store can take.
    pub capacity_per_s: u64,
    /// The writers' clocks.
    pub clock: ClockModel,
    /// Where the ids are a key.
    pub engine: Profile,
    /// Seed of all runs.
    pub seed: u64,
    /// How much is simulated.
    pub effort: Effort,
}

/// Nodes of a store at most that are simulated.
const MOST_STORE_NODES: u32 = 64;

impl Asked {
    /// Nodes of the store: 1 if it is not sharded.
    pub fn store_nodes(&self) -> u32 {
        match self.shards {
            Sharding::None => 1,
            _ => self.nodes.min(MOST_STORE_NODES),
        }
    }

    /// The fleet at `rate` ids a second.
    pub(super) fn fleet(
        &self,
        rate: u64,
        latency: Latency,
        rollback: Option<Rollback>,
    ) -> FleetSpec {
        FleetSpec {
            writers: self.nodes,
            rate,
            arrivals: Arrivals::Poisson,
            clocks: Clocks::Model(self.clock.clone()),
            latency,
            abort_ppm: 0,
            conduct: Conduct {
                rollback,
                refuse: true,
                ..Conduct::default()
            },
            seed: self.seed,
            start: START,
            phase: 0,
        }
    }

    /// Time in which `effort.fleet_rows` ids are asked for: 1 ms to 10 min.
    pub(super) fn fleet_ns(&self, rate: u64) -> u64 {
        let ns =
            u128::from(self.effort.fleet_rows) * u128::from(NS_PER_S) / u128::from(rate.max(1));
        let most = u128::from(600 * NS_PER_S);
        ns.clamp(u128::from(NS_PER_MS), most) as u64
    }

    /// True time at which the fleets start.
    pub(super) fn start(&self) -> Timestamp {
        START
    }
}
