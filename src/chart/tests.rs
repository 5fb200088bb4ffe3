use super::*;
use crate::record::{Grid, Host, Number, Parameters, Run};
use serde_json::json;

const LONG: &str = "uuid_v4:rows=500k+uuid_v7:rows=500k";

pub(super) fn records() -> Records {
    let text = String::new;
    let run = Run {
        schema: 1,
        run: text(),
        experiment: text(),
        command: text(),
        seed: 1,
        params: Parameters::from([("rows".to_owned(), json!(1_000_000))]),
        version: text(),
        commit: text(),
        dirty: false,
        rustc: text(),
        profile: text(),
        host: Host {
            cpu: text(),
            cores: 1,
            os: text(),
        },
        started: text(),
        wall_s: 0.0,
        charts: Vec::new(),
        peak_memory_bytes: None,
    };
    Records {
        run,
        rows: Vec::new(),
        grids: Vec::new(),
    }
}

fn add(
    records: &mut Records,
    scheme: &str,
    engine: &str,
    measure: &str,
    x: Option<f64>,
    value: f64,
) {
    records.rows.push(Row {
        run: String::new(),
        scheme: scheme.to_owned(),
        engine: engine.to_owned(),
        params: Parameters::from([("window".to_owned(), json!(100))]),
        measure: measure.to_owned(),
        unit: String::new(),
        x: x.map(Number::Real),
        value: Number::Real(value),
        low: None,
        high: None,
        samples: 1,
    });
}

fn grid(records: &mut Records, scheme: &str, cells: Vec<Vec<u32>>) {
    let (scheme, measure) = (scheme.to_owned(), "locality".to_owned());
    records.grids.push(Grid {
        run: String::new(),
        scheme,
        engine: String::new(),
        params: Parameters::new(),
        measure,
        cells,
    });
}

/// Every measure of these schemes, at these places with this value.
fn sample(schemes: &[&str], engines: &[&str], xs: &[f64], value: f64) -> Records {
    let mut records = records();
    for scheme in schemes {
        for engine in engines {
            for measure in [
                "working_set_leaves",
                "leaf_pages_by_fill",
                "leaf_splits",
                "index_bytes",
            ] {
                xs.iter()
                    .for_each(|x| add(&mut records, scheme, engine, measure, Some(*x), value));
            }
            add(&mut records, scheme, engine, "fill_mean", None, value);
        }
        grid(
            &mut records,
            scheme,
            (0..64)
                .map(|y| (0..64).map(|x| u32::from(x == y) * 9).collect())
                .collect(),
        );
    }
    records
}

pub(super) fn names(charts: &[Chart]) -> Vec<&str> {
    charts.iter().map(|chart| chart.name.as_str()).collect()
}

#[test]
fn charts_are_whole_and_deterministic() {
    let records = sample(&["uuid_v4", LONG], &["pg"], &[5.0, 50.0, 100.0], 3.0);
    let charts = btree(&records).unwrap();
    assert_eq!(
        names(&charts),
        [
            "btree_locality",
            "btree_working_set",
            "btree_fill",
            "btree_growth"
        ]
    );
    assert_eq!(charts, btree(&records).unwrap());
    let tails = tail(&records).unwrap();
    assert_eq!(names(&tails), ["tail_index_bytes"]);
    assert!(
        tails[0]
            .svg
            .contains("index size of 1M rows against ids per millisecond")
    );
    for chart in charts.iter().chain(&tails) {
        assert!(
            chart.svg.starts_with("<svg ") && chart.svg.ends_with("</svg>\n"),
            "{}",
            chart.name
        );
        assert!(chart.svg.contains("font-family=\"sans-serif\""));
        let mut reader = png::Decoder::new(std::io::Cursor::new(&chart.png))
            .read_info()
            .unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut pixels).unwrap();
        let display = format!(
            "<svg width=\"{}\" height=\"{}\"",
            info.width / 2,
            info.height / 2
        );
        assert!(chart.svg.starts_with(&display));
        assert!(
            pixels.chunks(3).any(|pixel| pixel == [0x22; 3]),
            "text is drawn"
        );
    }
}

#[test]
fn several_engines_have_charts_each_but_one_locality() {
    let charts = btree(&sample(&["ulid"], &["pg", "innodb/16k"], &[10.0], 1.0)).unwrap();
    let of = |engine: &str| {
        ["working_set", "fill", "growth"].map(|chart| format!("btree_{chart}_{engine}"))
    };
    let expected = [
        vec!["btree_locality".to_owned()],
        of("pg").to_vec(),
        of("innodb_16k").to_vec(),
    ]
    .concat();
    assert_eq!(names(&charts), expected);
}

#[test]
fn charts_without_data_are_not_made() {
    assert_eq!(btree(&records()).unwrap(), []);
    assert_eq!(tail(&records()).unwrap(), []);
    let mut empty = records();
    for cells in [vec![], vec![vec![]], vec![vec![0; 64]; 64]] {
        grid(&mut empty, "ulid", cells);
    }
    assert_eq!(btree(&empty).unwrap(), []);
    // Logarithms of nothing and shares of no leaves.
    assert_eq!(
        names(&btree(&sample(&["ulid"], &[""], &[10.0], 0.0)).unwrap()),
        ["btree_locality", "btree_growth"]
    );
}

#[test]
fn odd_numbers_are_drawn_or_skipped() {
    let many: Vec<_> = (0..30).map(|i| format!("{LONG}+{i}")).collect();
    let many: Vec<_> = many.iter().map(String::as_str).collect();
    assert!(btree(&sample(&many, &["pg"], &[1.0, 2.0], 1.0)).is_ok());
    for odd in [
        f64::NAN,
        f64::INFINITY,
        f64::MAX,
        f64::MIN_POSITIVE,
        -1.0,
        0.0,
        1e-9,
        1e19,
    ] {
        for records in [
            sample(&["ulid", ""], &["pg"], &[odd, 10.0], 1.0),
            sample(&["ulid"], &["pg"], &[10.0], odd),
        ] {
            assert!(btree(&records).is_ok());
            assert!(tail(&records).is_ok());
        }
    }
    let mut ragged = records();
    grid(
        &mut ragged,
        "<&\"\u{1F980}>",
        vec![vec![1], vec![], vec![u32::MAX, 0, 2]],
    );
    assert_eq!(names(&btree(&ragged).unwrap()), ["btree_locality"]);
}

#[test]
fn random_grids_stay_small_files() {
    let mut records = records();
    let mut random = 1_u32;
    for scheme in ["a", "b", "c", "d", "e", "f", "g"] {
        let mut next = || {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            random >> 30
        };
        grid(
            &mut records,
            scheme,
            (0..64).map(|_| (0..64).map(|_| next()).collect()).collect(),
        );
    }
    assert!(btree(&records).unwrap()[0].svg.len() < 1_500_000);
}

/// Rows and grids of a store with buckets 1 to 32 on these nodes.
fn buckets(nodes: &[u32], splits: u32) -> Records {
    let mut records = records();
    for &nodes in nodes {
        for buckets in 1..=32u32 {
            let key = format!("hash:{buckets}");
            let mut row = |measure: &str, x: Option<f64>, value: f64, more: (&str, &str)| {
                add(&mut records, "uuid_v7", "cockroach", measure, x, value);
                records.rows.last_mut().unwrap().params = Parameters::from([
                    ("key".to_owned(), json!(key)),
                    ("nodes".to_owned(), json!(nodes)),
                    ("window".to_owned(), json!("10s")),
                    (more.0.to_owned(), json!(more.1)),
                ]);
            };
            let share = f64::from(buckets.div_ceil(nodes)) / f64::from(buckets);
            row("hot_node_share", None, share, ("of", "settled"));
            row("hot_node_share", Some(10.0), share, ("", ""));
            row("hot_node_share", Some(100.0), share, ("", ""));
            row("ceiling_writes_per_s", None, 10_000.0 / share, ("", ""));
            row(
                "scan_streams",
                None,
                f64::from(buckets),
                ("query", "newest_100"),
            );
            for split in 0..splits {
                let place = f64::from(split) / f64::from(splits);
                row("split_place", Some(50.0), place, ("by", "size"));
            }
            grid(&mut records, "uuid_v7", vec![vec![1; 64]; 64]);
            let grid = records.grids.last_mut().unwrap();
            grid.engine = "cockroach".to_owned();
            grid.measure = "writes_by_key".to_owned();
            grid.params = records.rows.last().unwrap().params.clone();
        }
    }
    records
}

#[test]
fn pictures_of_buckets_are_of_the_most_nodes_and_of_few_keys() {
    let several = shards(&buckets(&[1, 4, 8], 3)).unwrap();
    assert_eq!(
        names(&several),
        [
            "shards_keys",
            "shards_hot_node",
            "shards_ceiling",
            "shards_buckets"
        ]
    );
    let one = shards(&buckets(&[8], 3)).unwrap();
    assert_eq!(
        names(&one),
        ["shards_keys", "shards_hot_node", "shards_buckets"]
    );
    // Other numbers of nodes change nothing but the ceiling.
    assert_eq!(several[0].svg, one[0].svg);
    assert_eq!(several[1].svg, one[1].svg);
    assert_eq!(several[3].svg, one[2].svg);
    for chart in &several[..3] {
        assert!(
            chart.svg.contains("hash:16") && !chart.svg.contains("hash:15"),
            "{}",
            chart.name
        );
    }
}

#[test]
fn a_curve_has_two_points() {
    let mut short = buckets(&[8], 0);
    short
        .rows
        .retain(|row| row.x.is_none_or(|x| x.as_f64() == 10.0));
    assert_eq!(
        names(&shards(&short).unwrap()),
        ["shards_keys", "shards_buckets"]
    );
}

#[test]
fn many_splits_do_not_cover_the_picture() {
    let of = |splits| shards(&buckets(&[8], splits)).unwrap()[0].svg.clone();
    let lines = |svg: &str| svg.matches("#E69F00").count();
    let (few, many) = (of(40), of(41));
    assert_eq!(lines(&few) / 40, lines(&many) / 41);
    // The right ends of the lines.
    let longest = |svg: &str| {
        let lines = svg.split('<').filter(|tag| tag.contains("#E69F00"));
        let points = lines.filter_map(|tag| tag.split("points=\"").nth(1)?.split('"').next());
        let length = points.map(|points| {
            let xs: Vec<f64> = points
                .split_whitespace()
                .filter_map(|point| point.split(',').next()?.parse().ok())
                .collect();
            xs.iter()
                .fold(0.0, |length: f64, x| length.max((x - xs[0]).abs()))
        });
        length.fold(0.0, f64::max)
    };
    assert!(
        longest(&few) > 50.0 && longest(&many) < 10.0,
        "{} {}",
        longest(&few),
        longest(&many)
    );
}
