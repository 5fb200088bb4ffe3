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
    let stores = distinct(cases.iter().map(|case| case.0));
    let all_nodes = distinct(cases.iter().map(|case| case.3));
    let one_store = <[_; 1]>::try_from(stores).ok();
    let one_nodes = <[_; 1]>::try_from(all_nodes).ok();
    // What is the same in all lines stands above them.
    let mut caption = String::new();
    if let Some([store]) = one_store {
        caption += &format!("{store}, ");
    }
    if let Some([nodes]) = one_nodes {
        caption += &format!("{}; ", report::plural(nodes, "node"));
    }
    caption += "node % and range %: writes of the hottest, in windows of 1 s and 1 min and in all";
    let name = |case: &Case| {
        let store = one_store.is_none().then(|| case.0.to_owned());
        let nodes = one_nodes.is_none().then(|| case.3.to_string());
        let names = [Some(case.1.to_owned()), Some(case.2.to_owned()), nodes];
        store
            .into_iter()
            .chain(names.into_iter().flatten())
            .collect::<Vec<_>>()
    };
    let mut names: Vec<Vec<String>> = vec![name(&("store", "scheme", "key", 0))];
    if let (None, Some(last)) = (one_nodes, names[0].last_mut()) {
        *last = "nodes".to_owned();
    }
    names.extend(cases.iter().map(name));
    let mut names = aligned(&names).into_iter();
    let first = format!("\n{}", names.next().unwrap_or_default());
    let headings = [
        &*first,
        "node %\n1 s",
        "node %\n1 min",
        "node %\nall",
        "range %\n1 s",
        "bytes %\nnode",
        "speed-\nup",
        "on all\nafter s",
        "splits\nsize",
        "splits\nload",
        "re-\nfused",
        "moved/\nbyte",
        "newest\nranges",
        "100\nrows read",
        "point\nranges",
    ];
    let lines = cases.iter().zip(names).map(|(&case, name)| {
        let value = |name: &str| values.get(&(case, name.to_owned())).copied();
        let or_dash =
            |name: &str, show: fn(f64) -> String| value(name).map_or("-".to_owned(), show);
        vec![
            name,
            or_dash("hot_node_share 1s settled", report::percent),
            or_dash("hot_node_share 60s settled", report::percent),
            or_dash("hot_node_share all", report::percent),
            or_dash("hot_range_share 1s settled", report::percent),
            or_dash("hot_node_bytes_share", report::percent),
            or_dash("speed_up", report::two),
            or_dash("time_to_n_nodes_s", report::whole),
            or_dash("splits_by_size", report::whole),
            or_dash("splits_by_load", report::whole),
            report::whole(refused.get(&case).copied().unwrap_or_default()),
            or_dash("moved_bytes_per_byte", report::two),
            or_dash("scan_ranges newest_100", report::whole),
            or_dash("scan_rows_read newest_100", report::whole),
            or_dash("scan_ranges point", report::whole),
        ]
    });
    format!("{caption}\n{}", report::table(&headings, lines))
}

fn distinct<T: PartialEq>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut distinct = Vec::new();
    for value in values {
        if !distinct.contains(&value) {
            distinct.push(value);
        }
    }
    distinct
}

/// Lines of words, one below the other.
fn aligned(lines: &[Vec<String>]) -> Vec<String> {
    let length = |word: &String| word.chars().count();
    let width = |at: usize| {
        lines
            .iter()
            .filter_map(|line| line.get(at))
            .map(length)
            .max()
    };
    let line = |words: &Vec<String>| {
        let words = words.iter().enumerate();
        let words = words.map(|(at, word)| format!("{word:0$}", width(at).unwrap_or(0)));
        words.collect::<Vec<_>>().join("  ")
    };
    lines.iter().map(line).collect()
}
