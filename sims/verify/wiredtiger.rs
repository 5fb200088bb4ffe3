//! WiredTiger's columns.

use super::recorded::{Case, Load, Recorded, Totals, number, within};
use anyhow::Result;
use idlab::engine::{EngineOptions, WIREDTIGER};
use idlab::pool::CachePlan;

pub const RECORDED: Recorded = Recorded {
    engine: "wiredtiger",
    file: "results/reference/wiredtiger.csv",
    csv: include_str!("../../results/reference/wiredtiger.csv"),
    case,
    told: &["version", "n_rows", "payload_bytes", "cache_mib"],
    columns: &[
        within(0.05, 0.0, "leaf_pages", "pages", |totals, load| {
            eviction_kept_up(totals, load)?.then(|| totals.get("leaf_pages"))?
        }),
        within(0.0, 3.0, "internal_pages", "pages", |totals, load| {
            eviction_kept_up(totals, load)?.then(|| totals.get("internal_pages"))?
        }),
    ],
};

/// Whether the engine divided about as many pages as the model, in which eviction
/// never waits; in some loads it ran late, and divided many times more.
fn eviction_kept_up(totals: &Totals, load: &Load) -> Option<bool> {
    let evicted: f64 = number(load, "leaf_pages_split_in_eviction").ok()?;
    let in_memory: f64 = number(load, "inmem_page_splits").ok()?;
    let more = evicted + in_memory - totals.get("counted_splits")?;
    Some(more <= totals.get("leaf_pages")? / 20.0)
}

fn case(load: &Load) -> Result<Case> {
    let cache_bytes = number::<u64>(load, "cache_mib")? << 20;
    let case = Case::new(load, &WIREDTIGER)?;
    Ok(Case {
        options: EngineOptions {
            page_bytes: Some(number(load, "leaf_page_max_bytes")?),
            ..case.options
        },
        cache: Some(CachePlan::new(cache_bytes)),
        ..case
    })
}
