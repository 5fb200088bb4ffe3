//! Which leaders and replicas move, and which ranges are merged.

use super::super::range::Range;
use super::super::{Balance, Event, LoadRule, Merge, MergeBelow, Spread, SpreadBy};
use super::split::Cause;
use super::{Cluster, MOST_REPLICAS};
use crate::random;

/// Pairs of neighbours that one look for merges goes through.
const MERGE_LOOKS: usize = 1000;

impl Cluster {
    /// A round of moves, by the store's rules.
    pub(super) fn balance(&mut self) {
        let Some(Balance {
            every_s,
            jitter_percent,
            load,
            spread,
        }) = self.setup.store.balance
        else {
            return;
        };
        let jitter_s = every_s * jitter_percent / 100;
        let draw = random::below(&mut self.random, 2 * jitter_s + 1);
        self.next_balance_s =
            self.now_s + u64::from((every_s + draw).saturating_sub(jitter_s).max(1));
        if let Some(rule) = load {
            self.move_load(rule);
        }
        if let Some(spread) = spread {
            self.even_out(spread);
        }
    }

    /// Takes load off the nodes that have too much of it.
    fn move_load(&mut self, rule: LoadRule) {
        let nodes = self.setup.nodes as usize;
        let mut loads = vec![0u64; nodes];
        let mut hot: Vec<(u64, u32)> = Vec::new();
        for &number in &self.order {
            let range = &self.ranges[number as usize];
            let load = range.minute();
            loads[usize::from(range.replicas[0])] += load;
            if load > 0 {
                hot.push((load, number));
            }
        }
        hot.sort_unstable_by_key(|&(load, number)| (std::cmp::Reverse(load), number));
        let mean = loads.iter().sum::<u64>() / nodes as u64;
        let margin = (mean * u64::from(rule.above_mean_percent) / 100)
            .max(u64::from(rule.above_mean_per_s) * 60);
        // A node from which nothing can be moved to good effect.
        let mut stuck = vec![false; nodes];
        let mut moves = 0;
        while moves < rule.moves {
            let most = (0..nodes)
                .filter(|&node| !stuck[node])
                .max_by_key(|&node| (loads[node], std::cmp::Reverse(node)));
            let Some(from) = most.filter(|&node| loads[node] > mean + margin) else {
                break;
            };
            let led = hot.iter().filter(|&&(_, number)| {
                usize::from(self.ranges[number as usize].replicas[0]) == from
            });
            let better = led.copied().find_map(|(load, number)| {
                // A node that has less than the mean, and stays well below where the load comes
                // from: else two nodes would hand it to and fro for ever.
                let less = |one: u64, other: u64| {
                    one * 100 < other * (100 - u64::from(rule.above_mean_percent))
                };
                let fits =
                    |node: usize| less(loads[node], mean) && less(loads[node] + load, loads[from]);
                let range = &self.ranges[number as usize];
                let copies = self.copies(range).iter().map(|&node| usize::from(node));
                let transfer = copies
                    .filter(|&node| fits(node))
                    .min_by_key(|&node| (loads[node], node));
                let elsewhere = || {
                    let light = self.bytes(range.rows) <= rule.most_bytes;
                    let others = (0..nodes).filter(|&node| {
                        light && fits(node) && !self.copies(range).contains(&(node as u16))
                    });
                    others.min_by_key(|&node| (loads[node], node))
                };
                transfer.or_else(elsewhere).map(|to| (load, number, to))
            });
            let Some((load, number, to)) = better else {
                stuck[from] = true;
                self.totals.no_better_node += 1;
                continue;
            };
            loads[from] -= load;
            loads[to] += load;
            moves += 1;
            self.lead_from(number, to as u16);
        }
    }

    /// Makes `to` the leader of a range; a replica is copied there first if it has none.
    fn lead_from(&mut self, number: u32, to: u16) {
        let copies = self.setup.replication as usize;
        let range = &mut self.ranges[number as usize];
        match range.replicas[..copies].iter().position(|&node| node == to) {
            Some(at) => {
                range.replicas.swap(0, at);
                self.totals.leader_moves += 1;
            }
            None => self.move_replica(number, 0, to),
        }
    }

    /// Copies a range to node `to` in place of replica `at`.
    fn move_replica(&mut self, number: u32, at: usize, to: u16) {
        let range = &mut self.ranges[number as usize];
        range.replicas[at] = to;
        let rows = range.rows;
        if range.written_s + 1 >= self.now_s && range.rows > 0 && at == 0 {
            self.totals.tail_moves += 1;
        }
        self.totals.replica_moves += 1;
        self.totals.moved_bytes += self.bytes(rows);
    }

    /// Moves all replicas of a range to the nodes with the fewest bytes, none of them where it is if others are enough.
    pub(super) fn send_away(&mut self, number: u32) {
        let bytes = self.bytes_by_node();
        let copies = self.setup.replication as usize;
        let old = self.ranges[number as usize].replicas;
        let mut nodes: Vec<u16> = (0..self.setup.nodes as u16).collect();
        nodes.sort_by_key(|&node| {
            (
                old[..copies].contains(&node),
                bytes[usize::from(node)],
                node,
            )
        });
        for (at, &node) in nodes[..copies].iter().enumerate() {
            if !old[..copies].contains(&node) {
                self.move_replica(number, at, node);
            } else {
                self.ranges[number as usize].replicas[at] = node;
            }
        }
    }

    /// Evens out numbers of ranges or bytes between the nodes.
    fn even_out(&mut self, spread: Spread) {
        let nodes = self.setup.nodes as usize;
        let (mut left, mut reached) = (vec![0; nodes], vec![0; nodes]);
        for _ in 0..spread.moves {
            let (held, much) = match spread.by {
                SpreadBy::Ranges => (self.ranges_by_node(), 2),
                SpreadBy::Bytes { more_bytes, .. } => (self.bytes_by_node(), more_bytes),
            };
            let from = (0..nodes).filter(|&node| left[node] < spread.out_of_node);
            let from = from.max_by_key(|&node| (held[node], std::cmp::Reverse(node)));
            let to = (0..nodes).filter(|&node| reached[node] < spread.into_node);
            let to = to.min_by_key(|&node| (held[node], node));
            let (Some(from), Some(to)) = (from, to) else {
                return;
            };
            let gap = held[from].saturating_sub(held[to]);
            if gap < much {
                return self.even_out_leaders(spread);
            }
            let Some(number) = self.movable(from as u16, to as u16, spread, gap) else {
                return;
            };
            let copies = self.setup.replication as usize;
            let replicas = &self.ranges[number as usize].replicas[..copies];
            if let Some(at) = replicas.iter().position(|&node| usize::from(node) == from) {
                self.move_replica(number, at, to as u16);
            }
            left[from] += 1;
            reached[to] += 1;
        }
    }

    /// A random range, or a part of one, that can go from one node to the other.
    fn movable(&mut self, from: u16, to: u16, spread: Spread, gap: u64) -> Option<u32> {
        let fits = |range: &Range| match spread.by {
            SpreadBy::Ranges => true,
            // It must not only turn the gap round.
            SpreadBy::Bytes { piece_bytes, .. } => {
                self.bytes(range.rows).min(piece_bytes) < gap && range.rows > 0
            }
        };
        let candidates: Vec<u32> = self
            .order
            .iter()
            .copied()
            .filter(|&number| {
                let range = &self.ranges[number as usize];
                let copies = self.copies(range);
                copies.contains(&from) && !copies.contains(&to) && fits(range)
            })
            .collect();
        if candidates.is_empty() {
            return None;
        }
        let number = candidates[random::below(&mut self.random, candidates.len() as u32) as usize];
        if let SpreadBy::Bytes { piece_bytes, .. } = spread.by
            && self.bytes(self.ranges[number as usize].rows) > piece_bytes
        {
            let rows = piece_bytes / u64::from(self.setup.row_bytes);
            let cuts = self.cuts_at(number, &[rows]);
            if !cuts.is_empty() {
                self.split(number, &cuts, Cause::Move);
            }
        }
        Some(number)
    }

    /// Evens out the numbers of ranges that nodes lead, among their replicas.
    fn even_out_leaders(&mut self, spread: Spread) {
        let mut led = vec![0u64; self.setup.nodes as usize];
        self.living()
            .for_each(|range| led[usize::from(range.replicas[0])] += 1);
        let copies = self.setup.replication as usize;
        if spread.by != SpreadBy::Ranges || copies < 2 {
            return;
        }
        for _ in 0..spread.moves {
            let gain = |range: &Range| {
                let from = led[usize::from(range.replicas[0])];
                let to = range.replicas[1..copies]
                    .iter()
                    .min_by_key(|&&node| (led[usize::from(node)], node));
                to.map(|&to| (from.saturating_sub(led[usize::from(to)]), to))
            };
            let best = self.order.iter().filter_map(|&number| {
                let (gain, to) = gain(&self.ranges[number as usize])?;
                (gain >= 2).then_some((gain, std::cmp::Reverse(number), to))
            });
            let Some((_, std::cmp::Reverse(number), to)) = best.max() else {
                return;
            };
            led[usize::from(self.ranges[number as usize].replicas[0])] -= 1;
            led[usize::from(to)] += 1;
            self.lead_from(number, to);
        }
    }

    pub(super) fn ranges_by_node(&self) -> Vec<u64> {
        let mut ranges = vec![0; self.setup.nodes as usize];
        for range in self.living() {
            for &node in self.copies(range) {
                ranges[usize::from(node)] += 1;
            }
        }
        ranges
    }

    /// Merges the next pair of neighbours that the store's rules allow.
    pub(super) fn merge(&mut self) {
        let Some(Merge {
            below,
            pause_s,
            every_s,
            below_per_s,
            below_bytes_per_s,
        }) = self.setup.store.merge
        else {
            return;
        };
        if !self.now_s.is_multiple_of(every_s.into())
            || self.order.len() < 2
            || self.now_s < u64::from(pause_s)
        {
            return;
        }
        let small = |number: u32| {
            let range = &self.ranges[number as usize];
            let below_bytes = match below {
                MergeBelow::Bytes(bytes) => bytes,
                MergeBelow::PartOfLimit(parts) => self.limit_bytes(range) / parts,
            };
            self.bytes(range.rows) < below_bytes && self.now_s - range.split_s >= u64::from(pause_s)
        };
        let quiet = |one: u32, other: u32| {
            let minute = |number: u32| self.ranges[number as usize].minute();
            let rows = minute(one) + minute(other);
            rows < u64::from(below_per_s).saturating_mul(60)
                && self.bytes(rows) < below_bytes_per_s.saturating_mul(60)
        };
        let boundaries = self.setup.key.first_splits();
        let pairs = self.order.len() - 1;
        let mut looks =
            (0..pairs.min(MERGE_LOOKS)).map(|look| (self.next_merge + look) % pairs + 1);
        let at = looks.clone().find(|&at| {
            small(self.order[at - 1])
                && small(self.order[at])
                && quiet(self.order[at - 1], self.order[at])
                && boundaries.binary_search(&self.lows[at]).is_err()
        });
        // The next look goes on from here.
        self.next_merge = at.or(looks.next_back()).unwrap_or(0);
        let Some(at) = at else {
            return;
        };
        self.last = (1, 1, 0);
        let key = self.lows.remove(at);
        self.prefixes.remove(at);
        let gone = self.order.remove(at);
        let kept = self.order[at - 1];
        let empty = Range::new([0; MOST_REPLICAS], self.now_s);
        let right = std::mem::replace(&mut self.ranges[gone as usize], empty);
        let copies = self.setup.replication as usize;
        let left = &mut self.ranges[kept as usize];
        let apart = right.replicas[..copies]
            .iter()
            .filter(|node| !left.replicas[..copies].contains(node))
            .count() as u64;
        left.rows += right.rows;
        left.tens
            .iter_mut()
            .zip(right.tens)
            .for_each(|(left, right)| *left += right);
        left.written_s = left.written_s.max(right.written_s);
        left.sample.append(right.sample);
        left.watch = None;
        self.totals.replica_moves += apart;
        self.totals.moved_bytes += apart * self.bytes(right.rows);
        self.totals.merges += 1;
        self.free.push(gone);
        self.note(Event::Merged { key });
    }
}
