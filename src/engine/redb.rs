//! redb, the embedded store in Rust.

use super::{Engine, Index, Model};

/// redb: pages of 4096 bytes. What its trees do is in `store::CowTree`.
///
/// Source: `src/tree_store/btree_mutator.rs`, `btree_base.rs`, release 4.2.
pub const REDB: Engine = Engine {
    name: "redb",
    about: "redb from 4.2 on (btree_mutator.rs), keys of fixed width, values of variable width",
    page_bytes: 4096,
    page_sizes: &[512, 1024, 2048, 4096, 8192, 16384, 32768, 65536],
    max_key_bytes: 1048576,
    indexes: &[Index {
        name: "table",
        about: "rows in the order of the ids",
    }],
    parameter: None,
    model: Model::Redb,
};
