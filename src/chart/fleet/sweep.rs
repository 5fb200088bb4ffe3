//! What sweeps found: disorder against skew, steps and pauses against their length.

use super::super::axis::{Axis, Tick, plain, short};
use super::super::lines::Series;
use super::super::panel::{Area, sheet};
use super::super::picture::{Anchor, Font, INK, Picture};
use super::super::{distinct, united, values, xs};
use super::{param, rollbacks, run_param, schemes, series};
use crate::record::{Records, Row};
use plotters::style::RGBColor;

const PER_S: f64 = 1e-9;
const PER_MS: f64 = 1e-6;
const CELL: f64 = 420.0;
const HEIGHT: f64 = 260.0;
const SOFT: RGBColor = RGBColor(0x88, 0x88, 0x88);

fn rows<'a>(
    records: &'a Records,
    sweep: &str,
    measure: &'a str,
) -> impl Iterator<Item = &'a Row> + Clone {
    let swept = run_param(records, "sweep") == sweep;
    let rows = records.rows.iter();
    rows.filter(move |row| swept && row.measure == measure && row.x.is_some())
}

/// The most that values may differ in times for a linear axis.
const MOST_LINEAR: f64 = 30.0;

/// An axis with a place for zeros, its lowest: logarithmic, or linear if values hardly differ.
fn with_zero(title: &str, panels: &[&Vec<Series>]) -> Axis {
    let all = panels.iter().flat_map(|series| values(series));
    let positive = all.clone().filter(|value| *value > 0.0);
    let least = positive.clone().fold(f64::INFINITY, f64::min);
    let most = all.fold(0.0, f64::max);
    if most <= least * MOST_LINEAR {
        return Axis::linear(title, most * 1.1, plain);
    }
    // Zero stands a decade, or a tenth of all decades, below the least.
    let decades = (libm::log10(most / least) * 0.1).max(1.0);
    let zero = least / libm::pow(10.0, decades);
    let Some(mut axis) = Axis::log(title, positive.chain([zero])) else {
        return Axis::linear(title, most, plain);
    };
    let first = axis.place(least * (1.0 - 1e-9));
    axis.ticks.retain(|tick| tick.place >= first);
    axis.ticks.insert(
        0,
        Tick {
            place: 0.0,
            label: Some("0".to_owned()),
        },
    );
    axis
}

impl Picture {
    /// Bars from the least to the most of the runs behind each point.
    fn spread<'a>(
        &mut self,
        area: Area,
        (x, y): (&Axis, &Axis),
        rows: impl Iterator<Item = &'a Row>,
        x_unit: f64,
        series: impl Fn(&Row) -> Option<&'a Series>,
    ) {
        for row in rows {
            let bounds = row.x.zip(row.low.zip(row.high));
            let (Some((at, (low, high))), Some(series)) = (bounds, series(row)) else {
                continue;
            };
            let place = |value: f64| area.at(x.place(at.as_f64() * x_unit), y.place(value));
            let (low, high) = (place(low.as_f64()), place(high.as_f64()));
            if low.1 - high.1 > 1.0 {
                self.line(vec![low, high], series.color(), 1.0, None);
            }
        }
    }
}

/// A panel: its title, its axis, and the measure that it is of.
struct Panel<'a> {
    title: String,
    axis: &'static str,
    measure: &'static str,
    scheme: Option<&'a str>,
}

/// Panels over the swept size, each with the series that `name` tells apart.
fn panels(
    records: &Records,
    (sweep, x_title, x_unit): (&str, &str, f64),
    heading: (&str, &str),
    panels: &[Panel],
    (names, name): (&[&str], impl Fn(&Row) -> &str),
    columns: usize,
    mut extra: impl FnMut(&mut Picture, Area, (&Axis, &Axis), &Panel),
) -> Option<Picture> {
    let of = |panel: &Panel| {
        let scheme = panel.scheme.map(str::to_owned);
        rows(records, sweep, panel.measure)
            .filter(move |row| scheme.as_ref().is_none_or(|scheme| row.scheme == *scheme))
    };
    let found: Vec<Vec<Series>> = panels
        .iter()
        .map(|panel| series(of(panel), names, &name, (x_unit, 1.0)))
        .collect();
    let x = Axis::log(x_title, found.iter().flat_map(|series| xs(series)))?;
    let mut picture = Picture::new(sheet(columns, CELL), heading.0, heading.1);
    let titles: Vec<String> = panels.iter().map(|panel| panel.title.clone()).collect();
    let areas = picture.panels(&titles, columns, CELL, HEIGHT);
    for ((area, panel), series) in areas.into_iter().zip(panels).zip(&found) {
        // One scale for all panels of a measure.
        let same = panels.iter().zip(&found);
        let same = same.filter(|(other, _)| other.measure == panel.measure);
        let same: Vec<&Vec<Series>> = same.map(|(_, series)| series).collect();
        let y = with_zero(panel.axis, &same);
        picture.curves(area, (&x, &y), series, false);
        picture.spread(area, (&x, &y), of(panel), x_unit, |row| {
            series.iter().find(|series| series.name == name(row))
        });
        extra(&mut picture, area, (&x, &y), panel);
    }
    picture.legend(&united(&found));
    Some(picture)
}

/// How runs were made.
fn made(records: &Records) -> String {
    format!(
        "{} writers, {} ids a second together, means of {} runs each; bars from the least to the most.",
        run_param(records, "writers"),
        run_param(records, "rate"),
        run_param(records, "replicas"),
    )
}

/// Disorder against the standard deviation of clock offsets, a series a scheme.
pub(super) fn skew(records: &Records) -> Option<Picture> {
    let panel = |title: &str, axis, measure| Panel {
        title: title.to_owned(),
        axis,
        measure,
        scheme: None,
    };
    let all = [
        panel(
            "Pairs out of order (grey: closed form)",
            "pairs per row",
            "inversions_per_row",
        ),
        panel(
            "Distance from the place by id, median",
            "rows",
            "displacement_p50_rows",
        ),
        panel(
            "Distance from the place by id, 99 %",
            "rows",
            "displacement_p99_rows",
        ),
        panel(
            "k-sorted: most rows behind a larger id",
            "rows",
            "k_sorted_rows",
        ),
    ];
    let expected = rows(records, "skew", "inversions_expected_per_row");
    let first = expected.clone().next().map(|row| row.scheme.as_str());
    let expected = expected.filter(|row| Some(row.scheme.as_str()) == first);
    let expected = expected.filter_map(|row| Some((row.x?.as_f64() * PER_MS, row.value.as_f64())));
    let mut expected: Vec<(f64, f64)> = expected.collect();
    expected.sort_by(|a, b| a.0.total_cmp(&b.0));
    let note = format!(
        "Each writer's clock is off by a constant, normal around 0; lower is better. {} Closed form: (rate/2) E|A - A'| of the offsets A, \
         for ids that say the time exactly; coarse ticks have ties besides. A curve at 0 is in perfect order.",
        made(records)
    );
    panels(
        records,
        (
            "skew",
            "standard deviation of the clocks' offsets (ms)",
            PER_MS,
        ),
        ("Disorder against clock skew", &note),
        &all,
        (&schemes(records, "inversions_per_row"), |row| &row.scheme),
        2,
        |picture, area, (x, y), panel| {
            if panel.measure == "inversions_per_row" {
                let inside = expected.iter().filter(|(_, value)| y.place(*value) > 0.0);
                let place = |(at, value): &(f64, f64)| area.at(x.place(*at), y.place(*value));
                picture.line(inside.map(place).collect(), SOFT, 5.0, Some((1.0, 6.0)));
            }
        },
    )
}

/// Time without ids, refused calls and duplicates against the size of a step back: a row of
/// panels a scheme, a series a rollback.
pub(super) fn step(records: &Records) -> Option<Picture> {
    const MEASURES: [(&str, &str, &str); 3] = [
        ("time without ids", "ms", "unavailable_per_step_ms"),
        ("refused calls", "calls", "refused_calls_per_step"),
        ("duplicates", "ids", "duplicate_ids_per_step"),
    ];
    let schemes = schemes(records, MEASURES[0].2);
    let all = schemes.iter().flat_map(|scheme| {
        MEASURES.map(|(what, axis, measure)| Panel {
            title: format!("{scheme}: {what}"),
            axis,
            measure,
            scheme: Some(scheme),
        })
    });
    let note = format!(
        "The clock of each writer is set back once; lower is better, 0 is at the bottom. {} All per step.",
        made(records)
    );
    panels(
        records,
        ("step", "step back (s)", PER_S),
        ("What a step back of the clock costs, by rollback", &note),
        &all.collect::<Vec<_>>(),
        (&rollbacks(records, MEASURES[0].2), |row| {
            param(row, "rollback")
        }),
        3,
        |_, _, _, _| {},
    )
}

/// Duplicates and time of shared numbers against the length of a pause, a series a holder.
pub(super) fn pause(records: &Records) -> Option<Picture> {
    let panel = |title: &str, axis, measure| Panel {
        title: title.to_owned(),
        axis,
        measure,
        scheme: None,
    };
    let all = [
        panel("Duplicates", "ids", "fleet_duplicate_ids"),
        panel(
            "Time in which two held one number",
            "ms",
            "worker_number_shared_ms",
        ),
    ];
    let leases = run_param(records, "numbers");
    let leases = leases.trim_start_matches("lease:");
    let holders = distinct(rows(records, "pause", all[0].measure).map(|row| param(row, "holder")));
    let ttl_s = records.run.params.get("ttl_ns").and_then(|ns| ns.as_f64());
    let ttl_s = ttl_s.map(|ns| ns * PER_S);
    let note = format!(
        "A writer that holds a leased number stops for a while, and another one takes the number over when the lease has ended, which is its length after the last renewal. \
         Lower is better. {} Leases: {}.",
        made(records),
        leases.split(",holder").next().unwrap_or_default()
    );
    panels(
        records,
        ("pause", "length of the pause (s)", PER_S),
        (
            "What a pause beyond its lease costs, by what the holder does",
            &note,
        ),
        &all,
        (&holders, |row| param(row, "holder")),
        2,
        |picture, area, (x, _), _| {
            if let Some(ttl_s) = ttl_s {
                let (at, _) = area.at(x.place(ttl_s), 0.0);
                let line = vec![(at, area.top), (at, area.top + area.height)];
                picture.line(line, INK, 1.0, Some((4.0, 4.0)));
                let text = format!("lease of {} s", short(ttl_s));
                picture.text(
                    (at - 6.0, area.top + 10.0),
                    &text,
                    Font::LABEL,
                    Anchor::Right,
                );
            }
        },
    )
}
