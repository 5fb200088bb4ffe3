//! The chart of `fleet`: rows that a reader loses against its lag window.

use super::axis::{Axis, Tick, plain};
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
    let lags = xs(&series).filter(|lag_ns| *lag_ns > 0.0);
    let least_s = lags.fold(1e9, f64::min) * PER_S;
    // A logarithmic axis has no 0: no window stands a decade before the least.
    let none_s = least_s / 10.0;
    let points = series.iter_mut().flat_map(|series| &mut series.points);
    points.for_each(|point| point.0 = (point.0 * PER_S).max(none_s));
    let mut x = Axis::log("lag window (s)", xs(&series))?;
    if xs(&series).any(|lag_s| lag_s == none_s) {
        let least = x.place(least_s * (1.0 - 1e-9));
        x.ticks.retain(|tick| tick.place >= least);
        x.ticks.insert(
            0,
            Tick {
                place: x.place(none_s),
                label: Some("none".to_owned()),
            },
        );
    }
    let series = positive(series, |(_, share)| *share > 0.0);
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
