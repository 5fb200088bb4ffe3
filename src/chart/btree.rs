//! Charts of one load: working set, fill, growth, misses.

use super::axis::{Axis, plain, short};
use super::panel::{LARGE, sheet};
use super::picture::Picture;
use super::{
    Chart, ChartError, PER_MIB, View, fill, locality, positive, united, values, views, xs,
};
use crate::record::{Grid, Records, Row};
use std::collections::BTreeSet;

/// The charts of `btree`: locality; then working set, fill and growth an engine.
///
/// Measures read: grids of `locality`; rows of `working_set_leaves` (by parameter
/// `window`), `leaf_pages_by_fill`, `fill_mean`, `leaf_splits`, `index_bytes` and
/// `page_reads_by_cache_pages` (by parameter `level`).
/// A chart without data is not made.
///
/// # Errors
/// Those of drawing.
pub fn btree(records: &Records) -> Result<Vec<Chart>, ChartError> {
    let mut grids: Vec<&Grid> = Vec::new();
    for grid in records
        .grids
        .iter()
        .filter(|grid| grid.measure == "locality")
    {
        if grids.iter().all(|known| known.scheme != grid.scheme) {
            grids.push(grid);
        }
    }
    let mut charts = Vec::new();
    if let Some(picture) = locality::inserts(&grids) {
        charts.push(picture.chart("btree_locality".to_owned())?);
    }
    for view in views(records) {
        for (name, picture) in [
            ("btree_working_set", working_set(&view)),
            ("btree_fill", by_fill(&view)),
            ("btree_growth", growth(&view)),
            ("btree_misses", misses(&view)),
        ] {
            if let Some(picture) = picture {
                charts.push(picture.chart(view.file(name))?);
            }
        }
    }
    Ok(charts)
}

fn working_set(view: &View) -> Option<Picture> {
    const MEASURE: &str = "working_set_leaves";
    let window = |row: &Row| row.params.get("window").and_then(|window| window.as_u64());
    let windows: BTreeSet<_> = view.rows(MEASURE).filter_map(window).collect();
    let panels = windows.into_iter().filter_map(|size| {
        let series = view.series(MEASURE, 1.0, |row| window(row) == Some(size));
        let series = positive(series, |(x, leaves)| *x > 0.0 && *leaves > 0.0);
        (!series.is_empty()).then(|| (format!("w = {} inserts", short(size as f64)), series))
    });
    let (titles, panels): (Vec<_>, Vec<_>) = panels.unzip();
    let x = Axis::log("rows inserted", panels.iter().flat_map(|series| xs(series)))?;
    let columns = panels.len().min(2);
    let mut picture = Picture::new(
        sheet(columns, LARGE),
        "Write working set: distinct leaves written in a window of w inserts",
        &format!(
            "{}Leaves that w inserts dirty: what a checkpoint writes; lower is better.",
            view.note()
        ),
    );
    for (area, series) in picture
        .panels(&titles, columns, LARGE, 230.0)
        .into_iter()
        .zip(&panels)
    {
        let y = Axis::log("leaves written per window", values(series))?;
        picture.curves(area, (&x, &y), series, false);
    }
    picture.legend(&united(&panels));
    Some(picture)
}

fn by_fill(view: &View) -> Option<Picture> {
    let bins = view.series("leaf_pages_by_fill", 1.0, |_| true);
    let mean = |scheme: &str| {
        let mut rows = view
            .rows("fill_mean")
            .filter(|row| row.scheme == scheme && row.x.is_none());
        rows.next()
            .map(|row| row.value.as_f64())
            .filter(|mean| mean.is_finite())
    };
    fill::picture(&bins, mean, &view.note())
}

fn misses(view: &View) -> Option<Picture> {
    const MEASURE: &str = "page_reads_by_cache_pages";
    let of = |level: &str| {
        let series = view.series(MEASURE, 1.0, |row| {
            row.params.get("level").and_then(|level| level.as_str()) == Some(level)
        });
        positive(series, |(pages, _)| *pages > 0.0)
    };
    let panels = [("Pages of all levels", of("all")), ("Leaves", of("leaf"))];
    let x = Axis::log(
        "pages of the cache",
        panels.iter().flat_map(|(_, series)| xs(series)),
    )?;
    let mut picture = Picture::new(
        sheet(panels.len(), LARGE),
        "Pages read per insert against the size of the cache",
        &format!(
            "{}A cache that gives up the least recently used page, mean over the whole load; lower is better.",
            view.note()
        ),
    );
    let titles = panels.each_ref().map(|(title, _)| (*title).to_owned());
    for (area, (_, series)) in picture
        .panels(&titles, 2, LARGE, 300.0)
        .into_iter()
        .zip(&panels)
    {
        let y = Axis::linear(
            "pages read per insert",
            values(series).fold(0.0, f64::max),
            plain,
        );
        picture.curves(area, (&x, &y), series, false);
    }
    picture.legend(&united(&panels.map(|(_, series)| series)));
    Some(picture)
}

fn growth(view: &View) -> Option<Picture> {
    let panels = [
        (
            "Leaf splits so far",
            "leaf splits",
            view.series("leaf_splits", 1.0, |_| true),
            short as fn(f64) -> String,
        ),
        (
            "Size of the index",
            "index size (MiB)",
            view.series("index_bytes", PER_MIB, |_| true),
            plain,
        ),
    ];
    let panels: Vec<_> = panels
        .into_iter()
        .filter(|(_, _, series, _)| !series.is_empty())
        .collect();
    if panels.is_empty() {
        return None;
    }
    let mut picture = Picture::new(
        sheet(panels.len(), LARGE),
        "Growth: splits and size of the index as rows come in",
        &format!(
            "{}Lower is better: fewer splits write less, a smaller index caches better.",
            view.note()
        ),
    );
    let titles: Vec<_> = panels
        .iter()
        .map(|(title, ..)| (*title).to_owned())
        .collect();
    let top = panels
        .iter()
        .flat_map(|(_, _, series, _)| xs(series))
        .fold(0.0, f64::max);
    let x = Axis::linear("rows inserted", top, short);
    for (area, (_, title, series, label)) in picture
        .panels(&titles, 2, LARGE, 300.0)
        .into_iter()
        .zip(&panels)
    {
        let y = Axis::linear(title, values(series).fold(0.0, f64::max), *label);
        picture.curves(area, (&x, &y), series, false);
    }
    let series: Vec<_> = panels.into_iter().map(|(_, _, series, _)| series).collect();
    picture.legend(&united(&series));
    Some(picture)
}
