//! Charts of range-sharded stores.

use super::axis::{Axis, plain, short};
use super::lines::Series;
use super::locality::{self, Look};
use super::panel::{LARGE, sheet};
use super::picture::Picture;
use super::{Chart, ChartError, distinct, united, values, xs};
use crate::record::{Grid, Records, Row};

fn param<'a>(row: &'a Row, name: &str) -> &'a str {
    row.params
        .get(name)
        .and_then(|value| value.as_str())
        .unwrap_or_default()
}

fn nodes(row: &Row) -> f64 {
    row.params
        .get("nodes")
        .and_then(|nodes| nodes.as_f64())
        .unwrap_or(0.0)
}

/// The charts of `shards`, a store: the key visualizer, the hottest node against time, and, where
/// several were asked for, the ceiling against nodes and the trade of buckets.
///
/// Measures read: grids of `writes_by_key` with rows of `split_place`; rows of
/// `hot_node_share`, `ceiling_writes_per_s`, `scan_streams`; params `key`, `nodes`, `window`, `of`, `query`.
/// A chart without data is not made.
///
/// # Errors
/// Those of drawing.
pub fn shards(records: &Records) -> Result<Vec<Chart>, ChartError> {
    let stores = distinct(records.rows.iter().map(|row| row.engine.as_str()));
    let mut charts = Vec::new();
    for store in &stores {
        let file = |name: &str| match stores.len() {
            1 => name.to_owned(),
            _ => format!("{name}_{store}"),
        };
        let rows: Vec<&Row> = records
            .rows
            .iter()
            .filter(|row| row.engine == *store)
            .collect();
        let pictures = [
            ("shards_keys", visualizer(records, store)),
            ("shards_hot_node", hot_node(&rows, store)),
            ("shards_ceiling", ceiling(&rows, store)),
            ("shards_buckets", buckets(&rows, store)),
        ];
        for (name, picture) in pictures {
            if let Some(picture) = picture {
                charts.push(picture.chart(file(name))?);
            }
        }
    }
    Ok(charts)
}

/// Splits of a panel that are drawn to its right edge.
const MOST_LINES: usize = 40;
/// Panels of one picture at most.
const MOST_PANELS: usize = 24;

fn visualizer(records: &Records, store: &str) -> Option<Picture> {
    let grids = records
        .grids
        .iter()
        .filter(|grid| grid.engine == store && grid.measure == "writes_by_key");
    let grids: Vec<&Grid> = grids.collect();
    let most_nodes = grids
        .iter()
        .map(|grid| grid_nodes(grid))
        .fold(0.0, f64::max);
    let keys = few(&distinct(grids.iter().map(|grid| grid_key(grid))));
    let grids = grids
        .into_iter()
        .filter(|grid| grid_nodes(grid) == most_nodes && keys.contains(&grid_key(grid)));
    let grids: Vec<&Grid> = grids.take(MOST_PANELS).collect();
    let title = |grid: &Grid| format!("{} by {}", grid.scheme, grid_key(grid));
    let splits = |grid: &Grid| {
        let rows = records.rows.iter().filter(|row| {
            row.engine == store
                && row.scheme == grid.scheme
                && row.params.get("key") == grid.params.get("key")
                && row.params.get("nodes") == grid.params.get("nodes")
        });
        let seconds = rows.clone().filter_map(|row| row.x).map(|x| x.as_f64());
        let seconds = seconds.fold(1.0, f64::max);
        let rows = rows.filter(|row| row.measure == "split_place");
        // Many lines would cover the picture.
        let length = match rows.clone().count() {
            0..=MOST_LINES => 1.0,
            _ => 0.02,
        };
        rows.filter_map(|row| {
            let from = row.x?.as_f64() / seconds;
            Some((from, (from + length).min(1.0), row.value.as_f64()))
        })
        .collect()
    };
    locality::picture(
        &grids,
        &Look {
            title: "Where writes land in the space of keys as time goes by",
            note: &format!(
                "Store {store}, {most_nodes} nodes. Each column is a moment, each row a place among the sharding keys. A narrow edge is one hot range; an even field is all \
                 ranges at once. Orange: splits, from their time on (where there are many: at their time)."
            ),
            panel: &title,
            x: Axis::linear("time (share of the load, %)", 100.0, plain),
            y: Axis::linear("place among the keys (%)", 100.0, plain),
            scale: "sampled writes per cell: fewer → more",
            lines: &splits,
        },
    )
}

fn grid_key(grid: &Grid) -> &str {
    let key = grid.params.get("key").and_then(|key| key.as_str());
    key.unwrap_or_default()
}

fn grid_nodes(grid: &Grid) -> f64 {
    let nodes = grid.params.get("nodes").and_then(|nodes| nodes.as_f64());
    nodes.unwrap_or(0.0)
}

/// Keys of one picture at most.
const MOST_KEYS: usize = 12;

/// Not too many keys for a picture: of numbers of buckets the powers of two.
fn few<'a>(keys: &[&'a str]) -> Vec<&'a str> {
    let power = |key: &&str| {
        bucket_count(key).is_none_or(|(_, buckets)| (buckets as u64).is_power_of_two())
    };
    match keys.len() {
        0..=MOST_KEYS => keys.to_vec(),
        _ => keys.iter().copied().filter(power).take(MOST_KEYS).collect(),
    }
}

/// Rows of the largest number of nodes, and that number.
fn of_most_nodes<'a>(rows: &[&'a Row]) -> (Vec<&'a Row>, f64) {
    let most = rows.iter().map(|row| nodes(row)).fold(0.0, f64::max);
    let rows = rows.iter().filter(|row| nodes(row) == most);
    (rows.copied().collect(), most)
}

/// A series for each of `names` of the rows that `of` gives its name to.
fn series(
    rows: &[&Row],
    names: &[&str],
    of: impl Fn(&Row) -> Option<(String, f64, f64)>,
) -> Vec<Series> {
    let all: Vec<_> = rows.iter().filter_map(|row| of(row)).collect();
    let one = |(style, name): (usize, &&str)| {
        let points = all
            .iter()
            .filter(|(of, ..)| of == name)
            .map(|&(_, x, y)| (x, y));
        let mut points: Vec<_> = points.collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        Series {
            name: (*name).to_owned(),
            style,
            points,
        }
    };
    let series = names.iter().enumerate().map(one);
    series.filter(|series| !series.points.is_empty()).collect()
}

fn hot_node(rows: &[&Row], store: &str) -> Option<Picture> {
    let curve = |row: &&&Row| row.measure == "hot_node_share" && row.x.is_some();
    let rows: Vec<&Row> = rows.iter().filter(curve).copied().collect();
    let (rows, most_nodes) = of_most_nodes(&rows);
    let keys = few(&distinct(rows.iter().map(|row| param(row, "key"))));
    let schemes = distinct(rows.iter().map(|row| row.scheme.as_str()));
    let panels: Vec<(String, Vec<Series>)> = keys
        .iter()
        .take(MOST_PANELS)
        .map(|key| {
            let of = |row: &Row| {
                let x = row.x.filter(|_| param(row, "key") == *key)?;
                Some((row.scheme.clone(), x.as_f64(), row.value.as_f64() * 100.0))
            };
            (format!("Sharded by {key}"), series(&rows, &schemes, of))
        })
        .collect();
    let (titles, panels): (Vec<_>, Vec<_>) = panels.into_iter().unzip();
    let top = panels
        .iter()
        .flat_map(|series| xs(series))
        .fold(0.0, f64::max);
    // One moment is no curve.
    if panels
        .iter()
        .flat_map(|series| xs(series))
        .all(|x| x == top)
    {
        return None;
    }
    let columns = panels.len().min(2);
    let note = format!(
        "Store {store}, {most_nodes} nodes. In windows of 10 s: what throughput feels. At best, one part in {most_nodes}; lower is better."
    );
    let mut picture = Picture::new(
        sheet(columns, LARGE),
        "Writes of the hottest node against time",
        &note,
    );
    let x = Axis::linear("time (s)", top, short);
    let y = Axis::linear("writes of the hottest node (%)", 100.0, plain);
    for (area, series) in picture
        .panels(&titles, columns, LARGE, 230.0)
        .into_iter()
        .zip(&panels)
    {
        picture.curves(area, (&x, &y), series, false);
    }
    picture.legend(&united(&panels));
    Some(picture)
}

fn ceiling(rows: &[&Row], store: &str) -> Option<Picture> {
    let rows: Vec<&Row> = rows
        .iter()
        .filter(|row| row.measure == "ceiling_writes_per_s")
        .copied()
        .collect();
    let schemes = distinct(rows.iter().map(|row| row.scheme.as_str()));
    let keys = few(&distinct(rows.iter().map(|row| param(row, "key"))));
    let most = rows.iter().map(|row| nodes(row)).fold(0.0, f64::max);
    let least = rows
        .iter()
        .map(|row| nodes(row))
        .fold(f64::INFINITY, f64::min);
    if least >= most {
        return None;
    }
    let panels: Vec<Vec<Series>> = schemes
        .iter()
        .map(|scheme| {
            let of = |row: &Row| {
                (row.scheme == *scheme)
                    .then(|| (param(row, "key").to_owned(), nodes(row), row.value.as_f64()))
            };
            series(&rows, &keys, of)
        })
        .collect();
    let columns = panels.len().min(2);
    let note = format!(
        "Store {store}. A node's capacity over the share of the hottest in windows of 10 s, last quarter of the load; higher is better."
    );
    let mut picture = Picture::new(
        sheet(columns, LARGE),
        "Writes a second that the cluster can take, by nodes and sharding key",
        &note,
    );
    let titles: Vec<String> = schemes.iter().map(|scheme| (*scheme).to_owned()).collect();
    let x = Axis::linear("nodes", most, plain);
    let y = Axis::linear(
        "writes a second at most",
        panels
            .iter()
            .flat_map(|series| values(series))
            .fold(0.0, f64::max),
        short,
    );
    for (area, series) in picture
        .panels(&titles, columns, LARGE, 260.0)
        .into_iter()
        .zip(&panels)
    {
        picture.curves(area, (&x, &y), series, true);
    }
    picture.legend(&united(&panels));
    Some(picture)
}

/// Kind and number of a key with buckets.
fn bucket_count(key: &str) -> Option<(&str, f64)> {
    let (kind, buckets) = key.split_once(':')?;
    let counted = ["hash", "salt", "id_mod"].contains(&kind);
    Some((kind, buckets.parse().ok().filter(|_| counted)?))
}

fn buckets(rows: &[&Row], store: &str) -> Option<Picture> {
    let (rows, most_nodes) = of_most_nodes(rows);
    let counted: Vec<&Row> = rows
        .iter()
        .filter(|row| bucket_count(param(row, "key")).is_some())
        .copied()
        .collect();
    let name = |row: &Row| {
        bucket_count(param(row, "key"))
            .map(|(kind, buckets)| (format!("{} by {kind}", row.scheme), buckets))
    };
    let names: Vec<String> = counted
        .iter()
        .filter_map(|row| Some(name(row)?.0))
        .collect();
    let names = distinct(names.iter().map(String::as_str));
    let numbers: std::collections::BTreeSet<_> = counted
        .iter()
        .filter_map(|row| Some(name(row)?.1 as u64))
        .collect();
    // A curve needs a few points.
    if numbers.len() < 4 {
        return None;
    }
    let of = |measure: &str, params: [(&str, &str); 2], unit: f64| {
        series(&counted, &names, |row| {
            let fits = row.measure == measure
                && row.x.is_none()
                && params
                    .iter()
                    .all(|(name, value)| name.is_empty() || param(row, name) == *value);
            let (name, buckets) = name(row).filter(|_| fits)?;
            Some((name, buckets, row.value.as_f64() * unit))
        })
    };
    let panels = [
        (
            "Writes of the hottest node, windows of 10 s",
            "writes of the hottest node (%)",
            of(
                "hot_node_share",
                [("window", "10s"), ("of", "settled")],
                100.0,
            ),
        ),
        (
            "Streams that an ordered read merges (newest 100)",
            "streams",
            of("scan_streams", [("query", "newest_100"), ("", "")], 1.0),
        ),
    ];
    let mut picture = Picture::new(
        sheet(2, LARGE),
        "Buckets: what writes gain and what ordered reads pay",
        &format!(
            "Store {store}, {most_nodes} nodes. B buckets that lie on N nodes by turns give the hottest ceil(B/N)/B: least where N divides B. Each is one more stream to read. Lower is better."
        ),
    );
    let titles = panels.each_ref().map(|(title, ..)| (*title).to_owned());
    let most = numbers.last().copied().unwrap_or(1) as f64;
    let x = Axis::linear("buckets", most, plain);
    for (area, (_, unit, series)) in picture
        .panels(&titles, 2, LARGE, 280.0)
        .into_iter()
        .zip(&panels)
    {
        let y = Axis::linear(unit, values(series).fold(0.0, f64::max), plain);
        picture.curves(area, (&x, &y), series, true);
    }
    picture.legend(&united(&panels.map(|(.., series)| series)));
    Some(picture)
}
