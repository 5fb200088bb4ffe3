//! The same ids in other orders, for people.

use crate::report;
use comfy_table::{CellAlignment, Table, presets};
use idlab::inspect::comparators::{Comparison, Verdict};
use idlab::record::Number;

/// A table, an order a line, and a warning if ids that ascend as bytes are random in another.
pub fn section(comparisons: &[Comparison]) -> String {
    let line = |found: &Comparison| {
        let share = |share: Option<Number>| {
            share.map_or("-".to_owned(), |share| report::percent(share.as_f64()))
        };
        vec![
            found.order.name().to_owned(),
            share(Some(found.right_edge_share)),
            share(found.rightmost_leaf_share),
            found.verdict.word().to_owned(),
            found.order.about().to_owned(),
        ]
    };
    let headings = [
        "order",
        "right edge %",
        "rightmost leaf %",
        "verdict",
        "who compares so",
    ];
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(headings);
    table.add_rows(comparisons.iter().map(line));
    let shares = table.column_iter_mut().skip(1).take(2);
    shares.for_each(|column| column.set_cell_alignment(CellAlignment::Right));
    let table = report::print(&table);
    let random = |found: &&Comparison| found.verdict == Verdict::Random;
    let Some(bytes) = comparisons.first() else {
        return table;
    };
    let names: Vec<_> = comparisons
        .iter()
        .filter(random)
        .map(|found| found.order.name())
        .collect();
    match bytes.verdict {
        Verdict::Random | Verdict::TooFew => table,
        _ if names.is_empty() => table,
        _ => format!("{table}\nThese ids are random in {}.", names.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use idlab::id::Uuid;
    use idlab::inspect::comparators::Comparators;

    #[test]
    fn orders_that_make_ids_random_are_named() {
        let mut comparators = Comparators::<Uuid>::default();
        // Ascending as bytes; the last six bytes are mixed.
        let key =
            |i: u64| u128::from(i) << 80 | u128::from(i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 16);
        comparators.see(&(0..20_000).map(key).collect::<Vec<_>>());
        let text = section(&comparators.finish());
        assert!(
            text.contains("These ids are random in sql_server."),
            "{text}"
        );
        let line = text
            .lines()
            .find(|line| line.trim_start().starts_with("bytes"));
        let line = line.unwrap_or_default();
        assert!(
            line.contains("100.0") && line.contains("as bytes"),
            "{text}"
        );
        assert_eq!(section(&[]).lines().count(), 1);
    }
}
