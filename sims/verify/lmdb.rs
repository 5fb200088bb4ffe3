//! LMDB's columns.

use super::recorded::{Case, Load, Recorded, exact, number, thousandths, within};
use anyhow::Result;
use idlab::engine::LMDB;

pub const RECORDED: Recorded = Recorded {
    engine: "lmdb",
    file: "results/reference/lmdb.csv",
    csv: include_str!("../../results/reference/lmdb.csv"),
    case,
    told: &["version", "n_rows", "payload_bytes", "rows_per_txn"],
    columns: &[
        exact("depth_levels", "levels", |totals, _| {
            totals.get("tree_level").map(|level| level + 1.0)
        }),
        exact("leaf_pages", "pages", |totals, _| totals.get("leaf_pages")),
        exact("branch_pages", "pages", |totals, _| {
            totals.get("internal_pages")
        }),
        exact("leaf_entries_mean", "entries", |totals, _| {
            totals.get("leaf_items_mean").map(thousandths)
        }),
        exact("leaf_fill_pct", "%", |totals, _| {
            totals
                .get("fill_mean")
                .map(|share| thousandths(share * 100.0))
        }),
        // Which free pages lie beside each other is not modelled, nor are pages for
        // payloads of their own.
        within(
            0.001,
            3.0,
            "file_pages_high_water",
            "pages",
            |totals, load| {
                let overflow_pages: u64 = number(load, "overflow_pages").ok()?;
                (overflow_pages == 0).then(|| totals.get("file_pages"))?
            },
        ),
    ],
};

fn case(load: &Load) -> Result<Case> {
    Case::new(load, &LMDB)
}
