//! SQLite 3.

use super::{Engine, Index, Model};

/// SQLite: pages of 4096 bytes. What its trees do is in
/// `store::SqliteTree`.
///
/// Source: `src/btree.c` (`balance_nonroot`, `balance_quick`, `balance_deeper`,
/// `fillInCell`), release 3.40.
pub const SQLITE: Engine = Engine {
    name: "sqlite",
    about: "SQLite 3 (btree.c, release 3.40)",
    page_bytes: 4096,
    page_sizes: &[512, 1024, 2048, 4096, 8192, 16384, 32768, 65536],
    max_key_bytes: 1 << 20,
    indexes: &[
        Index {
            name: "primary_key",
            about: "the rowid if ids are bigints, else a unique index beside a rowid table",
        },
        Index {
            name: "rowid",
            about: "the table itself, in the order of the ids, which are bigints",
        },
        Index {
            name: "without_rowid",
            about: "the table itself as an index b-tree, rows on internal pages too",
        },
        Index {
            name: "unique",
            about: "a unique index beside a rowid table",
        },
    ],
    parameter: None,
    model: Model::Sqlite,
};
