//! SQLite's columns.

use super::recorded::{Case, Load, Recorded, Totals, exact, number, text};
use anyhow::Result;
use idlab::engine::Profile;
use idlab::pool::CachePlan;

pub const RECORDED: Recorded = Recorded {
    engine: "sqlite",
    file: "results/reference/sqlite.csv",
    csv: include_str!("../../results/reference/sqlite.csv"),
    case,
    told: &[
        "version",
        "n_rows",
        "payload_bytes",
        "page_bytes",
        "table_mode",
        "btree",
        "cache_pages",
        "rows_per_txn",
        "journal_mode",
    ],
    columns: &[
        exact("depth_levels", "levels", |totals, load| {
            of(totals, load, "tree_level").map(|level| level + 1.0)
        }),
        exact("leaf_pages", "pages", |totals, load| {
            of(totals, load, "leaf_pages")
        }),
        exact("internal_pages", "pages", |totals, load| {
            of(totals, load, "internal_pages")
        }),
        exact("leaf_fill_pct", "%", |totals, load| {
            fill(totals, load, "fill_mean", LEAF_HEADER_BYTES)
        }),
        exact("internal_fill_pct", "%", |totals, load| {
            fill(totals, load, "internal_fill_mean", INTERNAL_HEADER_BYTES)
        }),
        exact("leaf_cells_p05", "cells", |totals, load| {
            of(totals, load, "leaf_items_p05")
        }),
        exact("leaf_cells_p50", "cells", |totals, load| {
            of(totals, load, "leaf_items_p50")
        }),
        exact("leaf_cells_p95", "cells", |totals, load| {
            of(totals, load, "leaf_items_p95")
        }),
        exact("conn_cache_hit", "accesses", |totals, load| {
            cache(totals, load, &["page_hits"])
        }),
        exact("conn_cache_miss", "pages", |totals, load| {
            cache(totals, load, &["page_reads"])
        }),
        exact("conn_cache_write", "pages", |totals, load| {
            cache(totals, load, &["page_write_backs", "page_flushes"])
        }),
        exact("conn_cache_spill", "pages", |totals, load| {
            cache(totals, load, &["page_write_backs"])
        }),
    ],
};

const LEAF_HEADER_BYTES: f64 = 8.0;
const INTERNAL_HEADER_BYTES: f64 = 12.0;

fn of(totals: &Totals, load: &Load, name: &str) -> Option<f64> {
    let table = text(load, "btree") == "rowid_table" && text(load, "table_mode") == "uidx";
    totals.of_tree(table, name)
}

/// Used share of whole pages, headers counted as used, in per cent.
fn fill(totals: &Totals, load: &Load, name: &str, header_bytes: f64) -> Option<f64> {
    let page_bytes: f64 = number(load, "page_bytes").ok()?;
    let used = of(totals, load, name)? * (page_bytes - header_bytes) + header_bytes;
    Some((used / page_bytes * 100_000.0).round() / 1000.0)
}

/// Counters of the connection, whatever tree the pages belong to.
///
/// Not of tables `WITHOUT ROWID` whose rows overflow: there a comparison reads whole
/// rows, with pages that the model does not touch.
fn cache(totals: &Totals, load: &Load, names: &[&str]) -> Option<f64> {
    if text(load, "table_mode") == "wr" {
        let [page, key, payload] = ["page_bytes", "key_bytes", "payload_bytes"];
        let largest = (number::<u64>(load, page).ok()?.checked_sub(12)?) * 64 / 255 - 23;
        let row = number::<u64>(load, key).ok()? + number::<u64>(load, payload).ok()? + 4;
        if row > largest {
            return None;
        }
    }
    let groups = ["index", "table", "other"];
    let keys = names
        .iter()
        .flat_map(|name| groups.map(|group| format!("{name}/{group}")));
    let found: Vec<f64> = keys.filter_map(|key| totals.get(&key)).collect();
    (!found.is_empty()).then(|| found.iter().sum())
}

fn case(load: &Load) -> Result<Case> {
    let profile: Profile = match text(load, "table_mode") {
        "ipk" => "sqlite:rowid",
        "wr" => "sqlite:without_rowid",
        _ => "sqlite:unique",
    }
    .parse()?;
    let cache_bytes = number::<u64>(load, "cache_pages")? * number::<u64>(load, "page_bytes")?;
    Ok(Case {
        cache: Some(CachePlan::new(cache_bytes)),
        ..Case::new(load, profile)?
    })
}
