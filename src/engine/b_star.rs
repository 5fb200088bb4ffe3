//! The B*-tree of the textbooks: neighbours are filled before they split.

use super::textbook::PAGES;
use super::{Engine, Index, Model, Parameter};

/// A B+-tree in which m neighbours are full before they become m + 1 pages.
///
/// Sizes are those of `textbook`. What its trees do is in `store::BStar`.
/// Source: Knuth, The Art of Computer Programming 3, 6.2.4; Kuespert, Acta
/// Informatica 19 (1983).
pub const B_STAR: Engine = Engine {
    name: "b_star",
    about: "B*-tree, m full neighbours become m + 1 pages (Kuespert 1983)",
    page_bytes: 8192,
    page_sizes: &[],
    max_key_bytes: 2704,
    indexes: &[Index {
        name: "tree",
        about: "keys, 8-byte pointers and payload",
    }],
    parameter: Some(Parameter {
        name: "m",
        about: "m, neighbours that are filled before they split",
        range: (1, 64),
        default: Some(2),
    }),
    model: Model::BStar(PAGES),
};
