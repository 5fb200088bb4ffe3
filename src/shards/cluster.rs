//! The store at work: [`Cluster`].

mod balance;
mod split;

use super::range::{MOST_REPLICAS, Range};
use super::{Event, FirstRanges, Refusal, ShardingKey, SizePoint, Store};
use crate::id::Column;
use crate::random;
use rand_chacha::ChaCha8Rng;

/// What a cluster is made of.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Setup {
    /// Its rules.
    pub store: &'static Store,
    /// What rows are sharded by.
    pub key: ShardingKey,
    /// Type of the ids.
    pub column: Column,
    /// Nodes, 1 to [`MOST_NODES`].
    pub nodes: u32,
    /// Copies of each range, 1 to the number of nodes.
    pub replication: u32,
    /// Ranges at the start, where the store has them made.
    pub shards: u32,
    /// Bytes of a row.
    pub row_bytes: u32,
    /// Seed of what is drawn at random.
    pub seed: u64,
}

/// Most nodes.
pub const MOST_NODES: u32 = 1024;
/// Most ranges at the start.
pub const MOST_SHARDS: u32 = 65_536;

/// What happened so far.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Totals {
    /// Rows written.
    pub rows: u64,
    /// Splits by size.
    pub splits_by_size: u64,
    /// Splits by load.
    pub splits_by_load: u64,
    /// Splits of a range to move a part of it.
    pub splits_to_move: u64,
    /// Merges.
    pub merges: u64,
    /// Leaders that changed without a copy.
    pub leader_moves: u64,
    /// Replicas that were copied to another node.
    pub replica_moves: u64,
    /// Of these, replicas of a range that was written in that second.
    pub tail_moves: u64,
    /// Bytes copied.
    pub moved_bytes: u64,
    /// Splits refused, by reason.
    pub refused: [u64; Refusal::ALL.len()],
    /// Rounds in which a node was overloaded and no move would have helped.
    pub no_better_node: u64,
    /// Second of the first split that the store made by itself.
    pub first_split_s: Option<u64>,
}

/// A range-sharded store.
///
/// A write goes to the range of its key; each second (and for size where the store looks
/// with each write, at once) ranges are split, moved and merged by the store's rules.
/// Time is in whole seconds; within a second writes have an order and no time.
///
/// Not modelled: reads as load; the time that a copy takes, and the load it makes; nodes
/// that fail.
#[derive(Debug)]
pub struct Cluster {
    setup: Setup,
    now_s: u64,
    /// Low keys of the ranges in order; the first is 0.
    lows: Vec<u128>,
    /// The first 64 bits of each, which a search compares first.
    prefixes: Vec<u64>,
    /// Numbers of the ranges in the same order.
    order: Vec<u32>,
    ranges: Vec<Range>,
    /// Numbers that merges left.
    free: Vec<u32>,
    /// Low key, high key (0: none) and number of the range of the last write.
    last: (u128, u128, u32),
    /// Ranges written in this second.
    touched: Vec<u32>,
    totals: Totals,
    events: Vec<(u64, Event)>,
    next_balance_s: u64,
    /// The pair of neighbours that is looked at next for a merge.
    next_merge: usize,
    random: ChaCha8Rng,
}

/// Most events that are kept for the picture.
const MOST_EVENTS: usize = 4096;

impl Cluster {
    /// A store without rows.
    pub fn new(setup: Setup) -> Self {
        let mut splits = setup.key.first_splits();
        if setup.store.first_ranges == FirstRanges::Asked {
            splits = equal_parts(
                setup.shards,
                if setup.store.hashed {
                    0
                } else {
                    setup.key.end(setup.column)
                },
            );
        }
        if setup.store.hashed && setup.store.first_ranges == FirstRanges::One {
            splits.clear();
        }
        let lows: Vec<u128> = std::iter::once(0).chain(splits).collect();
        let mut cluster = Self {
            setup,
            now_s: 0,
            order: (0..lows.len() as u32).collect(),
            ranges: Vec::new(),
            free: Vec::new(),
            last: (1, 1, 0),
            touched: Vec::new(),
            totals: Totals::default(),
            events: Vec::new(),
            next_merge: 0,
            next_balance_s: setup
                .store
                .balance
                .map_or(u64::MAX, |balance| balance.every_s.into()),
            random: random::stream(setup.seed, "shards.cluster", 0),
            prefixes: lows.iter().map(|&low| prefix(low)).collect(),
            lows,
        };
        for number in 0..cluster.lows.len() {
            let range = Range::new(cluster.home(number), 0);
            cluster.ranges.push(range);
        }
        for number in 0..cluster.ranges.len() {
            cluster.ranges[number].look_rows = cluster.look_rows();
        }
        cluster
    }

    /// The nodes of the range that was the `number`th at the start: by turns.
    fn home(&self, number: usize) -> [u16; MOST_REPLICAS] {
        let nodes = self.setup.nodes as usize;
        std::array::from_fn(|copy| ((number + copy) % nodes) as u16)
    }

    /// What it is made of.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// Seconds since the start.
    pub fn now_s(&self) -> u64 {
        self.now_s
    }

    /// What happened so far.
    pub fn totals(&self) -> &Totals {
        &self.totals
    }

    /// The first splits, merges and moves, with the second of each.
    pub fn events(&self) -> &[(u64, Event)] {
        &self.events
    }

    /// Writes a row with this key; returns the node that leads its range.
    #[inline]
    pub fn write(&mut self, key: u128) -> u32 {
        let key = match self.setup.store.hashed {
            true => super::key::rehashed(key),
            false => key,
        };
        let (low, high, last) = self.last;
        let number = if key >= low && (key < high || high == 0) {
            last
        } else {
            self.route(key)
        };
        let range = &mut self.ranges[number as usize];
        if range.second == 0 {
            self.touched.push(number);
        }
        range.second += 1;
        range.rows += 1;
        range.sample.see(key);
        let leader = range.replicas[0];
        if let Some(watch) = &mut range.watch {
            watch.see(
                key,
                self.now_s,
                self.setup.row_bytes.into(),
                &mut self.random,
            );
        }
        if range.rows >= range.look_rows {
            self.look_at_size(number);
        }
        u32::from(leader)
    }

    fn route(&mut self, key: u128) -> u32 {
        let first = prefix(key);
        let mut at = self.prefixes.partition_point(|&other| other <= first) - 1;
        if self.lows[at] > key {
            // Several begin alike.
            at = self.lows.partition_point(|&low| low <= key) - 1;
        }
        let high = self.lows.get(at + 1).copied().unwrap_or(0);
        self.last = (self.lows[at], high, self.order[at]);
        self.order[at]
    }

    /// Where the range of number `number` is in the order of keys.
    fn place(&self, number: u32) -> usize {
        let place = self.order.iter().position(|&other| other == number);
        place.expect("a range that exists has a place")
    }

    /// Ends a second: `see` gets the rows of each range written in it, with its leader;
    /// then ranges are split, merged and moved.
    pub fn end_second(&mut self, mut see: impl FnMut(Written)) {
        self.now_s += 1;
        let touched = std::mem::take(&mut self.touched);
        let mut rows = 0;
        for &number in &touched {
            let range = &mut self.ranges[number as usize];
            rows += u64::from(range.second);
            range.tens[0] += range.second;
            range.written_s = self.now_s;
            see(Written {
                range: number,
                rows: range.second,
                replicas: range.replicas,
            });
        }
        self.totals.rows += rows;
        self.look_at_load(&touched);
        for &number in &touched {
            self.ranges[number as usize].second = 0;
        }
        if self.setup.store.size.check_s > 0
            && self
                .now_s
                .is_multiple_of(self.setup.store.size.check_s.into())
        {
            self.look_at_sizes();
        }
        if self.now_s >= self.next_balance_s {
            self.balance();
        }
        self.merge();
        if self.now_s.is_multiple_of(10) {
            self.end_ten_seconds();
        }
        self.touched = touched;
        self.touched.clear();
    }

    /// Begins a new span of ten seconds.
    fn end_ten_seconds(&mut self) {
        for range in &mut self.ranges {
            range.tens.rotate_right(1);
            range.tens[0] = 0;
        }
    }

    /// Whether a second has begun, with a row at least.
    pub fn has_begun_second(&self) -> bool {
        !self.touched.is_empty()
    }

    /// What the ranges hold, by key: low key, rows, nodes, whether written in the last minute.
    pub fn ranges(&self) -> impl Iterator<Item = RangeState> {
        self.lows.iter().zip(&self.order).map(|(&low, &number)| {
            let range = &self.ranges[number as usize];
            RangeState {
                low,
                rows: range.rows,
                bytes: range.rows * u64::from(self.setup.row_bytes),
                leader: range.replicas[0],
                written: self.now_s.saturating_sub(range.written_s) < 60,
            }
        })
    }

    /// Bytes of the ranges that were not written in the last minute, over the size at which
    /// the store splits one now; `None` without such ranges, or such a size.
    pub fn frozen_fill(&self) -> Option<f64> {
        let frozen: Vec<&Range> = self
            .living()
            .filter(|range| self.now_s.saturating_sub(range.written_s) >= 60 && range.rows > 0)
            .collect();
        let limit = match self.setup.store.size.point {
            SizePoint::Fill(bytes) => bytes,
            _ => self.limit_bytes(frozen.first()?),
        };
        let fills = frozen
            .iter()
            .map(|range| self.bytes(range.rows) as f64 / limit as f64);
        (limit < u64::MAX).then(|| fills.sum::<f64>() / frozen.len() as f64)
    }

    /// Bytes on each node, copies included.
    pub fn bytes_by_node(&self) -> Vec<u64> {
        let mut bytes = vec![0; self.setup.nodes as usize];
        for range in self.living() {
            for &node in self.copies(range) {
                bytes[usize::from(node)] += range.rows * u64::from(self.setup.row_bytes);
            }
        }
        bytes
    }

    fn living(&self) -> impl Iterator<Item = &Range> {
        self.order
            .iter()
            .map(|&number| &self.ranges[number as usize])
    }

    fn copies<'a>(&self, range: &'a Range) -> &'a [u16] {
        &range.replicas[..self.setup.replication as usize]
    }

    fn bytes(&self, rows: u64) -> u64 {
        rows * u64::from(self.setup.row_bytes)
    }

    fn note(&mut self, event: Event) {
        if self.events.len() < MOST_EVENTS {
            self.events.push((self.now_s, event));
        }
    }

    fn refuse(&mut self, refusal: Refusal) {
        self.totals.refused[refusal as usize] += 1;
    }
}

/// The first 64 bits of a key.
fn prefix(key: u128) -> u64 {
    (key >> 64) as u64
}

/// Rows that a range took in a second.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Written {
    /// Number of the range.
    pub range: u32,
    /// The rows.
    pub rows: u32,
    /// Nodes that hold it, its leader's first, as many as the cluster has copies.
    pub replicas: [u16; MOST_REPLICAS],
}

/// What a range holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RangeState {
    /// Its low key.
    pub low: u128,
    /// Its rows.
    pub rows: u64,
    /// Their bytes.
    pub bytes: u64,
    /// The node that leads it.
    pub leader: u16,
    /// Whether it was written in the last minute.
    pub written: bool,
}

/// Low keys of all but the first of so many equal parts of the space up to `end`.
fn equal_parts(parts: u32, end: u128) -> Vec<u128> {
    let parts = u128::from(parts.max(1));
    let part = match end {
        0 => u128::MAX / parts,
        end => end / parts,
    };
    // The bits that a division loses do not matter but for powers of two, which are exact.
    let part = if end == 0 && parts.is_power_of_two() && parts > 1 {
        part + 1
    } else {
        part
    };
    (1..parts).map(|number| number * part).collect()
}

#[cfg(test)]
mod tests;
