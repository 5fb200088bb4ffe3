//! redb's columns, of live loads only.

use super::recorded::{Case, Load, Recorded, exact, number, text};
use anyhow::Result;
use idlab::engine::{EngineOptions, REDB};

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
            totals
                .get("leaf_items_mean")
                .map(|mean| (mean * 1000.0).round() / 1000.0)
        }),
    ],
};

fn case(load: &Load) -> Result<Case> {
    Ok(Case {
        profile: (&REDB).into(),
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
