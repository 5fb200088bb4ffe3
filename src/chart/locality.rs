//! Where inserts land: a picture a scheme, insert order across, key order upwards.

use super::axis::{Axis, plain, short};
use super::panel::{Area, SMALL, sheet};
use super::picture::{Anchor, Font, GAP, INK, Picture};
use crate::record::Grid;
use plotters::style::RGBColor;

/// Shades from few to many, ever darker; no inserts stay white.
pub(super) const SHADES: [RGBColor; 10] = [
    RGBColor(0xD3, 0xE4, 0xF3),
    RGBColor(0xB8, 0xD5, 0xEA),
    RGBColor(0x98, 0xC6, 0xE0),
    RGBColor(0x75, 0xB2, 0xD8),
    RGBColor(0x55, 0x9F, 0xCD),
    RGBColor(0x39, 0x89, 0xC1),
    RGBColor(0x22, 0x71, 0xB4),
    RGBColor(0x11, 0x5A, 0xA1),
    RGBColor(0x08, 0x42, 0x80),
    RGBColor(0x05, 0x26, 0x54),
];

/// Colour of lines over a grid.
const LINE: RGBColor = RGBColor(0xE6, 0x9F, 0x00);

/// Where `count` inserts lie between none and `most`, by their logarithm.
fn place(count: f64, most: f64) -> f64 {
    libm::log1p(count) / libm::log1p(most)
}

/// The shade of `count` inserts; none for none.
fn shade(count: u32, most: f64) -> Option<usize> {
    let shade = (place(f64::from(count), most) * SHADES.len() as f64) as usize;
    (count > 0).then_some(shade.min(SHADES.len() - 1))
}

/// A line from one place (0 to 1) to another, at a height (0 to 1).
pub(super) type Level = (f64, f64, f64);

/// What a picture of grids says, and draws over each.
pub(super) struct Look<'a> {
    /// Title of the picture.
    pub title: &'a str,
    /// Its explanation.
    pub note: &'a str,
    /// Title of a grid's panel.
    pub panel: &'a dyn Fn(&Grid) -> String,
    /// Columns.
    pub x: Axis,
    /// Rows.
    pub y: Axis,
    /// What the shades count.
    pub scale: &'a str,
    /// Lines over a grid.
    pub lines: &'a dyn Fn(&Grid) -> Vec<Level>,
}

/// The picture of where inserts land.
pub(super) fn inserts(grids: &[&Grid]) -> Option<Picture> {
    picture(
        grids,
        &Look {
            title: "Where inserts land: a line is sequential, a square is random",
            note: "Each column is a moment of loading, each row a place in the index. Ids made in key order fill one cell \
             after the other, along the diagonal; random ids touch the whole index at every moment.",
            panel: &|grid| grid.scheme.clone(),
            x: Axis::linear("insert order (share of rows, %)", 100.0, plain),
            y: Axis::linear("position in key order (%)", 100.0, plain),
            scale: "sampled inserts per cell: fewer → more",
            lines: &|_| Vec::new(),
        },
    )
}

/// The picture of these grids; none if nothing was counted.
pub(super) fn picture(grids: &[&Grid], look: &Look) -> Option<Picture> {
    let most = grids
        .iter()
        .flat_map(|grid| grid.cells.iter().flatten())
        .copied()
        .max()
        .filter(|most| *most > 0)?;
    let most = f64::from(most);
    let columns = grids.len().min(4);
    let mut picture = Picture::new(sheet(columns, SMALL), look.title, look.note);
    let titles: Vec<_> = grids.iter().map(|grid| (look.panel)(grid)).collect();
    for (area, grid) in picture
        .panels(&titles, columns, SMALL, 192.0)
        .into_iter()
        .zip(grids)
    {
        picture.axes(area, &look.x, &look.y);
        cells(&mut picture, area, grid, most);
        for (from, to, height) in (look.lines)(grid) {
            let points = vec![area.at(from, height), area.at(to, height)];
            picture.line(points, LINE, 1.0, None);
        }
    }
    scale(&mut picture, most, look.scale);
    Some(picture)
}

/// Draws a grid, equal neighbours of a row as one rectangle.
pub(super) fn cells(picture: &mut Picture, area: Area, grid: &Grid, most: f64) {
    let height = grid.cells.len() as f64;
    for (y, row) in grid.cells.iter().enumerate() {
        let width = row.len() as f64;
        let mut x = 0;
        for run in row.chunk_by(|a, b| shade(*a, most) == shade(*b, most)) {
            let (from, to) = (x as f64 / width, (x + run.len()) as f64 / width);
            if let Some(shade) = run.first().and_then(|count| shade(*count, most)) {
                let corners = [
                    area.at(from, (y + 1) as f64 / height),
                    area.at(to, y as f64 / height),
                ];
                picture.rectangle(corners, SHADES[shade]);
            }
            x += run.len();
        }
    }
}

/// A strip of all shades with the counts they stand for.
pub(super) fn scale(picture: &mut Picture, most: f64, title: &str) {
    let font = Font::LABEL;
    let y = picture.height;
    picture.text((GAP, y + 8.0), title, font, Anchor::Left);
    let left = GAP + font.width(title) + 24.0;
    // The last number stands half beside the strip.
    let room = picture.width - left - font.width(&short(most)) / 2.0 - 4.0;
    let shade_width = (room / SHADES.len() as f64).min(24.0);
    let strip = Area {
        left,
        top: y,
        width: shade_width * SHADES.len() as f64,
        height: 16.0,
    };
    for (i, color) in (0..).zip(SHADES) {
        let x = left + f64::from(i) * shade_width;
        picture.rectangle([(x, y), (x + shade_width, y + 16.0)], color);
    }
    let decades = (0..10).map(|power| libm::pow(10.0, f64::from(power)));
    for count in decades
        .filter(|count| place(*count, most) < 0.85)
        .chain([most])
    {
        let x = strip.at(place(count, most), 0.0).0;
        picture.line(vec![(x, y + 16.0), (x, y + 20.0)], INK, 1.0, None);
        picture.text((x, y + 29.0), &short(count), font, Anchor::Middle);
    }
    picture.height += 36.0 + GAP;
}
