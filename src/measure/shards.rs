//! All measures of one stream of ids in range-sharded stores.

mod found;

use super::{Rows, Sample};
use crate::clock::NS_PER_S;
use crate::id::Key;
use crate::random;
use crate::record::{Grid, Measured, Number};
use crate::shards::{Cluster, KeyMaker, Setup, Windows};
use crate::source::{AnySource, Source, SourceError};
use rand_chacha::ChaCha8Rng;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

macro_rules! measured {
    ($($constant:ident $name:literal [$unit:literal] $about:literal;)*) => {
        $(#[doc = $about] pub const $constant: Measured = Measured { name: $name, unit: $unit, about: $about };)*

        /// Every measure of a sharded store, in the order of `sim list`.
        pub const SHARD_MEASURES: &[&Measured] = &[$(&$constant),*];
    };
}

measured! {
    HOT_NODE_SHARE "hot_node_share" ["share"] "writes of the node that leads most of them, by window (param window: 1s, 10s, 60s, all; a last window that is not full counts if it is the only one; param of: p50, max, settled: median of the last quarter; with x: at that second); CockroachDB rebalancing.writespersecond, TiKV hot_region";
    HOT_RANGE_SHARE "hot_range_share" ["share"] "the same of the range that takes most of them; CockroachDB Top Ranges write keys/s, PD hot_peers_summary, Bigtable hot tablets, Spanner SPLIT_STATS_TOP_MINUTE";
    HOT_REPLICA_SHARE "hot_replica_share" ["share"] "the same of the node that writes most copies, of all copies";
    HOT_NODE_BYTES_SHARE "hot_node_bytes_share" ["share"] "bytes at the end on the node that holds most, copies included";
    MAX_OVER_MEAN "max_over_mean" ["ratio"] "writes of the hottest node over the mean (params window, of)";
    GINI "gini" ["coefficient"] "Gini's coefficient of the nodes' writes (params window, of)";
    HHI "hhi" ["index"] "sum of the squares of the nodes' shares of writes (params window, of)";
    EFFECTIVE_NODES "effective_nodes" ["nodes"] "1 / HHI (params window, of)";
    CEILING "ceiling_writes_per_s" ["writes/s"] "what the nodes can take at the settled share of the hottest in windows of 10 s: capacity / share; DynamoDB KeyRangeThroughputExceeded, FoundationDB storage_server_write_queue_size above it";
    SPEED_UP "speed_up" ["ratio"] "the same over what one node can take";
    CLOSED_WRITES "closed_loop_writes_per_s" ["writes/s"] "rows that --clients clients wrote a second, each one at a time";
    FIRST_SPLIT "time_to_first_split_s" ["s"] "until the store first splits a range; no row if never";
    ALL_NODES "time_to_n_nodes_s" ["s"] "end of the first window of 10 s in which each node led writes; no row if never";
    RANGES "ranges" ["ranges"] "ranges at the end";
    SPLITS_BY_SIZE "splits_by_size" ["splits"] "CockroachDB queue.split.size_based";
    SPLITS_BY_LOAD "splits_by_load" ["splits"] "CockroachDB queue.split.load_based, TiKV tikv_load_base_split_event, FoundationDB RelocateShardStartSplit";
    NO_SPLIT_KEY "no_split_key" ["refusals"] "load or size called for a split that was refused, by reason (param reason); CockroachDB kv.loadsplitter.nosplitkey, TiKV no_balance_key, no_uncross_key";
    MERGES "merges" ["merges"] "CockroachDB range.merges";
    LEADER_MOVES "leader_moves" ["moves"] "leaders that changed without a copy; CockroachDB rebalancing.lease.transfers";
    REPLICA_MOVES "replica_moves" ["moves"] "replicas copied to another node; CockroachDB rebalancing.range.rebalances, Mongo moveChunk";
    TAIL_MOVES "tail_moves" ["moves"] "of these, leaders of a range that was being written";
    NO_BETTER_NODE "no_better_node" ["rounds"] "a node was overloaded and no move would have helped; CockroachDB rebalancing.state.imbalanced_overfull_options_exhausted";
    MOVED_BYTES "moved_bytes_per_byte" ["bytes/byte"] "bytes copied between nodes over bytes of rows written";
    FROZEN_FILL "frozen_fill" ["share"] "mean size of the ranges that were not written in the last minute over the size at which a range is split (of filled ones: cut); no row if there are none or sizes do not matter";
    SCAN_RANGES "scan_ranges" ["ranges"] "ranges that a query asks (param query: newest_100; one_hour; tenant_newest_20; point: by the id alone, its bucket computed from it where that can be; point_bucket_unknown: by a planner that computes none)";
    SCAN_STREAMS "scan_streams" ["streams"] "ordered streams that a query merges (param query)";
    SCAN_ROWS "scan_rows_read" ["rows"] "rows that a query reads if each stream stops as soon as it may (param query)";
    SPLIT_PLACE "split_place" ["share"] "where a split was in the order of all keys, at second x (param by: load, size)";
    WRITES_BY_KEY "writes_by_key" ["writes"] "sampled writes by time (columns) and place in the order of sharding keys (rows), a grid of 64 by 64";
}

/// How writes come in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Clients {
    /// So many a second, whatever the nodes can take.
    OpenLoop {
        /// Writes a second.
        rate: u64,
    },
    /// From so many clients, each of which waits for its write.
    ClosedLoop {
        /// Clients.
        clients: u32,
        /// How long a node takes for a write, with [`ShardsPlan::capacity_per_s`] as mean.
        service: Service,
    },
}

/// How long writes take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Service {
    /// Times of exponential distribution, as mean-value analysis has them.
    Exponential,
    /// All as long as the mean.
    Fixed,
}

/// What is measured.
#[derive(Clone, Debug)]
pub struct ShardsPlan {
    /// The clusters that the same ids go to.
    pub setups: Vec<Setup>,
    /// How writes come in.
    pub clients: Clients,
    /// Ids a second as they are issued: an hour of them, for [`crate::shards::Query::OneHour`].
    pub ids_per_s: u64,
    /// Writes a second that a node can take.
    pub capacity_per_s: u64,
    /// Length of the load; the source may end before.
    pub seconds: u64,
    /// Seed of the clients' service times.
    pub seed: u64,
}

/// A cluster with its measures.
struct Load {
    cluster: Cluster,
    maker: KeyMaker,
    windows: Windows,
    sample: Sample<u128>,
    keys: Vec<u128>,
    closed: Option<Closed>,
}

/// Clients in a closed loop; nodes take one write after the other.
struct Closed {
    /// When each client is free, in nanoseconds.
    free_ns: BinaryHeap<Reverse<(u64, u32)>>,
    /// When each node is.
    nodes_free_ns: Vec<u64>,
    mean_ns: u64,
    service: Service,
    random: ChaCha8Rng,
    /// Writes begun, and when the last of them was: the one that a client before had ended.
    begun: u64,
    last_ns: u64,
}

impl Closed {
    /// Writes ended a second.
    fn writes_per_s(&self) -> Number {
        let ended = u128::from(self.begun.saturating_sub(self.free_ns.len() as u64));
        let per_s = ended * u128::from(NS_PER_S) * 1000 / u128::from(self.last_ns.max(1));
        Number::ratio(u64::try_from(per_s).unwrap_or(u64::MAX), 1000)
    }
}

impl Load {
    fn new(setup: Setup, plan: &ShardsPlan) -> Self {
        let closed = match plan.clients {
            Clients::OpenLoop { .. } => None,
            Clients::ClosedLoop { clients, service } => Some(Closed {
                service,
                free_ns: (0..clients).map(|client| Reverse((0, client))).collect(),
                nodes_free_ns: vec![0; setup.nodes as usize],
                mean_ns: NS_PER_S / plan.capacity_per_s,
                random: random::stream(plan.seed, "shards.service", 0),
                begun: 0,
                last_ns: 0,
            }),
        };
        Self {
            cluster: Cluster::new(setup),
            maker: KeyMaker::new(setup.key, setup.seed),
            windows: Windows::new(setup.nodes, setup.replication),
            sample: Sample::default(),
            keys: Vec::new(),
            closed,
        }
    }

    fn end_second(&mut self) {
        self.cluster.end_second(|written| self.windows.see(written));
        self.windows.end_second(self.cluster.now_s());
    }

    /// Writes rows with these ids.
    fn write<K: Key>(&mut self, ids: &[K], seconds: u64) {
        self.keys.clear();
        self.keys.extend(ids.iter().map(|&id| self.maker.key(id)));
        let Some(mut closed) = self.closed.take() else {
            self.sample.see(&self.keys);
            for &key in &self.keys {
                self.cluster.write(key);
            }
            return;
        };
        let keys = std::mem::take(&mut self.keys);
        let mut written = 0;
        for &key in &keys {
            let Some(Reverse((at_ns, client))) = closed.free_ns.pop() else {
                break;
            };
            while at_ns >= (self.cluster.now_s() + 1) * NS_PER_S {
                self.end_second();
            }
            if self.cluster.now_s() >= seconds {
                closed.free_ns.push(Reverse((at_ns, client)));
                break;
            }
            closed.begun += 1;
            closed.last_ns = at_ns;
            let node = self.cluster.write(key) as usize;
            written += 1;
            let service_ns = match closed.service {
                Service::Exponential => random::exponential(&mut closed.random, closed.mean_ns),
                Service::Fixed => closed.mean_ns,
            };
            let done_ns = at_ns.max(closed.nodes_free_ns[node]) + service_ns.max(1);
            closed.nodes_free_ns[node] = done_ns;
            closed.free_ns.push(Reverse((done_ns, client)));
        }
        self.sample.see(&keys[..written]);
        self.keys = keys;
        self.closed = Some(closed);
    }
}

/// Ids taken from the source at once.
const BATCH: u64 = 16_384;

/// [`measure_shards`] for keys whose width is known only now.
///
/// # Errors
/// The same.
pub fn measure_shards_any(
    keys: AnySource,
    plan: &ShardsPlan,
    rows: &mut [Rows],
    progress: &dyn Fn(u64),
) -> Result<Vec<Grid>, SourceError> {
    match keys {
        AnySource::Bytes8(mut keys) => measure_shards(&mut *keys, plan, rows, progress),
        AnySource::Bytes16(mut keys) => measure_shards(&mut *keys, plan, rows, progress),
        AnySource::Bytes20(mut keys) => measure_shards(&mut *keys, plan, rows, progress),
    }
}

/// Sends the ids of `source` to each cluster of the plan and writes what happened to its
/// `rows` (as many as clusters); returns a picture of each. `progress` is told of the ids.
///
/// # Errors
/// Those of the source.
pub fn measure_shards<K: Key>(
    source: &mut dyn Source<K>,
    plan: &ShardsPlan,
    rows: &mut [Rows],
    progress: &dyn Fn(u64),
) -> Result<Vec<Grid>, SourceError> {
    let mut loads: Vec<_> = plan
        .setups
        .iter()
        .map(|&setup| Load::new(setup, plan))
        .collect();
    let mut ids: Vec<K> = Vec::new();
    let mut order = Sample::default();
    let mut fill = |ids: &mut Vec<K>, wanted: u64| {
        ids.clear();
        source.fill(ids, wanted as usize)?;
        order.see(ids);
        progress(ids.len() as u64);
        Ok::<bool, SourceError>(ids.len() as u64 == wanted)
    };
    match plan.clients {
        Clients::OpenLoop { rate } => {
            'seconds: for _ in 0..plan.seconds {
                let mut left = rate;
                while left > 0 {
                    let more = fill(&mut ids, left.min(BATCH))?;
                    left -= ids.len() as u64;
                    loads
                        .iter_mut()
                        .for_each(|load| load.write(&ids, plan.seconds));
                    if !more {
                        break 'seconds;
                    }
                }
                loads.iter_mut().for_each(Load::end_second);
            }
        }
        Clients::ClosedLoop { .. } => {
            let mut more = true;
            while more && loads.iter().any(|load| load.cluster.now_s() < plan.seconds) {
                more = fill(&mut ids, BATCH)?;
                let busy = loads
                    .iter_mut()
                    .filter(|load| load.cluster.now_s() < plan.seconds);
                busy.for_each(|load| load.write(&ids, plan.seconds));
            }
        }
    }
    let ascending = ascends(order.in_order());
    let mut grids = Vec::new();
    for (load, rows) in loads.into_iter().zip(rows) {
        grids.push(load.found(plan, ascending, rows));
    }
    Ok(grids)
}

/// Whether ids ascend with time, but for neighbours: of those an eighth of the load apart
/// nearly all do.
fn ascends<K: Key>(sample: &[(u64, K)]) -> bool {
    let apart = (sample.len() / 8).max(1);
    let pairs = sample.iter().zip(sample.iter().skip(apart));
    let ascending = pairs
        .clone()
        .filter(|(earlier, later)| earlier.1 < later.1)
        .count();
    ascending * 100 >= pairs.count() * 95
}
