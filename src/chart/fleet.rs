//! The charts of `fleet`.

mod skipped;
mod sweep;
mod timeline;

use super::axis::plain;
use super::lines::Series;
use super::{Chart, ChartError, distinct};
use crate::record::{Records, Row};

/// The charts of `fleet`: rows that a reader loses against its lag window, the timeline of a
/// minute, or what a sweep found.
///
/// Measures read: rows of `skipped_rows_share`, the lag window in nanoseconds as `x`; rows of
/// `timeline_lead_ms` and `timeline_refused_calls`, the time as `x`; of a sweep (param `sweep` of
/// the run), rows of its measures, the size in nanoseconds as `x`; params `rollback`, `holder`, `writer`, `kind`.
/// A chart without data is not made.
///
/// # Errors
/// Those of drawing.
pub fn fleet(records: &Records) -> Result<Vec<Chart>, ChartError> {
    let pictures = [
        ("fleet_skipped", skipped::picture(records)),
        ("fleet_timeline", timeline::picture(records)),
        ("fleet_skew", sweep::skew(records)),
        ("fleet_step", sweep::step(records)),
        ("fleet_pause", sweep::pause(records)),
    ];
    let pictures = pictures
        .into_iter()
        .filter_map(|(name, picture)| Some((name, picture?)));
    pictures
        .map(|(name, picture)| picture.chart(name.to_owned()))
        .collect()
}

/// A parameter of a row; empty if it has none of this name.
fn param<'a>(row: &'a Row, name: &str) -> &'a str {
    let value = row.params.get(name).and_then(|value| value.as_str());
    value.unwrap_or_default()
}

/// A parameter of the run, as text.
fn run_param(records: &Records, name: &str) -> String {
    match records.run.params.get(name) {
        Some(serde_json::Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
        None => "?".to_owned(),
    }
}

/// The writers' clocks, in words of the flags.
fn clocks(records: &Records) -> String {
    match records
        .run
        .params
        .get("clock_sd_ns")
        .and_then(|ns| ns.as_f64())
    {
        Some(ns) => format!("off by constants of sd {} ms", plain(ns * 1e-6)),
        None => run_param(records, "clock"),
    }
}

/// The time from minting to commit, in words of the flags.
fn commits(records: &Records) -> String {
    match records
        .run
        .params
        .get("delay_mean_ns")
        .and_then(|ns| ns.as_f64())
    {
        Some(ns) => format!("exponential of mean {} ms", plain(ns * 1e-6)),
        None => run_param(records, "commit"),
    }
}

/// A series for each of `names`, of the rows of a measure whose name it is; `x` and values times these units.
fn series<'a>(
    rows: impl Iterator<Item = &'a Row> + Clone,
    names: &[&str],
    name: impl Fn(&Row) -> &str,
    (x_unit, unit): (f64, f64),
) -> Vec<Series> {
    let series = names.iter().enumerate().map(|(style, wanted)| {
        let of = rows.clone().filter(|row| name(row) == *wanted);
        let points = of.filter_map(|row| {
            let (x, value) = (row.x?.as_f64() * x_unit, row.value.as_f64() * unit);
            (x.is_finite() && value.is_finite()).then_some((x, value))
        });
        let mut points: Vec<_> = points.collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        Series {
            name: (*wanted).to_owned(),
            style,
            points,
        }
    });
    series.filter(|series| !series.points.is_empty()).collect()
}

/// The schemes of rows of a measure.
fn schemes<'a>(records: &'a Records, measure: &str) -> Vec<&'a str> {
    let rows = records.rows.iter().filter(|row| row.measure == measure);
    distinct(rows.map(|row| row.scheme.as_str()))
}

/// The rollbacks of rows of a measure; an empty one if none was asked for.
fn rollbacks<'a>(records: &'a Records, measure: &str) -> Vec<&'a str> {
    let rows = records.rows.iter().filter(|row| row.measure == measure);
    distinct(rows.map(|row| param(row, "rollback")))
}

#[cfg(test)]
mod tests;
