//! What a list of ids looks like: its bits, its values, the steps between them.

use super::axis::{Axis, Tick, plain, short};
use super::locality::{SHADES, cells};
use super::panel::{Area, LARGE, sheet};
use super::picture::{Anchor, Font, GAP, INK, Picture};
use super::{Chart, ChartError, distinct};
use crate::record::{Grid, Records, Row};
use plotters::style::RGBColor;

/// Height of the strip of classes, and what lies between it and the map.
const STRIP: f64 = 14.0;
const MAP: f64 = 340.0;
const PLOT: f64 = 230.0;

/// Classes of bits and their colours (Okabe and Ito).
const CLASSES: [(&str, RGBColor); 5] = [
    ("constant", RGBColor(0xBB, 0xBB, 0xBB)),
    ("clock", RGBColor(0xE6, 0x9F, 0x00)),
    ("counter", RGBColor(0x00, 0x9E, 0x73)),
    ("random", RGBColor(0x56, 0xB4, 0xE9)),
    ("varied", RGBColor(0xCC, 0x79, 0xA7)),
];
/// Share of steps in per cent below which a bar is left out.
const LEAST_SHARE: f64 = 0.05;
const UP: RGBColor = RGBColor(0x00, 0x72, 0xB2);
const DOWN: RGBColor = RGBColor(0xD5, 0x5E, 0x00);

/// The picture of each list: the map of its bits, its values against their arrival, and the
/// steps from one id to the next.
///
/// Measures read: grids of `ones_by_bit` (params `part_ids`, `ids`) and `values_by_arrival`;
/// rows of `bit_ones_share` (param `class`), `steps_by_log2` (param `direction`) and
/// `equal_steps`. A list without ids has no picture.
///
/// # Errors
/// Those of drawing.
pub fn ids(records: &Records) -> Result<Vec<Chart>, ChartError> {
    let maps = records
        .grids
        .iter()
        .filter(|grid| grid.measure == "ones_by_bit");
    let lists = distinct(maps.map(|grid| grid.scheme.as_str()));
    let mut charts = Vec::new();
    for (number, list) in (1..).zip(&lists) {
        let name = match lists.len() {
            1 => "ids".to_owned(),
            _ => format!("ids_{number}"),
        };
        if let Some(picture) = picture(records, list) {
            charts.push(picture.chart(name)?);
        }
    }
    Ok(charts)
}

fn picture(records: &Records, list: &str) -> Option<Picture> {
    let grid = |measure: &str| {
        let mut grids = records.grids.iter();
        grids.find(|grid| grid.scheme == list && grid.measure == measure)
    };
    let rows = |measure: &'static str| {
        let rows = records.rows.iter();
        rows.filter(move |row| row.scheme == list && row.measure == measure)
    };
    let map = grid("ones_by_bit").filter(|map| map.cells.iter().any(|row| !row.is_empty()))?;
    let title = format!("What {list} looks like, bit by bit and id by id");
    let mut picture = Picture::new(
        sheet(2, LARGE),
        &title,
        "The map: bits across, most significant first, ids downwards as they arrive. Medium blue throughout is random, or faster than the eye; white or \
         dark throughout never changes; stripes that grow wider to the left are a clock or a counter.",
    );
    let classes: Vec<&str> = rows("bit_ones_share")
        .map(|row| param(row, "class"))
        .collect();
    bit_map(&mut picture, map, &classes);
    let steps: Vec<&Row> = rows("steps_by_log2").collect();
    let equal = rows("equal_steps").map(|row| row.value.as_f64()).sum();
    let titles = [
        "Values as they arrive: a line is ordered",
        "Steps between ids: up (blue), down (orange)",
    ];
    let areas = picture.panels(&titles.map(str::to_owned), 2, LARGE, PLOT);
    if let [values, differences] = areas[..] {
        if let Some(grid) = grid("values_by_arrival") {
            course(&mut picture, values, grid);
        }
        histogram(&mut picture, differences, &steps, equal);
    }
    Some(picture)
}

fn param<'a>(row: &'a Row, name: &str) -> &'a str {
    let value = row.params.get(name).and_then(|value| value.as_str());
    value.unwrap_or_default()
}

fn number(grid: &Grid, name: &str) -> f64 {
    let value = grid.params.get(name).and_then(|value| value.as_f64());
    value.unwrap_or(0.0)
}

/// The map of bits under the strip of their classes.
fn bit_map(picture: &mut Picture, map: &Grid, classes: &[&str]) {
    let bits = map.cells.iter().map(Vec::len).max().unwrap_or(0);
    let (part_ids, ids) = (
        number(map, "part_ids").max(1.0),
        number(map, "ids").max(1.0),
    );
    let title = "Share of ids in which a bit is set".to_owned();
    let area = picture.panels(&[title], 1, 2.0 * LARGE, MAP + STRIP);
    let Some(area) = area.first().copied() else {
        return;
    };
    let strip = Area {
        height: STRIP,
        ..area
    };
    let area = Area {
        top: area.top + STRIP + 4.0,
        height: area.height - STRIP - 4.0,
        ..area
    };
    let mut x = Axis::between("bit, from the most significant", 0.0, bits as f64, plain);
    x.ticks = (0..=bits)
        .step_by(8)
        .map(|bit| Tick {
            place: bit as f64 / bits as f64,
            label: Some(bit.to_string()),
        })
        .collect();
    let mut y = Axis::between("ids, as they arrive", 0.0, ids, short);
    // No parts of an id.
    y.ticks
        .retain(|tick| (tick.place * ids - libm::round(tick.place * ids)).abs() < 1e-6);
    y.ticks
        .iter_mut()
        .for_each(|tick| tick.place = 1.0 - tick.place);
    picture.axes(area, &x, &y);
    let width = bits as f64;
    for (part, ones) in map.cells.iter().enumerate() {
        let from = part as f64 * part_ids / ids;
        let of = part_ids.min(ids - part as f64 * part_ids).max(1.0);
        let until = from + of / ids;
        let mut at = 0;
        let shade = |ones: u32| shade(f64::from(ones) / of);
        for run in ones.chunk_by(|a, b| shade(*a) == shade(*b)) {
            let corners = [
                area.at(at as f64 / width, 1.0 - from),
                area.at((at + run.len()) as f64 / width, 1.0 - until),
            ];
            if let Some(color) = run.first().and_then(|ones| shade(*ones)) {
                picture.rectangle(corners, color);
            }
            at += run.len();
        }
    }
    let mut at = 0;
    for run in classes.chunk_by(|a, b| a == b) {
        let corners = [
            strip.at(at as f64 / width, 1.0),
            strip.at((at + run.len()) as f64 / width, 0.0),
        ];
        if let Some((_, color)) = CLASSES.iter().find(|(name, _)| run.first() == Some(name)) {
            picture.rectangle(corners, *color);
        }
        at += run.len();
    }
    keys(picture, classes);
}

/// Shades of shares: an odd number, so that one half is amid one.
fn shades() -> impl ExactSizeIterator<Item = RGBColor> {
    SHADES.into_iter().skip(1 - SHADES.len() % 2)
}

/// The shade of a share of ones; none for none.
fn shade(share: f64) -> Option<RGBColor> {
    let place = (share * shades().len() as f64) as usize;
    let shade = shades().nth(place.min(shades().len() - 1));
    shade.filter(|_| share > 0.0)
}

/// What the shades and the colours of classes stand for, below the map.
fn keys(picture: &mut Picture, classes: &[&str]) {
    const SIDE: f64 = 16.0;
    let font = Font::LABEL;
    let y = picture.height + SIDE / 2.0;
    let square = |picture: &mut Picture, x: f64, color| {
        picture.rectangle([(x, y - SIDE / 2.0), (x + SIDE, y + SIDE / 2.0)], color);
    };
    let mut x = GAP;
    let text = |picture: &mut Picture, x: &mut f64, text: &str| {
        picture.text((*x, y), text, font, Anchor::Left);
        *x += font.width(text) + 8.0;
    };
    text(picture, &mut x, "share of ones: 0 (white)");
    for color in shades() {
        square(picture, x, color);
        x += SIDE;
    }
    x += 8.0;
    text(picture, &mut x, "1");
    x += 32.0;
    text(picture, &mut x, "strip:");
    for (name, color) in CLASSES.iter().filter(|(name, _)| classes.contains(name)) {
        square(picture, x, *color);
        x += SIDE + 6.0;
        text(picture, &mut x, name);
        x += 8.0;
    }
    picture.height += SIDE + 2.0 * GAP;
}

fn course(picture: &mut Picture, area: Area, grid: &Grid) {
    let x = Axis::linear("arrival (share of ids, %)", 100.0, plain);
    let y = Axis::linear("value (% of the range)", 100.0, plain);
    picture.axes(area, &x, &y);
    let most = grid.cells.iter().flatten().copied().max().unwrap_or(0);
    cells(picture, area, grid, f64::from(most.max(1)));
}

/// Steps by the logarithm of their size: those up above the line, those down below it.
fn histogram(picture: &mut Picture, area: Area, steps: &[&Row], equal: f64) {
    let total = steps.iter().map(|row| row.value.as_f64()).sum::<f64>() + equal;
    let share = |row: &Row| {
        let share = row.value.as_f64() / total.max(1.0) * 100.0;
        match param(row, "direction") {
            "down" => -share,
            _ => share,
        }
    };
    let points = steps
        .iter()
        .filter_map(|row| Some((row.x?.as_f64(), share(row))));
    // A few rare steps would leave no room for the others.
    let points: Vec<_> = points
        .filter(|(_, share)| share.abs() >= LEAST_SHARE)
        .collect();
    let ends = points.iter().fold((f64::INFINITY, 0.0_f64), |ends, point| {
        (ends.0.min(point.0), ends.1.max(point.0 + 1.0))
    });
    let Some((first, last)) = Some(ends).filter(|ends| ends.0 < ends.1) else {
        let why = match (steps, equal) {
            ([], 0.0) => "None: there is one id.",
            ([], _) => "None: all ids are equal.",
            _ => "None that is not rare: most ids equal the one before.",
        };
        picture.text(area.at(0.0, 0.5), why, Font::LABEL, Anchor::Left);
        return;
    };
    // A little space beside the bars, and room for a few of them.
    let first = (first - 1.0).max(0.0);
    let last = (last + 1.0).max(first + 8.0);
    let x = Axis::between("size of the step, as a power of 2", first, last, plain);
    let shares = points.iter().map(|point| point.1);
    let (low, high) = shares.fold((0.0_f64, 0.0_f64), |ends, share| {
        (ends.0.min(share), ends.1.max(share))
    });
    let y = Axis::around("share of ids (%)", low, high, |share| plain(share.abs()));
    picture.axes(area, &x, &y);
    for (log2, share) in points {
        let (left, top) = area.at(x.place(log2), y.place(share));
        let (right, bottom) = area.at(x.place(log2 + 1.0), y.place(0.0));
        let color = if share < 0.0 { DOWN } else { UP };
        let corners = [
            (left + 0.5, top.min(bottom)),
            (right - 0.5, top.max(bottom)),
        ];
        picture.rectangle(corners, color);
    }
    let line = [0.0, 1.0].map(|place| area.at(place, y.place(0.0)));
    picture.line(line.to_vec(), INK, 1.0, None);
}

#[cfg(test)]
mod tests {
    use super::super::tests::records;
    use super::*;
    use crate::record::{Number, Parameters};
    use serde_json::json;

    fn grid(list: &str, measure: &str, cells: Vec<Vec<u32>>) -> Grid {
        let (part_ids, ids) = ("part_ids".to_owned(), "ids".to_owned());
        Grid {
            run: String::new(),
            scheme: list.to_owned(),
            engine: String::new(),
            params: Parameters::from([(part_ids, json!(4)), (ids, json!(10))]),
            measure: measure.to_owned(),
            cells,
        }
    }

    fn row(measure: &str, param: (&str, &str), x: u64, value: f64) -> Row {
        Row {
            run: String::new(),
            scheme: "list".to_owned(),
            engine: String::new(),
            params: Parameters::from([(param.0.to_owned(), json!(param.1))]),
            measure: measure.to_owned(),
            unit: String::new(),
            x: Some(Number::Whole(x)),
            value: Number::Real(value),
            low: None,
            high: None,
            samples: 1,
        }
    }

    fn count(chart: &Chart, color: RGBColor) -> usize {
        let RGBColor(red, green, blue) = color;
        let hex = format!("#{red:02X}{green:02X}{blue:02X}");
        chart.svg.matches(&hex).count()
    }

    #[test]
    fn a_list_has_its_map_its_values_and_its_steps() {
        let mut all = records();
        all.grids = vec![
            grid(
                "list",
                "ones_by_bit",
                vec![vec![0, 4], vec![2, 4], vec![0, 2]],
            ),
            grid("list", "values_by_arrival", vec![vec![1, 0], vec![0, 1]]),
        ];
        all.rows = vec![
            row("bit_ones_share", ("class", "clock"), 0, 0.2),
            row("bit_ones_share", ("class", "constant"), 1, 1.0),
            row("steps_by_log2", ("direction", "up"), 3, 8.0),
            row("steps_by_log2", ("direction", "down"), 5, 1.0),
        ];
        let charts = ids(&all).unwrap();
        assert_eq!(charts.len(), 1);
        assert_eq!(charts, ids(&all).unwrap());
        let chart = &charts[0];
        assert_eq!(chart.name, "ids");
        assert!(chart.png.starts_with(b"\x89PNG"));
        // A bar each way; strip and key of the two classes alone.
        assert_eq!((count(chart, UP), count(chart, DOWN)), (1, 1));
        assert_eq!(
            CLASSES.map(|(_, color)| count(chart, color)),
            [2, 2, 0, 0, 0]
        );

        all.grids.push(grid("other", "ones_by_bit", vec![vec![1]]));
        let names: Vec<_> = ids(&all)
            .unwrap()
            .into_iter()
            .map(|chart| chart.name)
            .collect();
        assert_eq!(names, ["ids_1", "ids_2"]);
    }

    #[test]
    fn half_of_the_ids_are_the_middle_shade_and_none_is_white() {
        assert_eq!(shade(0.0), None);
        assert_eq!(shade(0.49), shade(0.51));
        assert_ne!(shade(0.3), shade(0.5));
        assert_eq!(shade(1.0), SHADES.last().copied());
    }

    #[test]
    fn one_id_has_no_steps_and_no_parts() {
        let mut all = records();
        all.grids = vec![grid("list", "ones_by_bit", vec![vec![0, 1]])];
        let one = Parameters::from([
            ("part_ids".to_owned(), json!(1)),
            ("ids".to_owned(), json!(1)),
        ]);
        all.grids[0].params = one;
        let svg = &ids(&all).unwrap()[0].svg;
        assert!(svg.contains("None: there is one id."), "{svg}");
        assert!(!svg.contains(">0.5<") && !svg.contains("0.5\n"), "{svg}");
        all.rows = vec![row("equal_steps", ("", ""), 0, 9.0)];
        let svg = &ids(&all).unwrap()[0].svg;
        assert!(svg.contains("None: all ids are equal."), "{svg}");
    }

    #[test]
    fn lists_without_ids_have_no_picture() {
        let mut all = records();
        assert!(ids(&all).unwrap().is_empty());
        all.grids = vec![grid("list", "ones_by_bit", Vec::new())];
        assert!(ids(&all).unwrap().is_empty());
    }
}
