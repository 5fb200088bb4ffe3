//! What doubles, signs and text do to ids, for people.

use crate::report::{self, percent, whole};
use idlab::inspect::widths::{Found, Sizes};

/// Lines on numbers, if the ids are, and a table of sizes, if there are enough of them.
pub fn section(found: &Found) -> String {
    let mut parts = Vec::new();
    if let Some(numbers) = found.numbers {
        let share = |part: u64| percent(part as f64 / found.ids.max(1) as f64);
        let collapsed = match numbers.one_in {
            1 => whole(numbers.collapsed.value),
            one_in => format!(
                "{} ({} to {}, by one double in {one_in})",
                whole(numbers.collapsed.value),
                whole(numbers.collapsed.low),
                whole(numbers.collapsed.high)
            ),
        };
        let lines = [
            ("changed by a double (JavaScript) %", share(numbers.changed)),
            ("ids that become another one's double", collapsed),
            ("above 2^53 - 1 %", share(numbers.above_2_53)),
            ("negative in a signed column %", share(numbers.above_2_63)),
            ("digits of the longest", numbers.digits.to_string()),
        ];
        let lines = lines.map(|(what, says)| format!(" {what:36}  {says}"));
        parts.push(lines.join("\n"));
        if numbers.changed > 0 {
            parts.push("Hand these ids to JavaScript as strings.".to_owned());
        }
    }
    let line = |sizes: &Sizes| {
        vec![
            sizes.engine.to_owned(),
            whole(sizes.rows as f64),
            format!("{}, {}", sizes.columns[0], sizes.columns[1]),
            report::mib_2(sizes.bytes[0] as f64),
            report::mib_2(sizes.bytes[1] as f64),
            report::two(sizes.ratio()),
        ]
    };
    if !found.sizes.is_empty() {
        let headings = [
            "engine",
            "rows",
            "columns",
            "binary MiB",
            "text MiB",
            "ratio",
        ];
        parts.push(report::table(&headings, found.sizes.iter().map(line)));
    }
    parts.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use idlab::id::{Number, Uuid};
    use idlab::inspect::widths::Widths;

    #[test]
    fn numbers_and_sizes_are_shown_where_there_are_some() {
        let mut widths = Widths::<Number>::default();
        widths.see(&[(1 << 53) + 1, 1 << 63]);
        let text = section(&widths.finish());
        for part in [
            "changed by a double (JavaScript) %",
            "50.0",
            "as strings",
            "19",
        ] {
            assert!(text.contains(part), "{part}:\n{text}");
        }
        assert!(!text.contains("postgres"));
        let mut widths = Widths::<Uuid>::default();
        widths.see(&(0..10_000).collect::<Vec<_>>());
        let text = section(&widths.finish());
        assert!(
            text.contains("postgres") && text.contains("uuid, text(36)"),
            "{text}"
        );
        assert!(!text.contains("JavaScript"));
    }
}
