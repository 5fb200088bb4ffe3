//! Latency of generators by quantile.

use super::axis::{Axis, Tick};
use super::lines::Series;
use super::panel::{LARGE, sheet};
use super::picture::Picture;
use super::{Chart, ChartError, distinct, positive, united, values};
use crate::record::{Records, Row};
use std::collections::BTreeSet;

/// The chart of `latency`: response time against quantile, a panel for each number of generators.
///
/// Measure read: rows of `response_ns`, quantiles as `x`, by parameter `generators`.
///
/// # Errors
/// Those of drawing.
pub fn latency(records: &Records) -> Result<Vec<Chart>, ChartError> {
    let charts = picture(records).map(|picture| picture.chart("latency".to_owned()));
    charts.into_iter().collect()
}

/// Microseconds in a nanosecond.
const PER_NS: f64 = 1e-3;

/// Where the worst call stands: beyond all quantiles.
const WORST: f64 = 1e6;

const TICKS: [(f64, &str); 6] = [
    (2.0, "50"),
    (10.0, "90"),
    (100.0, "99"),
    (1e3, "99.9"),
    (1e4, "99.99"),
    (WORST, "worst"),
];

/// Place of a quantile on a logarithmic axis: one in how many calls takes longer.
fn one_in(quantile: f64) -> f64 {
    if quantile < 1.0 {
        1.0 / (1.0 - quantile)
    } else {
        WORST
    }
}

fn picture(records: &Records) -> Option<Picture> {
    let rows: Vec<_> = (records.rows.iter())
        .filter(|row| row.measure == "response_ns")
        .collect();
    let generators = |row: &Row| {
        row.params
            .get("generators")
            .and_then(|count| count.as_u64())
    };
    let counts: BTreeSet<u64> = rows.iter().filter_map(|row| generators(row)).collect();
    let schemes = distinct(rows.iter().map(|row| &*row.scheme));
    let panels = counts.into_iter().map(|count| {
        let series = schemes.iter().enumerate().map(|(style, scheme)| Series {
            name: (*scheme).to_owned(),
            style,
            points: rows
                .iter()
                .filter(|row| row.scheme == *scheme && generators(row) == Some(count))
                .filter_map(|row| {
                    Some((
                        one_in(row.x?.as_f64()),
                        row.value.as_f64().max(1.0) * PER_NS,
                    ))
                })
                .collect(),
        });
        let series = positive(series.collect(), |(x, ns)| x.is_finite() && ns.is_finite());
        let title = match count {
            1 => "1 generator".to_owned(),
            _ => format!("{count} generators, a thread each"),
        };
        (title, series)
    });
    let (titles, panels): (Vec<String>, Vec<Vec<Series>>) = panels.unzip();
    let mut x = Axis::log("calls that are no slower (%)", [2.0, WORST])?;
    x.ticks = TICKS
        .map(|(one_in, label)| Tick {
            place: x.place(one_in),
            label: Some(label.to_owned()),
        })
        .to_vec();
    let y = Axis::log(
        "response time (µs)",
        panels.iter().flat_map(|series| values(series)),
    )?;
    let param = |name: &str| {
        records
            .run
            .params
            .get(name)
            .and_then(|value| value.as_u64())
    };
    let clock = records
        .run
        .params
        .get("clock")
        .and_then(|clock| clock.as_str());
    let note = format!(
        "Each generator is asked for {} ids a second, by the {} clock; a time counts from when the id was due. Lower is better.",
        super::short(param("rate_per_s").unwrap_or_default() as f64),
        clock.unwrap_or_default(),
    );
    let columns = panels.len().min(3);
    let mut picture = Picture::new(
        sheet(columns, LARGE),
        "Latency of minting an id, up to the worst call",
        &note,
    );
    let areas = picture.panels(&titles, columns, LARGE, 300.0);
    for (area, series) in areas.into_iter().zip(&panels) {
        picture.curves(area, (&x, &y), series, true);
    }
    picture.legend(&united(&panels));
    Some(picture)
}
