//! How full leaves are: a histogram a scheme.

use super::axis::{Axis, plain};
use super::lines::Series;
use super::panel::{Area, SMALL, sheet};
use super::picture::{Anchor, Font, Picture};
use plotters::style::RGBColor;

const BAR: RGBColor = RGBColor(0x7F, 0xB2, 0xD6);
const MEAN: RGBColor = RGBColor(0xB2, 0x3C, 0x00);

/// Space above the bars for the mean's number.
const MEAN_STRIP: f64 = 20.0;

/// The picture of leaves by fill, upper edges of the bins in percent as `x`, with
/// each scheme's mean from 0 to 1; none if there are no leaves.
pub(super) fn picture(
    bins: &[Series],
    mean: impl Fn(&str) -> Option<f64>,
    note: &str,
) -> Option<Picture> {
    let leaves = |series: &Series| series.points.iter().map(|(_, leaves)| leaves).sum::<f64>();
    let bins: Vec<_> = bins.iter().filter(|series| leaves(series) > 0.0).collect();
    if bins.is_empty() {
        return None;
    }
    let columns = bins.len().min(4);
    let note = format!(
        "{note}Share of leaf pages by how full they are; each panel has its own vertical scale."
    );
    let mut picture = Picture::new(sheet(columns, SMALL), "How full leaves are", &note);
    let titles: Vec<_> = bins.iter().map(|series| series.name.clone()).collect();
    let areas = picture.panels(&titles, columns, SMALL, 150.0 + MEAN_STRIP);
    let x = Axis::linear("fill of the leaf (%)", 100.0, plain);
    for (area, series) in areas.into_iter().zip(bins) {
        let area = Area {
            top: area.top + MEAN_STRIP,
            height: area.height - MEAN_STRIP,
            ..area
        };
        let all = leaves(series);
        let top = series
            .points
            .iter()
            .map(|(_, leaves)| leaves / all * 100.0)
            .fold(0.0, f64::max);
        let y = Axis::linear("share of leaves (%)", top, plain);
        picture.axes(area, &x, &y);
        let edges = series.points.windows(2).map(|pair| pair[1].0 - pair[0].0);
        let width = edges.filter(|width| *width > 0.0).fold(5.0, f64::min);
        for (edge, leaves) in series.points.iter().filter(|(_, leaves)| *leaves > 0.0) {
            let (left, top) = area.at(x.place(edge - width), y.place(leaves / all * 100.0));
            let (right, bottom) = area.at(x.place(*edge), 0.0);
            picture.rectangle([(left + 0.5, top), (right - 0.5, bottom)], BAR);
        }
        if let Some(mean) = mean(&series.name) {
            let (at, bottom) = area.at(mean.clamp(0.0, 1.0), 0.0);
            picture.line(
                vec![(at, area.top - MEAN_STRIP), (at, bottom)],
                MEAN,
                2.0,
                Some((5.0, 3.0)),
            );
            let text = format!("mean {:.1} %", mean * 100.0);
            let font = Font {
                color: MEAN,
                ..Font::LABEL
            };
            let (x, anchor) = if mean > 0.5 {
                (at - 6.0, Anchor::Right)
            } else {
                (at + 6.0, Anchor::Left)
            };
            picture.text((x, area.top - MEAN_STRIP / 2.0), &text, font, anchor);
        }
    }
    Some(picture)
}
