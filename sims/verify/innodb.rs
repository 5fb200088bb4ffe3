//! InnoDB's columns.

use super::recorded::{Case, Load, Recorded, Totals, exact, number, text, thousandths, within};
use anyhow::Result;
use idlab::engine::Profile;
use idlab::pool::CachePlan;

pub const RECORDED: Recorded = Recorded {
    engine: "innodb",
    file: "results/reference/innodb.csv",
    csv: include_str!("../../results/reference/innodb.csv"),
    case,
    told: &[
        "version",
        "n_rows",
        "payload_bytes",
        "table_mode",
        "btree",
        "buffer_pool_mib",
    ],
    columns: &[
        exact("root_level", "levels", |totals, load| {
            of(totals, load, "tree_level")
        }),
        within(0.005, 0.0, "leaf_pages", "pages", |totals, load| {
            of(totals, load, "leaf_pages")
        }),
        within(0.005, 0.0, "leaf_recs_mean", "records", |totals, load| {
            of(totals, load, "leaf_items_mean").map(thousandths)
        }),
        exact("leaf_recs_p05", "records", |totals, load| {
            of(totals, load, "leaf_items_p05")
        }),
        exact("leaf_recs_p50", "records", |totals, load| {
            of(totals, load, "leaf_items_p50")
        }),
        exact("leaf_recs_p95", "records", |totals, load| {
            of(totals, load, "leaf_items_p95")
        }),
        within(0.01, 0.0, "index_page_splits", "splits", |totals, _| {
            totals.get("counted_splits")
        }),
        within(
            0.12,
            2000.0,
            "read_index_leaf_pages",
            "pages",
            |totals, load| {
                // The page cleaner races with the load: two loads that ask for the same pages
                // differ by 8 %, and the engine's own repeats by as much.
                // A few passes of the page cleaner decide a short load: the engine differs
                // from itself threefold.
                let long = number::<u64>(load, "n_rows").ok()? >= 1_000_000;
                let of = |group| totals.get(&format!("leaf_page_reads/{group}"));
                long.then(|| of("index").unwrap_or(0.0) + of("table").unwrap_or(0.0))
            },
        ),
    ],
};

fn is_table(load: &Load) -> bool {
    text(load, "btree") == "clustered" && text(load, "table_mode") != "clustered_pk"
}

fn of(totals: &Totals, load: &Load, name: &str) -> Option<f64> {
    totals.of_tree(is_table(load), name)
}

fn case(load: &Load) -> Result<Case> {
    let profile: Profile = match text(load, "table_mode") {
        "clustered_pk" => "innodb",
        _ => "innodb:secondary",
    }
    .parse()?;
    let cache_bytes = number::<u64>(load, "buffer_pool_mib")? << 20;
    Ok(Case {
        cache: Some(CachePlan::new(cache_bytes)),
        ..Case::new(load, profile)?
    })
}
