//! What a load has done to its cluster, as rows.

use super::{
    ALL_NODES, CEILING, CLOSED_WRITES, EFFECTIVE_NODES, FIRST_SPLIT, FROZEN_FILL, GINI, HHI,
    HOT_NODE_BYTES_SHARE, HOT_NODE_SHARE, HOT_RANGE_SHARE, HOT_REPLICA_SHARE, LEADER_MOVES, Load,
    MAX_OVER_MEAN, MERGES, MOVED_BYTES, NO_BETTER_NODE, NO_SPLIT_KEY, RANGES, REPLICA_MOVES,
    SCAN_RANGES, SCAN_ROWS, SCAN_STREAMS, SPEED_UP, SPLIT_PLACE, SPLITS_BY_LOAD, SPLITS_BY_SIZE,
    ShardsPlan, TAIL_MOVES, WRITES_BY_KEY,
};
use crate::measure::Rows;
use crate::record::{Grid, Measured, Number};
use crate::shards::{Concentration, Ended, Event, Query, Refusal, ScanLoad, WINDOWS_S};

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => 0.0,
        odd if odd % 2 == 1 => values[middle],
        _ => values[middle - 1].midpoint(values[middle]),
    }
}

/// What a window is measured by.
type OfWindow = fn(&Ended) -> f64;

/// Points of a curve against time.
const POINTS: usize = 240;

impl Load {
    /// Ends the load and writes what happened.
    pub(super) fn found(mut self, plan: &ShardsPlan, ascending: bool, rows: &mut Rows) -> Grid {
        // A second that had begun when the ids ended.
        if self.cluster.has_begun_second() {
            self.end_second();
        }
        self.windows.finish(self.cluster.now_s());
        let settled = self.windows(rows);
        let all = self.windows.cumulative();
        concentration(&all, &[("window", "all".into())], rows);
        let bytes = Concentration::of(&self.cluster.bytes_by_node());
        rows.total(&HOT_NODE_BYTES_SHARE, Number::Real(bytes.hot_share));
        let share = if settled > 0.0 {
            settled
        } else {
            all.hot_share
        };
        rows.total(&CEILING, Number::Real(plan.capacity_per_s as f64 / share));
        rows.total(&SPEED_UP, Number::Real(1.0 / share));
        if let Some(closed) = &self.closed {
            rows.total(&CLOSED_WRITES, closed.writes_per_s());
        }
        self.totals(rows);
        let (sample, load) = (self.sample.in_order(), &self.cluster);
        let scans = ScanLoad {
            cluster: load,
            ascending,
            rows_an_hour: plan.ids_per_s.saturating_mul(3600),
            sample,
        };
        for (query, name) in Query::ALL {
            let scan = scans.scan(query);
            let params = [("query", name.into())];
            rows.push(&SCAN_RANGES, None, scan.ranges.into(), &params);
            rows.push(&SCAN_STREAMS, None, scan.streams.into(), &params);
            rows.push(&SCAN_ROWS, None, scan.rows_read.into(), &params);
        }
        let hashed = self.cluster.setup().store.hashed;
        if !hashed {
            let mut keys: Vec<u128> = sample.iter().map(|&(_, key)| key).collect();
            keys.sort_unstable();
            for &(second, event) in self.cluster.events().iter().take(MOST_SPLITS_DRAWN) {
                if let Event::Split { key, by_load } = event {
                    let place = Number::ratio(
                        keys.partition_point(|&other| other < key) as u64,
                        keys.len() as u64,
                    );
                    let by = if by_load { "load" } else { "size" };
                    rows.push(
                        &SPLIT_PLACE,
                        Some(second.into()),
                        place,
                        &[("by", by.into())],
                    );
                }
            }
        }
        let row = rows.template();
        Grid {
            measure: WRITES_BY_KEY.name.to_owned(),
            params: row.params.clone(),
            ..self.sample.grid(&row.run, &row.scheme, &row.engine)
        }
    }

    /// Writes what happened in windows; returns the settled share of the hottest node in windows of 10 s.
    fn windows(&self, rows: &mut Rows) -> f64 {
        let mut settled_10s = 0.0;
        for (i, length_s) in WINDOWS_S.into_iter().enumerate() {
            let ended = self.windows.ended(i);
            if ended.is_empty() {
                continue;
            }
            let window = format!("{length_s}s");
            let last = &ended[ended.len() - ended.len().div_ceil(4)..];
            let of = |of: &str| [("window", window.clone().into()), ("of", of.into())];
            let measures: [(&Measured, OfWindow); 7] = [
                (&HOT_NODE_SHARE, |ended| ended.nodes.hot_share),
                (&HOT_RANGE_SHARE, |ended| ended.hot_range_share),
                (&HOT_REPLICA_SHARE, |ended| ended.hot_replica_share),
                (&MAX_OVER_MEAN, |ended| ended.nodes.max_over_mean),
                (&GINI, |ended| ended.nodes.gini),
                (&HHI, |ended| ended.nodes.hhi),
                (&EFFECTIVE_NODES, |ended| ended.nodes.effective_nodes()),
            ];
            for (measured, value) in measures {
                let settled = median(last.iter().map(value).collect());
                let most = ended.iter().map(value).fold(0.0, f64::max);
                rows.push(
                    measured,
                    None,
                    Number::Real(median(ended.iter().map(value).collect())),
                    &of("p50"),
                );
                rows.push(measured, None, Number::Real(most), &of("max"));
                rows.push(measured, None, Number::Real(settled), &of("settled"));
                if measured.name == HOT_NODE_SHARE.name && length_s == 10 {
                    settled_10s = settled;
                }
            }
            if length_s == 10 {
                for ended in ended.iter().step_by(ended.len().div_ceil(POINTS)) {
                    let share = Number::Real(ended.nodes.hot_share);
                    rows.push(
                        &HOT_NODE_SHARE,
                        Some(ended.end_s.into()),
                        share,
                        &[("window", window.clone().into())],
                    );
                }
            }
        }
        settled_10s
    }

    fn totals(&self, rows: &mut Rows) {
        let totals = self.cluster.totals();
        if let Some(second) = totals.first_split_s {
            rows.total(&FIRST_SPLIT, second);
        }
        if let Some(second) = self.windows.all_nodes_s() {
            rows.total(&ALL_NODES, second);
        }
        rows.total(&RANGES, self.cluster.ranges().count() as u64);
        rows.total(&SPLITS_BY_SIZE, totals.splits_by_size);
        rows.total(&SPLITS_BY_LOAD, totals.splits_by_load);
        for (refusal, &count) in Refusal::ALL.iter().zip(&totals.refused) {
            if count > 0 {
                rows.push(
                    &NO_SPLIT_KEY,
                    None,
                    count.into(),
                    &[("reason", refusal.name().into())],
                );
            }
        }
        rows.total(&MERGES, totals.merges);
        rows.total(&LEADER_MOVES, totals.leader_moves);
        rows.total(&REPLICA_MOVES, totals.replica_moves);
        rows.total(&TAIL_MOVES, totals.tail_moves);
        rows.total(&NO_BETTER_NODE, totals.no_better_node);
        let written = totals.rows * u64::from(self.cluster.setup().row_bytes);
        rows.total(&MOVED_BYTES, Number::ratio(totals.moved_bytes, written));
        if let Some(fill) = self.cluster.frozen_fill() {
            rows.total(&FROZEN_FILL, Number::Real(fill));
        }
    }
}

/// Splits whose places are recorded.
const MOST_SPLITS_DRAWN: usize = 1000;

fn concentration(found: &Concentration, params: &[(&str, serde_json::Value)], rows: &mut Rows) {
    rows.push(&HOT_NODE_SHARE, None, Number::Real(found.hot_share), params);
    rows.push(
        &MAX_OVER_MEAN,
        None,
        Number::Real(found.max_over_mean),
        params,
    );
    rows.push(&GINI, None, Number::Real(found.gini), params);
    rows.push(&HHI, None, Number::Real(found.hhi), params);
    rows.push(
        &EFFECTIVE_NODES,
        None,
        Number::Real(found.effective_nodes()),
        params,
    );
}
