//! Short seeded runs of the lab for one scheme, at the numbers that are asked for.

use super::{Asked, Facts, Sharding};
use crate::clock::{NS_PER_MS, NS_PER_S};
use crate::engine::EngineOptions;
use crate::fleet::{FleetError, FleetSpec, IntoStream, Latency};
use crate::measure::{
    Clients, Cliff, CliffPlan, FleetPlan, MeasureFleet, Rows, ShardsPlan, cliff, measure_shards_any,
};
use crate::record::{Parameters, Row};
use crate::scheme::{self, Rollback, SpecError};
use crate::shards::{self, FirstRanges, Setup, ShardingKey, Store};
use crate::source::Stream;
use crate::store::{Design, LoadError};
use thiserror::Error;

/// Why a scheme cannot be tried.
#[derive(Debug, Error)]
pub enum RunError {
    /// It is not known.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// Its fleet cannot issue what is asked for.
    #[error(transparent)]
    Fleet(#[from] FleetError),
    /// Its index cannot be grown.
    #[error(transparent)]
    Load(#[from] LoadError),
}

/// Rate of ids while clocks go wrong: enough to see them, few enough for a long time.
const CLOCK_RATE: u64 = 500;
/// Rate of a reader's run.
const READER_RATE: u64 = 2000;
/// Bytes of a row's values, the id included.
const ROW_BYTES: u32 = 100;
/// Bytes of a row in a sharded store.
const STORE_ROW_BYTES: u64 = 256;

/// What a fleet's run shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FleetRun {
    /// Order and waits at the rate asked for, as ids are minted.
    Rate,
    /// Order, refusals and duplicates as clocks go wrong.
    Clock,
    /// What a reader with `id > last_seen` loses to commits that take their time.
    Reader,
}

impl FleetRun {
    fn name(self) -> &'static str {
        match self {
            FleetRun::Rate => "rate",
            FleetRun::Clock => "clock",
            FleetRun::Reader => "reader",
        }
    }

    fn plan(self, asked: &Asked, rollback: Option<Rollback>) -> FleetPlan {
        let rate = match self {
            FleetRun::Rate => asked.rate,
            FleetRun::Clock => asked.rate.min(CLOCK_RATE),
            FleetRun::Reader => asked.rate.min(READER_RATE),
        };
        let length_ns = match self {
            FleetRun::Clock => asked.effort.clock_s * NS_PER_S,
            _ => asked.fleet_ns(rate),
        };
        let latency = match self {
            FleetRun::Reader => Latency::Light,
            _ => Latency::None,
        };
        FleetPlan {
            spec: asked.fleet(rate, latency, rollback),
            length_ns,
            poll_ns: NS_PER_S.min(length_ns),
            lags_ns: match self {
                FleetRun::Reader => vec![0],
                _ => Vec::new(),
            },
            readers: Vec::new(),
            page_rows: None,
        }
    }
}

/// One fleet's run, all its rows.
pub fn fleet(
    asked: &Asked,
    facts: &Facts,
    rollback: Option<Rollback>,
    run: FleetRun,
    digest: &str,
) -> Result<Vec<Row>, RunError> {
    let mut params = Parameters::from([("run".to_owned(), run.name().into())]);
    params.extend(rollback.map(|rule| ("rollback".to_owned(), rule.to_string().into())));
    let mut rows = Rows::new(digest, &facts.spec.to_string(), "", params);
    let plan = run.plan(asked, rollback);
    let measure = MeasureFleet {
        plan: &plan,
        rows: &mut rows,
    };
    scheme::visit_keys(&facts.spec, measure)??;
    Ok(rows.into_rows())
}

/// What rows of a sharded store may be sharded by.
pub fn keys(asked: &Asked) -> Vec<Option<ShardingKey>> {
    match asked.shards {
        Sharding::None => vec![None],
        Sharding::Hash => vec![Some(ShardingKey::Range)],
        Sharding::Range => {
            let buckets = asked.store_nodes().next_power_of_two().max(16);
            vec![
                Some(ShardingKey::Range),
                Some(ShardingKey::HashBuckets(buckets)),
            ]
        }
    }
}

fn store(asked: &Asked) -> &'static Store {
    match asked.shards {
        Sharding::Range => &shards::COCKROACH,
        _ => &shards::HASH_FIXED,
    }
}

/// How long a store is given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StoreRun {
    /// `effort.shard_s`.
    Short,
    /// Six times as long: ids at random are spread over all nodes only by many splits and moves.
    Long,
}

impl StoreRun {
    fn seconds(self, asked: &Asked) -> u64 {
        match (self, store(asked).first_ranges) {
            (_, FirstRanges::Asked) => asked.effort.shard_s.min(60),
            (StoreRun::Short, FirstRanges::One) => asked.effort.shard_s,
            (StoreRun::Long, FirstRanges::One) => 6 * asked.effort.shard_s,
        }
    }

    /// The longer one, of a store that spreads its ranges as time goes by.
    pub fn longer(self, asked: &Asked) -> Option<Self> {
        let more = StoreRun::Long.seconds(asked) > self.seconds(asked);
        more.then_some(StoreRun::Long)
    }
}

/// The same ids in a store sharded by each of `keys`: rows of each.
pub fn sharded(
    asked: &Asked,
    facts: &Facts,
    keys: &[ShardingKey],
    run: StoreRun,
    digest: &str,
) -> Result<Vec<Vec<Row>>, RunError> {
    let rate = asked.rate.min(asked.effort.shard_rate);
    let store = store(asked);
    // Fewer and larger rows: as many bytes a second.
    let row_bytes = (STORE_ROW_BYTES * asked.rate.div_ceil(rate)).min(1 << 24) as u32;
    let setup = |&key: &ShardingKey| Setup {
        store,
        key,
        column: facts.column,
        nodes: asked.store_nodes(),
        replication: store.replication.min(asked.store_nodes()),
        shards: 4 * asked.store_nodes().next_power_of_two().max(4),
        row_bytes,
        seed: asked.seed,
    };
    let plan = ShardsPlan {
        setups: keys.iter().map(setup).collect(),
        clients: Clients::OpenLoop { rate },
        ids_per_s: rate,
        capacity_per_s: asked.capacity_per_s,
        seconds: run.seconds(asked),
        seed: asked.seed,
    };
    let rows = |key: &ShardingKey| {
        let params = Parameters::from([("key".to_owned(), key.to_string().into())]);
        Rows::new(digest, &facts.spec.to_string(), store.name, params)
    };
    let mut rows: Vec<_> = keys.iter().map(rows).collect();
    let stream = stream(facts, patient(asked, facts, rate))?;
    measure_shards_any(stream.keys, &plan, &mut rows, &|_| {}).map_err(LoadError::from)?;
    let totals = |rows: Rows| {
        let mut rows = rows.into_rows();
        rows.retain(|row| row.x.is_none());
        rows
    };
    Ok(rows.into_iter().map(totals).collect())
}

/// A fleet whose calls all wait until they have their ids, which then travel to the store, but
/// for those that the store draws as a row arrives.
fn patient(asked: &Asked, facts: &Facts, rate: u64) -> FleetSpec {
    let latency = match facts.is_drawn_in_the_store {
        true => Latency::None,
        false => Latency::Exponential { mean_ns: NS_PER_MS },
    };
    let mut spec = asked.fleet(rate, latency, None);
    spec.conduct.refuse = false;
    spec
}

fn stream(facts: &Facts, spec: FleetSpec) -> Result<Stream, RunError> {
    Ok(scheme::visit_keys(&facts.spec, IntoStream(spec))??)
}

/// The tree that the ids are a key of; `beside` the row's own key if it is another one.
pub fn design(asked: &Asked, facts: &Facts, beside: Option<&Facts>) -> Result<Design, LoadError> {
    let own_bytes = facts.column.value_bytes();
    let payload_bytes = match beside {
        // An entry leads to its row by the row's key where rows lie in trees.
        Some(own) => own.column.value_bytes(),
        None => ROW_BYTES.saturating_sub(own_bytes),
    };
    let options = EngineOptions {
        payload_bytes,
        ..EngineOptions::default()
    };
    let mut design = Design::new(asked.engine, facts.column, options)?;
    design.cache_bytes = Some(asked.memory_bytes);
    Ok(design)
}

/// A load of the ids into that tree.
pub fn tree(
    asked: &Asked,
    facts: &Facts,
    beside: Option<&Facts>,
) -> Result<(Cliff, Design), RunError> {
    let design = design(asked, facts, beside)?;
    let plan = CliffPlan {
        rows: asked.effort.tree_rows,
        design,
        secondaries: 0,
        seed: asked.seed,
    };
    let stream = stream(facts, patient(asked, facts, asked.rate))?;
    Ok((cliff(stream.keys, plan, &|_| {})?, design))
}
