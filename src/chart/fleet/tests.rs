use super::super::tests::{names, records};
use super::*;
use crate::record::{Number, Parameters};
use serde_json::{Value, json};

fn add(records: &mut Records, measure: &str, scheme: &str, params: Value, x: f64, value: f64) {
    let params: Parameters = serde_json::from_value(params).unwrap();
    records.rows.push(Row {
        run: String::new(),
        scheme: scheme.to_owned(),
        engine: String::new(),
        params,
        measure: measure.to_owned(),
        unit: String::new(),
        x: Some(Number::Real(x)),
        value: Number::Real(value),
        low: Some(Number::Real(value / 2.0)),
        high: Some(Number::Real(value * 2.0)),
        samples: 3,
    });
}

const SIZES_NS: [f64; 4] = [1e6, 1e7, 1e8, 1e9];

/// Records of a sweep, values by size.
fn swept(sweep: &str, values: [f64; 4]) -> Records {
    let mut records = records();
    records.run.params.insert("sweep".to_owned(), json!(sweep));
    let measures: &[&str] = match sweep {
        "skew" => &[
            "inversions_per_row",
            "displacement_p50_rows",
            "displacement_p99_rows",
            "k_sorted_rows",
            "inversions_expected_per_row",
        ],
        "step" => &[
            "unavailable_per_step_ms",
            "refused_calls_per_step",
            "duplicate_ids_per_step",
        ],
        _ => &["fleet_duplicate_ids", "worker_number_shared_ms"],
    };
    for measure in measures {
        for (x, value) in SIZES_NS.into_iter().zip(values) {
            for name in ["refuse", "hold"] {
                let params = json!({"rollback": name, "holder": name});
                add(&mut records, measure, "snowflake", params, x, value);
            }
        }
    }
    records
}

#[test]
fn each_sweep_has_its_chart_whatever_it_found() {
    for sweep in ["skew", "step", "pause"] {
        for values in [
            [0.0; 4],
            [1.0, 10.0, 100.0, 1e6],
            [40.0, 41.0, 42.0, 43.0],
            [0.0, 0.0, 1e-9, 1e300],
            [f64::NAN, f64::INFINITY, -1.0, 1.0],
        ] {
            let records = swept(sweep, values);
            let charts = fleet(&records).unwrap();
            assert_eq!(names(&charts), [format!("fleet_{sweep}")], "{values:?}");
            assert_eq!(charts, fleet(&records).unwrap());
            assert!(!charts[0].svg.contains("NaN"));
        }
    }
    let mut one = swept("step", [1.0; 4]);
    one.rows.truncate(1);
    assert_eq!(names(&fleet(&one).unwrap()), ["fleet_step"]);
}

#[test]
fn a_timeline_has_a_panel_a_scheme_and_rollback_with_what_happened() {
    let mut records = records();
    records
        .run
        .params
        .insert("timeline_ns".to_owned(), json!(45e9));
    let mut point = |rollback: &str, writer: u32, kind: &str, s: f64, ms: f64| {
        let params = json!({"rollback": rollback, "writer": writer, "kind": kind});
        add(
            &mut records,
            "timeline_lead_ms",
            "snowflake",
            params,
            s * 1e9,
            ms,
        );
    };
    for second in 0..60 {
        for writer in 0..20 {
            point("ignore", writer, "row", 45.0 + f64::from(second), -900.0);
        }
    }
    point("ignore", 3, "duplicate", 60.0, -950.0);
    point("wait", 3, "waited", 60.0, 3.0);
    point("wait", 3, "row", 61.0, f64::NAN);
    let params = json!({"rollback": "refuse", "writer": 3});
    add(
        &mut records,
        "timeline_refused_calls",
        "snowflake",
        params,
        60e9,
        12.0,
    );
    let charts = fleet(&records).unwrap();
    assert_eq!(names(&charts), ["fleet_timeline"]);
    let svg = &charts[0].svg;
    for text in ["snowflake, ignore", "snowflake, wait", "snowflake, refuse"] {
        assert!(svg.contains(text), "{text}");
    }
    assert_eq!(
        svg.matches("\nno refused calls in this minute\n").count(),
        2
    );
    assert_eq!(
        svg.matches("refused calls").count(),
        3,
        "the note and two panels"
    );
    // Rows, and a dot each for the legend's rows and writers.
    assert_eq!(svg.matches("<circle").count(), 1200 + 1 + 20);
    assert_eq!(charts, fleet(&records).unwrap());
    assert!(fleet(&super::super::tests::records()).unwrap().is_empty());
}

/// Curves of one scheme by several rollbacks are apart: each in its own style, none through the points of another.
#[test]
fn rollbacks_have_curves_of_their_own() {
    let mut records = records();
    for (scheme, rollback) in [
        ("snowflake", "refuse"),
        ("snowflake", "hold"),
        ("uuid_v4", "own"),
    ] {
        for (x, share) in [(0.0, 0.5), (1e9, 0.25), (2e9, 0.125)] {
            let params = json!({"rollback": rollback});
            add(&mut records, "skipped_rows_share", scheme, params, x, share);
        }
    }
    let rows = || records.rows.iter().filter(|row| row.scheme == "snowflake");
    let rollbacks = rollbacks(&records, "skipped_rows_share");
    let found = series(rows(), &rollbacks, |row| param(row, "rollback"), (1.0, 1.0));
    assert_eq!(found.len(), 2);
    assert!(found.iter().all(|series| series.points.len() == 3));
    assert_ne!(found[0].style, found[1].style);
    let svg = fleet(&records).unwrap().remove(0).svg;
    for text in ["snowflake", "uuid_v4", "refuse", "hold", "own"] {
        assert!(svg.contains(&format!("\n{text}\n")), "{text}");
    }
}
