//! redb's columns, of live loads only.

use super::recorded::{Case, Load, Recorded, exact, thousandths};
use anyhow::Result;
use idlab::engine::REDB;

pub const RECORDED: Recorded = Recorded {
    engine: "redb",
    file: "",
    csv: "",
    case,
    told: &["version", "n_rows", "payload_bytes", "rows_per_txn"],
    columns: &[
        exact("tree_height", "levels", |totals, _| {
            totals.get("tree_level").map(|level| level + 1.0)
        }),
        exact("leaf_pages", "pages", |totals, _| totals.get("leaf_pages")),
        exact("branch_pages", "pages", |totals, _| {
            totals.get("internal_pages")
        }),
        exact("leaf_entries_mean", "entries", |totals, _| {
            totals.get("leaf_items_mean").map(thousandths)
        }),
    ],
};

fn case(load: &Load) -> Result<Case> {
    Case::new(load, &REDB)
}
