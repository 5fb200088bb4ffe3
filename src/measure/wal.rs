//! The write-ahead log of a load: records and their bytes.
//!
//! PostgreSQL logs an insert with its tuple, a split with the whole right page.
//! All tuples of an index on one fixed-width column are equally large and a
//! page of a class always divides alike, so counts of splits decide their bytes.
//! Source: `access/xlogrecord.h`, `access/nbtxlog.h`, `nbtinsert.c` (releases 15 to 18).
//!
//! The first change of a page after a checkpoint logs the page without its hole
//! (a full-page image) in place of the record's data for it. A new page is
//! logged whole by its split and needs none.
//!
//! Not modelled: alignment and page headers of the log, the heap's records, the
//! image of an internal page's right neighbour.

use super::{Rows, Splits};
use crate::engine::{Geometry, Log, Page};
use crate::record::Measured;
use crate::store::{Insert, Neighbour, Separator, Sink, Split};

pub(super) const WAL_RECORD_BYTES: Measured = Measured {
    name: "wal_record_bytes",
    unit: "bytes",
    about: "log records of the index without full-page images; pg_get_wal_stats, Btree records",
};
pub(super) const WAL_FPI_BYTES: Measured = Measured {
    name: "wal_fpi_bytes",
    unit: "bytes",
    about: "full-page images of the index with checkpoints every --checkpoint-rows rows; pg_get_wal_stats, Btree records",
};
pub(super) const WAL_LEAF_INSERTS: Measured = Measured {
    name: "wal_leaf_inserts",
    unit: "records",
    about: "inserts into a leaf that did not split; pg_get_wal_stats, Btree/INSERT_LEAF",
};
pub(super) const WAL_UPPER_INSERTS: Measured = Measured {
    name: "wal_upper_inserts",
    unit: "records",
    about: "inserts into an internal page that did not split; Btree/INSERT_UPPER",
};
pub(super) const WAL_NEW_ROOTS: Measured = Measured {
    name: "wal_new_roots",
    unit: "records",
    about: "roots made, the first leaf included; Btree/NEWROOT",
};

/// Header of a record.
const RECORD: u64 = 24;
/// Header of the record's own data.
const OWN: u64 = 2;
/// Reference to a block, with the relation's name.
const BLOCK: u64 = 20;
/// Reference to a further block of the same relation.
const SAME: u64 = 8;
/// Tuple header: what is left of a tuple without its key.
const TUPLE_HEADER: u64 = 8;
const LINE_POINTER: u64 = 4;
const INSERT_DATA: u64 = 2;
const SPLIT_DATA: u64 = 10;
const NEW_ROOT_DATA: u64 = 8;
const METAPAGE_DATA: u64 = 28;
/// Header of a full-page image: its length, where its hole begins, a byte of flags.
const IMAGE_HEADER: i64 = 5;

/// Counts the full-page images of a load with checkpoints at equal distances.
#[derive(Clone, Debug)]
pub struct FullPageImages {
    geometry: Geometry,
    /// Rows from one checkpoint to the next.
    every_rows: Option<u64>,
    inserts: u64,
    /// Checkpoints so far.
    checkpoints: u32,
    /// Checkpoints before the last change of each leaf, internal page.
    leaves: Vec<u32>,
    internals: Vec<u32>,
    images: u64,
    bytes: u64,
    /// What the images' headers add to the records, less the data they replace.
    header_bytes: i64,
}

impl FullPageImages {
    /// None at all if there are no checkpoints (`None`) or no log.
    pub fn new(geometry: Geometry, every_rows: Option<u64>) -> Self {
        Self {
            every_rows: every_rows.filter(|_| geometry.log == Log::Nbtree),
            geometry,
            inserts: 0,
            checkpoints: 0,
            leaves: Vec::new(),
            internals: Vec::new(),
            images: 0,
            bytes: 0,
            header_bytes: 0,
        }
    }

    /// Images so far.
    pub fn images(&self) -> u64 {
        self.images
    }

    fn tuple(&self) -> u64 {
        u64::from(self.geometry.leaf[0].entry_bytes) - LINE_POINTER
    }

    /// Marks a page as changed; whether that is the first time since the last checkpoint.
    fn first_change(&mut self, leaf: bool, page: u32) -> bool {
        let pages = if leaf {
            &mut self.leaves
        } else {
            &mut self.internals
        };
        let at = page as usize;
        if at >= pages.len() {
            // Pages are changed as they are made: one that is new here is from now.
            pages.resize((at + 1).next_power_of_two(), self.checkpoints);
        }
        std::mem::replace(&mut pages[at], self.checkpoints) != self.checkpoints
    }

    /// The image of a page with so many entries, in place of `data` bytes of its record.
    fn image(&mut self, page: Page, entries: u32, data: u64) {
        let overhead = self.geometry.page_bytes - page.usable_bytes;
        self.images += 1;
        self.bytes += u64::from(overhead + page.used_bytes(entries));
        self.header_bytes += IMAGE_HEADER - data as i64;
    }
}

impl Sink for FullPageImages {
    #[inline]
    fn insert(&mut self, event: &Insert) {
        let Some(every_rows) = self.every_rows else {
            return;
        };
        if !event.split && self.first_change(true, event.leaf) {
            let page = self.geometry.leaf[usize::from(event.edge_distance_leaves == 0)];
            self.image(page, event.entries, self.tuple());
        }
        self.inserts += 1;
        if self.inserts.is_multiple_of(every_rows) {
            self.checkpoints += 1;
        }
    }

    fn split(&mut self, event: &Split) {
        if self.every_rows.is_none() {
            return;
        }
        let leaf = event.level == 0;
        if self.first_change(leaf, event.left) {
            let [middle, _] = if leaf {
                self.geometry.leaf
            } else {
                self.geometry.internal
            };
            let data = self.tuple() * (1 + u64::from(event.new_entry_left));
            self.image(middle, event.left_entries, data);
        }
        self.first_change(leaf, event.right);
        if let Some(Neighbour {
            leaf,
            rightmost,
            entries,
        }) = event.old_right
            && self.first_change(true, leaf)
        {
            self.image(self.geometry.leaf[usize::from(rightmost)], entries, 0);
        }
    }

    fn new_root(&mut self, page: u32) {
        if self.every_rows.is_some() {
            self.first_change(false, page);
        }
    }

    fn separator(&mut self, event: &Separator) {
        if self.every_rows.is_some() && self.first_change(false, event.page) {
            let page = self.geometry.internal[usize::from(event.rightmost)];
            self.image(page, event.children, self.tuple());
        }
    }
}

/// Writes the totals for a tree of PostgreSQL that grew to `tree_level`.
pub fn nbtree_wal(splits: &Splits, images: &FullPageImages, tree_level: u32, rows: &mut Rows) {
    let geometry = &images.geometry;
    let tuple = u64::from(geometry.leaf[0].entry_bytes) - LINE_POINTER;
    let all_splits = splits.leaf_splits() + splits.internal_splits();
    let leaf_inserts = splits.inserts - splits.leaf_splits();
    // Each split puts a separator into the page above, which splits, too, or is a new root.
    let upper_inserts = all_splits - splits.internal_splits() - u64::from(tree_level);
    let insert = RECORD + BLOCK + OWN + INSERT_DATA + tuple;
    let first_root = RECORD + BLOCK + SAME + METAPAGE_DATA + OWN + NEW_ROOT_DATA;
    let new_root = first_root + SAME + TUPLE_HEADER + tuple;
    let mut bytes = leaf_inserts * insert
        + upper_inserts * (insert + SAME)
        + first_root
        + u64::from(tree_level) * new_root;
    let classes = splits.leaf.iter().zip(&geometry.leaf);
    for (class, page) in classes.chain(splits.internal.iter().zip(&geometry.internal)) {
        bytes += class.splits * split_bytes(page, tuple) + class.left * tuple;
    }
    rows.total(
        &WAL_RECORD_BYTES,
        bytes.saturating_add_signed(images.header_bytes),
    );
    rows.total(&WAL_FPI_BYTES, images.bytes);
    rows.total(&WAL_LEAF_INSERTS, leaf_inserts);
    rows.total(&WAL_UPPER_INSERTS, upper_inserts);
    rows.total(&WAL_NEW_ROOTS, 1 + u64::from(tree_level));
}

/// A split whose new entry goes to the right page: the left page's new high key
/// and all of the right page. The left page logs a new entry of its own.
fn split_bytes(page: &Page, tuple: u64) -> u64 {
    let right_entries = u64::from(page.capacity + 1 - page.left_entries[0]);
    let first = if page.leaf { tuple } else { TUPLE_HEADER };
    let right = first + (right_entries - 1) * tuple;
    let old_right_sibling = if page.rightmost { 0 } else { SAME + tuple };
    let child = if page.leaf { 0 } else { SAME };
    RECORD + BLOCK + tuple + SAME + right + old_right_sibling + child + OWN + SPLIT_DATA
}
