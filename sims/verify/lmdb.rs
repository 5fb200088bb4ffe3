//! LMDB's columns.

use super::recorded::{Case, Load, Recorded, exact, number, text};
use anyhow::Result;
use idlab::engine::{EngineOptions, LMDB};

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
    ],
};

fn thousandths(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

fn case(load: &Load) -> Result<Case> {
    Ok(Case {
        profile: (&LMDB).into(),
        stream: text(load, "stream").to_owned(),
        rows: number(load, "n_rows")?,
        options: EngineOptions {
            page_bytes: Some(number(load, "page_bytes")?),
            payload_bytes: number(load, "payload_bytes")?,
            ..EngineOptions::default()
        },
        cache: None,
        checkpoint_rows: None,
    })
}
