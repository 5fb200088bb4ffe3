//! What it costs to read rows back in order.

use super::{Cluster, ShardingKey};

/// What is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Query {
    /// The newest 100 rows.
    Newest100,
    /// The rows of one hour (of a quarter of all rows at most) in the middle of the load.
    OneHour,
    /// The newest 20 rows of a tenant that has one in a thousand rows.
    TenantNewest20,
    /// One row by its id alone; its bucket is computed from the id where that can be done.
    Point,
    /// The same by a planner that computes no buckets.
    PointUnknown,
}

impl Query {
    /// All, with the name of each in records.
    pub const ALL: [(Query, &'static str); 5] = [
        (Query::Newest100, "newest_100"),
        (Query::OneHour, "one_hour"),
        (Query::TenantNewest20, "tenant_newest_20"),
        (Query::Point, "point"),
        (Query::PointUnknown, "point_bucket_unknown"),
    ];
}

/// What a query touches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Scan {
    /// Ranges asked.
    pub ranges: u64,
    /// Ordered streams merged.
    pub streams: u64,
    /// Rows read, if each stream stops as soon as it may.
    pub rows_read: u64,
}

/// What is read of a row whose place is known.
const ONE_ROW: Scan = Scan {
    ranges: 1,
    streams: 1,
    rows_read: 1,
};

/// Rows of a tenant of [`Query::TenantNewest20`]: one in so many.
const TENANT_ROWS: u64 = 1000;

/// What the queries need to know of a load.
#[derive(Clone, Copy, Debug)]
pub struct Load<'a> {
    /// The cluster after it.
    pub cluster: &'a Cluster,
    /// Whether the ids ascend with time, but for neighbours.
    pub ascending: bool,
    /// Rows an hour.
    pub rows_an_hour: u64,
    /// Some of the rows, by number: number and key.
    pub sample: &'a [(u64, u128)],
}

impl Load<'_> {
    fn key(&self) -> ShardingKey {
        self.cluster.setup().key
    }

    /// Runs of rows in the order of arrival; `None` if there is no order.
    fn streams(&self) -> Option<u64> {
        let counted = matches!(
            self.key(),
            ShardingKey::AutoRandom(_) | ShardingKey::ShardRowId(_)
        );
        match self.cluster.setup().store.hashed {
            true => None,
            false => self.key().streams().filter(|_| self.ascending || counted),
        }
    }

    /// What `query` costs.
    pub fn scan(&self, query: Query) -> Scan {
        let rows = self.cluster.totals().rows;
        let ranges = self.cluster.ranges().count() as u64;
        // Without an order all rows are read and sorted.
        let all = Scan {
            ranges,
            streams: ranges,
            rows_read: rows,
        };
        // Of each stream what lies in this part of the load.
        let of = |first: u64, count: u64, rows_read: u64| {
            self.streams().map_or(all, |streams| Scan {
                ranges: self.ranges_of(first, count),
                streams,
                rows_read: rows_read.min(rows),
            })
        };
        match query {
            Query::Newest100 => {
                let streams = self.streams().unwrap_or(0);
                of(rows.saturating_sub(100), 100, streams * 100)
            }
            Query::OneHour => {
                let hour = self.rows_an_hour.min(rows / 4);
                of(rows / 2, hour, hour)
            }
            Query::TenantNewest20 => match self.key() {
                // The tenant's rows lie together.
                ShardingKey::Tenant(_) if !self.cluster.setup().store.hashed => Scan {
                    ranges: 1,
                    streams: 1,
                    rows_read: match self.ascending {
                        true => 20.min(rows),
                        false => rows / TENANT_ROWS,
                    },
                },
                // Rows of all tenants are read from the newest on.
                _ => {
                    let newest = (20 * TENANT_ROWS).min(rows);
                    of(rows - newest, newest, newest)
                }
            },
            Query::Point => match self.key() {
                ShardingKey::Salt(_) | ShardingKey::Tenant(_) => self.each_run(),
                // The index on the id first, which says where the row is.
                ShardingKey::ShardRowId(_) => Scan {
                    ranges: 2.min(ranges),
                    streams: 1,
                    rows_read: 2,
                },
                _ => ONE_ROW,
            },
            Query::PointUnknown => match self.key() {
                ShardingKey::HashBuckets(_) | ShardingKey::IdMod(_) => self.each_run(),
                _ => self.scan(Query::Point),
            },
        }
    }

    /// One row that may be in each of the runs.
    fn each_run(&self) -> Scan {
        let runs = self.key().streams().unwrap_or(1);
        let ranges = match self.cluster.setup().store.hashed {
            true => runs.min(self.cluster.ranges().count() as u64),
            false => {
                let lows = self.lows();
                distinct(self.places_at(self.cluster.totals().rows / 2, &lows))
            }
        };
        Scan {
            ranges,
            streams: runs,
            rows_read: 1,
        }
    }

    fn lows(&self) -> Vec<u128> {
        self.cluster.ranges().map(|range| range.low).collect()
    }

    /// Where each run has the rows that are as old as row `row`.
    fn places_at(&self, row: u64, lows: &[u128]) -> Vec<usize> {
        let bits = self.key().run_bits();
        let at = self.sample.partition_point(|&(number, _)| number <= row);
        // What follows the number of the run is the same in all of them.
        let key = self
            .sample
            .get(at.saturating_sub(1))
            .map_or(0, |&(_, key)| key);
        let rest = key << bits >> bits;
        let runs = self.key().runs();
        let places = runs.iter().map(|low| place(lows, low | rest));
        places.collect()
    }

    /// Ranges that hold `count` rows from row `first` on.
    fn ranges_of(&self, first: u64, count: u64) -> u64 {
        let lows = self.lows();
        let after = first + count;
        let sampled = self
            .sample
            .iter()
            .filter(|(row, _)| (first..after).contains(row));
        let mut places: Vec<usize> = sampled.map(|(_, key)| place(&lows, *key)).collect();
        places.extend(self.places_at(after.saturating_sub(1), &lows));
        distinct(places)
    }
}

/// The number of the range that holds a key.
fn place(lows: &[u128], key: u128) -> usize {
    lows.partition_point(|&low| low <= key)
}

fn distinct(mut places: Vec<usize>) -> u64 {
    places.sort_unstable();
    places.dedup();
    places.len() as u64
}

#[cfg(test)]
mod tests;
