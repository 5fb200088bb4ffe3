use super::*;
use crate::clock::{ClockModel, Timestamp};
use proptest::prelude::*;

/// 2026-01-01T00:00:00Z, and its modified Julian day.
const START_S: u64 = 1_767_225_600;
const START_MJD: u64 = 61_041;

const BANNER: &str = "   Date (UTC) Time     and the names of columns\n";

/// Seconds after midnight and local less true time, as each program writes it.
fn write(format: LogFormat, curve: &[(u64, f64)]) -> String {
    let mut text = String::new();
    for (i, &(second, error)) in curve.iter().enumerate() {
        let (day, s) = (second / 86_400, second % 86_400);
        let date = format!(
            "2026-01-{:02} {:02}:{:02}:{:02}",
            day + 1,
            s / 3600,
            s / 60 % 60,
            s % 60
        );
        let mjd = format!("{} {s}.000", START_MJD + day);
        let chrony = matches!(
            format,
            LogFormat::Tracking | LogFormat::Statistics | LogFormat::Measurements
        );
        if chrony && i % 32 == 0 {
            let rule = "=".repeat(80);
            text += &format!("{rule}\n{BANNER}{rule}\n");
        }
        text += &match format {
            LogFormat::Tracking => format!(
                "{date} 192.0.2.1 2 -20.1 0.01 {error:e} N 1 0.000e+00 -1.1e-06 1.2e-04 3.0e-05 9.1e-05"
            ),
            LogFormat::Statistics => format!(
                "{date} 192.0.2.1 4.0e-06 {error:e} 0.000e+00 -1.0e-09 2.1e-08 3.1e-02 17 0 8 0.00"
            ),
            LogFormat::Measurements => format!(
                "{date} 192.0.2.1 N 2 111 111 1111 6 6 0.00 {:e} 2.1e-04 1.0e-06 1.5e-03 1.6e-03 C0000201 4B D K",
                -error
            ),
            LogFormat::Loopstats => format!("{mjd} {:.9} -33.400 0.000004100 0.001200 6", -error),
            LogFormat::Peerstats => format!(
                "{mjd} 192.0.2.1 961a {:.9} 0.000100000 0.000200000 0.000004000",
                -error
            ),
        };
        text.push('\n');
    }
    text
}

const FORMATS: [LogFormat; 5] = [
    LogFormat::Tracking,
    LogFormat::Statistics,
    LogFormat::Measurements,
    LogFormat::Loopstats,
    LogFormat::Peerstats,
];

fn parse(text: &str) -> Result<ClockLog, LogError> {
    read(text.as_bytes(), "log")
}

fn log(format: LogFormat, curve: &[(u64, f64)]) -> ClockLog {
    parse(&write(format, curve)).unwrap()
}

fn curve() -> Vec<(u64, f64)> {
    let error = |i: u64| (i as f64 * 0.7).sin() * 3e-3 + 1e-3;
    (0..100).map(|i| (86_000 + 64 * i, error(i))).collect()
}

/// A program that takes a sign for the other one would be off by twice the error.
#[test]
fn one_curve_in_each_format_is_read_back() {
    for format in FORMATS {
        let found = log(format, &curve());
        assert_eq!(found.format(), format);
        assert_eq!(found.updates().len(), 100);
        for (update, (second, error)) in found.updates().iter().zip(curve()) {
            assert_eq!(update.at_ns, (START_S + second) * 1_000_000_000);
            let off_ns = update.error_ns as f64 - error * 1e9;
            assert!(off_ns.abs() <= 1.0, "{format}: {off_ns}");
        }
    }
}

#[test]
fn variants_of_lines_are_read() {
    // 12 fields; mode glued to the sources, in two and in three; a peer without jitter.
    for (text, format, error_ns, source) in [
        (
            "2026-01-01 00:00:00 192.0.2.1 4.0e-06 2.0e-06 1.0e-06 -1.0e-09 2.1e-08 3.1e-02 17 0 8",
            LogFormat::Statistics,
            2_000,
            "192.0.2.1",
        ),
        (
            "2026-01-01 00:00:00 2001:db8::1 N 2 111 111 1111 6 6 0.00 2.0e-06 2.1e-04 1.0e-06 1.5e-03 1.6e-03 C0000201",
            LogFormat::Measurements,
            -2_000,
            "2001:db8::1",
        ),
        (
            "2026-01-01 00:00:00 PPS + 2 111 111 1111 6 6 0.00 2.0e-06 2.1e-04 1.0e-06 1.5e-03 1.6e-03 C0000201 4BDK",
            LogFormat::Measurements,
            -2_000,
            "PPS",
        ),
        (
            "2026-01-01 00:00:00 192.0.2.1 N 2 111 111 1111 6 6 0.00 2.0e-06 2.1e-04 1.0e-06 1.5e-03 1.6e-03 C0000201 4B DK",
            LogFormat::Measurements,
            -2_000,
            "192.0.2.1",
        ),
        (
            "61041 0.123 NMEA(0) 961a -0.000002000 0.0001 0.0002",
            LogFormat::Peerstats,
            2_000,
            "NMEA(0)",
        ),
        (
            "61041 0.123 127.127.22.0 961a -0.000002000 0.0001 0.0002 0.1",
            LogFormat::Peerstats,
            2_000,
            "127.127.22.0",
        ),
    ] {
        let next = text
            .replace("00:00:00", "00:00:16")
            .replace("0.123", "16.123");
        let found = parse(&format!("{text}\n{next}")).unwrap();
        assert_eq!(found.format(), format, "{text}");
        assert_eq!(found.updates()[0].error_ns, error_ns, "{text}");
        assert_eq!(found.source(), source);
        assert_eq!(found.length_ns(), 16_000_000_000);
    }
}

#[test]
fn lines_of_an_unsynchronised_clock_are_no_updates() {
    let lost = "2026-01-01 12:00:00 0.0.0.0 0 -20.1 0.01 0.000e+00 ? 0 0.000e+00 0 1.2e-04 3.0e-05 9.1e-05\n";
    let text = write(LogFormat::Tracking, &[(0, 1e-3), (16, 1e-3)]);
    assert_eq!(
        parse(&format!("{lost}{text}{lost}")).unwrap(),
        parse(&text).unwrap()
    );
}

#[test]
fn of_several_sources_the_one_with_most_lines_counts() {
    let text = write(LogFormat::Peerstats, &curve());
    let other = |line: &str| {
        line.replace("192.0.2.1", "192.0.2.2")
            .replace("0.00", "0.01")
    };
    let mixed = text.lines().enumerate().flat_map(|(i, line)| {
        let other = (i % 3 == 0).then(|| other(line));
        other.into_iter().chain([line.to_owned()])
    });
    let mixed: Vec<_> = mixed.collect();
    let found = parse(&mixed.join("\n")).unwrap();
    assert_eq!(found, parse(&text).unwrap());
    assert_eq!(
        found.to_string(),
        "log of 192.0.2.1 (100 updates in 6336 s)"
    );
}

#[test]
fn what_cannot_be_read_is_named_with_its_line() {
    let tracking = |offset: &str, time: &str| {
        format!(
            "2026-01-01 {time} 192.0.2.1 2 -20.1 0.01 {offset} N 1 0.0 -1.1e-06 1.2e-04 3.0e-05 9.1e-05\n"
        )
    };
    let good = tracking("1e-3", "00:00:16");
    let cut = &good[..40];
    for (text, expected) in [
        (
            String::new(),
            "log: no update, expected chrony's tracking.log",
        ),
        (BANNER.to_owned(), "log: no update"),
        (
            good.clone(),
            "log: 1 update, expected at least 2; let chrony's tracking.log grow for longer",
        ),
        (
            "Jan  1 00:00:00 kernel: hello\n".to_owned(),
            "log: line 1: 5 fields of something else, expected chrony's",
        ),
        (
            format!("{BANNER}1,2,3\n"),
            "log: line 2: 1 field of something else",
        ),
        (
            "\u{0}".repeat(5000),
            "log: line 1: a very long line, expected chrony's",
        ),
        (
            format!("{good}{cut}"),
            "log: line 2: 6 fields, expected 14 of chrony's tracking.log; remove the line if it is cut off",
        ),
        (
            format!("{good}{good}"),
            "log: line 2: a time that is not after line 1's, expected times that rise",
        ),
        (
            format!("{good}{}", tracking("1e-3", "00:00:15")),
            "line 2: a time that is not after",
        ),
        (
            format!("{good}{}", tracking("nan", "00:00:17")),
            "line 2: offset \"nan\", expected a number of seconds; remove the line",
        ),
        (
            format!("{good}{}", tracking("inf", "00:00:17")),
            "line 2: offset \"inf\"",
        ),
        (
            format!("{good}{}", tracking("x", "00:00:17")),
            "line 2: offset \"x\"",
        ),
        (
            format!("{good}{}", tracking("-378691200.0", "00:00:17")),
            "line 2: offset -378691200.0 s, expected at most 10000 s",
        ),
        (
            format!("{good}{}", tracking("1e-3", "25:00:17")),
            "line 2: \"2026-01-01 25:00:17\", expected a date and a time",
        ),
        (
            format!("{good}{}", good.replace(" N ", " X ").replace(":16", ":17")),
            "line 2: leap status \"X\", expected N, +, - or ?",
        ),
        (
            format!("{good}61041 0 0.1 -33.4 0.1 0.1 6\n"),
            "line 2: 7 fields, expected 14",
        ),
        (
            "61041 0 0.1 -33.4 0.1 0.1 6\n61041 86402 0.1 -33.4 0.1 0.1 6\n".to_owned(),
            "line 2: second of the day \"86402\"",
        ),
        (
            "61041 0 0.1 -33.4 0.1 0.1 6\n40586 1 0.1 -33.4 0.1 0.1 6\n".to_owned(),
            "line 2: day \"40586\", expected a modified Julian day",
        ),
    ] {
        let error = parse(&text).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
        assert_eq!(error.lines().count(), 1);
    }
    let error = read(&b"\xff\xfe\n"[..], "x").unwrap_err().to_string();
    assert!(error.starts_with("x: line 1: no text, expected"), "{error}");
}

proptest! {
    #[test]
    fn no_file_makes_the_reader_panic(
        start in "[0-9]{5} [0-9.]{1,6}|20[0-9]{2}-[01][0-9]-[0-3][0-9] [0-9]{2}:[0-9]{2}:[0-9]{2}|.{0,20}",
        fields in prop::collection::vec("[0-9.eE+-]{1,8}|N|\\?|nan", 0..20),
        lines in 1usize..4,
    ) {
        let line = format!("{start} {}\n", fields.join(" "));
        let _ = parse(&line.repeat(lines));
    }
}

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
