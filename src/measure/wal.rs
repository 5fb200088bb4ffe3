//! The write-ahead log of a load: records and their bytes.
//!
//! PostgreSQL logs an insert with its tuple, a split with the whole right page.
//! All tuples of an index on one fixed-width column are equally large and a
//! page of a class always divides alike, so counts of splits decide the bytes.
//! Source: `access/xlogrecord.h`, `access/nbtxlog.h`, `nbtinsert.c` (releases 15 to 18).
//!
//! Not modelled: full-page images, alignment and page headers of the log, the heap's records.

use super::{Rows, Splits};
use crate::engine::{Geometry, Page};
use crate::record::Measured;

pub(super) const WAL_RECORD_BYTES: Measured = Measured {
    name: "wal_record_bytes",
    unit: "bytes",
    about: "log records of the index without full-page images; pg_get_wal_stats, Btree records",
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

/// Writes the totals for a tree of PostgreSQL that grew to `tree_level`.
pub fn nbtree_wal(splits: &Splits, geometry: &Geometry, tree_level: u32, rows: &mut Rows) {
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
    rows.total(&WAL_RECORD_BYTES, bytes);
    rows.total(&WAL_LEAF_INSERTS, leaf_inserts);
    rows.total(&WAL_UPPER_INSERTS, upper_inserts);
    rows.total(&WAL_NEW_ROOTS, 1 + u64::from(tree_level));
}

/// A split whose new entry goes to the right page: the left page's new high key
/// and all of the right page. The left page logs a new entry of its own.
fn split_bytes(page: &Page, tuple: u64) -> u64 {
    let right_entries = u64::from(page.capacity + 1 - page.left_entries);
    let first = if page.leaf { tuple } else { TUPLE_HEADER };
    let right = first + (right_entries - 1) * tuple;
    let old_right_sibling = if page.rightmost { 0 } else { SAME + tuple };
    let child = if page.leaf { 0 } else { SAME };
    RECORD + BLOCK + tuple + SAME + right + old_right_sibling + child + OWN + SPLIT_DATA
}
