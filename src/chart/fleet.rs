//! The chart of `fleet`: rows that a reader loses against its lag window.

use super::axis::{Axis, plain};
use super::panel::{LARGE, sheet};
use super::picture::Picture;
use super::{Chart, ChartError, positive, values, views, xs};
use crate::record::Records;

/// The chart of `fleet`: rows that a reader loses against its lag window.
///
/// Measure read: rows of `skipped_rows_share`, the lag window in nanoseconds as `x`.
/// Nothing lost, no chart.
///
/// # Errors
/// Those of drawing.
pub fn fleet(records: &Records) -> Result<Vec<Chart>, ChartError> {
    let mut charts = Vec::new();
    for view in views(records) {
        if let Some(picture) = picture(&view) {
            charts.push(picture.chart(view.file("fleet_skipped"))?);
        }
    }
    Ok(charts)
}

fn picture(view: &super::View) -> Option<Picture> {
    const PER_S: f64 = 1e-9;
    let mut series = view.series("skipped_rows_share", 100.0, |_| true);
    let lags = xs(&series);
    let least = lags
        .filter(|lag| *lag > 0.0)
        .fold(f64::INFINITY, f64::min)
        .min(1e9);
    // A logarithmic axis has no 0.
    let none = least / 10.0;
    let points = series.iter_mut().flat_map(|series| &mut series.points);
    points.for_each(|point| point.0 = point.0.max(none) * PER_S);
    let all: Vec<f64> = xs(&series).collect();
    let series = positive(series, |(_, share)| *share > 0.0);
    let x = Axis::log("lag window (s); leftmost: none", all)?;
    let y = Axis::log("rows lost (%)", values(&series))?;
    let param = |name: &str| {
        let text = view.records.run.params.get(name);
        text.and_then(|text| text.as_str()).unwrap_or("?")
    };
    let poll = view.records.run.params.get("poll_ns");
    let poll = match poll.and_then(serde_json::Value::as_f64).unwrap_or(0.0) {
        0.0 => "who never rests".to_owned(),
        ns => format!("who polls each {} s", plain(ns * PER_S)),
    };
    let note = format!(
        "Clocks {}, commits {}, a reader {poll} and asks for id > last seen, created at least the lag ago. \
         Lower is better; a curve that ends, or is missing, has lost nothing from there on.",
        param("clock"),
        param("commit")
    );
    let mut picture = Picture::new(
        sheet(1, LARGE * 1.5),
        "Rows that a reader never sees, against its lag window",
        &note,
    );
    for area in picture.panels(&[String::new()], 1, LARGE * 1.5, 360.0) {
        picture.curves(area, (&x, &y), &series, true);
    }
    picture.legend(&series);
    Some(picture)
}
