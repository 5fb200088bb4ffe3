//! Curves told apart by colour, dashes and markers, and their legend.

use super::axis::Axis;
use super::panel::Area;
use super::picture::{Anchor, Font, GAP, Picture, Point};
use plotters::style::RGBColor;

/// Okabe and Ito's colours, which the colour-blind can tell apart; without
/// yellow, which is faint on white.
const PALETTE: [RGBColor; 7] = [
    RGBColor(0x00, 0x72, 0xB2), // blue
    RGBColor(0xD5, 0x5E, 0x00), // vermillion
    RGBColor(0x00, 0x9E, 0x73), // bluish green
    RGBColor(0x00, 0x00, 0x00), // black
    RGBColor(0xCC, 0x79, 0xA7), // reddish purple
    RGBColor(0xE6, 0x9F, 0x00), // orange
    RGBColor(0x56, 0xB4, 0xE9), // sky blue
];

/// Lengths of dash and gap.
const DASHES: [Option<(f64, f64)>; 4] =
    [None, Some((10.0, 5.0)), Some((5.0, 3.5)), Some((2.0, 3.0))];

/// Corners of markers in a square from -1 to 1; without corners it is a circle.
const MARKERS: [&[Point]; 5] = [
    &[],
    &[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)],
    &[(0.0, -1.2), (1.15, 0.9), (-1.15, 0.9)],
    &[(0.0, -1.3), (1.3, 0.0), (0.0, 1.3), (-1.3, 0.0)],
    &[(0.0, 1.2), (-1.15, -0.9), (1.15, -0.9)],
];

/// Points of one scheme.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Series {
    /// The scheme.
    pub name: String,
    /// The scheme's number, which fixes colour, dashes and marker.
    pub style: usize,
    /// By ascending `x`.
    pub points: Vec<Point>,
}

impl Series {
    /// Its colour.
    pub fn color(&self) -> RGBColor {
        PALETTE[self.style % PALETTE.len()]
    }
}

impl Picture {
    /// Draws `series` between `axes`; a marker at every point or, so that equal
    /// curves show all their markers, at some points by turns.
    pub fn curves(
        &mut self,
        area: Area,
        (x, y): (&Axis, &Axis),
        series: &[Series],
        every_point: bool,
    ) {
        self.axes(area, x, y);
        let place = |point: &Point| area.at(x.place(point.0), y.place(point.1));
        // Solid lines first: they show between the dashes of equal curves.
        let mut order: Vec<_> = series.iter().collect();
        order.sort_by_key(|series| series.style % DASHES.len());
        for series in order {
            self.curve(series.points.iter().map(place).collect(), series);
        }
        for (turn, one) in series.iter().enumerate() {
            let count = one.points.len().max(1);
            let stride = if every_point {
                1
            } else {
                count.div_ceil(8).max(series.len()).min(count)
            };
            for point in one.points.iter().skip(turn % stride).step_by(stride) {
                self.marker(place(point), one);
            }
        }
    }

    fn curve(&mut self, points: Vec<Point>, series: &Series) {
        self.line(
            points,
            series.color(),
            2.0,
            DASHES[series.style % DASHES.len()],
        );
    }

    /// The marker of `series`.
    pub fn marker(&mut self, (x, y): Point, series: &Series) {
        const RADIUS: f64 = 4.5;
        match MARKERS[series.style % MARKERS.len()] {
            [] => self.circle((x, y), RADIUS, series.color()),
            corners => {
                let corners = corners
                    .iter()
                    .map(|(dx, dy)| (x + dx * RADIUS, y + dy * RADIUS));
                self.polygon(corners.collect(), series.color());
            }
        }
    }

    /// A strip that names `series`, in rows as wide as the sheet.
    pub fn legend(&mut self, series: &[Series]) {
        const SAMPLE: f64 = 44.0;
        let font = Font::LABEL;
        let (mut x, mut lines) = (GAP, 0);
        for series in series {
            let name = font.wrap(&series.name, self.width - 2.0 * GAP - SAMPLE);
            let width = SAMPLE + name.iter().map(|line| font.width(line)).fold(0.0, f64::max);
            if x > GAP && x + width > self.width - GAP {
                self.height += f64::from(lines) * font.line() + 4.0;
                (x, lines) = (GAP, 0);
            }
            let y = self.height + font.line() / 2.0;
            self.curve(vec![(x, y), (x + 36.0, y)], series);
            self.marker((x + 18.0, y), series);
            for (line, text) in (0..).zip(&name) {
                self.text(
                    (x + SAMPLE, y + f64::from(line) * font.line()),
                    text,
                    font,
                    Anchor::Left,
                );
                lines = lines.max(line + 1);
            }
            x += width + 24.0;
        }
        self.height += f64::from(lines) * font.line() + GAP;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_style_differs_from_the_others() {
        let look = |style: usize| {
            (
                style % PALETTE.len(),
                style % DASHES.len(),
                style % MARKERS.len(),
            )
        };
        assert_eq!((0..20).map(look).collect::<BTreeSet<_>>().len(), 20);
        let grey = (0..20).map(look).map(|(_, dash, marker)| (dash, marker));
        assert_eq!(grey.collect::<BTreeSet<_>>().len(), 20);
    }
}
