//! Clocks that follow logs.

use super::*;
use crate::clock::{ClockModel, Timestamp};

const START: Timestamp = Timestamp::from_ms(START_S * 1000);

fn error_ns(clock: &mut crate::clock::ModelClock, s: f64) -> i64 {
    let at = START.later((s * 1e9) as u64);
    clock.read(at).0.cast_signed() - at.0.cast_signed()
}

#[test]
fn a_clock_follows_its_log_in_lines_and_starts_again() {
    let curve = [(0, 1e-3), (100, 3e-3), (150, 0.0), (300, 2e-3)];
    let model = ClockModel::replay(vec![log(LogFormat::Loopstats, &curve)]).unwrap();
    let mut clock = model.start(1, 0, START);
    // A rate is whole parts per billion. After 300 s, the mean of the gaps leads back to the first.
    for (s, ms) in [
        (0.0, 1.0),
        (50.0, 2.0),
        (100.0, 3.0),
        (125.0, 1.5),
        (150.0, 0.0),
        (300.0, 2.0),
        (350.0, 1.5),
        (400.0, 1.0),
        (450.0, 2.0),
    ] {
        let off_ns = error_ns(&mut clock, s) as f64 - ms * 1e6;
        assert!(off_ns.abs() < 200.0, "{s} s: {off_ns}");
    }
    // The other writers are on the same curve, somewhere else.
    let starts: Vec<i64> = (0..50)
        .map(|w| error_ns(&mut model.start(1, w, START), 0.0))
        .collect();
    assert!(starts.iter().all(|ns| (0..=3_000_000).contains(ns)));
    let (least, most) = (starts.iter().min().unwrap(), starts.iter().max().unwrap());
    assert!(most - least > 2_000_000, "{starts:?}");
}

#[test]
fn writers_follow_logs_in_turn_and_the_first_of_each_starts_with_it() {
    let logs = [1e-3, 2e-3].map(|error| log(LogFormat::Tracking, &[(0, error), (16, -error)]));
    let model = ClockModel::replay(logs.to_vec()).unwrap();
    let mut starts = (0..4).map(|w| error_ns(&mut model.start(1, w, START), 0.0));
    assert_eq!(
        (starts.next(), starts.next()),
        (Some(1_000_000), Some(2_000_000))
    );
    assert!(starts.next().unwrap().abs() < 1_000_000);
    assert!(ClockModel::replay(Vec::new()).is_err());
    assert_eq!(
        model.to_string(),
        "log (2 updates in 16 s), log (2 updates in 16 s)"
    );
}

/// An error of any size in some lines: from the update before them, by a step, to the last of them.
#[test]
fn large_errors_come_and_go_by_steps() {
    for error in [-1000.0, -100.0, -10.0, -5.0, -1.0, -0.5, 0.5, 1.0, 10.0] {
        for lines in [1, 6] {
            let seen = 3..3 + lines;
            let at = |i| if seen.contains(&i) { error } else { 1e-6 };
            let curve: Vec<_> = (0..12).map(|i| (64 * i, at(i))).collect();
            let model = ClockModel::replay(vec![log(LogFormat::Tracking, &curve)]).unwrap();
            let mut clock = model.start(1, 0, START);
            let (from_s, to_s) = (64 * 2, 64 * (2 + lines));
            for s in 0..64 * 11 {
                let off_ns = error_ns(&mut clock, s as f64);
                let expected = if (from_s..to_s).contains(&s) {
                    error
                } else {
                    0.0
                };
                let apart_ns = (off_ns as f64 - expected * 1e9).abs();
                // The log's own jitter of 120 us at each update.
                assert!(apart_ns < 1e6, "{error} s, {lines} lines, {s} s: {off_ns}");
                let passed = clock.monotonic(START.later(s * NS_PER_S)).0 - START.0;
                assert!(passed.abs_diff(s * NS_PER_S) < 1_000_000, "{passed}");
            }
        }
    }
}

/// The first writer of a log that starts with such an error is off for the mean gap.
#[test]
fn an_error_in_the_first_line_is_seen_too() {
    let curve = [(0, -10.0), (64, 0.0), (128, 0.0)];
    let model = ClockModel::replay(vec![log(LogFormat::Loopstats, &curve)]).unwrap();
    let mut clock = model.start(1, 0, START);
    for (s, error_s) in [(0.0, -10), (63.9, -10), (64.0, 0), (191.9, 0), (192.0, -10)] {
        assert_eq!(error_ns(&mut clock, s), error_s * 1_000_000_000, "{s} s");
    }
}

#[test]
fn what_a_slew_can_do_is_no_step() {
    let curve = [(0, 0.4), (64, 0.6), (128, 5.0), (192, 0.3), (256, 0.2)];
    let model = ClockModel::replay(vec![log(LogFormat::Loopstats, &curve)]).unwrap();
    let mut clock = model.start(1, 0, START);
    for second in 1..=256 {
        let before = error_ns(&mut clock, f64::from(second) - 1.0);
        let after = error_ns(&mut clock, second.into());
        assert!((after - before).abs() <= 83_333_334, "{second} s");
    }
    assert!((error_ns(&mut clock, 256.0) - 200_000_000).abs() < 200);
}

/// 10,000 updates with sd 1 ms: the mean square's standard error is 1.4 %.
#[test]
fn updates_have_the_jitter_of_the_log() {
    let line = |i: u64| {
        let (h, min, s) = (i / 3600, i / 60 % 60, i % 60);
        format!("2026-01-01 {h:02}:{min:02}:{s:02} 192.0.2.1 2 0 0 0.0 N 1 1.000e-03 0 0 0 0\n")
    };
    let text: String = (0..20_000).map(line).collect();
    let model = ClockModel::replay(vec![parse(&text).unwrap()]).unwrap();
    let mut clock = model.start(1, 0, START);
    let mut last = START;
    let squares = (1..=10_000u32).map(|s| {
        let now = clock.read(START.later(u64::from(s) * 1_000_000_000));
        assert!(now >= last);
        last = now;
        (error_ns(&mut clock, s.into()) as f64 / 1e6).powi(2)
    });
    let mean = squares.sum::<f64>() / 1e4;
    assert!((mean - 1.0).abs() < 5.5 * 0.0142, "{mean}");
}

#[test]
fn a_suspended_clock_comes_back_to_its_log() {
    let curve: Vec<_> = (0..100).map(|i| (i * 16, 1e-3)).collect();
    let model = ClockModel::replay(vec![log(LogFormat::Measurements, &curve)]).unwrap();
    let mut clock = model.start(1, 0, START);
    clock.suspend(START.later(1_000_000_000), 1_000_000_000);
    assert_eq!(error_ns(&mut clock, 2.0), -999_000_000);
    assert!((error_ns(&mut clock, 60.0) - 1_000_000).abs() < 10);
}
