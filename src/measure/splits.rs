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
/// Splits as an engine's counter has them.
pub const COUNTED_SPLITS: Measured = Measured {
    name: "counted_splits",
    unit: "splits",
    about: "splits as the engine's own counter has them, of all trees of the table: InnoDB index_page_splits, which takes inserts into the right sibling for splits",
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

/// Splits of one class of pages.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Class {
    /// Splits.
    pub splits: u64,
    /// Those whose new entry went to the left page.
    pub left: u64,
}

/// Counts splits by class of page.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Splits {
    /// Inserts.
    pub inserts: u64,
    /// Of leaves, by whether they were the rightmost.
    pub leaf: [Class; 2],
    /// Of internal pages, by whether they were the rightmost of their level.
    pub internal: [Class; 2],
}

impl Sink for Splits {
    #[inline]
    fn insert(&mut self, _: &Insert) {
        self.inserts += 1;
    }

    fn split(&mut self, event: &Split) {
        let classes = match event.level {
            0 => &mut self.leaf,
            _ => &mut self.internal,
        };
        let class = &mut classes[usize::from(event.rightmost)];
        class.splits += 1;
        class.left += u64::from(event.new_entry_left);
    }
}

impl Splits {
    /// Leaf splits.
    pub fn leaf_splits(&self) -> u64 {
        self.leaf[0].splits + self.leaf[1].splits
    }

    /// Internal splits.
    pub fn internal_splits(&self) -> u64 {
        self.internal[0].splits + self.internal[1].splits
    }

    /// Splits whose new entry went to the left page.
    pub fn left_splits(&self) -> u64 {
        self.leaf
            .iter()
            .chain(&self.internal)
            .map(|class| class.left)
            .sum()
    }

    /// Writes a point of the curves.
    pub fn point(&self, rows: &mut Rows) {
        rows.point(&LEAF_SPLITS, self.inserts, self.leaf_splits());
        rows.point(&INTERNAL_SPLITS, self.inserts, self.internal_splits());
    }

    /// Writes the totals.
    pub fn totals(&self, rows: &mut Rows) {
        let all = self.leaf_splits() + self.internal_splits();
        rows.total(&LEAF_SPLITS, self.leaf_splits());
        rows.total(&INTERNAL_SPLITS, self.internal_splits());
        rows.total(
            &SPLITS_PER_1000_INSERTS,
            Number::ratio(all * 1000, self.inserts),
        );
        rows.total(&RIGHTMOST_LEAF_SPLITS, self.leaf[1].splits);
        rows.total(&RIGHTMOST_INTERNAL_SPLITS, self.internal[1].splits);
        rows.total(&LEFT_SPLITS, self.left_splits());
    }
}
