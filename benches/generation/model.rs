//! The simulators, as small versions of the benches `btree`, `shards` and `fleet`.

use crate::check::Check;
use crate::row::{Group, Row, Who};
use crate::work::whole;
use idlab::clock;
use idlab::engine::{EngineOptions, POSTGRES};
use idlab::fleet::{Arrivals, Clocks, FleetSpec};
use idlab::id::Column;
use idlab::measure::{Clients, FleetPlan, Plan, Rows, ShardsPlan, measure_shards, measure_tree};
use idlab::record::Parameters;
use idlab::reference::Reference;
use idlab::scheme::{self, Scheme, Visitor};
use idlab::shards::{COCKROACH, FirstRanges, Setup, ShardingKey, Store};
use idlab::source::{Source, SourceError};
use idlab::store::{Design, Uniqueness};

/// Ids of the longest run that is asked for.
pub const IDS: usize = 100_000;
const IDS_PER_S: u64 = 10_000;
const NS_PER_S: u64 = 1_000_000_000;

/// Keys from memory.
struct Keys<'a>(&'a [u128]);

impl Source<u128> for Keys<'_> {
    fn fill(&mut self, keys: &mut Vec<u128>, rows: usize) -> Result<(), SourceError> {
        let (now, later) = self.0.split_at(rows.min(self.0.len()));
        keys.extend_from_slice(now);
        self.0 = later;
        Ok(())
    }
}

fn reference(stream: &str) -> Vec<u128> {
    let mut keys = Vec::with_capacity(IDS);
    let mut source = Reference::new(stream, 1).expect("a reference stream");
    source
        .fill(&mut keys, IDS)
        .expect("a reference stream has no end");
    keys
}

/// Loads a tree with all its measures on; returns its rows.
fn tree(keys: &[u128]) -> u64 {
    let design = Design::new(&POSTGRES, Column::Uuid, EngineOptions::default())
        .expect("the engine's own page holds its entries");
    let mut rows = Rows::new("bench", "keys", POSTGRES.name, Parameters::new());
    let plan = Plan {
        rows: Some(keys.len() as u64),
        ..Plan::new(design, Uniqueness::Promised)
    };
    let run = measure_tree(&mut Keys(keys), plan, &mut rows, &|_| {}).expect("the keys differ");
    run.rows + rows.into_rows().len() as u64
}

/// Writes keys into a store of ranges with all its measures on; returns its rows.
fn shards(keys: &[u128]) -> u64 {
    const PRE_SPLIT: Store = Store {
        first_ranges: FirstRanges::Asked,
        ..COCKROACH
    };
    let setup = Setup {
        store: &PRE_SPLIT,
        key: ShardingKey::Range,
        column: Column::Uuid,
        nodes: 9,
        replication: 3,
        shards: 100,
        row_bytes: 256,
        seed: 1,
    };
    let plan = ShardsPlan {
        setups: vec![setup],
        clients: Clients::OpenLoop { rate: IDS_PER_S },
        ids_per_s: IDS_PER_S,
        capacity_per_s: IDS_PER_S,
        seconds: (keys.len() as u64 / IDS_PER_S).max(1),
        seed: 1,
    };
    let mut rows = [Rows::new("bench", "ids", "cockroach", Parameters::new())];
    let grids = measure_shards(&mut Keys(keys), &plan, &mut rows, &|_| {});
    grids.expect("ids from memory").len() as u64
}

/// Has a fleet mint and commit ids; returns how many they are.
struct Minted<'a>(&'a FleetPlan);

impl Visitor for Minted<'_> {
    type Output = u64;

    fn visit<S: Scheme>(self, scheme: S) -> u64 {
        let mut rows = 0;
        self.0
            .stream(scheme, |_| rows += 1)
            .expect("a fleet that runs");
        rows
    }
}

fn fleet(scheme: &str, ids: usize) -> u64 {
    let plan = FleetPlan {
        spec: FleetSpec {
            writers: 16,
            arrivals: Arrivals::Poisson,
            clocks: Clocks::Model(clock::clock("lan_chrony").expect("a clock")),
            ..FleetSpec::single(IDS_PER_S, 1)
        },
        length_ns: ids as u64 * NS_PER_S / IDS_PER_S,
        poll_ns: NS_PER_S,
        lags_ns: Vec::new(),
        readers: Vec::new(),
        page_rows: None,
    };
    let spec = scheme.parse().expect("a scheme");
    scheme::visit_keys(&spec, Minted(&plan)).expect("a scheme")
}

/// Every row of the simulators.
pub fn rows() -> Vec<Row> {
    let row = |name, call: &str, keys: fn() -> Vec<u128>, load: fn(&[u128]) -> u64| {
        Row::new(
            Group::Model,
            name,
            Who::Ours,
            call,
            Check::Nothing,
            move || {
                let keys = keys();
                whole(move |ids| load(&keys[..ids.min(IDS)]))
            },
        )
    };
    let fleet = |scheme: &'static str| {
        Row::new(
            Group::Model,
            "fleet",
            Who::Ours,
            scheme,
            Check::Nothing,
            move || whole(move |ids| fleet(scheme, ids)),
        )
    };
    vec![
        row(
            "btree",
            "insert, ascending",
            || reference("uuid7c_r1000"),
            tree,
        ),
        row("btree", "insert, random", || reference("uuid4"), tree),
        row(
            "shards",
            "uuid_v7, 100 ranges",
            || reference("uuid7c_r1000"),
            shards,
        ),
        row(
            "shards",
            "uuid_v4, 100 ranges",
            || reference("uuid4"),
            shards,
        ),
        fleet("snowflake"),
        fleet("uuid_v7"),
        fleet("ksuid"),
    ]
}
