//! How concentrated writes are, in windows of time and over all of it.

use super::{MOST_REPLICAS, Written};
use crate::theory::shards::{gini, hhi, max_over_mean};

/// How unequally something is spread over nodes.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Concentration {
    /// Share of the largest.
    pub hot_share: f64,
    /// The largest over the mean.
    pub max_over_mean: f64,
    /// Gini's coefficient.
    pub gini: f64,
    /// Herfindahl and Hirschman's index: the sum of the squares of the shares.
    pub hhi: f64,
}

impl Concentration {
    /// Of these amounts.
    pub fn of(amounts: &[u64]) -> Self {
        let all: u64 = amounts.iter().sum();
        let largest = amounts.iter().max().copied().unwrap_or(0);
        Self {
            hot_share: if all == 0 {
                0.0
            } else {
                largest as f64 / all as f64
            },
            max_over_mean: max_over_mean(amounts),
            gini: gini(amounts),
            hhi: hhi(amounts),
        }
    }

    /// As many equal nodes would be as concentrated: 1 / HHI.
    pub fn effective_nodes(&self) -> f64 {
        if self.hhi > 0.0 { 1.0 / self.hhi } else { 0.0 }
    }
}

/// Lengths of the windows in seconds.
pub const WINDOWS_S: [u32; 3] = [1, 10, 60];

/// A window that ended.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Ended {
    /// The second it ended with.
    pub end_s: u64,
    /// Of the leaders' writes over nodes.
    pub nodes: Concentration,
    /// Share of the hottest range.
    pub hot_range_share: f64,
    /// Share of the node that writes most copies, of all copies written.
    pub hot_replica_share: f64,
    /// Nodes that took writes as leaders.
    pub writers: u32,
}

/// Writes in windows of one length, laid end to end.
#[derive(Clone, Debug)]
struct Window {
    length_s: u32,
    nodes: Vec<u64>,
    copies: Vec<u64>,
    ranges: Vec<u32>,
    touched: Vec<u32>,
    ended: Vec<Ended>,
}

impl Window {
    fn see(&mut self, written: &Written, replication: usize) {
        let Written {
            range,
            rows,
            replicas,
        } = *written;
        self.nodes[usize::from(replicas[0])] += u64::from(rows);
        for &node in &replicas[..replication] {
            self.copies[usize::from(node)] += u64::from(rows);
        }
        let at = range as usize;
        if at >= self.ranges.len() {
            self.ranges.resize((at + 1).next_power_of_two(), 0);
        }
        if self.ranges[at] == 0 {
            self.touched.push(range);
        }
        self.ranges[at] += rows;
    }

    fn end(&mut self, now_s: u64) {
        let rows: u64 = self.nodes.iter().sum();
        if rows > 0 {
            let hottest = self
                .touched
                .iter()
                .map(|&range| self.ranges[range as usize])
                .max();
            self.ended.push(Ended {
                end_s: now_s,
                nodes: Concentration::of(&self.nodes),
                hot_range_share: f64::from(hottest.unwrap_or(0)) / rows as f64,
                hot_replica_share: Concentration::of(&self.copies).hot_share,
                writers: self.nodes.iter().filter(|&&rows| rows > 0).count() as u32,
            });
        }
        self.nodes.fill(0);
        self.copies.fill(0);
        for range in self.touched.drain(..) {
            self.ranges[range as usize] = 0;
        }
    }
}

/// Writes of a cluster in windows of [`WINDOWS_S`] and over all of the time.
#[derive(Clone, Debug)]
pub struct Windows {
    replication: usize,
    windows: [Window; WINDOWS_S.len()],
    /// Rows that each node took as leader.
    led: Vec<u64>,
}

impl Windows {
    /// Of a cluster of so many nodes and copies of a range.
    pub fn new(nodes: u32, replication: u32) -> Self {
        let nodes = nodes as usize;
        Self {
            replication: (replication as usize).min(MOST_REPLICAS),
            windows: WINDOWS_S.map(|length_s| Window {
                length_s,
                nodes: vec![0; nodes],
                copies: vec![0; nodes],
                ranges: Vec::new(),
                touched: Vec::new(),
                ended: Vec::new(),
            }),
            led: vec![0; nodes],
        }
    }

    /// Rows that a range took in a second.
    #[inline]
    pub fn see(&mut self, written: Written) {
        self.led[usize::from(written.replicas[0])] += u64::from(written.rows);
        for window in &mut self.windows {
            window.see(&written, self.replication);
        }
    }

    /// A second ends.
    pub fn end_second(&mut self, now_s: u64) {
        for window in &mut self.windows {
            if now_s.is_multiple_of(window.length_s.into()) {
                window.end(now_s);
            }
        }
    }

    /// The windows of length `WINDOWS_S[i]` that ended and had writes.
    pub fn ended(&self, i: usize) -> &[Ended] {
        &self.windows[i].ended
    }

    /// Of the leaders' writes over nodes, all of the time.
    pub fn cumulative(&self) -> Concentration {
        Concentration::of(&self.led)
    }

    /// The first second after which each node took writes within a window of ten seconds.
    pub fn all_nodes_s(&self) -> Option<u64> {
        let nodes = self.led.len() as u32;
        let first = self.ended(1).iter().find(|ended| ended.writers == nodes);
        first.map(|ended| ended.end_s)
    }
}
