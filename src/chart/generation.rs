//! What an id costs: bars by scheme on one logarithmic axis, ours against others'.

use super::axis::{Axis, plain};
use super::panel::Area;
use super::picture::{Anchor, Font, GAP, INK, Picture};
use super::{Chart, ChartError, distinct};
use crate::record::{Records, Row};
use plotters::style::RGBColor;

const OURS: RGBColor = RGBColor(0x00, 0x72, 0xB2);
const PEER: RGBColor = RGBColor(0xE6, 0x9F, 0x00);
const FLOOR: RGBColor = RGBColor(0x99, 0x99, 0x99);
const GRID: RGBColor = RGBColor(0xE3, 0xE3, 0xE3);

const WIDTH: f64 = 1080.0;
/// Space for names left of the bars.
const NAMES: f64 = 430.0;
/// Space for numbers right of the bars.
const NUMBERS: f64 = 60.0;
const BAR: f64 = 12.0;
const LINE: f64 = 18.0;

/// A picture's file, title, and groups with their words.
type Sheet = (
    &'static str,
    &'static str,
    &'static [(&'static str, &'static str)],
);

const SHEETS: [Sheet; 3] = [
    (
        "generation",
        "What an id costs: nanoseconds an id, one thread",
        &[("one", "one id a call"), ("bulk", "1,024 ids a call")],
    ),
    (
        "generation_text",
        "What text costs: nanoseconds an id, one thread",
        &[("text", "id to text"), ("parse", "text to id")],
    ),
    (
        "generation_threads",
        "What two threads gain: nanoseconds an id over all threads (half is perfect)",
        &[("threads", "one thread, then two")],
    ),
];

/// The charts of `generation`: ids, texts, threads.
///
/// Measure read: rows of `ns_per_id` with parameters `group`, `who`, `call`, `clock` and `threads`.
/// A chart without data is not made.
///
/// # Errors
/// Those of drawing.
pub fn generation(records: &Records) -> Result<Vec<Chart>, ChartError> {
    let mut charts = Vec::new();
    for (name, title, groups) in SHEETS {
        if let Some(picture) = bars(records, title, groups) {
            charts.push(picture.chart(name.to_owned())?);
        }
    }
    Ok(charts)
}

fn param<'a>(row: &'a Row, name: &str) -> &'a str {
    let value = row.params.get(name).and_then(|value| value.as_str());
    value.unwrap_or_default()
}

fn threads(row: &Row) -> u64 {
    let threads = row.params.get("threads");
    threads.and_then(|threads| threads.as_u64()).unwrap_or(0)
}

/// Who, call and clock.
fn name(row: &Row) -> String {
    let clock = match param(row, "clock") {
        "none" | "" => String::new(),
        clock => format!(", {clock} clock"),
    };
    format!("{} {}{clock}", param(row, "who"), param(row, "call"))
}

fn bars(records: &Records, title: &str, groups: &[(&str, &str)]) -> Option<Picture> {
    let known = |row: &&Row| {
        groups
            .iter()
            .any(|(group, _)| *group == param(row, "group"))
    };
    let rows = records.rows.iter().filter(|row| row.measure == "ns_per_id");
    let rows: Vec<_> = rows.filter(known).collect();
    let axis = Axis::log(
        "nanoseconds an id",
        rows.iter().map(|row| row.value.as_f64()),
    )?;
    let mut picture = Picture::new(
        WIDTH,
        title,
        "Medians of short batches; thin lines are their intervals. Lower is better. Compare within one \
         clock: none, manual (counted), ticker (a thread's), cached, or real (asked for each id).",
    );
    legend(&mut picture);
    let top = picture.height;
    let area = Area {
        left: NAMES,
        top,
        width: WIDTH - NAMES - NUMBERS,
        height: 0.0,
    };
    let mut sections = Vec::new();
    for scheme in distinct(rows.iter().map(|row| row.scheme.as_str())) {
        for (group, words) in groups {
            let of_section = |row: &&Row| row.scheme == scheme && param(row, "group") == *group;
            let mut section: Vec<&Row> = rows.iter().copied().filter(of_section).collect();
            if *group == "threads" {
                section.sort_by_key(|row| (name(row), threads(row)));
            } else {
                section.sort_by(|a, b| a.value.as_f64().total_cmp(&b.value.as_f64()));
            }
            if !section.is_empty() {
                sections.push((format!("{scheme}, {words}"), section));
            }
        }
    }
    let lines: usize = sections.iter().map(|(_, rows)| rows.len()).sum();
    let heads = sections.len() as f64 * (Font::PANEL.line() + 6.0);
    scale(
        &mut picture,
        &axis,
        Area {
            height: heads + lines as f64 * LINE + 6.0,
            ..area
        },
    );
    for (head, rows) in sections {
        let y = picture.height + 4.0 + Font::PANEL.line() / 2.0;
        picture.text((GAP, y), &head, Font::PANEL, Anchor::Left);
        picture.height += Font::PANEL.line() + 6.0;
        for row in rows {
            bar(&mut picture, &axis, area, row);
        }
    }
    picture.height += 54.0;
    Some(picture)
}

/// Grid and ticks; the plot begins at the picture's end.
fn scale(picture: &mut Picture, axis: &Axis, area: Area) {
    for tick in axis.ticks.iter().filter(|tick| tick.label.is_some()) {
        let points = vec![area.at(tick.place, 0.0), area.at(tick.place, 1.0)];
        picture.line(points, GRID, 1.0, None);
        let (x, bottom) = area.at(tick.place, 0.0);
        let text = tick.label.as_deref().unwrap_or_default();
        picture.text((x, bottom + 12.0), text, Font::LABEL, Anchor::Middle);
    }
    let (x, bottom) = area.at(0.5, 0.0);
    picture.line(vec![area.at(0.0, 1.0), area.at(0.0, 0.0)], INK, 1.0, None);
    picture.text((x, bottom + 31.0), &axis.title, Font::LABEL, Anchor::Middle);
}

fn bar(picture: &mut Picture, axis: &Axis, area: Area, row: &Row) {
    let color = match param(row, "who") {
        "idlab" => OURS,
        "floor" => FLOOR,
        _ => PEER,
    };
    let middle = picture.height + LINE / 2.0;
    let at = |value: f64| area.left + axis.place(value) * area.width;
    let value = row.value.as_f64();
    let corners = [
        (area.left, middle - BAR / 2.0),
        (at(value), middle + BAR / 2.0),
    ];
    picture.rectangle(corners, color);
    if let (Some(low), Some(high)) = (row.low, row.high) {
        let ends = vec![(at(low.as_f64()), middle), (at(high.as_f64()), middle)];
        picture.line(ends, INK, 1.0, None);
    }
    // The row above it is the same call on one thread.
    let name = match threads(row) {
        0 | 1 => name(row),
        _ => "two threads".to_owned(),
    };
    let name = Font::LABEL
        .wrap(&name, area.left - GAP - 6.0)
        .swap_remove(0);
    picture.text((area.left - 6.0, middle), &name, Font::LABEL, Anchor::Right);
    let number = match value {
        value if value < 10.0 => plain((value * 100.0).round() / 100.0),
        value => plain((value * 10.0).round() / 10.0),
    };
    let right = at(value).max(row.high.map_or(0.0, |high| at(high.as_f64())));
    picture.text((right + 4.0, middle), &number, Font::LABEL, Anchor::Left);
    picture.height += LINE;
}

fn legend(picture: &mut Picture) {
    let y = picture.height + 8.0;
    let mut x = GAP;
    for (color, words) in [
        (OURS, "idlab"),
        (PEER, "another crate"),
        (FLOOR, "floor of this machine"),
    ] {
        picture.rectangle([(x, y - 6.0), (x + 12.0, y + 6.0)], color);
        picture.text((x + 18.0, y), words, Font::LABEL, Anchor::Left);
        x += 18.0 + Font::LABEL.width(words) + 24.0;
    }
    picture.height += 16.0 + GAP;
}

#[cfg(test)]
mod tests {
    use super::super::tests::{names, records};
    use super::*;
    use crate::record::Number;
    use serde_json::json;

    fn add(records: &mut Records, group: &str, scheme: &str, who: &str, ns: f64) {
        let params = [
            ("group", group),
            ("who", who),
            ("call", "next"),
            ("clock", "real"),
        ];
        records.rows.push(Row {
            run: String::new(),
            scheme: scheme.to_owned(),
            engine: String::new(),
            params: params
                .map(|(name, value)| (name.to_owned(), json!(value)))
                .into(),
            measure: "ns_per_id".to_owned(),
            unit: "ns/id".to_owned(),
            x: None,
            value: Number::Real(ns),
            low: Some(Number::Real(ns * 0.9)),
            high: Some(Number::Real(ns * 1.1)),
            samples: 9,
        });
    }

    #[test]
    fn bars_stand_by_scheme_from_fast_to_slow() {
        let mut records = records();
        add(&mut records, "one", "uuid_v7", "slow", 300.0);
        add(&mut records, "one", "uuid_v7", "idlab", 2.0);
        add(&mut records, "one", "floor", "floor", 0.5);
        let charts = generation(&records).unwrap();
        assert_eq!(names(&charts), ["generation"]);
        assert_eq!(charts, generation(&records).unwrap());
        let svg = &charts[0].svg;
        let at = |text: &str| svg.find(text).unwrap_or_else(|| panic!("no {text}"));
        assert!(at("uuid_v7, one id a call") < at("idlab next, real clock"));
        assert!(at("idlab next, real clock") < at("slow next, real clock"));
        assert!(at("slow next, real clock") < at("floor, one id a call"));
        // Ours, another crate's and the floor differ in colour.
        for color in ["#0072B2", "#E69F00", "#999999"] {
            assert!(svg.matches(color).count() > 1, "{color}");
        }
    }

    #[test]
    fn texts_have_a_chart_of_their_own_and_other_groups_none() {
        let mut records = records();
        assert_eq!(generation(&records).unwrap(), []);
        add(&mut records, "model", "btree", "idlab", 2.0);
        assert_eq!(generation(&records).unwrap(), []);
        add(&mut records, "parse", "uuid", "idlab", 20.0);
        add(&mut records, "threads", "ulid", "idlab", 20.0);
        let charts = generation(&records).unwrap();
        assert_eq!(names(&charts), ["generation_text", "generation_threads"]);
        assert!(!charts[1].svg.contains("\ntwo threads\n"));
        let row = records.rows.last_mut().unwrap();
        row.params.insert("threads".to_owned(), json!(2));
        let charts = generation(&records).unwrap();
        assert!(charts[1].svg.contains("\ntwo threads\n"));
    }

    #[test]
    fn odd_numbers_and_long_names_are_drawn_or_skipped() {
        for odd in [f64::NAN, f64::INFINITY, 0.0, -1.0, 1e-9, 1e19] {
            let mut records = records();
            add(
                &mut records,
                "one",
                &"uuid_v7".repeat(30),
                &"long".repeat(60),
                odd,
            );
            add(&mut records, "one", "", "", 5.0);
            assert!(generation(&records).is_ok());
        }
    }
}
