//! The order of arrival: how nearly ids ascend, and which come twice.

mod block;
mod repeats;
#[cfg(test)]
mod tests;

pub use block::BLOCK_IDS;
pub use repeats::{Repeated, Repeats};

use crate::engine::{EngineOptions, POSTGRES};
use crate::id::{Column, Key};
use crate::measure::{Edge, RIGHT_EDGE_SHARE, RIGHTMOST_LEAF_SHARE, Rows};
use crate::record::{Measured, Number};
use crate::store::{BTree, Design, Uniqueness};
use block::{Blocks, InBlocks};

/// Ids of the list.
pub const LIST_IDS: Measured = Measured {
    name: "list_ids",
    unit: "ids",
    about: "ids of the list",
};
/// Ids below the one before.
pub const DESCENTS: Measured = Measured {
    name: "descents",
    unit: "ids",
    about: "ids below the one before",
};
/// Ids that equal the one before.
pub const TIES: Measured = Measured {
    name: "ties",
    unit: "ids",
    about: "ids that equal the one before",
};
/// Ids below an earlier one.
pub const LATE_IDS: Measured = Measured {
    name: "late_ids",
    unit: "ids",
    about: "ids below any earlier one",
};
/// How far late ids are from their place.
pub const LATE_DISPLACEMENT: Measured = Measured {
    name: "late_displacement",
    unit: "positions",
    about: "distance of late ids from their place in sorted order, within blocks of 2^20 ids (param quantile)",
};
/// Pairs out of order.
pub const BLOCK_INVERSIONS: Measured = Measured {
    name: "block_inversions",
    unit: "pairs",
    about: "pairs of ids in the wrong order, within blocks of 2^20 ids",
};
/// Rank correlation.
pub const KENDALL_TAU: Measured = Measured {
    name: "kendall_tau",
    unit: "correlation",
    about: "Kendall's rank correlation of ids and arrival, within blocks of 2^20 ids",
};
/// Longest ascending run.
pub const LONGEST_RUN: Measured = Measured {
    name: "longest_ascending_run",
    unit: "ids",
    about: "most consecutive ids of which each is above the one before",
};
/// Ids that come again.
pub const REPEATED_IDS: Measured = Measured {
    name: "repeated_ids",
    unit: "ids",
    about: "ids that an earlier one equals, among the first so many (param checked)",
};
/// Common prefix.
pub const COMMON_PREFIX_BITS: Measured = Measured {
    name: "common_prefix_bits",
    unit: "bits",
    about: "leading bits that all ids have in common",
};

/// Ids that are loaded into a B-tree: the first of a list.
pub const TREE_IDS: u64 = 1_000_000;

/// Repeated ids that are told by their places.
const SHOWN: usize = 5;

/// Watches the order of ids as they arrive.
///
/// Memory is 8 bytes an id up to 2²⁴ of them, some 30 MB for a block, and at the start as much
/// for the B-tree.
#[derive(Debug)]
pub struct Order<K: Key> {
    found: Arrival<K>,
    last: Option<K>,
    /// Ids since the last that was not above the one before.
    run: u64,
    blocks: Blocks<K>,
    repeats: Repeats<K>,
    edge: Edge,
    /// As long as it takes ids.
    tree: Option<BTree<K>>,
}

/// What the order of a list is.
#[derive(Clone, PartialEq, Debug)]
pub struct Arrival<K> {
    bits: u32,
    /// Ids.
    pub ids: u64,
    /// Ids below the one before.
    pub descents: u64,
    /// Ids that equal the one before.
    pub ties: u64,
    /// Ids below any earlier one.
    pub late: u64,
    /// Ids above every earlier one.
    pub maxima: u64,
    /// Most consecutive ids of which each is above the one before.
    pub longest_run: u64,
    /// The least id and the largest.
    pub extremes: Option<(K, K)>,
    /// What comes more than once.
    pub repeated: Repeated,
    /// Share of different ids that were above every earlier one: `right_edge_share` of `sim btree`.
    pub right_edge_share: Number,
    /// Share that went to the rightmost leaf of PostgreSQL's B-tree, of the first million ids.
    pub rightmost_leaf_share: Number,
    in_blocks: InBlocks,
}

impl<K: Key> Order<K> {
    /// Of an empty list of ids that are the lowest `bits` bits of their keys.
    pub fn new(bits: u32) -> Self {
        Self::with_block(bits, BLOCK_IDS)
    }

    fn with_block(bits: u32, block_ids: usize) -> Self {
        let column = match K::BYTES {
            8 => Column::Bigint,
            16 => Column::Uuid,
            bytes => Column::Bytes(bytes),
        };
        let design = Design::new(&POSTGRES, column, EngineOptions::default());
        let geometry = design.ok().and_then(|design| design.nbtree());
        Self {
            found: Arrival {
                bits: bits.clamp(1, K::BYTES * 8),
                ids: 0,
                descents: 0,
                ties: 0,
                late: 0,
                maxima: 0,
                longest_run: 0,
                extremes: None,
                repeated: Repeated::default(),
                right_edge_share: Number::Whole(0),
                rightmost_leaf_share: Number::Whole(0),
                in_blocks: InBlocks::default(),
            },
            last: None,
            run: 0,
            blocks: Blocks::new(block_ids),
            repeats: Repeats::default(),
            edge: Edge::default(),
            tree: geometry.map(|geometry| BTree::new(geometry, Uniqueness::Checked)),
        }
    }

    /// The next ids, in the order of arrival.
    pub fn see(&mut self, keys: &[K]) {
        if let Some(tree) = &mut self.tree {
            let left = TREE_IDS - self.found.ids;
            let taken = keys.len().min(left as usize);
            for &key in &keys[..taken] {
                tree.insert(key, &mut self.edge);
            }
            if taken as u64 == left {
                self.tree = None;
            }
        }
        self.repeats.see(keys);
        for &key in keys {
            self.blocks.see(key);
            self.follow(key);
        }
    }

    fn follow(&mut self, key: K) {
        let found = &mut self.found;
        found.ids += 1;
        match self.last {
            Some(last) if key > last => self.run += 1,
            last => {
                found.descents += u64::from(last.is_some_and(|last| key < last));
                found.ties += u64::from(last == Some(key));
                self.run = 1;
            }
        }
        found.longest_run = found.longest_run.max(self.run);
        self.last = Some(key);
        let (least, largest) = found.extremes.unwrap_or((key, key));
        found.late += u64::from(key < largest);
        found.maxima += u64::from(key > largest || found.extremes.is_none());
        found.extremes = Some((least.min(key), largest.max(key)));
    }

    /// What was found.
    pub fn finish(self) -> Arrival<K> {
        // First, as it gives memory back.
        let in_blocks = self.blocks.finish();
        let repeated = self.repeats.find(SHOWN);
        let different = self.found.ids - repeated.again;
        Arrival {
            right_edge_share: Number::ratio(self.found.maxima, different),
            rightmost_leaf_share: self.edge.last_leaves_share(1),
            in_blocks,
            repeated,
            ..self.found
        }
    }
}

impl<K: Key> Arrival<K> {
    /// Pairs of ids in the wrong order, within blocks of [`BLOCK_IDS`].
    pub fn inversions(&self) -> u64 {
        self.in_blocks.inversions
    }

    /// Kendall's rank correlation of ids and arrival, within blocks of [`BLOCK_IDS`]: 1
    /// ascending, 0 random, -1 descending.
    pub fn tau(&self) -> f64 {
        self.in_blocks.tau()
    }

    /// The least distance from their place in sorted order, within blocks of [`BLOCK_IDS`], that
    /// `per_mille` of the late ids do not exceed; 0 if none is late.
    pub fn displacement(&self, per_mille: u64) -> u64 {
        self.in_blocks.displacement(per_mille)
    }

    /// Leading bits that all ids have in common.
    pub fn common_prefix_bits(&self) -> u32 {
        let Some((least, largest)) = self.extremes else {
            return 0;
        };
        let bit = |key: K, at: u32| key.field(self.bits - 1 - at, 1);
        let common = (0..self.bits).take_while(|&at| bit(least, at) == bit(largest, at));
        common.count() as u32
    }

    /// Writes the totals.
    pub fn rows(&self, rows: &mut Rows) {
        rows.total(&LIST_IDS, self.ids);
        rows.total(&DESCENTS, self.descents);
        rows.total(&TIES, self.ties);
        rows.total(&LATE_IDS, self.late);
        for (quantile, per_mille) in [("p50", 500), ("p99", 990), ("max", 1000)] {
            let value = self.displacement(per_mille).into();
            let quantile = [("quantile", quantile.into())];
            rows.push(&LATE_DISPLACEMENT, None, value, &quantile);
        }
        rows.total(&BLOCK_INVERSIONS, self.inversions());
        rows.total(&KENDALL_TAU, Number::Real(self.tau()));
        rows.total(&LONGEST_RUN, self.longest_run);
        rows.total(&RIGHT_EDGE_SHARE, self.right_edge_share);
        let loaded = [("ids", self.ids.min(TREE_IDS).into())];
        let share = self.rightmost_leaf_share;
        rows.push(&RIGHTMOST_LEAF_SHARE, None, share, &loaded);
        let checked = [("checked", self.repeated.checked.into())];
        rows.push(&REPEATED_IDS, None, self.repeated.again.into(), &checked);
        rows.total(&COMMON_PREFIX_BITS, self.common_prefix_bits());
    }
}
