//! The table that `sim btree` prints.

use crate::report;
use idlab::record::Records;
use std::collections::BTreeMap;

/// Columns of the table: heading, measure, row parameter, how to print it. A column
/// that no tree has is left out.
type Heading = (&'static str, &'static str, &'static str, fn(f64) -> String);

const COLUMNS: &[Heading] = &[
    ("at right\nedge %", "right_edge_share", "", report::percent),
    (
        "in last\nleaf %",
        "rightmost_leaf_share",
        "",
        report::percent,
    ),
    (
        "p99 leaves\nfrom edge",
        "edge_distance_leaves_p99",
        "",
        report::whole,
    ),
    (
        "splits per\n1k inserts",
        "splits_per_1000_inserts",
        "",
        report::two,
    ),
    ("leaves", "leaf_pages", "", report::whole),
    ("index\nMiB", "index_bytes", "", report::mib),
    ("leaf\nfill %", "fill_mean", "", report::percent),
    (
        "leaves written\nper 10k inserts",
        "working_set_leaves",
        "10000",
        report::whole,
    ),
    (
        "leaves of\nnewest 100",
        "newest_100_leaves",
        "",
        report::whole,
    ),
    (
        "pages read\nper insert",
        "page_reads_per_insert",
        "all",
        report::four,
    ),
    (
        "pages written\nper insert",
        "page_writes_per_insert",
        "all",
        report::four,
    ),
    ("cache\nhits %", "hit_ratio", "", report::percent),
];

/// What must be said of an engine's columns.
const NOTES: &[(&str, &str)] = &[(
    "wiredtiger",
    "wiredtiger: leaves, MiB and fill are as after a checkpoint. Splits and the leaves that inserts go to are
of pages in memory, which are divided when they are evicted: at 5 MiB or 2 % of the cache (appended rows
begin a new page at 80 % of that), or the least recently used if more than 5 % of the cache is dirty.",
)];

/// One line a tree, then notes.
pub fn table(records: &Records) -> String {
    let mut totals: BTreeMap<_, f64> = BTreeMap::new();
    let mut trees = Vec::new();
    for row in records.rows.iter().filter(|row| row.x.is_none()) {
        let tree = (row.engine.as_str(), row.scheme.as_str());
        if !trees.contains(&tree) {
            trees.push(tree);
        }
        if row.params.contains_key("tree") {
            continue; // Of the table beside the index.
        }
        let param = ["window", "of"]
            .iter()
            .find_map(|name| row.params.get(*name));
        let param = param.map_or_else(String::new, |param| match param.as_str() {
            Some(text) => text.to_owned(),
            None => param.to_string(),
        });
        totals.insert((tree, row.measure.as_str(), param), row.value.as_f64());
    }
    let known = |measure: &str| totals.keys().any(|(_, known, _)| *known == measure);
    let columns = || COLUMNS.iter().filter(|(_, measure, ..)| known(measure));
    let several = trees.iter().any(|(engine, _)| *engine != trees[0].0);
    let headings: Vec<_> = [if several { "engine  scheme" } else { "scheme" }]
        .into_iter()
        .chain(columns().map(|(heading, ..)| *heading))
        .collect();
    let engines: Vec<_> = trees.iter().map(|&(engine, _)| engine).collect();
    let lines = trees.into_iter().map(|tree @ (engine, scheme)| {
        let name = if several {
            format!("{engine}  {scheme}")
        } else {
            scheme.to_owned()
        };
        let cells = columns().map(|(_, measure, param, print)| {
            totals
                .get(&(tree, *measure, (*param).to_owned()))
                .map_or_else(|| "-".to_owned(), |value| print(*value))
        });
        std::iter::once(name).chain(cells).collect()
    });
    let mut text = report::table(&headings, lines);
    for (_, note) in NOTES.iter().filter(|(engine, _)| engines.contains(engine)) {
        text += &format!("\n\n{note}");
    }
    text
}
