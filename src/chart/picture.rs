//! A picture: shapes in display pixels, painted alike as SVG and as PNG.

use super::{Chart, ChartError};
use plotters::element::DashedPathElement;
use plotters::prelude::*;
use plotters::style::register_font;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::sync::Once;

/// Painted pixels per display pixel: text stays crisp and lines well placed.
const SCALE: f64 = 2.0;

/// Space around a picture and between its parts.
pub(super) const GAP: f64 = 16.0;

/// A position in display pixels, `y` downwards.
pub(super) type Point = (f64, f64);

/// Colour of text and axes.
pub(super) const INK: RGBColor = RGBColor(0x22, 0x22, 0x22);

/// Colour of explanations.
const SOFT_INK: RGBColor = RGBColor(0x55, 0x55, 0x55);

/// Size (em), weight and colour of text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Font {
    /// Size of an em in display pixels.
    pub size: f64,
    /// Whether it is bold.
    pub bold: bool,
    /// Colour.
    pub color: RGBColor,
}

impl Font {
    /// Of a picture's title.
    pub const TITLE: Self = Self {
        size: 19.0,
        bold: true,
        color: INK,
    };
    /// Of a picture's explanation.
    pub const NOTE: Self = Self {
        size: 14.0,
        bold: false,
        color: SOFT_INK,
    };
    /// Of a panel's title.
    pub const PANEL: Self = Self {
        size: 14.0,
        bold: true,
        color: INK,
    };
    /// Of axes and legends.
    pub const LABEL: Self = Self {
        size: 13.0,
        bold: false,
        color: INK,
    };

    /// Height of a line.
    pub fn line(self) -> f64 {
        (self.size * 1.4).round()
    }

    fn style(self) -> TextStyle<'static> {
        static FONTS: Once = Once::new();
        FONTS.call_once(|| {
            // A font that cannot be read shows as an error of the first text drawn.
            let _ = register_font("sans-serif", FontStyle::Normal, dejavu::sans::regular());
            let _ = register_font("sans-serif", FontStyle::Bold, dejavu::sans::bold());
        });
        let weight = if self.bold {
            FontStyle::Bold
        } else {
            FontStyle::Normal
        };
        // Plotters counts size in line heights of 1.24 em.
        ("sans-serif", self.size * 1.24 * SCALE, weight)
            .into_font()
            .color(&self.color)
    }

    /// Width of `text`; a guess if it cannot be measured.
    pub fn width(self, text: &str) -> f64 {
        self.style()
            .font
            .box_size(text)
            .map_or(text.len() as f64 * self.size, |(width, _)| {
                f64::from(width) / SCALE
            })
    }

    /// Breaks `text` into lines no wider than `width`: after a space or the
    /// punctuation of a scheme's name if possible, anywhere if not.
    pub fn wrap(self, text: &str, width: f64) -> Vec<String> {
        let mut lines = vec![String::new()];
        let mut append = |piece: &str| {
            let last = lines
                .last_mut()
                .filter(|line| self.width(&format!("{line}{}", piece.trim_end())) <= width);
            match last {
                Some(line) => line.push_str(piece),
                None => lines.push(piece.to_owned()),
            }
        };
        for piece in text.split_inclusive([' ', ':', '+', ',']) {
            if self.width(piece.trim_end()) <= width {
                append(piece);
            } else {
                piece
                    .chars()
                    .for_each(|c| append(c.encode_utf8(&mut [0; 4])));
            }
        }
        lines
            .iter()
            .map(|line| line.trim_end().to_owned())
            .filter(|line| !line.is_empty())
            .collect()
    }
}

/// Where the point of a text lies in it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Anchor {
    /// At its left end, half way up.
    Left,
    /// At its centre.
    Middle,
    /// At its right end, half way up.
    Right,
    /// At its centre; the text reads upwards.
    Upwards,
}

#[derive(Clone, Debug)]
enum Shape {
    Rectangle {
        corners: [Point; 2],
        color: RGBColor,
    },
    Line {
        points: Vec<Point>,
        color: RGBColor,
        width: f64,
        dash: Option<(f64, f64)>,
    },
    Polygon {
        points: Vec<Point>,
        color: RGBColor,
    },
    Circle {
        center: Point,
        radius: f64,
        color: RGBColor,
    },
    Text {
        at: Point,
        text: String,
        font: Font,
        anchor: Anchor,
    },
}

/// Shapes on a sheet of fixed width that grows downwards.
#[derive(Clone, Debug)]
pub(super) struct Picture {
    /// Width in display pixels.
    pub width: f64,
    /// Height so far: whatever is added next begins there.
    pub height: f64,
    shapes: Vec<Shape>,
}

impl Picture {
    /// A sheet with a title and an explanation at its top.
    pub fn new(width: f64, title: &str, note: &str) -> Self {
        let mut picture = Self {
            width,
            height: GAP,
            shapes: Vec::new(),
        };
        picture.paragraph(title, Font::TITLE);
        picture.height += 4.0;
        picture.paragraph(note, Font::NOTE);
        picture.height += GAP;
        picture
    }

    fn paragraph(&mut self, text: &str, font: Font) {
        for line in font.wrap(text, self.width - 2.0 * GAP) {
            self.text(
                (GAP, self.height + font.line() / 2.0),
                &line,
                font,
                Anchor::Left,
            );
            self.height += font.line();
        }
    }

    /// A filled rectangle between two opposite corners.
    pub fn rectangle(&mut self, corners: [Point; 2], color: RGBColor) {
        self.shapes.push(Shape::Rectangle { corners, color });
    }

    /// A line through `points`, dashed if `dash` tells lengths of dash and gap.
    pub fn line(
        &mut self,
        points: Vec<Point>,
        color: RGBColor,
        width: f64,
        dash: Option<(f64, f64)>,
    ) {
        self.shapes.push(Shape::Line {
            points,
            color,
            width,
            dash,
        });
    }

    /// A filled polygon.
    pub fn polygon(&mut self, points: Vec<Point>, color: RGBColor) {
        self.shapes.push(Shape::Polygon { points, color });
    }

    /// A filled circle.
    pub fn circle(&mut self, center: Point, radius: f64, color: RGBColor) {
        self.shapes.push(Shape::Circle {
            center,
            radius,
            color,
        });
    }

    /// A line of text whose `anchor` is at a point.
    pub fn text(&mut self, at: Point, text: &str, font: Font, anchor: Anchor) {
        self.shapes.push(Shape::Text {
            at,
            text: text.to_owned(),
            font,
            anchor,
        });
    }

    /// The finished picture.
    ///
    /// # Errors
    /// Those of drawing and of PNG encoding.
    pub fn chart(self, name: String) -> Result<Chart, ChartError> {
        let display = (self.width.round() as u32, self.height.round() as u32);
        let (width, height) = (display.0 * SCALE as u32, display.1 * SCALE as u32);

        let mut svg = String::new();
        self.paint(SVGBackend::with_string(&mut svg, (width, height)), 0.05)?;
        let size = |(width, height)| format!("width=\"{width}\" height=\"{height}\"");
        let svg = svg.replacen(&size((width, height)), &size(display), 1);
        // Defaults of SVG need not be said for each of thousands of cells.
        let svg = svg
            .replace(" opacity=\"1\"", "")
            .replace(" stroke=\"none\"", "");

        let mut pixels = vec![0; width as usize * height as usize * 3];
        self.paint(
            BitMapBackend::with_buffer(&mut pixels, (width, height)),
            0.26,
        )?;
        let mut png = Vec::new();
        let mut encoder = png::Encoder::new(&mut png, width, height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.write_header()?.write_image_data(&pixels)?;
        Ok(Chart { name, svg, png })
    }

    /// Draws all shapes; texts are lowered by `drop` of their size, for backends
    /// differ in what they take for the middle of a line.
    fn paint<DB: DrawingBackend>(&self, backend: DB, drop: f64) -> Result<(), ChartError> {
        let area = backend.into_drawing_area();
        let failed =
            |error: DrawingAreaErrorKind<DB::ErrorType>| ChartError::Drawing(error.to_string());
        area.fill(&WHITE).map_err(failed)?;
        for shape in &self.shapes {
            match shape {
                Shape::Rectangle { corners, color } => {
                    area.draw(&Rectangle::new(corners.map(pixel), color.filled()))
                }
                Shape::Line {
                    points,
                    color,
                    width,
                    dash,
                } => {
                    let mut points: Vec<_> = points.iter().copied().map(pixel).collect();
                    points.dedup();
                    let style = color.stroke_width((width * SCALE) as u32);
                    match dash {
                        _ if points.len() < 2 => Ok(()),
                        None => area.draw(&PathElement::new(points, style)),
                        Some((dash, gap)) => area.draw(&DashedPathElement::new(
                            points,
                            dash * SCALE,
                            gap * SCALE,
                            style,
                        )),
                    }
                }
                Shape::Polygon { points, color } => area.draw(&Polygon::new(
                    points.iter().copied().map(pixel).collect::<Vec<_>>(),
                    color.filled(),
                )),
                Shape::Circle {
                    center,
                    radius,
                    color,
                } => area.draw(&Circle::new(pixel(*center), radius * SCALE, color.filled())),
                Shape::Text {
                    at,
                    text,
                    font,
                    anchor,
                } => {
                    let drop = drop * font.size;
                    let (across, turn) = match anchor {
                        Anchor::Left => (HPos::Left, FontTransform::None),
                        Anchor::Middle => (HPos::Center, FontTransform::None),
                        Anchor::Right => (HPos::Right, FontTransform::None),
                        Anchor::Upwards => (HPos::Center, FontTransform::Rotate270),
                    };
                    let turned = *anchor == Anchor::Upwards;
                    let style = font
                        .style()
                        .pos(Pos::new(across, VPos::Center))
                        .transform(turn);
                    let at = if turned {
                        (at.0 + drop, at.1)
                    } else {
                        (at.0, at.1 + drop)
                    };
                    area.draw(&Text::new(text.as_str(), pixel(at), style))
                }
            }
            .map_err(failed)?;
        }
        area.present().map_err(failed)
    }
}

fn pixel((x, y): Point) -> (i32, i32) {
    ((x * SCALE).round() as i32, (y * SCALE).round() as i32)
}
