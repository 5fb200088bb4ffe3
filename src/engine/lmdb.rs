//! LMDB, the memory-mapped store.

use super::{Engine, Index, Model};

/// LMDB: pages of the operating system's size, rows put by `mdb_put` without
/// `MDB_APPEND`. What its trees do is in `store::CowTree`.
///
/// Source: `libraries/liblmdb/mdb.c` (`mdb_page_split`, `mdb_node_add`), release 0.9.
pub const LMDB: Engine = Engine {
    name: "lmdb",
    about: "LMDB 0.9 (mdb.c)",
    page_bytes: 4096,
    page_sizes: &[512, 1024, 2048, 4096, 8192, 16384, 32768],
    max_key_bytes: 511,
    indexes: &[Index {
        name: "table",
        about: "rows in the order of the ids",
    }],
    parameter: None,
    model: Model::Lmdb,
};
