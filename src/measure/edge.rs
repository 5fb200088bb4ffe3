//! Where inserts fall relative to the right edge of the tree.

use super::Rows;
use crate::record::{Measured, Number};
use crate::store::{Insert, Sink, Split};

/// Share at the right edge.
pub const RIGHT_EDGE_SHARE: Measured = Measured {
    name: "right_edge_share",
    unit: "share",
    about: "inserts whose key is above every earlier key",
};
/// Share in the rightmost leaf.
pub const RIGHTMOST_LEAF_SHARE: Measured = Measured {
    name: "rightmost_leaf_share",
    unit: "share",
    about: "inserts into the rightmost leaf",
};
pub(super) const LAST_LEAVES_SHARE: Measured = Measured {
    name: "last_leaves_share",
    unit: "share",
    about: "inserts into the last k leaves (param k)",
};
pub(super) const EDGE_DISTANCE_P50: Measured = Measured {
    name: "edge_distance_leaves_p50",
    unit: "leaves",
    about: "leaves to the right of the one inserted into, median over inserts",
};
pub(super) const EDGE_DISTANCE_P99: Measured = Measured {
    name: "edge_distance_leaves_p99",
    unit: "leaves",
    about: "the same, 99th percentile",
};
pub(super) const EDGE_DISTANCE_MAX: Measured = Measured {
    name: "edge_distance_leaves_max",
    unit: "leaves",
    about: "the same, maximum",
};

/// Counts inserts by their distance from the right edge, exactly.
#[derive(Clone, Debug, Default)]
pub struct Edge {
    new_maxima: u64,
    /// Inserts at each distance, in leaves.
    by_distance: Vec<u64>,
}

impl Sink for Edge {
    #[inline]
    fn insert(&mut self, event: &Insert) {
        self.new_maxima += u64::from(event.new_maximum);
        let distance = event.edge_distance_leaves as usize;
        if distance >= self.by_distance.len() {
            self.by_distance
                .resize((distance + 1).next_power_of_two(), 0);
        }
        self.by_distance[distance] += 1;
    }

    fn split(&mut self, _: &Split) {}
}

impl Edge {
    fn inserts(&self) -> u64 {
        self.by_distance.iter().sum()
    }

    /// Share of inserts within the last `leaves` leaves.
    pub fn last_leaves_share(&self, leaves: usize) -> Number {
        Number::ratio(self.by_distance.iter().take(leaves).sum(), self.inserts())
    }

    /// Share of inserts above every earlier key.
    pub fn right_edge_share(&self) -> Number {
        Number::ratio(self.new_maxima, self.inserts())
    }

    /// The least distance that `per_mille` of the inserts do not exceed.
    pub fn distance_quantile(&self, per_mille: u64) -> u64 {
        let rank = (self.inserts() * per_mille).div_ceil(1000).max(1);
        let mut below = 0;
        let reaches = |count: &u64| {
            below += count;
            below >= rank
        };
        self.by_distance.iter().position(reaches).unwrap_or(0) as u64
    }

    /// Writes the totals.
    pub fn totals(&self, rows: &mut Rows) {
        rows.total(&RIGHT_EDGE_SHARE, self.right_edge_share());
        rows.total(&RIGHTMOST_LEAF_SHARE, self.last_leaves_share(1));
        for k in [10, 100] {
            rows.push(
                &LAST_LEAVES_SHARE,
                None,
                self.last_leaves_share(k),
                &[("k", k.into())],
            );
        }
        rows.total(&EDGE_DISTANCE_P50, self.distance_quantile(500));
        rows.total(&EDGE_DISTANCE_P99, self.distance_quantile(990));
        rows.total(&EDGE_DISTANCE_MAX, self.distance_quantile(1000));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_and_quantiles_of_a_hand_made_load() {
        let mut edge = Edge::default();
        let mut insert = |edge_distance_leaves, new_maximum| {
            edge.insert(&Insert {
                leaf: 0,
                edge_distance_leaves,
                new_maximum,
                split: false,
                entries: 1,
            });
        };
        insert(0, true);
        insert(0, true);
        insert(0, false);
        insert(7, false);
        assert_eq!(edge.right_edge_share(), Number::Real(0.5));
        assert_eq!(edge.last_leaves_share(1), Number::Real(0.75));
        assert_eq!(edge.last_leaves_share(8), Number::Real(1.0));
        assert_eq!(
            [500, 750, 751, 1000].map(|p| edge.distance_quantile(p)),
            [0, 0, 7, 7]
        );
    }

    #[test]
    fn no_inserts_are_no_error() {
        let edge = Edge::default();
        assert_eq!(edge.right_edge_share(), Number::Real(0.0));
        assert_eq!(edge.distance_quantile(500), 0);
    }
}
