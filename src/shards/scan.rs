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
    /// One row by its id, by a reader who can derive where it is.
    Point,
    /// One row by its id, by a reader who cannot.
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
    /// Some of the rows: number and key.
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
        let ordered = |newest: u64| {
            self.streams().map_or(all, |streams| Scan {
                ranges: streams.min(ranges),
                streams,
                rows_read: (streams * newest).min(rows),
            })
        };
        match query {
            Query::Newest100 => ordered(100),
            Query::OneHour => {
                let hour = self.rows_an_hour.min(rows / 4);
                self.streams().map_or(all, |streams| Scan {
                    ranges: self.ranges_of(rows / 2, hour).max(streams.min(ranges)),
                    streams,
                    rows_read: hour,
                })
            }
            Query::TenantNewest20 => match self.key() {
                // The tenant's rows lie together.
                ShardingKey::Tenant(_) if self.ascending && !self.cluster.setup().store.hashed => {
                    Scan {
                        ranges: 1,
                        streams: 1,
                        rows_read: 20,
                    }
                }
                // Rows of all tenants are read from the newest on.
                _ => match self.streams() {
                    Some(streams) => Scan {
                        rows_read: (20 * TENANT_ROWS).max(streams * 20).min(rows),
                        ..ordered(20)
                    },
                    None => all,
                },
            },
            Query::Point => Scan {
                ranges: 1,
                streams: 1,
                rows_read: 1,
            },
            Query::PointUnknown => {
                let places = self.key().point_streams();
                Scan {
                    ranges: places.min(ranges),
                    streams: places,
                    rows_read: 1,
                }
            }
        }
    }

    /// Ranges that hold the sampled ones among `count` rows from row `first` on.
    fn ranges_of(&self, first: u64, count: u64) -> u64 {
        let lows: Vec<u128> = self.cluster.ranges().map(|range| range.low).collect();
        let rows = self
            .sample
            .iter()
            .filter(|(row, _)| (first..first + count).contains(row));
        let mut places: Vec<usize> = rows
            .map(|(_, key)| lows.partition_point(|low| low <= key))
            .collect();
        places.sort_unstable();
        places.dedup();
        places.len() as u64
    }
}
