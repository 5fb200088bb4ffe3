//! InnoDB's columns.

use super::recorded::{Case, Load, Recorded, Totals, exact, number, text, within};
use anyhow::Result;
use idlab::engine::EngineOptions;

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
    ],
};

fn is_table(load: &Load) -> bool {
    text(load, "btree") == "clustered" && text(load, "table_mode") != "clustered_pk"
}

fn of(totals: &Totals, load: &Load, name: &str) -> Option<f64> {
    totals.of_tree(is_table(load), name)
}

fn thousandths(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

fn case(load: &Load) -> Result<Case> {
    let profile = match text(load, "table_mode") {
        "clustered_pk" => "innodb",
        _ => "innodb:secondary",
    };
    Ok(Case {
        profile: profile.parse()?,
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
