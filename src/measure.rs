//! Measures: from a store's events to numbers with units.
//!
//! A measure is a [`Sink`] that counts and a method that writes rows. A pair
//! of sinks is a sink, so one pass feeds many and every call inlines.
//!
//! To add a measure: write `src/measure/<name>.rs`, list its constants in
//! [`MEASURES`], and add it to the pairs in [`measure_tree`].

mod accesses;
mod cliff;
mod duplicates;
mod edge;
mod fleet;
mod latency;
mod locality;
mod pages;
mod replicas;
mod setting;
mod shape;
mod shards;
mod splits;
mod tree;
mod unique;
mod wal;
mod working_set;

pub use accesses::Accesses;
pub use cliff::{
    Cliff, CliffPlan, READS_BY_ROWS, ROWS_AT_READS, WORKING_SET_PAGES, check_cliff, cliff,
};
pub(crate) use duplicates::fingerprint;
pub use duplicates::{Repeated, repeated};
pub use edge::{Edge, RIGHT_EDGE_SHARE, RIGHTMOST_LEAF_SHARE};
pub(crate) use fleet::inversions;
pub use fleet::{
    AHEAD_MAX_MS, CLOCK_WENT_BACK, EFFECTIVE_LATENCY_MS, FLEET_DUPLICATES, FLEET_ROWS, LATE_SHARE,
    LATENESS_MS, NUMBERS_SHARED_MS, READER_SKIPPED_SHARE, REFUSED, ROUND_TRIPS_PER_ID,
    SKIPPED_SHARE, SMALLEST_LOSSLESS_LAG_MS, UNAVAILABLE_MS, WAITED_MS,
};
pub use fleet::{
    AnyReader, CheckFleet, FLEET_MEASURES, FirstTrouble, FleetPlan, Ids, IdsOf, Ledger,
    MeasureFleet, MeasureSweep, MeasureTimeline, Order, Polls, READER_KINDS, READER_MEASURES, Read,
    Readable, Reader, ReaderError, ReaderKind, Seen, Sweep, order, rows_per_tick,
    smallest_lossless_lag, write_lossless_lag, write_reads,
};
pub use latency::*;
pub use locality::{CELLS, Sample};
pub use replicas::replicas;
pub use setting::Setting;
pub use shape::{FILL_MEAN, INDEX_BYTES, newest_rows, shape, size};
pub use shards::{
    CEILING, Clients, HOT_NODE_SHARE, SCAN_STREAMS, SHARD_MEASURES, Service, ShardsPlan,
    measure_shards, measure_shards_any,
};
pub use splits::{COUNTED_SPLITS, INTERNAL_SPLITS, LEAF_SPLITS, Splits};
pub use tree::{Found, Plan, Secondaries, measure_any, measure_tree};
pub use unique::{Mint, Minted, Unique};
pub use wal::FullPageImages;
pub use working_set::WorkingSet;

use crate::record::{Measured, Number, Parameters, Row};
use crate::store::{Insert, Separator, Sink, Split, Touch};

/// Every measure, in the order of `sim list`.
pub const MEASURES: &[&Measured] = &[
    &edge::RIGHT_EDGE_SHARE,
    &edge::RIGHTMOST_LEAF_SHARE,
    &edge::LAST_LEAVES_SHARE,
    &edge::EDGE_DISTANCE_P50,
    &edge::EDGE_DISTANCE_P99,
    &edge::EDGE_DISTANCE_MAX,
    &splits::LEAF_SPLITS,
    &splits::INTERNAL_SPLITS,
    &splits::COUNTED_SPLITS,
    &splits::SPLITS_PER_1000_INSERTS,
    &splits::RIGHTMOST_LEAF_SPLITS,
    &splits::RIGHTMOST_INTERNAL_SPLITS,
    &splits::LEFT_SPLITS,
    &shape::ROWS,
    &shape::LEAF_PAGES,
    &shape::INTERNAL_PAGES,
    &shape::TREE_LEVEL,
    &shape::INDEX_BYTES,
    &shape::FILL_MEAN,
    &shape::INTERNAL_FILL_MEAN,
    &shape::LEAF_PAGES_BY_FILL,
    &shape::FRAGMENTATION_SHARE,
    &shape::LEAF_ITEMS_P05,
    &shape::LEAF_ITEMS_P50,
    &shape::LEAF_ITEMS_P95,
    &shape::LEAF_ITEMS_MEAN,
    &shape::FREE_PAGES,
    &shape::NEWEST_100_LEAVES,
    &shape::NEWEST_10K_LEAVES,
    &working_set::WORKING_SET_LEAVES,
    &accesses::PAGE_ACCESSES,
    &accesses::PAGE_ACCESSES_PER_INSERT,
    &pages::PAGE_READS_PER_INSERT,
    &pages::PAGE_READS,
    &pages::LEAF_PAGE_READS,
    &pages::PAGE_HITS,
    &pages::NEW_PAGES,
    &pages::PAGE_WRITES_PER_INSERT,
    &pages::PAGE_WRITE_BACKS,
    &pages::PAGE_FLUSHES,
    &pages::PAGE_WRITE_BYTES_PER_INSERT,
    &pages::FILE_PAGES,
    &pages::COMMITTED_PAGES_PER_INSERT,
    &pages::HIT_RATIO,
    &pages::PAGE_READS_BY_CACHE_PAGES,
    &wal::WAL_RECORD_BYTES,
    &wal::WAL_FPI_BYTES,
    &wal::WAL_LEAF_INSERTS,
    &wal::WAL_UPPER_INSERTS,
    &wal::WAL_NEW_ROOTS,
    &cliff::READS_BY_ROWS,
    &cliff::ROWS_AT_READS,
    &cliff::WORKING_SET_PAGES,
    &locality::LOCALITY,
    &DUPLICATE_IDS,
    &SKIPPED_LINES,
];

/// Ids that come again.
pub const DUPLICATE_IDS: Measured = Measured {
    name: "duplicate_ids",
    unit: "ids",
    about: "ids that were there already: of a dump, where a unique index refuses them; of generators side by side",
};

/// Lines of a dump that are no id.
pub const SKIPPED_LINES: Measured = Measured {
    name: "skipped_lines",
    unit: "lines",
    about: "lines of a dump without an id, by reason (param reason)",
};

/// Both see every event, one after the other.
impl<A: Sink, B: Sink> Sink for (A, B) {
    const TOUCHES: bool = A::TOUCHES || B::TOUCHES;

    #[inline]
    fn begin(&mut self) {
        if A::TOUCHES {
            self.0.begin();
        }
        if B::TOUCHES {
            self.1.begin();
        }
    }

    #[inline]
    fn touch(&mut self, touch: Touch) {
        if A::TOUCHES {
            self.0.touch(touch);
        }
        if B::TOUCHES {
            self.1.touch(touch);
        }
    }

    #[inline]
    fn descend(&mut self, path: &[Touch]) {
        if A::TOUCHES {
            self.0.descend(path);
        }
        if B::TOUCHES {
            self.1.descend(path);
        }
    }

    #[inline]
    fn insert(&mut self, event: &Insert) {
        self.0.insert(event);
        self.1.insert(event);
    }

    #[inline]
    fn split(&mut self, event: &Split) {
        self.0.split(event);
        self.1.split(event);
    }

    fn separator(&mut self, event: &Separator) {
        self.0.separator(event);
        self.1.separator(event);
    }

    fn new_root(&mut self, page: u32) {
        self.0.new_root(page);
        self.1.new_root(page);
    }
}

/// Collects the rows of one tree.
#[derive(Clone, Debug)]
pub struct Rows {
    template: Row,
    rows: Vec<Row>,
}

impl Rows {
    /// Rows of run `run` for a scheme and an engine; `params` stand in each.
    pub fn new(run: &str, scheme: &str, engine: &str, params: Parameters) -> Self {
        let template = Row {
            run: run.to_owned(),
            scheme: scheme.to_owned(),
            engine: engine.to_owned(),
            params,
            measure: String::new(),
            unit: String::new(),
            x: None,
            value: Number::Whole(0),
            low: None,
            high: None,
            samples: 1,
        };
        Self {
            template,
            rows: Vec::new(),
        }
    }

    /// Adds a total.
    pub fn total(&mut self, measured: &Measured, value: impl Into<Number>) {
        self.push(measured, None, value.into(), &[]);
    }

    /// Adds a point of a curve.
    pub fn point(&mut self, measured: &Measured, x: impl Into<Number>, value: impl Into<Number>) {
        self.push(measured, Some(x.into()), value.into(), &[]);
    }

    /// Adds a point of a curve: the mean of `values`, which are finite, between their least and most.
    pub fn sample(&mut self, measured: &Measured, x: impl Into<Number>, values: &[f64]) {
        self.spread(measured, Some(x.into()), values);
    }

    /// Adds a total: the mean of `values`, which are finite, between their least and most.
    pub fn mean(&mut self, measured: &Measured, values: &[f64]) {
        self.spread(measured, None, values);
    }

    /// Adds a total: the most of `values`, which are finite, with their least and most.
    pub fn most(&mut self, measured: &Measured, values: &[f64]) {
        self.spread(measured, None, values);
        if let Some(row) = self.rows.last_mut() {
            row.value = row.high.unwrap_or(row.value);
        }
    }

    fn spread(&mut self, measured: &Measured, x: Option<Number>, values: &[f64]) {
        let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
        self.push(measured, x, Number::Real(mean), &[]);
        if let Some(row) = self.rows.last_mut() {
            row.low = values.iter().copied().reduce(f64::min).map(Number::Real);
            row.high = values.iter().copied().reduce(f64::max).map(Number::Real);
            row.samples = values.len() as u64;
        }
    }

    /// Adds a number with parameters of its own.
    pub fn push(
        &mut self,
        measured: &Measured,
        x: Option<Number>,
        value: Number,
        params: &[(&str, serde_json::Value)],
    ) {
        let mut row = Row {
            measure: measured.name.to_owned(),
            unit: measured.unit.to_owned(),
            x,
            value,
            ..self.template.clone()
        };
        row.params.extend(
            params
                .iter()
                .map(|(name, value)| ((*name).to_owned(), value.clone())),
        );
        self.rows.push(row);
    }

    /// Adds a total with an interval, of which either end may be unknown.
    pub fn interval(
        &mut self,
        measured: &Measured,
        value: Number,
        (low, high): (Option<Number>, Option<Number>),
        params: &[(&str, serde_json::Value)],
    ) {
        self.push(measured, None, value, params);
        if let Some(row) = self.rows.last_mut() {
            (row.low, row.high) = (low, high);
        }
    }

    /// Calls `write` with rows that have one more parameter.
    pub fn with(&mut self, name: &str, value: &str, write: impl FnOnce(&mut Self)) {
        self.template.params.insert(name.to_owned(), value.into());
        write(self);
        self.template.params.remove(name);
    }

    /// The total of a measure without parameters of its own, if there is one.
    pub fn found(&self, measured: &Measured) -> Option<Number> {
        let total = |row: &&Row| row.measure == measured.name && row.x.is_none();
        let row = self.rows.iter().find(total)?;
        (row.params.len() == self.template.params.len()).then_some(row.value)
    }

    /// What each row begins as.
    pub fn template(&self) -> &Row {
        &self.template
    }

    /// The rows.
    pub fn into_rows(self) -> Vec<Row> {
        self.rows
    }
}
