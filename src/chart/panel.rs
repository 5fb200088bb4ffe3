//! Panels: equal plots in rows, each under its title and beside its axes.

use super::axis::Axis;
use super::picture::{Anchor, Font, GAP, INK, Picture, Point};
use plotters::style::RGBColor;

const GRID: RGBColor = RGBColor(0xE3, 0xE3, 0xE3);
const FAINT_GRID: RGBColor = RGBColor(0xF2, 0xF2, 0xF2);

/// Space in a cell left of its plot: tick labels and a title reading upwards.
const LEFT: f64 = 62.0;
/// Space in a cell right of its plot: half a tick label.
const RIGHT: f64 = 18.0;
/// Space in a cell below its plot: tick labels and a title.
const BELOW: f64 = 54.0;

/// Width of a cell whose plot is 192 wide: four fill a sheet.
pub(super) const SMALL: f64 = LEFT + 192.0 + RIGHT;
/// Width of a cell of a sheet of two.
pub(super) const LARGE: f64 = 2.0 * SMALL;

/// Width of a sheet with this many cells in a row.
pub(super) fn sheet(columns: usize, cell: f64) -> f64 {
    (columns as f64 * cell).max(LARGE) + GAP
}

/// A rectangle to plot in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Area {
    /// Left edge.
    pub left: f64,
    /// Upper edge.
    pub top: f64,
    /// Extent to the right.
    pub width: f64,
    /// Extent downwards.
    pub height: f64,
}

impl Area {
    /// The point at these places (0 to 1, upwards) in the rectangle.
    pub fn at(&self, x: f64, y: f64) -> Point {
        (
            self.left + x * self.width,
            self.top + (1.0 - y) * self.height,
        )
    }
}

impl Picture {
    /// Lays out one plot a title, row by row, and draws the titles.
    pub fn panels(
        &mut self,
        titles: &[String],
        columns: usize,
        cell: f64,
        height: f64,
    ) -> Vec<Area> {
        let width = cell - LEFT - RIGHT;
        let wrap = |title: &String| Font::PANEL.wrap(title, cell - LEFT);
        let mut areas = Vec::new();
        for row in titles.chunks(columns.max(1)) {
            let row: Vec<_> = row.iter().map(wrap).collect();
            let lines = row.iter().map(Vec::len).max().unwrap_or(0);
            let top = self.height + lines as f64 * Font::PANEL.line() + 4.0;
            for (column, title) in row.iter().enumerate() {
                let left = GAP / 2.0 + column as f64 * cell + LEFT;
                for (line, text) in title.iter().rev().enumerate() {
                    let y = top - 4.0 - (line as f64 + 0.5) * Font::PANEL.line();
                    self.text((left, y), text, Font::PANEL, Anchor::Left);
                }
                areas.push(Area {
                    left,
                    top,
                    width,
                    height,
                });
            }
            self.height = top + height + BELOW;
        }
        areas
    }

    /// Draws grid, ticks and titles of the axes around a plot.
    pub fn axes(&mut self, area: Area, x: &Axis, y: &Axis) {
        let Area {
            left,
            top,
            width,
            height,
        } = area;
        let (right, bottom) = (left + width, top + height);
        for labelled in [false, true] {
            let color = if labelled { GRID } else { FAINT_GRID };
            for tick in x
                .ticks
                .iter()
                .filter(|tick| tick.label.is_some() == labelled)
            {
                self.line(
                    vec![area.at(tick.place, 0.0), area.at(tick.place, 1.0)],
                    color,
                    1.0,
                    None,
                );
            }
            for tick in y
                .ticks
                .iter()
                .filter(|tick| tick.label.is_some() == labelled)
            {
                self.line(
                    vec![area.at(0.0, tick.place), area.at(1.0, tick.place)],
                    color,
                    1.0,
                    None,
                );
            }
        }
        self.line(
            vec![(left, top), (left, bottom), (right, bottom)],
            INK,
            1.0,
            None,
        );
        for tick in &x.ticks {
            let text = tick.label.as_deref().unwrap_or_default();
            self.text(
                (area.at(tick.place, 0.0).0, bottom + 12.0),
                text,
                Font::LABEL,
                Anchor::Middle,
            );
        }
        for tick in &y.ticks {
            let text = tick.label.as_deref().unwrap_or_default();
            self.text(
                (left - 6.0, area.at(0.0, tick.place).1),
                text,
                Font::LABEL,
                Anchor::Right,
            );
        }
        self.text(
            (left + width / 2.0, bottom + 31.0),
            &x.title,
            Font::LABEL,
            Anchor::Middle,
        );
        self.text(
            (left - LEFT + 10.0, top + height / 2.0),
            &y.title,
            Font::LABEL,
            Anchor::Upwards,
        );
    }
}
