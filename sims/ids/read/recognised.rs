//! What the ids are: how many of which kind, and which schemes fit.

use super::{List, Observer, Section, equals};
use crate::ids::decode::KindsOf;
use crate::ids::instant;
use idlab::clock::Timestamp;
use idlab::id::Key;
use idlab::inspect::recognise::Fit;
use idlab::record::Measured;
use idlab::scheme;

pub const FIT: Measured = Measured {
    name: "fit",
    unit: "rank",
    about: "a scheme that fits a list of ids: 1 the best and its equals, then from better to worse",
};

pub const IDS: Measured = Measured {
    name: "ids_read",
    unit: "ids",
    about: "ids of a list",
};

/// Schemes that are shown of those that fit worse.
const MOST_OTHERS: usize = 4;

/// Knows all it says from the first ids.
pub struct Heading;

impl<K: Key> Observer<K> for Heading {
    fn see(&mut self, _: &[K]) {}

    fn sections(self: Box<Self>, list: &List) -> Vec<Section> {
        let mut rows = list.rows.clone();
        rows.push(
            &IDS,
            None,
            list.ids.into(),
            &[("kind", list.kind.name().into())],
        );
        let Some(found) = &list.recognised else {
            let spec = list
                .spec
                .as_ref()
                .map(ToString::to_string)
                .unwrap_or_default();
            let text = format!("{}\nRead as {spec}, as asked.", list.title);
            return vec![Section::new(text, rows)];
        };
        let mut lines = Vec::new();
        let ranks = std::iter::repeat_n(1, found.equals.len()).chain(2..);
        let fits = found
            .equals
            .iter()
            .chain(found.others.iter().take(MOST_OTHERS));
        for (rank, fit) in ranks.zip(fits) {
            let shown = |at: Option<Timestamp>| at.map_or_else(|| "-".to_owned(), instant);
            let also = fit.also.join(" ");
            lines.push(vec![
                fit.spec.clone(),
                rank.to_string(),
                if also.is_empty() {
                    "-".to_owned()
                } else {
                    also
                },
                shown(fit.span.map(|span| span.0)),
                shown(fit.span.map(|span| span.1)),
                fit.why.clone(),
            ]);
            let params = [
                ("as", fit.spec.clone().into()),
                ("also", fit.also.clone().into()),
                ("why", fit.why.clone().into()),
            ];
            rows.push(&FIT, None, (rank as u64).into(), &params);
        }
        let mut notes = match found.equals.as_slice() {
            [] => vec!["No scheme of `sim list schemes` fits all of them.".to_owned()],
            [_] => Vec::new(),
            [best, ..] => vec![format!(
                "The ids do not tell these apart: {}. Below they are read as {}, the likeliest; --as reads them as another.",
                equals(found),
                best.spec
            )],
        };
        notes.extend(found.best().and_then(epoch));
        let columns = ["scheme", "rank", "same ids", "first", "last", "why"];
        let heading = list.title.clone();
        vec![Section::of_table(heading, &columns, lines, notes, rows)]
    }
}

/// Years that are early for ids with a millisecond in them: before 2010.
const EARLY: Timestamp = Timestamp::from_ms(1_262_304_000_000);

/// What is to be said of a fit whose epoch its users choose.
pub fn epoch(fit: &Fit) -> Option<String> {
    let (first, _) = fit.span?;
    let give = give_epoch(&fit.spec)?;
    let doubt = doubt(first, fit.is_future).unwrap_or_default();
    Some(format!(
        "{doubt}No list tells its epoch: if it is not that of {}, {give}",
        fit.spec
    ))
}

/// The same where a scheme was asked for, if its instants are hard to believe.
pub fn doubted_epoch(spec: &str, first: Timestamp, is_future: bool) -> Option<String> {
    let (give, doubt) = (give_epoch(spec)?, doubt(first, is_future)?);
    Some(format!("{doubt}If the epoch is another one, {give}"))
}

fn doubt(first: Timestamp, is_future: bool) -> Option<&'static str> {
    match (is_future, first < EARLY) {
        (true, _) => Some("Some of these times are in the future. "),
        (false, true) => Some("Some of these times are before 2010. "),
        (false, false) => None,
    }
}

fn give_epoch(spec: &str) -> Option<String> {
    let parts = spec.split(':').filter(|part| !part.starts_with("epoch"));
    let spec = format!("{}:epoch=2024-01-01", parts.collect::<Vec<_>>().join(":"));
    scheme::visit(&spec.parse().ok()?, KindsOf).ok()?;
    Some(format!("give it, as in --as {spec}."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use idlab::dump::Kind;

    #[test]
    fn an_epoch_is_asked_for_where_users_choose_it() {
        let fit = |spec: &str, year: u64, is_future| Fit {
            spec: spec.to_owned(),
            also: Vec::new(),
            kind: Kind::Unsigned,
            bits: 0.0,
            span: Some((
                Timestamp::from_ms(year * 31_557_600_000),
                Timestamp::from_ms(0),
            )),
            is_future,
            why: String::new(),
        };
        let said = |spec, year, is_future| epoch(&fit(spec, year, is_future)).unwrap_or_default();
        let plain = "No list tells its epoch: if it is not that of snowflake, give it, as in --as snowflake:epoch=2024-01-01.";
        assert_eq!(said("snowflake", 50, false), plain);
        assert_eq!(
            said("snowflake", 70, true),
            format!("Some of these times are in the future. {plain}")
        );
        assert_eq!(
            said("snowflake", 38, false),
            format!("Some of these times are before 2010. {plain}")
        );
        let unix = said("snowflake:epoch_ms=unix", 50, false);
        assert!(unix.ends_with("--as snowflake:epoch=2024-01-01."), "{unix}");
        for fixed in ["tsid", "uuid_v7", "ulid"] {
            assert_eq!(said(fixed, 70, true), "");
        }
        let asked =
            |first, is_future| doubted_epoch("discord", Timestamp::from_ms(first), is_future);
        assert_eq!(asked(1_700_000_000_000, false), None);
        let future = "Some of these times are in the future. If the epoch is another one, give it, as in --as discord:epoch=2024-01-01.";
        assert_eq!(asked(1_900_000_000_000, true).as_deref(), Some(future));
    }
}
