//! The table that `sim btree` prints.

use crate::report;
use idlab::record::Records;
use std::collections::BTreeMap;

/// Columns of the table: heading, measure, row parameter, how to print it.
type Heading = (&'static str, &'static str, Option<u64>, fn(f64) -> String);

const COLUMNS: &[Heading] = &[
    (
        "at right\nedge %",
        "right_edge_share",
        None,
        report::percent,
    ),
    (
        "in last\nleaf %",
        "rightmost_leaf_share",
        None,
        report::percent,
    ),
    (
        "p99 leaves\nfrom edge",
        "edge_distance_leaves_p99",
        None,
        report::whole,
    ),
    (
        "splits per\n1k inserts",
        "splits_per_1000_inserts",
        None,
        report::two,
    ),
    ("leaves", "leaf_pages", None, report::whole),
    ("index\nMiB", "index_bytes", None, report::mib),
    ("leaf\nfill %", "fill_mean", None, report::percent),
    (
        "leaves written\nper 10k inserts",
        "working_set_leaves",
        Some(10_000),
        report::whole,
    ),
    (
        "leaves of\nnewest 100",
        "newest_100_leaves",
        None,
        report::whole,
    ),
];

/// One line a tree.
pub fn table(records: &Records) -> String {
    let mut totals: BTreeMap<_, f64> = BTreeMap::new();
    let mut trees = Vec::new();
    for row in records.rows.iter().filter(|row| row.x.is_none()) {
        let tree = (row.engine.as_str(), row.scheme.as_str());
        if !trees.contains(&tree) {
            trees.push(tree);
        }
        let window = row.params.get("window").and_then(serde_json::Value::as_u64);
        totals.insert((tree, row.measure.as_str(), window), row.value.as_f64());
    }
    let several = trees.iter().any(|(engine, _)| *engine != trees[0].0);
    let headings: Vec<_> = [if several { "engine  scheme" } else { "scheme" }]
        .into_iter()
        .chain(COLUMNS.iter().map(|(heading, ..)| *heading))
        .collect();
    let lines = trees.into_iter().map(|tree @ (engine, scheme)| {
        let name = if several {
            format!("{engine}  {scheme}")
        } else {
            scheme.to_owned()
        };
        let cells = COLUMNS.iter().map(|(_, measure, window, print)| {
            totals
                .get(&(tree, *measure, *window))
                .map_or_else(|| "-".to_owned(), |value| print(*value))
        });
        std::iter::once(name).chain(cells).collect()
    });
    report::table(&headings, lines)
}
