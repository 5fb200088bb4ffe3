//! PostgreSQL's columns.

use super::recorded::{Case, Load, Recorded, Totals, exact, number, text, within};
use anyhow::Result;
use idlab::engine::POSTGRES;
use idlab::pool::{CachePlan, Method, Release};

pub const RECORDED: Recorded = Recorded {
    engine: "postgres",
    file: "results/reference/postgresql.csv",
    csv: include_str!("../../results/reference/postgresql.csv"),
    case,
    told: &[
        "version",
        "n_rows",
        "load_method",
        "checkpoint_every_rows",
        "shared_buffers_mib",
    ],
    columns: &[
        exact("tree_level", "levels", |totals, _| totals.get("tree_level")),
        exact("leaf_pages", "pages", |totals, _| totals.get("leaf_pages")),
        exact("internal_pages", "pages", |totals, _| {
            totals.get("internal_pages")
        }),
        exact("index_bytes", "bytes", |totals, _| {
            totals.get("index_bytes")
        }),
        exact("avg_leaf_density_pct", "%", density),
        exact("leaf_fragmentation_pct", "%", |totals, _| {
            totals.get("fragmentation_share").map(hundredths)
        }),
        exact("leaf_items_p05", "entries", |totals, _| {
            totals.get("leaf_items_p05")
        }),
        exact("leaf_items_p50", "entries", |totals, _| {
            totals.get("leaf_items_p50")
        }),
        exact("leaf_items_p95", "entries", |totals, _| {
            totals.get("leaf_items_p95")
        }),
        exact("idx_blks_read + idx_blks_hit", "accesses", accesses),
        exact("wal_insert_leaf", "records", |totals, _| {
            totals.get("wal_leaf_inserts")
        }),
        exact("wal_insert_upper", "records", |totals, _| {
            totals.get("wal_upper_inserts")
        }),
        exact("wal_split_l", "records", |totals, _| {
            totals.get("left_splits")
        }),
        exact("wal_split_r", "records", |totals, _| {
            let splits = totals.get("leaf_splits")? + totals.get("internal_splits")?;
            Some(splits - totals.get("left_splits")?)
        }),
        exact("wal_newroot", "records", |totals, _| {
            totals.get("wal_new_roots")
        }),
        within(
            0.03,
            0.002,
            "idx_misses_per_insert",
            "pages/insert",
            |totals, load| {
                let reads = |of| totals.get(&format!("page_reads/{of}"));
                whole_rows(load)?;
                // Release 15 takes the first look at the metapage for that of a new page.
                let first = if release_15(load) { 1.0 } else { 0.0 };
                let rows: f64 = number(load, "n_rows").ok()?;
                Some((reads("index")? + reads("other")? - first) / rows)
            },
        ),
        within(0.0, 3.0, "heap_blks_read", "pages", |totals, load| {
            whole_rows(load)?;
            let new_pages = match release_15(load) {
                true => totals.get("new_pages/table")?,
                false => 0.0,
            };
            Some(totals.get("page_reads/table")? + new_pages)
        }),
        within(
            0.0001,
            0.0,
            "wal_btree_record_bytes",
            "bytes",
            |totals, _| totals.get("wal_record_bytes"),
        ),
        within(0.001, 0.0, "wal_btree_fpi_bytes", "bytes", |totals, _| {
            totals.get("wal_fpi_bytes")
        }),
    ],
};

fn case(load: &Load) -> Result<Case> {
    let checkpoint_rows: u64 = number(load, "checkpoint_every_rows")?;
    let buffer_bytes = number::<u64>(load, "shared_buffers_mib")? << 20;
    Ok(Case {
        cache: Some(CachePlan {
            postgres: postgres(load)?,
            ..CachePlan::new(buffer_bytes)
        }),
        checkpoint_rows: Some(checkpoint_rows).filter(|&rows| rows > 0),
        ..Case::new(load, &POSTGRES)?
    })
}

/// The release, and how the rows came.
fn postgres(load: &Load) -> Result<(Release, Method)> {
    let release = match release_15(load) {
        true => Release::Postgres15,
        // Where it is not recorded, sizes of heaps show that 16 pages were made at once, as
        // with about 10 connections and the other settings as they come.
        false => Release::Postgres18 {
            max_connections: number(load, "max_connections").unwrap_or(10),
        },
    };
    if text(load, "load_method") != "copy" {
        return Ok((release, Method::Insert));
    }
    let interval: u64 = number(load, "checkpoint_every_rows")?;
    let rows: u64 = number(load, "n_rows")?;
    // Characters of an id as the loads wrote it.
    let id_chars = match (text(load, "stream"), text(load, "key_type")) {
        ("seq8" | "block8_p16_b1000", _) => 6,
        (_, "uuid") => 32,
        (_, "bytea") => 3 + 2 * number::<u32>(load, "key_bytes")?,
        _ => 19,
    };
    let line_bytes = id_chars + 1 + number::<u32>(load, "payload_bytes")?;
    let rows = if interval > 0 { interval } else { rows };
    Ok((release, Method::Copy { rows, line_bytes }))
}

/// `None` if rows are compressed or lie in a table of their own: those above 2032 bytes with
/// a header of 24 (`TOAST_TUPLE_THRESHOLD` of heaptoast.h, release 15), payloads with 4.
fn whole_rows(load: &Load) -> Option<()> {
    let key: u64 = number(load, "key_bytes").ok()?;
    let payload: u64 = number(load, "payload_bytes").ok()?;
    (24 + key.next_multiple_of(8) + 4 + payload <= 2032).then_some(())
}

fn release_15(load: &Load) -> bool {
    text(load, "version").starts_with("15.")
}

/// Release 18 leaves out the pages that the load adds.
fn accesses(totals: &Totals, load: &Load) -> Option<f64> {
    let new_pages = totals.get("leaf_pages")? + totals.get("internal_pages")?;
    let left_out = if release_15(load) { 0.0 } else { new_pages };
    Some(totals.get("page_accesses")? - left_out)
}

/// A share in per cent with two decimals, as the engine prints it.
fn hundredths(share: f64) -> f64 {
    (share * 10_000.0).round() / 100.0
}

/// Release 15 counts a free line pointer of 4 bytes a page as used.
fn density(totals: &Totals, load: &Load) -> Option<f64> {
    let free_pointer = if release_15(load) { 4.0 / 8152.0 } else { 0.0 };
    Some(hundredths(totals.get("fill_mean")? + free_pointer))
}
