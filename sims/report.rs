//! Tables and numbers for people.

use comfy_table::{CellAlignment, Table, presets};

/// A table: first column to the left, the others to the right.
pub fn table(headings: &[&str], lines: impl Iterator<Item = Vec<String>>) -> String {
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_header(headings)
        .add_rows(lines);
    table
        .column_iter_mut()
        .skip(1)
        .for_each(|column| column.set_cell_alignment(CellAlignment::Right));
    print(&table)
}

/// A table's lines without the blanks at their ends.
pub fn print(table: &Table) -> String {
    table
        .lines()
        .map(|line| line.trim_end().to_owned())
        .collect::<Vec<_>>()
        .join("\n")
}

/// Notes under a table, each numbered once.
#[derive(Default)]
pub struct Notes<'a>(Vec<&'a str>);

impl<'a> Notes<'a> {
    /// The mark of a note, `[1]`; nothing of none.
    pub fn mark(&mut self, note: Option<&'a str>) -> String {
        let Some(note) = note else {
            return String::new();
        };
        let known = self.0.iter().position(|known| *known == note);
        let at = known.unwrap_or_else(|| {
            self.0.push(note);
            self.0.len() - 1
        });
        format!("[{}]", at + 1)
    }

    /// A table with the notes below it, a line each.
    pub fn below(self, table: String) -> String {
        let lines = (1..).zip(self.0);
        lines.fold(table, |text, (number, note)| {
            format!("{text}\n[{number}] {note}")
        })
    }
}

/// A share in per cent.
pub fn percent(value: f64) -> String {
    format!("{:.1}", value * 100.0)
}

/// Four decimals.
pub fn four(value: f64) -> String {
    format!("{value:.4}")
}

/// Two decimals.
pub fn two(value: f64) -> String {
    format!("{value:.2}")
}

/// Bytes in MiB, two decimals.
pub fn mib_2(value: f64) -> String {
    format!("{:.2}", value / f64::from(1 << 20))
}

/// Bytes in MiB.
pub fn mib(value: f64) -> String {
    format!("{:.1}", value / f64::from(1 << 20))
}

/// A time to three digits: `12 ns`, `1.98 µs`, `196 ms`.
pub fn time(ns: f64) -> String {
    let units = [(1.0, "ns"), (1e3, "µs"), (1e6, "ms"), (1e9, "s")];
    // 999.7 of a unit would be shown as 1000 of it.
    let unit = units.into_iter().find(|(size, _)| ns < size * 999.5);
    let (size, name) = unit.unwrap_or((1e9, "s"));
    let value = ns / size;
    let decimals = match value {
        _ if size == 1.0 => 0,
        0.0..9.995 => 2,
        9.995..99.95 => 1,
        _ => 0,
    };
    format!("{value:.decimals$} {name}")
}

/// A whole number with its thousands apart.
pub fn whole(value: f64) -> String {
    let digits = format!("{value:.0}");
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A count and its noun: "1 line", "2 lines".
pub fn plural(count: u64, noun: &str) -> String {
    format!(
        "{} {noun}{}",
        whole(count as f64),
        if count == 1 { "" } else { "s" }
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_three_digits() {
        let cases = [
            (0.0, "0 ns"),
            (12.0, "12 ns"),
            (999.0, "999 ns"),
            (999.6, "1.00 µs"),
            (1_984.0, "1.98 µs"),
            (99_960.0, "100 µs"),
            (999_600.0, "1.00 ms"),
            (196_351_000.0, "196 ms"),
            (5e12, "5000 s"),
        ];
        for (ns, text) in cases {
            assert_eq!(time(ns), text);
        }
    }
}
