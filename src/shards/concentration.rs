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

    /// The load ended: a window that it does not fill counts if it is the only one of its length.
    pub fn finish(&mut self, now_s: u64) {
        for window in &mut self.windows {
            if window.ended.is_empty() {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn second(windows: &mut Windows, now_s: u64, rows: [u32; 2]) {
        for (node, rows) in (0..).zip(rows).filter(|(_, rows)| *rows > 0) {
            let mut replicas = [0; MOST_REPLICAS];
            replicas[0] = node;
            windows.see(Written {
                range: node.into(),
                rows,
                replicas,
            });
        }
        windows.end_second(now_s);
    }

    #[test]
    fn a_window_that_is_not_full_counts_only_where_there_is_no_other() {
        let mut windows = Windows::new(2, 1);
        for now_s in 1..=14 {
            // The first ten seconds go to one node, the last four to the other.
            second(
                &mut windows,
                now_s,
                if now_s <= 10 { [9, 0] } else { [0, 9] },
            );
        }
        windows.finish(14);
        let ends = |i| windows.ended(i).iter().map(|ended| ended.end_s);
        assert!(ends(0).eq(1..=14));
        assert!(ends(1).eq([10]));
        assert!(ends(2).eq([14]));
        let minute = windows.ended(2)[0];
        assert_eq!(minute.nodes.hot_share, 90.0 / 126.0);
        assert_eq!((minute.writers, windows.all_nodes_s()), (2, None));
        assert_eq!(windows.cumulative().hot_share, 90.0 / 126.0);
    }

    #[test]
    fn one_of_four_nodes_is_as_concentrated_as_can_be() {
        let one = Concentration::of(&[0, 12, 0, 0]);
        assert_eq!(
            (one.hot_share, one.max_over_mean, one.gini, one.hhi),
            (1.0, 4.0, 0.75, 1.0)
        );
        assert_eq!(one.effective_nodes(), 1.0);
        let even = Concentration::of(&[3, 3, 3, 3]);
        assert_eq!(
            (even.hot_share, even.max_over_mean, even.gini, even.hhi),
            (0.25, 1.0, 0.0, 0.25)
        );
        assert_eq!(even.effective_nodes(), 4.0);
        let three_to_one = Concentration::of(&[30, 10]);
        assert_eq!(
            (three_to_one.hot_share, three_to_one.gini, three_to_one.hhi),
            (0.75, 0.25, 0.625)
        );
        assert_eq!(Concentration::of(&[0, 0]).effective_nodes(), 0.0);
    }
}
