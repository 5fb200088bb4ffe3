//! Rows that a reader loses against its lag window.

use super::super::axis::{Axis, Tick, plain};
use super::super::lines::Series;
use super::super::panel::{LARGE, sheet};
use super::super::picture::Picture;
use super::super::{positive, united, values, xs};
use super::{clocks, commits, param, rollbacks, schemes, series};
use crate::record::Records;

const MEASURE: &str = "skipped_rows_share";
const PER_S: f64 = 1e-9;

/// A panel of all schemes, or one a scheme where there are rollbacks; none if nothing is lost.
pub(super) fn picture(records: &Records) -> Option<Picture> {
    let rows = records.rows.iter().filter(|row| row.measure == MEASURE);
    let (schemes, rollbacks) = (schemes(records, MEASURE), rollbacks(records, MEASURE));
    let unit = (PER_S, 100.0);
    let mut panels: Vec<(String, Vec<Series>)> = match &*rollbacks {
        [""] | [] => vec![(
            String::new(),
            series(rows, &schemes, |row| &row.scheme, unit),
        )],
        _ => schemes
            .iter()
            .map(|scheme| {
                let rows = rows.clone().filter(|row| row.scheme == *scheme);
                let series = series(rows, &rollbacks, |row| param(row, "rollback"), unit);
                ((*scheme).to_owned(), series)
            })
            .collect(),
    };
    let all = panels.iter().flat_map(|(_, series)| series);
    let lags = all.flat_map(|series| &series.points).map(|point| point.0);
    let least_s = lags.filter(|lag_s| *lag_s > 0.0).fold(1e9, f64::min);
    // A logarithmic axis has no 0: no window stands a decade before the least.
    let none_s = least_s / 10.0;
    let points = panels
        .iter_mut()
        .flat_map(|(_, series)| series)
        .flat_map(|series| &mut series.points);
    points.for_each(|point| point.0 = point.0.max(none_s));
    let every: Vec<f64> = panels.iter().flat_map(|(_, series)| xs(series)).collect();
    let mut x = Axis::log("lag window (s)", every.iter().copied())?;
    if every.contains(&none_s) {
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
    let panels = panels.into_iter().map(|(title, series)| {
        let series = positive(series, |(_, share)| *share > 0.0);
        (title, series)
    });
    let panels: Vec<_> = panels.filter(|(_, series)| !series.is_empty()).collect();
    let (titles, panels): (Vec<String>, Vec<Vec<Series>>) = panels.into_iter().unzip();
    let y = Axis::log(
        "rows lost (%)",
        panels.iter().flat_map(|series| values(series)),
    )?;
    let poll = records.run.params.get("poll_ns");
    let poll = match poll.and_then(serde_json::Value::as_f64).unwrap_or(0.0) {
        0.0 => "who never rests".to_owned(),
        ns => format!("who polls each {} s", plain(ns * PER_S)),
    };
    let note = format!(
        "Clocks {}, commits {}, a reader {poll} and asks for id > last seen, created at least the lag ago. \
         Lower is better; a curve that ends, or is missing, has lost nothing from there on.",
        clocks(records),
        commits(records)
    );
    let (columns, cell, height) = match panels.len() {
        1 => (1, LARGE * 1.5, 360.0),
        _ => (2, LARGE, 260.0),
    };
    let mut picture = Picture::new(
        sheet(columns, cell),
        "Rows that a reader never sees, against its lag window",
        &note,
    );
    let areas = picture.panels(&titles, columns, cell, height);
    for (area, series) in areas.into_iter().zip(&panels) {
        picture.curves(area, (&x, &y), series, true);
    }
    picture.legend(&united(&panels));
    Some(picture)
}
