//! The tests of randomness of `sim ids --read`.

use super::bits::range;
use crate::report;
use idlab::inspect::{Bit, Class, Tested, Verdict, bit_runs};
use idlab::scheme::{Field, FieldKind};
use std::fmt::Write;

/// The tests of the bits that claim to be random, and what all bits, unstripped, would give.
pub fn section(stripped: &Tested, raw: &Tested, bits: &[Bit], layout: &[Field]) -> String {
    let mut text = format!("Randomness of {}", claim(stripped, layout));
    if stripped.tests.is_empty() {
        text += match stripped.bits {
            0 => ": nothing to test, no bit claims to be random.",
            _ => ": too few ids to test, expected at least 32.",
        };
        return text;
    }
    if stripped.ids < stripped.of {
        let _ = write!(
            text,
            ", of the first {} of {}",
            report::plural(stripped.ids, "id"),
            report::whole(stripped.of as f64)
        );
    }
    let lines = stripped.tests.iter().map(|test| {
        let found = match test.bit {
            Some(bit) => format!("{} (bit {bit})", number(test.found)),
            None => number(test.found),
        };
        vec![
            format!("{:<18}{}", test.name, test.about()),
            found,
            number(test.expected),
            p_value(test.p),
            test.verdict.name().to_owned(),
        ]
    });
    let headings = ["test", "found", "by chance", "p", "verdict"];
    let _ = write!(text, "\n{}", report::table(&headings, lines));
    let _ = write!(
        text,
        "\nChance alone makes any of these weak in fewer than one list of 100, and fail in fewer than one of 10,000."
    );
    if let Some(entropy) = stripped.byte_entropy_bits {
        let _ = write!(
            text,
            "\nEntropy of a byte: at least {entropy:.3} of 8 bits (most common value estimate, SP 800-90B, 99 % bound)."
        );
    }
    let _ = write!(text, "\n{}", verdict(stripped, raw, bits));
    if layout.is_empty() && bits.iter().any(|bit| bit.class == Class::Varied) {
        text += " Bits that vary unevenly are among them: name the scheme if they are a worker's or a sequence.";
    }
    text
}

/// Which bits are tested.
fn claim(stripped: &Tested, layout: &[Field]) -> String {
    let which = match layout {
        [] => "that are neither constant nor a clock nor a counter".to_owned(),
        _ => {
            let fields = layout
                .iter()
                .filter(|field| field.kind == FieldKind::Random);
            let names: Vec<_> = fields.map(|field| field.name).collect();
            format!("of {}", names.join(", "))
        }
    };
    match stripped.bits {
        0 => "the ids".to_owned(),
        bits => format!("the {} {which}", report::plural(bits.into(), "bit")),
    }
}

/// What comes of it, and why all bits together fail.
fn verdict(stripped: &Tested, raw: &Tested, bits: &[Bit]) -> String {
    let failed = |tested: &Tested| {
        let failed = tested
            .tests
            .iter()
            .filter(|test| test.verdict == Verdict::Fail);
        failed.map(|test| test.name).collect::<Vec<_>>().join(", ")
    };
    let of_stripped = match stripped.verdict() {
        Some(Verdict::Fail) => format!("They fail {}.", failed(stripped)),
        Some(Verdict::Weak) => "They pass, but not well.".to_owned(),
        _ => "They pass.".to_owned(),
    };
    if raw.verdict() != Some(Verdict::Fail) {
        return of_stripped;
    }
    let runs = bit_runs(bits, &[]);
    let of = |class: Class| {
        let runs = runs.iter().filter(|run| run.class == class);
        runs.map(|run| range(run.first, run.last))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let reasons = [
        (of(Class::Constant), "never change"),
        (of(Class::Clock), "follow a clock"),
        (of(Class::Counter), "count"),
    ];
    let reasons = reasons.iter().filter(|(bits, _)| !bits.is_empty());
    let reasons: Vec<_> = reasons
        .map(|(bits, what)| format!("bits {bits} {what}"))
        .collect();
    if reasons.is_empty() {
        return of_stripped;
    }
    format!(
        "{of_stripped} All bits, unstripped, fail {}: {}, which says nothing of the others.",
        failed(raw),
        reasons.join(", ")
    )
}

/// A count as it is, a quotient to four digits.
fn number(value: f64) -> String {
    match value {
        0.0 => "0".to_owned(),
        value if value.fract() == 0.0 => report::whole(value),
        value if value.abs() < 1e-3 => format!("{value:.1e}"),
        value => format!("{value:.4}"),
    }
}

fn p_value(p: f64) -> String {
    match p {
        p if p < 1e-12 => "< 1e-12".to_owned(),
        p if p < 1e-3 => format!("{p:.0e}"),
        p => format!("{p:.3}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use idlab::inspect::{Bits, Randomness, claimed};
    use idlab::random::{bits128, stream};

    #[test]
    fn the_bits_that_fail_are_told() {
        let mut random = stream(1, "ids.read", 0);
        let fixed = |id: u128| id & !(0xf << 76 | 3 << 62) | 4 << 76 | 2 << 62;
        let ids: Vec<u128> = (0..2316).map(|_| fixed(bits128(&mut random))).collect();
        let (mut bits, mut randomness) = (Bits::new(128), Randomness::new(128));
        bits.see(&ids);
        randomness.see(&ids);
        let bits = bits.bits();
        let stripped = randomness.test(&claimed(&[], &bits));
        let found = section(&stripped, &randomness.test_raw(), &bits, &[]);
        assert!(
            found.contains("They pass. All bits, unstripped, fail"),
            "{found}"
        );
        assert!(
            found.contains(": bits 48-51, 64-65 never change,"),
            "{found}"
        );
        let none = section(&randomness.test(&[]), &randomness.test_raw(), &bits, &[]);
        assert!(none.ends_with("no bit claims to be random."), "{none}");
    }
}
