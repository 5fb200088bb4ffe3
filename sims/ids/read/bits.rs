//! The table of bits of `sim ids --read`.

use crate::report;
use idlab::id::Key;
use idlab::inspect::{Bit, BitRun, Bits, Class, Disagreement, bit_runs, disagreements};
use idlab::scheme::{Field, FieldKind};
use std::fmt::Write;

/// Neighbouring bits that do the same as one line each, and where that is not what `layout`
/// says (empty: unknown).
pub fn section<K: Key>(counted: &Bits<K>, layout: &[Field]) -> String {
    let bits = counted.bits();
    let runs = bit_runs(&bits, layout);
    let headings = [
        "bits",
        "class",
        "field",
        "ones %",
        "z",
        "changes %",
        "z",
        "entropy",
    ];
    let known = !layout.is_empty();
    let shown = |column: &usize| known || *column != 2;
    let columns: Vec<usize> = (0..headings.len()).filter(shown).collect();
    let lines = runs.iter().map(|run| {
        let cells = line(*run, &bits);
        columns
            .iter()
            .map(|&column| cells[column].clone())
            .collect()
    });
    let headings: Vec<_> = columns.iter().map(|&column| headings[column]).collect();
    let mut text = format!(
        "Bits, from the most significant, of {}\n{}",
        report::plural(counted.ids(), "id"),
        report::table(&headings, lines)
    );
    let _ = write!(
        text,
        "\nz: standard deviations from a fair coin (ones) and from the same bits in a random order (changes). \
         In fewer than\none random list of 1,000 does any |z| exceed {:.2}.",
        counted.bound()
    );
    for wrong in disagreements(counted.ids(), &bits, layout) {
        let _ = write!(text, "\n{}", disagreement(&wrong));
    }
    text
}

/// "48-51", or "64" alone.
pub fn range(first: u32, last: u32) -> String {
    match first == last {
        true => first.to_string(),
        false => format!("{first}-{last}"),
    }
}

fn line(run: BitRun, bits: &[Bit]) -> [String; 8] {
    let bits = bits.get(run.first as usize..=run.last as usize);
    let bits = bits.unwrap_or_default();
    let field = run.field.map_or("-", |field| field.name);
    let head = [
        range(run.first, run.last),
        class(run.class, bits),
        field.to_owned(),
    ];
    let tail = match run.class {
        Class::Constant => ["-"; 5].map(str::to_owned),
        _ => [
            span(bits, |bit| bit.ones_share * 100.0, 1),
            worst(bits, |bit| bit.ones_z),
            span(bits, |bit| bit.change_rate * 100.0, 1),
            worst(bits, |bit| bit.change_z),
            span(bits, |bit| bit.entropy_bits, 3),
        ],
    };
    let mut cells = head.into_iter().chain(tail);
    std::array::from_fn(|_| cells.next().unwrap_or_default())
}

/// The class, of constant bits with their value.
fn class(class: Class, bits: &[Bit]) -> String {
    let digits = bits
        .iter()
        .map(|bit| if bit.ones_share > 0.5 { '1' } else { '0' });
    match class {
        Class::Constant if bits.len() <= 16 => {
            format!("constant {}", digits.collect::<String>())
        }
        Class::Constant if bits.iter().all(|bit| bit.ones_share < 0.5) => "constant 0s".to_owned(),
        class => class.name().to_owned(),
    }
}

/// The least and the largest value.
fn span(bits: &[Bit], value: impl Fn(&Bit) -> f64, decimals: usize) -> String {
    let text = |value: f64| format!("{value:.decimals$}");
    let least = bits.iter().map(&value).fold(f64::INFINITY, f64::min);
    let most = bits.iter().map(&value).fold(f64::NEG_INFINITY, f64::max);
    match (text(least), text(most)) {
        (least, most) if least == most => least,
        (least, most) => format!("{least}-{most}"),
    }
}

/// The value furthest from 0.
fn worst(bits: &[Bit], value: impl Fn(&Bit) -> f64) -> String {
    let all = bits.iter().map(value);
    let worst = all.max_by(|a, b| a.abs().total_cmp(&b.abs()));
    format!("{:+.1}", worst.unwrap_or(0.0))
}

fn disagreement(wrong: &Disagreement) -> String {
    let many = if wrong.first == wrong.last {
        "bit"
    } else {
        "bits"
    };
    let kind = match wrong.field.kind {
        FieldKind::Fixed => "fixed",
        FieldKind::Timestamp => "a clock's",
        FieldKind::Node => "a worker's",
        FieldKind::Counter => "a counter's",
        FieldKind::Random => "random",
    };
    let looks = match wrong.class {
        Class::Constant => "never change",
        Class::Clock => "follow a clock",
        Class::Counter => "count",
        Class::Random => "look random",
        Class::Varied => "vary unevenly",
    };
    let looks = match (wrong.first == wrong.last, wrong.class) {
        (false, _) => looks,
        (true, Class::Constant) => "never changes",
        (true, Class::Clock) => "follows a clock",
        (true, Class::Counter) => "counts",
        (true, Class::Random) => "looks random",
        (true, Class::Varied) => "varies unevenly",
    };
    let range = range(wrong.first, wrong.last);
    format!(
        "The layout says that field {} is {kind}, but its {many} {range} {looks}.",
        wrong.field.name
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_that_do_the_same_are_one_line_and_layouts_are_held_to_it() {
        let mut counted = Bits::new(8);
        counted.see(&(0..100u64).collect::<Vec<_>>());
        let found = section(&counted, &[]);
        let line = |head: &str| {
            found
                .lines()
                .any(|line| line.trim_start().starts_with(head))
        };
        assert!(
            line("0     constant 0") && line("1-7      counter"),
            "{found}"
        );
        assert!(!found.contains("field"), "{found}");
        let layout = [
            Field::new("sign", 1, FieldKind::Fixed),
            Field::new("tail", 7, FieldKind::Random),
        ];
        let found = section(&counted, &layout);
        let wrong = "The layout says that field tail is random, but its bits 1-7 count.";
        assert!(found.ends_with(wrong), "{found}");
    }
}
