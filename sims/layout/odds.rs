//! Odds that random bits clash, and how long a rate takes to use a counter up.

use super::table::{length, probability, real};
use super::{NS_PER_YEAR, Question};
use crate::report::whole;
use idlab::measure::Rows;
use idlab::record::{Measured, Number};
use idlab::scheme::FieldKind;
use idlab::theory::birthday::{draws_until, some_equal, some_equal_in_a_tick};
use std::fmt::Write;

pub const SOME_EQUAL: Measured = Measured {
    name: "some_ids_equal",
    unit: "probability",
    about: "that some two of --rows ids (else those of a year) are equal; of a layout with ticks only those of one tick and node can be",
};

pub const IDS_UNTIL_EQUAL: Measured = Measured {
    name: "ids_until_equal",
    unit: "ids",
    about: "ids without a timestamp of which some two are equal with probability x",
};

/// What the probability may be that is asked for.
const ODDS: [f64; 3] = [1e-9, 1e-6, 0.5];

/// The random bits of an id, if each id has its own.
pub fn random_bits(question: &Question) -> Option<u32> {
    let budget = &question.budget;
    let counts = question.is_scheme && budget.ids_per_tick.is_some();
    let bits = budget.layout.bits(FieldKind::Random);
    (bits > 0 && !counts).then_some(bits)
}

/// Adds the rows of the random bits; returns them in words.
pub fn write(question: &Question, rows: &mut Rows) -> String {
    let budget = &question.budget;
    let Some(bits) = random_bits(question) else {
        return rate(question);
    };
    let values = libm::pow(2.0, f64::from(bits));
    let mut text = format!("\nRandom bits: {bits}.\n");
    let a_year = |rate: u64| rate as f64 * (NS_PER_YEAR / 1e9);
    let ids = question.rows.map(|rows| rows as f64);
    let ids = ids.or(question.rate.map(a_year));
    let of = match question.rows {
        Some(rows) => format!("{} ids", whole(rows as f64)),
        None => "the ids of a year".to_owned(),
    };
    let Some(tick_ns) = budget.tick_ns else {
        for odds in ODDS {
            let ids = draws_until(odds, values);
            rows.point(&IDS_UNTIL_EQUAL, Number::Real(odds), Number::Real(ids));
            let odds = probability(odds);
            let _ = writeln!(
                text,
                "Some two are equal with probability {odds} among {ids:.3e}."
            );
        }
        if let Some(ids) = ids {
            let equal = some_equal(ids, values);
            rows.total(&SOME_EQUAL, Number::Real(equal));
            let _ = writeln!(
                text,
                "Some two of {of} are equal with probability {}.",
                probability(equal)
            );
        }
        return text;
    };
    let Some((rate, ids)) = question.rate.zip(ids) else {
        return text + "--rate tells how likely some two of a tick are equal.\n";
    };
    // Writers with numbers of their own cannot clash with each other.
    let nodes = budget.nodes.unwrap_or(1);
    let workers = question.workers.map_or(1, |workers| workers.count());
    let per_tick = rate as f64 * tick_ns as f64 / 1e9 / workers.min(nodes) as f64;
    // Fewer ids than a tick has are all of one tick.
    let equal = some_equal_in_a_tick(ids, per_tick, values).min(some_equal(ids, values));
    rows.total(&SOME_EQUAL, Number::Real(equal));
    let _ = writeln!(
        text,
        "At {} ids/s, {} a tick{}, some two of {of} are equal with probability {}.",
        whole(rate as f64),
        real(per_tick),
        if budget.nodes.is_some() {
            " and node"
        } else {
            ""
        },
        probability(equal)
    );
    if budget.layout.bits(FieldKind::Counter) > 0 {
        text += "That a sequence keeps ids of one writer apart is not counted in.\n";
    }
    text
}

/// What a rate means for ids that count.
fn rate(question: &Question) -> String {
    let budget = &question.budget;
    let Some(rate) = question.rate else {
        return String::new();
    };
    let per_s = whole(rate as f64);
    match (budget.ids_per_second(), budget.ids_per_tick, budget.tick_ns) {
        (Some(most), ..) if question.workers.is_none() => {
            let nodes = (rate as f64 / most).ceil().max(1.0);
            format!(
                "\n{per_s} ids/s take {} of {} ids/s.\n",
                nodes_words(nodes),
                real(most)
            )
        }
        (None, ids, None) if budget.layout.bits(FieldKind::Counter) > 0 => {
            // A counter that all writers share bounds no single one.
            let all = || libm::exp2(budget.layout.bits(FieldKind::Counter).into());
            let lasts = ids.map_or_else(all, |ids| ids as f64) / rate as f64 / (NS_PER_YEAR / 1e9);
            format!("\n{per_s} ids/s use its numbers up in {}.\n", length(lasts))
        }
        _ => String::new(),
    }
}

fn nodes_words(nodes: f64) -> String {
    match nodes {
        1.0 => "1 node".to_owned(),
        _ => format!("{} nodes", whole(nodes)),
    }
}
