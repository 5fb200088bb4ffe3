//! The table of `sim shards`.

use crate::report;
use idlab::record::{Records, Row};
use std::collections::BTreeMap;

/// What a row of the table is about: store, scheme, key, nodes.
type Case<'a> = (&'a str, &'a str, &'a str, u64);

fn text<'a>(row: &'a Row, name: &str) -> &'a str {
    row.params
        .get(name)
        .and_then(|value| value.as_str())
        .unwrap_or_default()
}

fn nodes(row: &Row) -> u64 {
    row.params
        .get("nodes")
        .and_then(|nodes| nodes.as_u64())
        .unwrap_or_default()
}

pub fn table(records: &Records) -> String {
    let mut cases: Vec<Case> = Vec::new();
    let mut values: BTreeMap<(Case, String), f64> = BTreeMap::new();
    let mut refused: BTreeMap<Case, f64> = BTreeMap::new();
    for row in records.rows.iter().filter(|row| row.x.is_none()) {
        let case = (&*row.engine, &*row.scheme, text(row, "key"), nodes(row));
        if !cases.contains(&case) {
            cases.push(case);
        }
        let of = [text(row, "window"), text(row, "of"), text(row, "query")];
        let name = of
            .into_iter()
            .filter(|of| !of.is_empty())
            .fold(row.measure.clone(), |name, of| name + " " + of);
        values.insert((case, name), row.value.as_f64());
        if row.measure == "no_split_key" {
            *refused.entry(case).or_default() += row.value.as_f64();
        }
    }
    let headings = [
        "store  scheme\n",
        "key\n",
        "nodes\n",
        "hottest node\n1 s  %",
        "of writes\n1 min %",
        "in all\n%",
        "hottest\nrange 1 s %",
        "bytes\non one %",
        "speed-up\nover one node",
        "writes/s\nat most",
        "on all nodes\nafter s",
        "splits by\nsize",
        "by\nload",
        "re-\nfused",
        "bytes moved\nper byte",
        "newest 100:\nranges",
        "rows\nread",
        "point:\nranges",
    ];
    let lines = cases.iter().map(|&case| {
        let value = |name: &str| values.get(&(case, name.to_owned())).copied();
        let or_dash =
            |name: &str, show: fn(f64) -> String| value(name).map_or("-".to_owned(), show);
        vec![
            format!("{}  {}", case.0, case.1),
            case.2.to_owned(),
            case.3.to_string(),
            or_dash("hot_node_share 1s settled", report::percent),
            or_dash("hot_node_share 60s settled", report::percent),
            or_dash("hot_node_share all", report::percent),
            or_dash("hot_range_share 1s settled", report::percent),
            or_dash("hot_node_bytes_share", report::percent),
            or_dash("speed_up", report::two),
            or_dash("ceiling_writes_per_s", report::whole),
            or_dash("time_to_n_nodes_s", report::whole),
            or_dash("splits_by_size", report::whole),
            or_dash("splits_by_load", report::whole),
            report::whole(refused.get(&case).copied().unwrap_or_default()),
            or_dash("moved_bytes_per_byte", report::two),
            or_dash("scan_ranges newest_100", report::whole),
            or_dash("scan_rows_read newest_100", report::whole),
            or_dash("scan_ranges point_bucket_unknown", report::whole),
        ]
    });
    report::table(&headings, lines)
}
