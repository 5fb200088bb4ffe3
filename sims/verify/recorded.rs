//! What verifying one engine takes: its recorded loads, and how each column is predicted.

use crate::tolerance::Tolerance;
use anyhow::{Context, Result};
use idlab::engine::{EngineOptions, Profile};
use idlab::pool::CachePlan;
use std::collections::BTreeMap;

/// A measured load, by column.
pub type Load = BTreeMap<String, String>;

/// One engine's recorded loads.
pub struct Recorded {
    /// The engine's profile.
    pub engine: &'static str,
    /// Where the loads stand, from the top of the repository.
    pub file: &'static str,
    /// What stands there.
    pub csv: &'static str,
    /// The columns that are compared.
    pub columns: &'static [Column],
    /// What is to be loaded to predict a row.
    pub case: fn(&Load) -> Result<Case>,
    /// Columns that tell loads apart, for the record.
    pub told: &'static [&'static str],
}

/// What decides a prediction.
#[derive(Clone, Debug)]
pub struct Case {
    /// Engine and kind of index.
    pub profile: Profile,
    /// The stream.
    pub stream: String,
    /// Rows of it.
    pub rows: u64,
    /// Sizes.
    pub options: EngineOptions,
    /// The cache, if requests for pages are compared.
    pub cache: Option<CachePlan>,
    /// Rows from one commit to the next.
    pub transaction_rows: u64,
    /// Rows from one checkpoint to the next.
    pub checkpoint_rows: Option<u64>,
}

impl Case {
    /// The load of a row, without a cache.
    ///
    /// # Errors
    /// A column that is missing or no number.
    pub fn new(load: &Load, profile: impl Into<Profile>) -> Result<Self> {
        let optional = |column| match text(load, column) {
            "" => Ok(None),
            _ => number(load, column).map(Some),
        };
        Ok(Self {
            profile: profile.into(),
            stream: text(load, "stream").to_owned(),
            rows: number(load, "n_rows")?,
            options: EngineOptions {
                page_bytes: optional("page_bytes")?,
                payload_bytes: number(load, "payload_bytes")?,
                ..EngineOptions::default()
            },
            transaction_rows: optional("rows_per_txn")?.map_or(1000, u64::from),
            checkpoint_rows: None,
            cache: None,
        })
    }

    /// What two rows have in common if one prediction serves both.
    pub fn key(&self) -> String {
        format!("{self:?}")
    }
}

/// One column of the measurements, or a sum of several.
pub struct Column {
    /// The columns' names, with ` + ` between them.
    pub name: &'static str,
    /// Unit.
    pub unit: &'static str,
    /// The prediction; `None` if there is none for this load.
    pub predict: fn(&Totals, &Load) -> Option<f64>,
    /// Largest error that passes.
    pub tolerance: Tolerance,
}

/// A column that must be predicted exactly.
pub const fn exact(
    name: &'static str,
    unit: &'static str,
    predict: fn(&Totals, &Load) -> Option<f64>,
) -> Column {
    within(0.0, 0.0, name, unit, predict)
}

/// A column that must be predicted within an error, relative or absolute.
pub const fn within(
    relative: f64,
    absolute: f64,
    name: &'static str,
    unit: &'static str,
    predict: fn(&Totals, &Load) -> Option<f64>,
) -> Column {
    Column {
        name,
        unit,
        predict,
        tolerance: Tolerance { relative, absolute },
    }
}

impl Column {
    /// The measured number; `None` if the load does not have it.
    ///
    /// # Errors
    /// A column that is not a number.
    pub fn measured(&self, load: &Load) -> Result<Option<f64>> {
        let mut sum = 0.0;
        for column in self.name.split(" + ") {
            match load.get(column).map(String::as_str) {
                None | Some("") => return Ok(None),
                Some(text) => sum += text.parse::<f64>().with_context(|| column.to_owned())?,
            }
        }
        Ok(Some(sum))
    }
}

/// The totals of a predicted load, by measure; those of the table beside the index
/// and of groups of pages by `table/measure` and `measure/group`.
pub struct Totals(pub BTreeMap<String, f64>);

impl Totals {
    /// A total, if there is one.
    pub fn get(&self, name: &str) -> Option<f64> {
        self.0.get(name).copied()
    }

    /// The total of the tree that a row is about: of the table if `table`, else of the index.
    pub fn of_tree(&self, table: bool, name: &str) -> Option<f64> {
        match table {
            true => self.get(&format!("table/{name}")),
            false => self.get(name),
        }
    }
}

/// A number with three decimals, as loaders print it.
pub fn thousandths(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

/// The field of a load as a number.
///
/// # Errors
/// There is none.
pub fn number<T: std::str::FromStr>(load: &Load, column: &str) -> Result<T> {
    let text = load.get(column).map(String::as_str).unwrap_or_default();
    text.parse()
        .ok()
        .with_context(|| format!("column {column}: expected a number, found {text:?}"))
}

/// The field of a load as text, empty if there is none.
pub fn text<'a>(load: &'a Load, column: &str) -> &'a str {
    load.get(column).map(String::as_str).unwrap_or_default()
}
