//! Page splits by kind.

use super::Rows;
use crate::record::{Measured, Number};
use crate::store::{Insert, Sink, Split};

/// Leaf pages divided.
pub const LEAF_SPLITS: Measured = Measured {
    name: "leaf_splits",
    unit: "splits",
    about: "leaf pages divided, in all (with x: up to that row)",
};
/// Internal pages divided.
pub const INTERNAL_SPLITS: Measured = Measured {
    name: "internal_splits",
    unit: "splits",
    about: "internal pages divided, in all (with x: up to that row); PostgreSQL's wal_split_l + wal_split_r = leaf_splits + internal_splits",
};
pub(super) const SPLITS_PER_1000_INSERTS: Measured = Measured {
    name: "splits_per_1000_inserts",
    unit: "splits",
    about: "leaf and internal splits per 1,000 inserts",
};
pub(super) const RIGHTMOST_LEAF_SPLITS: Measured = Measured {
    name: "rightmost_leaf_splits",
    unit: "splits",
    about: "leaf splits at the right edge",
};
pub(super) const RIGHTMOST_INTERNAL_SPLITS: Measured = Measured {
    name: "rightmost_internal_splits",
    unit: "splits",
    about: "internal splits at the right edge of their level",
};
pub(super) const LEFT_SPLITS: Measured = Measured {
    name: "left_splits",
    unit: "splits",
    about: "splits whose new entry went to the left page; PostgreSQL's wal_split_l",
};

/// Counts splits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Splits {
    /// Inserts.
    pub inserts: u64,
    /// Leaf splits.
    pub leaf: u64,
    /// Internal splits.
    pub internal: u64,
    /// Leaf splits at the right edge.
    pub rightmost_leaf: u64,
    /// Internal splits at the right edge of their level.
    pub rightmost_internal: u64,
    /// Splits whose new entry went to the left page.
    pub left: u64,
}

impl Sink for Splits {
    #[inline]
    fn insert(&mut self, _: &Insert) {
        self.inserts += 1;
    }

    fn split(&mut self, event: &Split) {
        let (all, rightmost) = match event.level {
            0 => (&mut self.leaf, &mut self.rightmost_leaf),
            _ => (&mut self.internal, &mut self.rightmost_internal),
        };
        *all += 1;
        *rightmost += u64::from(event.rightmost);
        self.left += u64::from(event.new_entry_left);
    }
}

impl Splits {
    /// Writes a point of the curves.
    pub fn point(&self, rows: &mut Rows) {
        rows.point(&LEAF_SPLITS, self.inserts, self.leaf);
        rows.point(&INTERNAL_SPLITS, self.inserts, self.internal);
    }

    /// Writes the totals.
    pub fn totals(&self, rows: &mut Rows) {
        rows.total(&LEAF_SPLITS, self.leaf);
        rows.total(&INTERNAL_SPLITS, self.internal);
        let per_1000 = Number::ratio((self.leaf + self.internal) * 1000, self.inserts);
        rows.total(&SPLITS_PER_1000_INSERTS, per_1000);
        rows.total(&RIGHTMOST_LEAF_SPLITS, self.rightmost_leaf);
        rows.total(&RIGHTMOST_INTERNAL_SPLITS, self.rightmost_internal);
        rows.total(&LEFT_SPLITS, self.left);
    }
}
