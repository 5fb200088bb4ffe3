//! WiredTiger, MongoDB's storage engine.

use super::{Engine, Index, Model};

/// WiredTiger: leaves of 32 KiB. What its trees do, and what is not modelled, is in
/// `store::WiredTiger`.
///
/// Source: `src/btree/bt_split.c`, `src/reconcile/rec_write.c`,
/// `src/evict/evict_lru.c`, release 3.2.1.
pub const WIREDTIGER: Engine = Engine {
    name: "wiredtiger",
    about: "WiredTiger row store (rec_write.c, release 3.2.1), eviction taken to keep up",
    page_bytes: 32768,
    page_sizes: &[],
    max_key_bytes: 3276,
    indexes: &[Index {
        name: "table",
        about: "rows in the order of the ids",
    }],
    parameter: None,
    model: Model::WiredTiger,
};
