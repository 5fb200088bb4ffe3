//! PostgreSQL's nbtree, for a unique index on one fixed-width column.

mod sort;

use super::{Engine, Index, Log, Page, Pages, Split, Model};
use crate::id::Column;

/// PostgreSQL 15 to 18, nbtree, unique single-column index.
///
/// A page of 8192 bytes loses 24 to its header and 16 to its special area.
/// An entry is an 8-byte tuple header and the value (with a length byte if it
/// is `bytea` or `text`), rounded up to 8, and a 4-byte line pointer; the row
/// lies in the heap, so payload does not matter. Every page but the rightmost
/// of its level keeps a high key, as large as an entry because truncation
/// drops whole columns only. The first entry of an internal page has no key.
/// Block 0 is the metapage.
///
/// Not modelled: deduplication (unique keys never form posting lists), vacuum
/// and page deletion, values too long for a 1-byte length, indexes on several
/// columns.
/// Source: `src/backend/access/nbtree/nbtsplitloc.c` (`_bt_findsplitloc`),
/// `nbtinsert.c`, `src/include/access/nbtree.h`, releases 12 to 18.
pub const POSTGRES: Engine = Engine {
    name: "postgres",
    about: "PostgreSQL nbtree, unique index on one column (nbtsplitloc.c, releases 12 to 18)",
    page_bytes: 8192,
    page_sizes: &[1024, 2048, 4096, 8192, 16384, 32768],
    // A third of a page (`BTMaxItemSize`).
    max_key_bytes: 2704,
    indexes: &[Index {
        name: "primary_key",
        about: "keys and heap pointers; rows lie in a heap",
    }],
    parameter: None,
    model: Model::Pages(Pages {
        overhead_bytes: 24 + 16,
        meta_pages: 1,
        leaf_entry_bytes: |column, _payload_bytes| tuple_bytes(column),
        internal_entry_bytes: tuple_bytes,
        first_internal_entry_bytes: 8 + LINE_POINTER_BYTES,
        high_key: true,
        fill_factor_percent: Some(90),
        split: Split {
            left_entries,
            about: "by free space: half and half, but at the fill factor (70 % on internal pages) where the page is the rightmost of its level",
        },
        log: Log::Nbtree,
    }),
};

const LINE_POINTER_BYTES: u32 = 4;
/// Room for a heap pointer that a leaf's high key might need.
const HEAP_TID_BYTES: i32 = 8;
/// `BTREE_NONLEAF_FILLFACTOR`.
const INTERNAL_FILL_FACTOR_PERCENT: u32 = 70;

fn tuple_bytes(column: Column) -> u32 {
    let value_bytes = match column {
        Column::Bigint => 8,
        Column::Uuid => 16,
        // A value below 127 bytes has a 1-byte length, a longer one 4 bytes.
        Column::Bytes(n) | Column::Text(n) if n < 127 => n + 1,
        Column::Bytes(n) | Column::Text(n) => n + 4,
    };
    (8 + value_bytes).next_multiple_of(8) + LINE_POINTER_BYTES
}

/// Entries that stay on the left page when `capacity + 1` are divided.
///
/// All entries are equally large and no candidate scores better than another,
/// so the candidate with the least imbalance is taken; among equals the one that
/// the engine's sort leaves first.
fn left_entries(page: &Page, _last: bool) -> u32 {
    let total = page.capacity + 1;
    let usable = page.usable_bytes as i32;
    let entry = page.entry_bytes as i32;
    let first = page.first_entry_bytes as i32;
    let right_high_key = if page.rightmost { 0 } else { page.high_key_bytes as i32 };
    let candidates = (1..total).filter_map(|left| {
        let left_bytes = first + (left as i32 - 1) * entry;
        let right_bytes = (total - left) as i32 * entry;
        let high_key = if page.leaf { entry + HEAP_TID_BYTES } else { entry };
        let left_free = usable - left_bytes - high_key;
        // The first entry of the right internal page loses its key.
        let right_free = usable - right_high_key - right_bytes + if page.leaf { 0 } else { entry - first };
        (left_free >= 0 && right_free >= 0).then(|| (imbalance(page, left_free, right_free), left))
    });
    let mut candidates: Vec<_> = candidates.collect();
    sort::sort(&mut candidates, |(imbalance, _)| *imbalance);
    candidates.first().map_or(total / 2, |(_, left)| *left)
}

fn imbalance(page: &Page, left_free: i32, right_free: i32) -> i32 {
    if !page.rightmost {
        return (left_free - right_free).abs();
    }
    let percent = if page.leaf { page.fill_factor_percent } else { INTERNAL_FILL_FACTOR_PERCENT };
    // The engine's own arithmetic: doubles, truncated. IEEE 754 makes it the same everywhere.
    let factor = f64::from(percent) / 100.0;
    let weighted = factor * f64::from(left_free) - (1.0 - factor) * f64::from(right_free);
    (weighted as i32).abs()
}

#[cfg(test)]
mod tests {
    use super::super::{EngineOptions, Geometry};
    use super::*;

    fn geometry(column: Column) -> Geometry {
        Geometry::new(&POSTGRES, column, EngineOptions::default()).unwrap()
    }

    /// Entry bytes; leaf capacity rightmost and other; entries left by an
    /// ascending and a middle split; children rightmost and other; children
    /// left by an ascending internal split.
    #[test]
    fn capacities_and_split_points_are_the_engine_s() {
        let expected = [
            (Column::Bigint, [20, 407, 406, 366, 203, 408, 407, 285]),
            (Column::Uuid, [28, 291, 290, 261, 145, 291, 290, 204]),
            (Column::Bytes(20), [36, 226, 225, 203, 113, 227, 226, 159]),
            (Column::Text(26), [44, 185, 184, 166, 92, 186, 185, 130]),
            (Column::Text(36), [52, 156, 155, 140, 78, 157, 156, 110]),
        ];
        for (column, numbers) in expected {
            let Geometry { leaf: [leaf, last], internal: [internal, last_internal], .. } = geometry(column);
            let found = [
                leaf.entry_bytes,
                last.capacity,
                leaf.capacity,
                last.left_entries[0],
                leaf.left_entries[0],
                last_internal.capacity,
                internal.capacity,
                last_internal.left_entries[0],
            ];
            assert_eq!(found, numbers, "{column}");
        }
    }

    /// An odd number of children has two even divisions. A text index of 700,000
    /// UUIDs in PostgreSQL 15.20 logs 93,104,638 bytes: 46 splits that keep 79 of 157.
    #[test]
    fn ties_go_where_the_engine_s_sort_puts_them() {
        for (column, children, left) in [
            (Column::Uuid, 291, 145),
            (Column::Bytes(20), 227, 114),
            (Column::Text(26), 186, 93),
            (Column::Text(36), 157, 79),
        ] {
            let page = geometry(column).internal[0];
            assert_eq!((page.capacity + 1, page.left_entries[0]), (children, left), "{column}");
        }
    }

    #[test]
    fn bytea_of_16_bytes_is_larger_than_uuid() {
        assert_eq!(geometry(Column::Bytes(16)).leaf[1].left_entries, [203; 2]);
    }

    #[test]
    fn a_page_too_small_for_three_entries_is_refused() {
        let options = EngineOptions { page_bytes: Some(128), ..Default::default() };
        let error = Geometry::new(&POSTGRES, Column::Uuid, options).unwrap_err();
        assert!(error.message.contains("expected at least 152 bytes"), "{error}");
    }
}
