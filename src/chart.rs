//! Charts of records, as SVG and PNG.
//!
//! A chart is a pure function of [`Records`]: the same records give the same
//! bytes. Its font is inside the program, so none need be installed.

mod axis;
mod btree;
mod fill;
mod fleet;
mod generation;
mod ids;
mod latency;
mod lines;
mod locality;
mod panel;
mod picture;
mod shards;
#[cfg(test)]
mod tests;

use crate::record::{Records, Row};
use axis::{Axis, plain, short};
pub use btree::btree;
pub use fleet::fleet;
pub use generation::generation;
pub use ids::ids;
pub use latency::latency;
use lines::Series;
use panel::sheet;
use picture::Picture;
pub use shards::shards;
use std::collections::BTreeSet;
use thiserror::Error;

/// A picture, as SVG text and PNG bytes, and the stem of its file name.
#[derive(Clone, PartialEq, Debug)]
pub struct Chart {
    /// Stem of the file name.
    pub name: String,
    /// The picture as SVG.
    pub svg: String,
    /// The picture as PNG, twice as many pixels wide as the SVG.
    pub png: Vec<u8>,
}

/// Why a chart cannot be made.
#[derive(Debug, Error)]
pub enum ChartError {
    /// Drawing failed.
    #[error("drawing a chart: {0}")]
    Drawing(String),
    /// Writing PNG failed.
    #[error("encoding a chart: {0}")]
    Png(#[from] png::EncodingError),
}

/// The charts of `tail`: index size by ids per millisecond, an engine.
///
/// Measure read: rows of `index_bytes`, ids per millisecond as `x`.
///
/// # Errors
/// Those of drawing.
pub fn tail(records: &Records) -> Result<Vec<Chart>, ChartError> {
    let mut charts = Vec::new();
    for view in views(records) {
        if let Some(picture) = tail_cliff(&view) {
            charts.push(picture.chart(view.file("tail_index_bytes"))?);
        }
    }
    Ok(charts)
}

/// The charts of `cliff`: pages read an insert by rows, an engine.
///
/// Measure read: rows of `reads_per_insert_by_rows`, rows as `x`.
///
/// # Errors
/// Those of drawing.
pub fn cliff(records: &Records) -> Result<Vec<Chart>, ChartError> {
    let mut charts = Vec::new();
    for view in views(records) {
        if let Some(picture) = reads_by_rows(&view) {
            charts.push(picture.chart(view.file("cliff"))?);
        }
    }
    Ok(charts)
}

/// What records say of one engine.
struct View<'a> {
    records: &'a Records,
    engine: &'a str,
    /// Whether there are others.
    several: bool,
    /// Every scheme of the records; its place fixes its look in all charts.
    schemes: Vec<&'a str>,
}

fn views(records: &Records) -> Vec<View<'_>> {
    let engines = distinct(records.rows.iter().map(|row| row.engine.as_str()));
    let schemes = distinct(records.rows.iter().map(|row| row.scheme.as_str()));
    let several = engines.len() > 1;
    engines
        .into_iter()
        .map(|engine| View {
            records,
            engine,
            several,
            schemes: schemes.clone(),
        })
        .collect()
}

/// Each name once, in order of first appearance.
fn distinct<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut seen = BTreeSet::new();
    names.filter(|name| seen.insert(*name)).collect()
}

impl<'a> View<'a> {
    fn rows(&self, measure: &str) -> impl Iterator<Item = &'a Row> {
        self.records
            .rows
            .iter()
            .filter(move |row| row.engine == self.engine && row.measure == measure)
    }

    /// A series a scheme of the points that `keep`s, values times `unit`.
    fn series(&self, measure: &str, unit: f64, keep: impl Fn(&Row) -> bool) -> Vec<Series> {
        let rows: Vec<_> = self.rows(measure).filter(|row| keep(row)).collect();
        let of = |scheme: &str| {
            let rows = rows.iter().filter(|row| row.scheme == scheme);
            let points = rows.filter_map(|row| Some((row.x?.as_f64(), row.value.as_f64() * unit)));
            let mut points: Vec<_> = points
                .filter(|(x, value)| x.is_finite() && value.is_finite())
                .collect();
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            points
        };
        let series = self.schemes.iter().enumerate();
        let series = series.map(|(style, name)| Series {
            name: (*name).to_owned(),
            style,
            points: of(name),
        });
        series.filter(|series| !series.points.is_empty()).collect()
    }

    /// Stem of the file of chart `name`.
    fn file(&self, name: &str) -> String {
        let safe = |c: char| {
            if c.is_ascii_alphanumeric() || c == '-' {
                c
            } else {
                '_'
            }
        };
        match self.several {
            true => format!(
                "{name}_{}",
                self.engine.chars().map(safe).collect::<String>()
            ),
            false => name.to_owned(),
        }
    }

    /// What an explanation begins with.
    fn note(&self) -> String {
        if self.engine.is_empty() {
            String::new()
        } else {
            format!("Engine {}. ", self.engine)
        }
    }
}

fn xs(series: &[Series]) -> impl Iterator<Item = f64> + Clone {
    series
        .iter()
        .flat_map(|series| &series.points)
        .map(|point| point.0)
}

fn values(series: &[Series]) -> impl Iterator<Item = f64> + Clone {
    series
        .iter()
        .flat_map(|series| &series.points)
        .map(|point| point.1)
}

/// `series` without the points that a logarithmic axis has no place for.
fn positive(series: Vec<Series>, kept: impl Fn(&(f64, f64)) -> bool) -> Vec<Series> {
    let cut = |series: Series| Series {
        points: series.points.into_iter().filter(&kept).collect(),
        ..series
    };
    series
        .into_iter()
        .map(cut)
        .filter(|series| !series.points.is_empty())
        .collect()
}

/// Those of all panels, each once, as the legend needs them.
fn united(panels: &[Vec<Series>]) -> Vec<Series> {
    let mut all: Vec<Series> = Vec::new();
    for series in panels.iter().flatten() {
        if all.iter().all(|known| known.style != series.style) {
            all.push(series.clone());
        }
    }
    all.sort_by_key(|series| series.style);
    all
}

/// From bytes to MiB.
const PER_MIB: f64 = 1.0 / (1024.0 * 1024.0);

fn tail_cliff(view: &View) -> Option<Picture> {
    let series = positive(view.series("index_bytes", PER_MIB, |_| true), |(x, _)| {
        *x > 0.0
    });
    let x = Axis::log("ids per millisecond", xs(&series))?;
    let y = Axis::linear(
        "index size (MiB)",
        values(&series).fold(0.0, f64::max),
        plain,
    );
    let rows = view
        .records
        .run
        .params
        .get("rows")
        .map(|rows| match rows.as_f64() {
            Some(rows) => short(rows),
            None => rows
                .as_str()
                .map_or_else(|| rows.to_string(), str::to_owned),
        });
    let title = match rows {
        Some(rows) => format!(
            "UUIDv7's half-leaf cliff: index size of {rows} rows against ids per millisecond"
        ),
        None => "UUIDv7's half-leaf cliff: index size against ids per millisecond".to_owned(),
    };
    let note = format!(
        "{}A larger index for the same rows has emptier leaves.",
        view.note()
    );
    let mut picture = Picture::new(sheet(1, 860.0), &title, &note);
    for area in picture.panels(&[String::new()], 1, 860.0, 360.0) {
        picture.curves(area, (&x, &y), &series, true);
    }
    picture.legend(&series);
    Some(picture)
}

fn reads_by_rows(view: &View) -> Option<Picture> {
    let series = view.series("reads_per_insert_by_rows", 1.0, |row| {
        row.x.is_some_and(|rows| rows.as_f64() > 0.0)
    });
    let x = Axis::log("rows in the table", xs(&series))?;
    let top = values(&series).fold(0.0, f64::max).max(0.1);
    let y = Axis::linear("pages read per insert", top, plain);
    let param = |name: &str| view.records.run.params.get(name)?.as_f64();
    let size = |bytes: f64| match bytes {
        gib if gib >= 1024.0 * 1024.0 * 1024.0 => format!("{} GiB", plain(gib / 1_073_741_824.0)),
        mib => format!("{} MiB", plain(mib * PER_MIB)),
    };
    let title = match param("cache_bytes") {
        Some(bytes) => format!(
            "The cliff: where inserts outgrow a cache of {}",
            size(bytes)
        ),
        None => "The cliff: where inserts outgrow a cache".to_owned(),
    };
    let row = param("row_bytes").map_or_else(String::new, |bytes| format!("Rows of {bytes} bytes"));
    let more = match param("secondary") {
        Some(indexes) if indexes > 0.0 => format!(", {indexes} further indexes on random values"),
        _ => String::new(),
    };
    let note = format!(
        "{}{row}{more}. Zero: every page that an insert needs is in the cache, or new.",
        view.note()
    );
    let mut picture = Picture::new(sheet(1, 860.0), &title, &note);
    for area in picture.panels(&[String::new()], 1, 860.0, 360.0) {
        picture.curves(area, (&x, &y), &series, false);
    }
    picture.legend(&series);
    Some(picture)
}
