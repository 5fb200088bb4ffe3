//! What the ids are: how many of which kind, and which schemes fit.

use super::{List, Observer, Section, equals};
use crate::ids::instant;
use idlab::clock::Timestamp;
use idlab::id::Key;
use idlab::record::Measured;

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
        let notes = match found.equals.as_slice() {
            [] => vec!["No scheme of `sim list schemes` fits.".to_owned()],
            [_] => Vec::new(),
            [best, ..] => vec![format!(
                "The ids do not tell these apart: {}. Below they are read as {}; --as reads them as another.",
                equals(found),
                best.spec
            )],
        };
        let columns = ["scheme", "rank", "same ids", "first", "last", "why"];
        let heading = list.title.clone();
        vec![Section::of_table(heading, &columns, lines, notes, rows)]
    }
}
