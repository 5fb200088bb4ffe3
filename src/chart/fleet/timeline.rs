//! One minute of a run, row by row: what became of it when something went wrong.

use super::super::axis::{Axis, plain};
use super::super::panel::{Area, sheet};
use super::super::picture::{Anchor, Font, GAP, Picture, Point};
use super::{clocks, param, run_param};
use crate::record::{Records, Row};
use plotters::style::RGBColor;
use std::collections::BTreeSet;

const PER_S: f64 = 1e-9;
const CELL: f64 = 540.0;
/// Width of the only panel.
const WIDE: f64 = 820.0;
const HEIGHT: f64 = 220.0;
/// Height of a writer's line of refusals.
const LANE: f64 = 4.0;
/// The most panels.
const MOST_PANELS: usize = 60;

/// Dark violet to yellow-green: by lightness, so that the colour-blind see the order too.
const RAMP: [(f64, f64, f64); 6] = [
    (68.0, 1.0, 84.0),
    (65.0, 68.0, 135.0),
    (42.0, 120.0, 142.0),
    (34.0, 168.0, 132.0),
    (122.0, 209.0, 81.0),
    (200.0, 210.0, 40.0),
];
const REFUSED: RGBColor = RGBColor(0xD5, 0x5E, 0x00);
const DUPLICATE: RGBColor = RGBColor(0xCC, 0x00, 0x66);
const SOFT: Font = Font {
    color: RGBColor(0x77, 0x77, 0x77),
    ..Font::LABEL
};
const LANES: RGBColor = RGBColor(0xF4, 0xF4, 0xF4);

/// The colour of the `place`-th of `count` writers.
fn color(place: usize, count: usize) -> RGBColor {
    let at = place as f64 / (count.max(2) - 1) as f64 * (RAMP.len() - 1) as f64;
    let below = (at as usize).min(RAMP.len() - 2);
    let (a, b, share) = (RAMP[below], RAMP[below + 1], at - below as f64);
    let mix = |a: f64, b: f64| (a + (b - a) * share) as u8;
    RGBColor(mix(a.0, b.0), mix(a.1, b.1), mix(a.2, b.2))
}

fn writer(row: &Row) -> u64 {
    let writer = row.params.get("writer");
    writer.and_then(|writer| writer.as_u64()).unwrap_or(0)
}

/// Time in seconds and value, if both are finite.
fn point(row: &Row) -> Option<Point> {
    let (x, value) = (row.x?.as_f64() * PER_S, row.value.as_f64());
    (x.is_finite() && value.is_finite()).then_some((x, value))
}

/// Least and most lead in milliseconds, 0 included.
fn range(rows: &[&Row]) -> (f64, f64) {
    let leads = rows.iter().filter(|row| row.measure == "timeline_lead_ms");
    let points = leads.filter_map(|row| point(row));
    points.fold((0.0, 0.0), |(low, high), (_, lead)| {
        (low.min(lead), high.max(lead))
    })
}

/// What milliseconds are multiplied by, and the unit that they are then: seconds where
/// milliseconds are long numbers.
fn unit(rows: &[&Row]) -> (f64, &'static str) {
    let (low, high) = range(rows);
    match high - low {
        long if long >= 5000.0 => (1e-3, "s"),
        _ => (1.0, "ms"),
    }
}

/// The rows of a scheme and rollback.
fn of_case<'a>(rows: &[&'a Row], case: &(&str, &str)) -> Vec<&'a Row> {
    let rows = rows.iter().copied();
    rows.filter(|row| (row.scheme.as_str(), param(row, "rollback")) == *case)
        .collect()
}

/// A panel for each scheme and rollback; none without rows.
pub(super) fn picture(records: &Records) -> Option<Picture> {
    let of =
        |row: &Row| row.measure == "timeline_lead_ms" || row.measure == "timeline_refused_calls";
    let rows: Vec<&Row> = records.rows.iter().filter(|row| of(row)).collect();
    let mut cases: Vec<(&str, &str)> = Vec::new();
    for row in &rows {
        let case = (row.scheme.as_str(), param(row, "rollback"));
        if cases.last() != Some(&case) && !cases.contains(&case) {
            cases.push(case);
        }
    }
    cases.truncate(MOST_PANELS);
    let writers: BTreeSet<u64> = rows.iter().map(|row| writer(row)).collect();
    let writers: Vec<u64> = writers.into_iter().collect();
    let times = rows
        .iter()
        .filter_map(|row| row.x)
        .map(|x| x.as_f64() * PER_S);
    let from = records.run.params.get("timeline_ns");
    let from = from.and_then(|ns| ns.as_f64()).unwrap_or(0.0) * PER_S;
    let until = times.fold(from + 1.0, f64::max);
    if cases.is_empty() || !from.is_finite() || !until.is_finite() {
        return None;
    }
    let x = Axis::between("true time since the start (s)", from, until, plain);
    let columns = cases.len().min(2);
    let faults = match run_param(records, "faults").as_str() {
        "?" => String::new(),
        faults => format!(", faults {faults}"),
    };
    let clocks = clocks(records);
    let note = format!(
        "How far the time that an id says is ahead of the true time of its minting: best is a level line at 0 without marks. \
         Clocks {clocks}{faults}; {} ids a second. Each panel has its own vertical scale; rows are thinned to the least and most of short stretches. \
         Below each panel, refused calls: a line a writer, the first on top.",
        run_param(records, "rate")
    );
    let cell = if columns == 1 { WIDE } else { CELL };
    let mut picture = Picture::new(sheet(columns, cell), "One minute of ids, row by row", &note);
    let titles = cases.iter().map(|(scheme, rollback)| match *rollback {
        "" => (*scheme).to_owned(),
        rollback => format!("{scheme}, {rollback}"),
    });
    // The unit stands in the title: tick labels are long.
    let titles = titles.zip(&cases).map(|(title, case)| {
        let (_, unit) = unit(&of_case(&rows, case));
        format!("{title}: id ahead of true time ({unit})")
    });
    let titles: Vec<String> = titles.collect();
    let lanes = LANE * writers.len() as f64 + 4.0;
    let areas = picture.panels(&titles, columns, cell, HEIGHT + lanes);
    for (area, case) in areas.into_iter().zip(&cases) {
        picture.minute(area, lanes, &x, &of_case(&rows, case), &writers);
    }
    picture.marks(&writers);
    Some(picture)
}

impl Picture {
    /// One panel: rows above, refusals in lanes at its foot.
    fn minute(&mut self, area: Area, lanes: f64, x: &Axis, rows: &[&Row], writers: &[u64]) {
        let plot = Area {
            height: area.height - lanes,
            ..area
        };
        let leads = rows.iter().filter(|row| row.measure == "timeline_lead_ms");
        let (low, high) = range(rows);
        let (unit, _) = unit(rows);
        let y = Axis::around("", low * unit, high * unit, plain);
        // The axes stand below the lanes, the ticks of y at the plot's.
        let share = plot.height / area.height;
        let mut raised = y.clone();
        for tick in &mut raised.ticks {
            tick.place = 1.0 - share + tick.place * share;
        }
        self.axes(area, x, &raised);
        let place = |writer: u64| writers.binary_search(&writer).unwrap_or(0);
        let at = |(time, lead): Point| plot.at(x.place(time), y.place(lead * unit));
        let kind = |row: &&&Row, kind: &str| param(row, "kind") == kind;
        for row in leads.clone().filter(|row| kind(row, "row")) {
            if let Some(point) = point(row) {
                self.circle(at(point), 1.4, color(place(writer(row)), writers.len()));
            }
        }
        for row in leads.clone().filter(|row| kind(row, "waited")) {
            if let Some(point) = point(row) {
                self.waited(at(point), color(place(writer(row)), writers.len()));
            }
        }
        for row in leads.filter(|row| kind(row, "duplicate")) {
            if let Some(point) = point(row) {
                self.cross(at(point));
            }
        }
        let top = plot.top + plot.height + 4.0;
        let bottom = area.top + area.height;
        let corners = [
            (area.left + 1.0, top),
            (area.left + area.width, bottom - 1.0),
        ];
        self.rectangle(corners, LANES);
        let refused = rows
            .iter()
            .filter(|row| row.measure == "timeline_refused_calls");
        if refused.clone().next().is_none() {
            let at = (area.left + 6.0, (top + bottom) / 2.0);
            self.text(at, "no refused calls in this minute", SOFT, Anchor::Left);
        }
        for (row, point) in refused.filter_map(|row| Some((row, point(row)?))) {
            let (left, _) = area.at(x.place(point.0), 0.0);
            let (right, _) = area.at(x.place(point.0 + 0.25), 0.0);
            let lane = top + LANE * place(writer(row)) as f64;
            let corners = [(left, lane), (right.max(left + 1.5), lane + LANE)];
            self.rectangle(corners, REFUSED);
        }
    }

    fn waited(&mut self, (x, y): Point, color: RGBColor) {
        self.polygon(
            vec![(x, y - 3.6), (x + 3.4, y + 2.6), (x - 3.4, y + 2.6)],
            color,
        );
    }

    fn cross(&mut self, (x, y): Point) {
        const ARM: f64 = 3.4;
        for slope in [-ARM, ARM] {
            let ends = vec![(x - ARM, y - slope), (x + ARM, y + slope)];
            self.line(ends, DUPLICATE, 1.5, None);
        }
    }

    /// The legend: marks, then writers.
    fn marks(&mut self, writers: &[u64]) {
        let font = Font::LABEL;
        let row = self.height + font.line() / 2.0;
        let mut x = GAP;
        for (mark, text) in [
            "row",
            "its caller waited 10 ms or more",
            "duplicate of an earlier id",
            "calls refused",
        ]
        .into_iter()
        .enumerate()
        {
            let at = (x + 8.0, row);
            match mark {
                0 => self.circle(at, 2.0, color(1, 3)),
                1 => self.waited(at, color(1, 3)),
                2 => self.cross(at),
                _ => self.rectangle([(x, row - 2.0), (x + 16.0, row + 2.0)], REFUSED),
            }
            self.text((x + 22.0, row), text, font, Anchor::Left);
            x += 22.0 + font.width(text) + 24.0;
        }
        self.height += font.line() + 6.0;
        let mut row = self.height + font.line() / 2.0;
        self.text((GAP, row), "writer", font, Anchor::Left);
        let left = GAP + font.width("writer") + 12.0;
        let mut x = left;
        for (place, writer) in writers.iter().enumerate() {
            if x + 28.0 + font.width(&writer.to_string()) > self.width {
                self.height += font.line();
                row += font.line();
                x = left;
            }
            self.circle((x + 5.0, row), 5.0, color(place, writers.len()));
            let text = writer.to_string();
            self.text((x + 14.0, row), &text, font, Anchor::Left);
            x += 14.0 + font.width(&text) + 14.0;
        }
        self.height += font.line() + GAP;
    }
}
