//! Something like SQL Server's clustered index; from secondary sources.

use super::textbook::APPEND_OR_EVEN;
use super::{Engine, Index, Log, Pages, Model};

/// Clustered index of SQL Server, as books and its documentation describe it; the
/// source is closed, and nothing here was measured.
///
/// A page of 8192 bytes has a header of 96. A row: 4 bytes of header, the fixed
/// columns, 3 bytes for the null bitmap of up to 8 columns, 4 for the offset of one
/// variable column if there is payload, and 2 in the page's slot array. An internal
/// row: 1 byte, the key, 6 for the page, 2 for the slot. A row past the end of the
/// last page starts a new page and moves nothing; any other full page is halved.
/// Source: documentation of `sys.dm_db_index_operational_stats` and "Pages and
/// extents architecture guide" (Microsoft); K. Delaney, SQL Server 2012 Internals.
///
/// Not modelled: row versions, ghost records, fill factor of index builds,
/// `OPTIMIZE_FOR_SEQUENTIAL_KEY`.
pub const SQL_SERVER_LIKE: Engine = Engine {
    name: "sql_server_like",
    about: "SQL Server, clustered index; from secondary sources, not measured",
    page_bytes: 8192,
    page_sizes: &[8192],
    max_key_bytes: 900,
    indexes: &[Index {
        name: "clustered",
        about: "rows in the order of the ids",
    }],
    parameter: None,
    model: Model::Pages(Pages {
        overhead_bytes: 96,
        meta_pages: 0,
        leaf_entry_bytes: |column, payload_bytes| {
            let variable = if payload_bytes > 0 { 4 + payload_bytes } else { 0 };
            4 + column.value_bytes() + 3 + variable + 2
        },
        internal_entry_bytes: |column| 1 + column.value_bytes() + 6 + 2,
        first_internal_entry_bytes: 1 + 6 + 2,
        high_key: false,
        fill_factor_percent: None,
        split: APPEND_OR_EVEN,
        log: Log::None,
    }),
};
