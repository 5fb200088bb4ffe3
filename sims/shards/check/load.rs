//! Loads for checks.

use super::Setting;
use anyhow::Result;
use idlab::fleet::{FleetSpec, IntoStream};
use idlab::id::Column;
use idlab::measure::{Clients, Rows, ShardsPlan, measure_shards, measure_shards_any};
use idlab::record::{Parameters, Row};
use idlab::scheme::{self, Spec};
use idlab::shards::{
    FirstRanges, Parts, RANGE_FIXED, Setup, ShardingKey, Size, SizeLimit, SizePoint, Store,
};
use idlab::source::{Source, SourceError, Stream};

/// One range that is never split.
pub const ONE_RANGE: Store = Store {
    first_ranges: FirstRanges::One,
    ..RANGE_FIXED
};

/// Splits above `limit_bytes`; the right part moves to the node with the fewest bytes.
pub const fn relocated(limit_bytes: u64, point: SizePoint) -> Store {
    Store {
        size: Size {
            above: SizeLimit::Bytes(limit_bytes),
            point,
            ..RANGE_FIXED.size
        },
        parts: Parts::RightMoves,
        ..ONE_RANGE
    }
}

impl Setting {
    /// A cluster; rows of 256 bytes with ids of 8.
    pub fn setup(&self, store: &'static Store, key: ShardingKey, nodes: u32) -> Setup {
        Setup {
            store,
            key,
            column: Column::Bigint,
            nodes,
            replication: store.replication.min(nodes),
            shards: 16,
            row_bytes: 256,
            seed: self.seed,
        }
    }

    /// So many rows a second for so long.
    pub fn plan(&self, setups: Vec<Setup>, rows_per_s: u64, seconds: u64) -> ShardsPlan {
        ShardsPlan {
            setups,
            clients: Clients::OpenLoop { rate: rows_per_s },
            ids_per_s: rows_per_s,
            capacity_per_s: 1000,
            seconds,
            seed: self.seed,
        }
    }
}

/// What was measured of a cluster.
pub struct Found(Vec<Row>);

impl Found {
    /// The total of a measure with exactly these parameters; not a number if there is none.
    pub fn total(&self, measure: &str, params: &[(&str, &str)]) -> f64 {
        let same = |row: &&Row| {
            row.x.is_none()
                && row.measure == measure
                && row.params.len() == params.len()
                && params
                    .iter()
                    .all(|(name, value)| row.params.get(*name).is_some_and(|found| found == value))
        };
        let row = self.0.iter().find(same);
        row.map_or(f64::NAN, |row| row.value.as_f64())
    }

    /// Share of the hottest node in windows of this length, settled.
    pub fn hot_node(&self, window: &str) -> f64 {
        self.total("hot_node_share", &[("window", window), ("of", "settled")])
    }

    /// Seconds of the splits.
    pub fn splits_s(&self) -> Vec<f64> {
        let splits = self.0.iter().filter(|row| row.measure == "split_place");
        splits.filter_map(|row| Some(row.x?.as_f64())).collect()
    }
}

fn rows(plan: &ShardsPlan) -> Vec<Rows> {
    let rows = plan
        .setups
        .iter()
        .map(|_| Rows::new("", "", "", Parameters::new()));
    rows.collect()
}

fn found(rows: Vec<Rows>) -> Vec<Found> {
    rows.into_iter()
        .map(|rows| Found(rows.into_rows()))
        .collect()
}

/// 1, 2, 3 …
struct Ascending(u64);

impl Source<u64> for Ascending {
    fn fill(&mut self, keys: &mut Vec<u64>, rows: usize) -> Result<(), SourceError> {
        let end = self.0 + rows as u64;
        keys.extend(self.0 + 1..=end);
        self.0 = end;
        Ok(())
    }
}

/// Sends ascending ids to each cluster of a plan.
pub fn ascending(plan: &ShardsPlan) -> Result<Vec<Found>> {
    let mut found_rows = rows(plan);
    measure_shards(&mut Ascending(0), plan, &mut found_rows, &|_| {})?;
    Ok(found(found_rows))
}

/// Sends the ids of a scheme to each cluster of a plan.
pub fn scheme(text: &str, fleet: FleetSpec, plan: &ShardsPlan) -> Result<Vec<Found>> {
    let mut found_rows = rows(plan);
    measure_shards_any(stream(text, fleet)?.keys, plan, &mut found_rows, &|_| {})?;
    Ok(found(found_rows))
}

/// The ids of a scheme.
pub fn stream(text: &str, fleet: FleetSpec) -> Result<Stream> {
    let spec: Spec = text.parse().map_err(|error| anyhow::anyhow!("{error}"))?;
    let stream =
        scheme::visit_keys(&spec, IntoStream(fleet)).map_err(|error| anyhow::anyhow!("{error}"))?;
    Ok(stream?)
}
