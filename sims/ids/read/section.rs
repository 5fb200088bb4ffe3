//! Sections: tables for people, with the same numbers as rows of records.

use crate::report;
use idlab::clock::Timestamp;
use idlab::dump::{Kind, Lines};
use idlab::id::Key;
use idlab::inspect::recognise::Recognised;
use idlab::measure::Rows;
use idlab::record::{Grid, Row};
use idlab::scheme::Spec;

/// What is known of a list.
pub struct List {
    /// What rows of records call it.
    pub label: String,
    /// Number and kind of its ids and what was skipped, in one line; empty until all is read.
    pub title: String,
    /// The kind of its ids.
    pub kind: Kind,
    /// The scheme that its ids are read by, if any: the one asked for, or the best fit.
    pub spec: Option<Spec>,
    /// What fits, unless a scheme was asked for.
    pub recognised: Option<Recognised>,
    /// Ids; 0 until all are read.
    pub ids: u64,
    /// The lines that they are on; none until all are read.
    pub lines: Lines,
    /// The end of the day on which the question is asked.
    pub now: Timestamp,
    /// What records call the run.
    pub digest: String,
    /// Rows of records begin as these.
    pub rows: Rows,
}

/// One part of the answer.
pub trait Observer<K: Key> {
    /// Sees the next ids, in the order of arrival.
    fn see(&mut self, keys: &[K]);

    /// What it says of them.
    fn sections(self: Box<Self>, list: &List) -> Vec<Section>;
}

/// What is said under one heading.
pub struct Section {
    /// For people.
    pub text: String,
    /// The numbers.
    pub rows: Vec<Row>,
    /// Numbers over a plane.
    pub grids: Vec<Grid>,
}

impl Section {
    /// A section of this text.
    pub fn new(text: String, rows: Rows) -> Self {
        Self {
            text,
            rows: rows.into_rows(),
            grids: Vec::new(),
        }
    }

    /// A table, unless it has no lines, between its heading and notes.
    pub fn of_table(
        heading: String,
        columns: &[&str],
        lines: Vec<Vec<String>>,
        notes: Vec<String>,
        rows: Rows,
    ) -> Self {
        let mut table = (!lines.is_empty()).then(|| report::table(columns, lines.into_iter()));
        if columns.iter().all(|column| column.is_empty()) {
            // Without the line of the columns' names.
            table = table.and_then(|table| Some(table.split_once('\n')?.1.to_owned()));
        }
        let parts: Vec<_> = std::iter::once(heading).chain(table).chain(notes).collect();
        Self::new(parts.join("\n"), rows)
    }
}
