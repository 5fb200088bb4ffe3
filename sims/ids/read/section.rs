//! Sections: tables for people, with the same numbers as rows of records.

use crate::report;
use idlab::dump::Kind;
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

/// A table under a heading.
pub struct Section {
    /// The heading.
    pub heading: String,
    /// Headings of the columns.
    pub columns: Vec<&'static str>,
    /// Lines of cells.
    pub lines: Vec<Vec<String>>,
    /// Lines below the table.
    pub notes: Vec<String>,
    /// The numbers.
    pub rows: Vec<Row>,
    /// Numbers over a plane.
    pub grids: Vec<Grid>,
}

impl Section {
    /// A section that is text already.
    pub fn of_text(text: String, rows: Rows) -> Self {
        Self {
            heading: text,
            columns: Vec::new(),
            lines: Vec::new(),
            notes: Vec::new(),
            rows: rows.into_rows(),
            grids: Vec::new(),
        }
    }

    /// The table as text.
    pub fn table(&self) -> String {
        let mut parts = vec![self.heading.clone()];
        if !self.lines.is_empty() {
            parts.push(report::table(&self.columns, self.lines.iter().cloned()));
        }
        parts.extend(self.notes.iter().cloned());
        parts.join("\n")
    }
}
