//! The B+-tree of the textbooks: every split is even.

use super::{Engine, Index, Log, Page, Pages, Parameter, Split, Model};

/// A B+-tree that divides every full page in the middle, wherever the new
/// entry falls, and keeps nothing but keys and 8-byte pointers.
///
/// Leaf entry: key, 8-byte row pointer, payload. Internal entry: key and child
/// pointer; m children have m - 1 keys. No page header, no high key.
/// Source: Comer, The Ubiquitous B-Tree, ACM Computing Surveys 11 (1979).
///
/// With a number, as `textbook:4`, page size and widths do not matter: of leaves
/// and internal pages alike, a full one has 2b - 1 entries and divides into halves of b.
pub const TEXTBOOK: Engine = Engine {
    name: "textbook",
    about: "B+-tree with even splits everywhere (Comer 1979)",
    page_bytes: 8192,
    page_sizes: &[],
    max_key_bytes: 2704,
    indexes: &[Index {
        name: "tree",
        about: "keys, 8-byte pointers and payload",
    }],
    parameter: Some(Parameter {
        name: "b",
        about: "b, entries of half a page",
        range: (2, 1 << 15),
        default: None,
    }),
    model: Model::Pages(PAGES),
};

/// Pages of keys and 8-byte pointers alone.
pub(super) const PAGES: Pages = Pages {
        overhead_bytes: 0,
        meta_pages: 0,
        leaf_entry_bytes: |column, payload_bytes| column.value_bytes() + 8 + payload_bytes,
        internal_entry_bytes: |column| column.value_bytes() + 8,
        first_internal_entry_bytes: 8,
        high_key: false,
        fill_factor_percent: None,
        split: Split {
            left_entries: |page, _last| even(page),
            about: "half and half",
        },
        log: Log::None,
    };

/// Entries of the left half of one too many.
pub(super) fn even(page: &Page) -> u32 {
    page.capacity.div_ceil(2)
}

/// A new last entry of the whole level starts a page, any other full page is halved.
pub(super) const APPEND_OR_EVEN: Split = Split {
    left_entries: |page, last| if last { page.capacity } else { even(page) },
    about: "a new last entry of its level starts a page; else half and half",
};

#[cfg(test)]
mod tests {
    use super::super::{EngineOptions, Geometry};
    use super::*;
    use crate::id::Column;

    #[test]
    fn halves_differ_by_at_most_one_entry() {
        let geometry = Geometry::new(&TEXTBOOK, Column::Uuid, EngineOptions::default()).unwrap();
        let leaf = geometry.leaf[0];
        assert_eq!((leaf.capacity, leaf.left_entries), (341, [171; 2]));
        let children = geometry.internal[1];
        assert_eq!((children.capacity, children.left_entries), (342, [171; 2]));
    }
}
