mod replay;

use super::*;
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
fn a_byte_order_mark_is_skipped() {
    for format in FORMATS {
        let text = write(format, &curve());
        assert_eq!(parse(&format!("\u{feff}{text}")), parse(&text));
        let lines: Vec<_> = text
            .lines()
            .filter(|line| line.contains(" 1") && !line.starts_with('='))
            .collect();
        assert_eq!(
            parse(&format!("\u{feff}{}", lines.join("\n"))),
            parse(&lines.join("\n"))
        );
    }
}

#[test]
fn errors_name_the_path_and_the_log_the_last_part_of_it() {
    let text = write(LogFormat::Tracking, &curve());
    let found = read(text.as_bytes(), "host/tracking.log").unwrap();
    assert_eq!(found.to_string(), "tracking.log (100 updates in 6336 s)");
    for bad in ["hello", "", &text[..text.len() / 2]] {
        let error = read(bad.as_bytes(), "host/tracking.log").unwrap_err();
        assert!(
            error.to_string().starts_with("host/tracking.log: "),
            "{error}"
        );
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
            "61041 0 0.1 -33.4 0.1 0.1 6\n61041 0.049 0.1 -33.4 0.1 0.1 6\n".to_owned(),
            "log: updates 49ms apart in the mean, expected at least 50ms; give a longer log",
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
