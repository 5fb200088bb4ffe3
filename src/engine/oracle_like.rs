//! Something like Oracle's B-tree index; from secondary sources.

use super::textbook::APPEND_OR_EVEN;
use super::{Engine, Index, Log, Pages, Model};

/// Unique B-tree index of Oracle, as mailing lists and talks describe it; the source
/// is closed, and nothing here was measured.
///
/// A block of 8192 bytes loses about 192 to headers, the transaction list and
/// PCTFREE's minimum. A leaf entry: 2 bytes in the row directory, 2 of flags and
/// lock, 6 of rowid, 1 of length, the key. A branch entry: 2, 4 for the block,
/// 1 of length, the key (Oracle shortens it, which is not modelled). A new maximum
/// that meets a full last leaf starts a new one ("leaf node 90-10 splits"), any
/// other full block is halved.
/// Source: oracle-l, 2003-12-10 and 2004-02-24 (T. Poder, J. Lewis); R. Foote,
/// "Index Internals" (1875 leaves 100 % used by ascending keys; one outlier above
/// them turns every split into 50-50).
///
/// Not modelled: reverse-key and compressed indexes, PCTFREE of index builds.
pub const ORACLE_LIKE: Engine = Engine {
    name: "oracle_like",
    about: "Oracle, unique B-tree index; from secondary sources, not measured",
    page_bytes: 8192,
    page_sizes: &[2048, 4096, 8192, 16384, 32768],
    max_key_bytes: 6398,
    indexes: &[Index {
        name: "unique",
        about: "keys and rowids; rows lie in a heap",
    }],
    parameter: None,
    model: Model::Pages(Pages {
        overhead_bytes: 192,
        meta_pages: 0,
        leaf_entry_bytes: |column, _payload_bytes| 2 + 2 + 6 + 1 + column.value_bytes(),
        internal_entry_bytes: |column| 2 + 4 + 1 + column.value_bytes(),
        first_internal_entry_bytes: 2 + 4,
        high_key: false,
        fill_factor_percent: None,
        split: APPEND_OR_EVEN,
        log: Log::None,
    }),
};
