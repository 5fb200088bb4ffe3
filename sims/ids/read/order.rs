//! The order of arrival of `sim ids --read`.

use crate::report::{percent, plural, table, whole};
use idlab::dump::Lines;
use idlab::id::Key;
use idlab::inspect::{Arrival, BLOCK_IDS, TREE_IDS};
use std::fmt::Write;

/// Kendall's tau below which a list is taken to have its newest id first.
const NEWEST_FIRST: f64 = -0.5;

/// How nearly the ids ascend, and which come twice; `text` writes an id, and sorts as the keys
/// do where it is equally long; `lines` are those of the ids.
pub fn section<K: Key>(arrival: &Arrival<K>, text: impl Fn(K) -> String, lines: &Lines) -> String {
    let share = |count: u64| percent(count as f64 / arrival.ids.max(1) as f64);
    let counted = |what: &str, count: u64| vec![what.to_owned(), whole(count as f64), share(count)];
    let plain = |what: &str, value: String| vec![what.to_owned(), value, String::new()];
    let displacement = [500, 990, 1000].map(|per_mille| arrival.displacement(per_mille));
    let displacement = displacement
        .map(|positions| whole(positions as f64))
        .join(", ");
    let different = arrival.ids - arrival.repeated.again;
    let edge = arrival.right_edge_share.as_f64();
    let counts = [
        counted("below the one before (descents)", arrival.descents),
        counted("equal to the one before (ties)", arrival.ties),
        counted("below any earlier one (late)", arrival.late),
        plain("late by positions: p50, p99, max", displacement),
        plain(
            "pairs in the wrong order",
            whole(arrival.inversions() as f64),
        ),
        plain("Kendall's tau", format!("{:.4}", arrival.tau())),
        counted("longest ascending run", arrival.longest_run),
        vec![
            "above every earlier one (right edge)".to_owned(),
            whole(edge * different as f64),
            percent(edge),
        ],
        vec![
            "into the rightmost leaf of PostgreSQL".to_owned(),
            String::new(),
            percent(arrival.rightmost_leaf_share.as_f64()),
        ],
    ];
    let mut out = format!(
        "Order of arrival of {}\n{}",
        plural(arrival.ids, "id"),
        table(&["", "ids", "%"], counts.into_iter())
    );
    if arrival.ids > BLOCK_IDS as u64 {
        let _ = write!(
            out,
            "\nPositions, pairs and tau are within blocks of {} ids.",
            whole(BLOCK_IDS as f64)
        );
    }
    if arrival.ids > TREE_IDS {
        let _ = write!(
            out,
            "\nThe B-tree is loaded with the first {} ids.",
            whole(TREE_IDS as f64)
        );
    }
    if arrival.ids > 2 && arrival.tau() < NEWEST_FIRST {
        out += "\nThe ids descend. If the newest is first, turn the list round: expected is the order of arrival.";
    }
    let _ = write!(out, "\n{}", repeated(arrival, lines));
    let _ = write!(out, "\n{}", prefix(arrival, text));
    out
}

fn repeated<K: Key>(arrival: &Arrival<K>, lines: &Lines) -> String {
    let found = &arrival.repeated;
    let checked = match found.checked == arrival.ids {
        true => String::new(),
        false => format!(" among the first {}", plural(found.checked, "id")),
    };
    if found.ids == 0 {
        return format!("No id comes twice{checked}.");
    }
    let on_lines = found.first.iter().map(|&(first, again)| {
        let pair = (lines.of(first)?, lines.of(again)?);
        (pair.0 != pair.1).then_some(pair)
    });
    let (what, pairs, of) = match on_lines.collect::<Option<Vec<_>>>() {
        Some(pairs) => ("lines", pairs, ""),
        None => {
            let place = |&(first, again): &(u64, u64)| (first + 1, again + 1);
            let places = found.first.iter().map(place).collect();
            ("ids", places, " of the list")
        }
    };
    let pairs = pairs
        .iter()
        .map(|&(a, b)| format!("{} and {}", whole(a as f64), whole(b as f64)));
    format!(
        "{} more than once{checked}, {} in all: {what} {}{}{of}.",
        match found.ids {
            1 => "One id comes".to_owned(),
            ids => format!("{} ids come", whole(ids as f64)),
        },
        plural(found.again, "repeat"),
        pairs.collect::<Vec<_>>().join(", "),
        if found.ids as usize > found.first.len() {
            ", …"
        } else {
            ""
        }
    )
}

fn prefix<K: Key>(arrival: &Arrival<K>, text: impl Fn(K) -> String) -> String {
    let bits = plural(arrival.common_prefix_bits().into(), "leading bit");
    let Some((least, largest)) = arrival.extremes else {
        return String::new();
    };
    let (least, largest) = (text(least), text(largest));
    let pairs = least.chars().zip(largest.chars());
    let common: String = pairs.take_while(|(a, b)| a == b).map(|(a, _)| a).collect();
    let same_length = least.chars().count() == largest.chars().count();
    match common.as_str() {
        "" => format!("All have {bits} in common; texts from {least} to {largest}."),
        // Between texts of unequal lengths there may be any.
        _ if !same_length => format!("All have {bits} in common; from {least} to {largest}."),
        common => format!(
            "All have {bits} in common, and their texts begin with \"{common}\"; from {least} to {largest}."
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use idlab::inspect::Order;

    fn text(ids: &[u64]) -> String {
        let mut order = Order::new(64);
        order.see(ids);
        section(&order.finish(), |id: u64| id.to_string(), &Lines::default())
    }

    #[test]
    fn repeats_and_prefixes_are_told() {
        let found = text(&[123, 121, 129, 121]);
        let repeat = "One id comes more than once, 1 repeat in all: ids 2 and 4 of the list.";
        assert!(found.contains(repeat), "{found}");
        assert!(
            found.contains("texts begin with \"12\"; from 121 to 129"),
            "{found}"
        );
        // Texts of unequal lengths tell nothing of those between.
        let found = text(&[99, 10, 100]);
        assert!(
            found.contains("No id comes twice.") && !found.contains("begin with"),
            "{found}"
        );
        assert!(text(&[]).contains("Order of arrival of 0 ids"));
    }

    #[test]
    fn a_list_with_its_newest_id_first_is_told_to_be_turned_round() {
        let is_told = |ids: &[u64]| text(ids).contains("turn the list round");
        assert!(is_told(&[9, 8, 6, 7, 5, 4]));
        assert!(!is_told(&[4, 5, 7, 6, 8, 9]) && !is_told(&[3, 1, 2]) && !is_told(&[2, 1]));
    }
}
