//! What the ids of a known scheme say: instants, rate, fields.

use super::{List, Observer, Section, recognised};
use crate::args::usage;
use crate::ids::{fixed, instant};
use crate::report;
use anyhow::{Context, Result};
use idlab::id::{Id, Key};
use idlab::inspect::facts::{Facts, FieldFacts, Instants};
use idlab::measure::Rows;
use idlab::record::{Measured, Number};
use idlab::scheme::{self, FieldKind, Scheme, Spec, Visitor};
use std::any::Any;
use std::marker::PhantomData;

const fn measured(name: &'static str, unit: &'static str, about: &'static str) -> Measured {
    Measured { name, unit, about }
}

pub const FIRST: Measured = measured("first_unix_ms", "ms", "first instant of the ids of a list");
pub const LAST: Measured = measured("last_unix_ms", "ms", "last instant of the ids of a list");
pub const RATE: Measured = measured(
    "ids_per_s",
    "ids/s",
    "ids by the time from the first instant to the last",
);
pub const PART: Measured = measured(
    "tenth_ids",
    "ids",
    "ids of a tenth of the time from first to last, by number of the tenth",
);
pub const GAP: Measured = measured("longest_gap_s", "s", "longest time without an id, at least");
pub const DESCENTS: Measured = measured(
    "instant_descents",
    "ids",
    "ids whose instant is before that of the id before them",
);
pub const LEAST: Measured = measured("field_least", "value", "least value of a field");
pub const MOST: Measured = measured("field_most", "value", "largest value of a field");
pub const DISTINCT: Measured = measured("field_values", "values", "different values of a field");
pub const ZEROS: Measured = measured("field_zero_share", "share", "ids in which a field is 0");
pub const SHARE: Measured = measured(
    "value_share",
    "share",
    "ids that have a value of a field, the most frequent ones",
);
pub const MISSING: Measured = measured(
    "missing_numbers",
    "numbers",
    "numbers between the least and the most that are not there, if none is there twice",
);

/// Equal parts of the time for which a rate is shown.
const PARTS: usize = 10;
/// Values of a field that are shown.
const MOST_VALUES: usize = 16;

/// What sees the ids of a scheme; `None` if its keys are of another width.
pub fn of<K: Key>(spec: &Spec) -> Result<Option<Box<dyn Observer<K>>>> {
    let observer = scheme::visit(spec, Start(PhantomData)).map_err(usage)?;
    Ok(Some(observer.context(super::OTHER_WIDTH)?))
}

struct Start<K>(PhantomData<K>);

impl<K: Key> Visitor for Start<K> {
    type Output = Option<Box<dyn Observer<K>>>;

    fn visit<S: Scheme>(self, scheme: S) -> Self::Output {
        let observer: Box<dyn Observer<<S::Id as Id>::Key>> = Box::new(Facts::new(scheme));
        let observer: Box<dyn Any> = Box::new(observer);
        observer.downcast().ok().map(|observer| *observer)
    }
}

impl<S: Scheme> Observer<<S::Id as Id>::Key> for Facts<S> {
    fn see(&mut self, keys: &[<S::Id as Id>::Key]) {
        Facts::see(self, keys);
    }

    fn sections(self: Box<Self>, list: &List) -> Vec<Section> {
        let spec = list
            .spec
            .as_ref()
            .map(ToString::to_string)
            .unwrap_or_default();
        let mut sections = Vec::new();
        if let Some(instants) = self.instants() {
            let tick_ns = self.scheme().limits().tick_ns;
            let mut found = time(instants, tick_ns, self.ids(), &spec, list.rows.clone());
            if list.recognised.is_none() {
                let is_future = instants.last() > list.now;
                let doubt = recognised::doubted_epoch(&spec, instants.first(), is_future);
                found.text.extend(doubt.map(|doubt| format!("\n{doubt}")));
            }
            sections.push(found);
        }
        sections.push(fields(&self, &spec, list.rows.clone()));
        let nodes = self
            .fields()
            .iter()
            .filter(|field| field.field.kind == FieldKind::Node);
        sections.extend(nodes.map(|field| values(field, self.ids(), list.rows.clone())));
        sections
    }
}

fn time(
    instants: &Instants,
    tick_ns: Option<u64>,
    ids: u64,
    spec: &str,
    mut rows: Rows,
) -> Section {
    let (first, last) = (instants.first(), instants.last());
    let span_ns = last.0 - first.0;
    // Of ids in neighbouring ticks nothing lies between for sure.
    let gap_ns = instants
        .longest_gap_ns()
        .saturating_sub(tick_ns.unwrap_or_default());
    let parts = instants.parts(PARTS);
    rows.total(&FIRST, first.ms());
    rows.total(&LAST, last.ms());
    rows.total(&DESCENTS, instants.descents());
    rows.total(&GAP, Number::Real(gap_ns as f64 / 1e9));
    for (part, ids) in (1u64..).zip(&parts) {
        rows.point(&PART, part, *ids);
    }
    let mut lines = vec![
        vec!["first".to_owned(), instant(first)],
        vec!["last".to_owned(), instant(last)],
        vec!["time between".to_owned(), length(span_ns)],
    ];
    if let Some(tick_ns) = tick_ns {
        lines.push(vec!["each told to a tick of".to_owned(), length(tick_ns)]);
    }
    if span_ns > 0 {
        let rate = ids as f64 / (span_ns as f64 / 1e9);
        rows.total(&RATE, Number::Real(rate));
        lines.push(vec!["rate".to_owned(), per_time(rate)]);
        let each: Vec<_> = parts.iter().map(ToString::to_string).collect();
        lines.push(vec!["ids by tenths of the time".to_owned(), each.join(" ")]);
        let gap = match gap_ns {
            0 => "less than ticks tell".to_owned(),
            _ => format!("at least {}", length(gap_ns)),
        };
        lines.push(vec!["longest time without an id".to_owned(), gap]);
    }
    lines.push(vec![
        "instants before the one before".to_owned(),
        report::whole(instants.descents() as f64),
    ]);
    Section::of_table(
        format!("Instants, read as {spec}"),
        &["", ""],
        lines,
        Vec::new(),
        rows,
    )
}

fn fields<S: Scheme>(facts: &Facts<S>, spec: &str, mut rows: Rows) -> Section {
    let kind = |kind| match kind {
        FieldKind::Fixed => "fixed",
        FieldKind::Timestamp => "timestamp",
        FieldKind::Node => "node",
        FieldKind::Counter => "counter",
        FieldKind::Random => "random",
    };
    let mut lines = Vec::new();
    for field in facts.fields() {
        let params = [("field", serde_json::Value::from(field.field.name))];
        let mut add = |measured, value: Number| rows.push(measured, None, value, &params);
        let value = |value: u128| match u64::try_from(value) {
            Ok(whole) => Number::Whole(whole),
            Err(_) => Number::Real(value as f64),
        };
        add(&LEAST, value(field.least));
        add(&MOST, value(field.most));
        let zeros = Number::ratio(field.zeros, facts.ids());
        add(&ZEROS, zeros);
        let distinct = field.distinct();
        if let Some((values, _)) = distinct {
            add(&DISTINCT, values.into());
        }
        let distinct = distinct.map_or_else(
            || "-".to_owned(),
            |(values, more)| {
                format!(
                    "{}{}",
                    report::whole(values as f64),
                    if more { " and more" } else { "" }
                )
            },
        );
        let used = match field.field.kind {
            FieldKind::Counter | FieldKind::Node => short(100.0 * field.used()),
            _ => "-".to_owned(),
        };
        lines.push(vec![
            field.field.name.to_owned(),
            field.field.bits.to_string(),
            kind(field.field.kind).to_owned(),
            shown(field, field.least),
            shown(field, field.most),
            distinct,
            report::percent(zeros.as_f64()),
            used,
        ]);
    }
    let spans = facts.fields().iter().map(|field| (field.least, field.most));
    let mut notes: Vec<_> = fixed::misfit(facts.scheme(), spec, spans)
        .into_iter()
        .collect();
    if let Some(missing) = facts.missing() {
        rows.total(&MISSING, missing);
        notes.push(format!(
            "{} between the least and the most are not there, if none is there twice",
            report::plural(missing, "number")
        ));
    }
    Section::of_table(
        format!("Fields, read as {spec}"),
        &[
            "field", "bits", "kind", "least", "most", "values", "0 %", "used %",
        ],
        lines,
        notes,
        rows,
    )
}

fn values(field: &FieldFacts, ids: u64, mut rows: Rows) -> Section {
    let frequent = field.frequent(MOST_VALUES);
    let mut lines = Vec::new();
    for &(value, count) in &frequent {
        let text = shown(field, value);
        let share = Number::ratio(count, ids);
        let params = [
            ("field", field.field.name.into()),
            ("value", text.clone().into()),
        ];
        rows.push(&SHARE, None, share, &params);
        lines.push(vec![
            text,
            report::whole(count as f64),
            report::percent(share.as_f64()),
        ]);
    }
    let (all, more) = field.distinct().unwrap_or_default();
    let rest = all - frequent.len() as u64;
    let notes = match rest {
        0 => Vec::new(),
        rest => vec![format!(
            "and {} more{}",
            report::whole(rest as f64),
            if more { " at least" } else { "" }
        )],
    };
    Section::of_table(
        format!("Values of {}", field.field.name),
        &["value", "ids", "%"],
        lines,
        notes,
        rows,
    )
}

/// A value as the fields of ids are shown.
fn shown(field: &FieldFacts, value: u128) -> String {
    match field.field.bits {
        0..=48 if field.field.kind != FieldKind::Node || field.field.bits <= 32 => {
            value.to_string()
        }
        bits => format!("{value:#0width$x}", width = bits.div_ceil(4) as usize + 2),
    }
}

/// A number of per cent, with as many decimals as it needs.
fn short(percent: f64) -> String {
    match percent {
        0.1.. => format!("{percent:.1}"),
        _ => format!("{percent:.1e}"),
    }
}

/// A time in the unit that suits it.
fn length(ns: u64) -> String {
    let s = ns as f64 / 1e9;
    match s {
        ..120.0 => report::time(ns as f64),
        ..7200.0 => format!("{:.1} min", s / 60.0),
        ..172_800.0 => format!("{:.1} h", s / 3600.0),
        _ => format!("{:.1} days", s / 86_400.0),
    }
}

/// A rate in the unit that suits it.
fn per_time(per_s: f64) -> String {
    match per_s {
        1.0.. => format!("{} ids/s", report::whole(per_s)),
        _ if per_s * 3600.0 >= 1.0 => format!("{:.1} ids/h", per_s * 3600.0),
        _ => format!("{:.2} ids/day", per_s * 86_400.0),
    }
}
