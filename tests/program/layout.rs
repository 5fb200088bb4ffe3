//! `sim layout`.

use assert_cmd::Command;
use std::path::Path;

/// Runs `sim layout FLAGS`; returns exit code, stdout and stderr.
fn layout(flags: &str, out: &Path) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_sim"))
        .arg("layout")
        .args(flags.split(' ').filter(|flag| !flag.is_empty()))
        .arg("--out")
        .arg(out)
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (
        output.status.code().unwrap_or(-1),
        text(output.stdout),
        text(output.stderr),
    )
}

/// The value of the first row of this measure, if it has all these words.
fn value(jsonl: &str, measure: &str, words: &[&str]) -> f64 {
    let measure = format!("\"measure\":\"{measure}\"");
    let row = jsonl
        .lines()
        .find(|line| line.contains(&measure) && words.iter().all(|word| line.contains(word)))
        .unwrap_or_else(|| panic!("no {measure} {words:?}"));
    let row: serde_json::Value = serde_json::from_str(row).unwrap();
    row["value"].as_f64().unwrap()
}

#[test]
fn published_layouts_last_as_long_as_is_known() {
    let folder = tempfile::tempdir().unwrap();
    for (flags, until, years, ids_per_s) in [
        (
            "41/10/12 --epoch 1288834974657ms",
            "2080-07-10 17:30:30",
            "69.7",
            "4,096,000",
        ),
        ("twitter", "2080-07-10 17:30:30", "69.7", "4,096,000"),
        (
            "39/16/8 --tick 10ms --epoch 2014-09-01",
            "2188-11-",
            "174.2",
            "25,600",
        ),
        ("sonyflake", "2188-11-", "174.2", "25,600"),
        (
            "28/22/13 --tick 1s --epoch 2016-05-20",
            "2024-11-2",
            "8.5",
            "8,192",
        ),
        ("48/74", "10889-08-02 05:31:50", "8919.6", "any"),
        ("uuid_v7", "10889-08-02 05:31:50", "8919.6", "any"),
        ("ulid", "10889-08-02 05:31:50", "8919.6", "any"),
        ("ksuid", "2150-06-19 23:21:35", "136.1", "any"),
        ("t48/f4/r12/f2/r62", "10889-08-02", "8919.6", "any"),
    ] {
        let (code, stdout, stderr) = layout(&format!("{flags} --now 2026-12-01"), folder.path());
        assert_eq!((code, &*stderr), (0, ""), "{flags}");
        let line = stdout.lines().find(|line| line.contains(until));
        let line = line.unwrap_or_else(|| panic!("{flags}: {stdout}"));
        assert!(
            line.contains(years) && line.contains(ids_per_s),
            "{flags}: {line}"
        );
    }
}

#[test]
fn a_bit_moved_either_way_is_a_row() {
    let folder = tempfile::tempdir().unwrap();
    let (code, stdout, _) = layout("twitter --format jsonl --now 2026-12-01", folder.path());
    assert_eq!(code, 0);
    let of = |measure, fields| value(&stdout, measure, &[fields]);
    let [base, longer, shorter] = ["f1/t41/n5/n5/s12", "f1/t42/n5/n4/s12", "f1/t40/n5/n5/s13"];
    assert_eq!(of("exhausted_unix_ms", base), 3_487_858_230_208.0);
    assert_eq!(of("nodes", base), 1024.0);
    assert_eq!(of("nodes", longer), 512.0);
    assert_eq!(
        of("lifetime_years", longer),
        2.0 * of("lifetime_years", base)
    );
    assert_eq!(of("node_ids_per_s", shorter), 8_192_000.0);
    assert_eq!(of("all_ids_per_s", base), 4_194_304_000.0);
    assert!((of("years_left", base) - 53.6).abs() < 0.05);
    let bases = stdout
        .lines()
        .filter(|line| line.contains("\"lifetime_years\""));
    assert_eq!(bases.count(), 7);
    assert!(
        stdout
            .lines()
            .next()
            .unwrap()
            .contains("\"now\":\"2026-12-01\"")
    );
    let again = layout("twitter --format jsonl --now 2026-12-01", folder.path());
    let rows = |text: &str| text.lines().skip(1).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(rows(&stdout), rows(&again.1));
    let (code, csv, _) = layout("twitter --format csv", folder.path());
    assert!(code == 0 && csv.starts_with("kind,run,scheme"), "{csv}");
}

#[test]
fn a_fleet_fits_or_wants_a_sidecar() {
    let folder = tempfile::tempdir().unwrap();
    for (flags, part) in [
        (
            "twitter --services 50 --replicas 10",
            "Embedded fits: a generator in each replica",
        ),
        (
            "twitter --services 50 --replicas 20",
            "Embedded fits with configured numbers",
        ),
        (
            "twitter --services 60 --replicas 20",
            "a sidecar or a centre, one generator for 2 workers or more",
        ),
        ("42/0/22 --services 10", "one generator for 10 workers"),
        ("uuid_v7 --services 1000 --replicas 1000", "need no numbers"),
        (
            "twitter --services 2 --rate 10M",
            "each generator is asked for 5,000,000; it holds only 4,096,000",
        ),
        (
            "baidu --services 60 --replicas 20 --deploys-per-day 5",
            "used up in 1.9 years",
        ),
    ] {
        let (code, stdout, stderr) = layout(flags, folder.path());
        assert_eq!((code, &*stderr), (0, ""), "{flags}");
        assert!(stdout.contains(part), "{flags}: {stdout}");
    }
    let flags = "twitter --services 38 --deploys-per-day 1 --format jsonl";
    let (_, stdout, _) = layout(flags, folder.path());
    assert!((value(&stdout, "number_clash", &[]) - 0.501).abs() < 5e-4);
    assert_eq!(value(&stdout, "workers", &[]), 38.0);
}

#[test]
fn random_bits_clash_as_birthdays_do() {
    let folder = tempfile::tempdir().unwrap();
    for (flags, expected) in [
        // 1 - e^-(10^18 / 2^123).
        ("122 --rows 1G", 9.403_954_8e-20),
        // 1 - e^-(10^9 · 10 / 2^75).
        ("48/74 --rows 1G --rate 10k", 2.646_977_96e-13),
        // A node's share of them is its own.
        (
            "t48/n10/r70 --rows 1G --rate 10k --services 10",
            4.235_164_7e-13,
        ),
    ] {
        let (code, stdout, stderr) = layout(&format!("{flags} --format jsonl"), folder.path());
        assert_eq!((code, &*stderr), (0, ""), "{flags}");
        let found = value(&stdout, "some_ids_equal", &[]);
        assert!((found / expected - 1.0).abs() < 1e-6, "{flags}: {found:e}");
    }
    // Two ids are of one tick at worst, however many others it holds.
    let (_, stdout, _) = layout("t41/r22 --rate 100M --rows 2 --format jsonl", folder.path());
    let equal = value(&stdout, "some_ids_equal", &[]) * 4_194_304.0;
    assert!((equal - 1.0).abs() < 1e-9, "{equal}");
    let (_, stdout, _) = layout("122 --format jsonl", folder.path());
    let half = value(&stdout, "ids_until_equal", &["\"x\":0.5"]);
    assert!((half / 2.714_922_67e18 - 1.0).abs() < 1e-8, "{half:e}");
    let (_, stdout, _) = layout("1+63 --rate 1M", folder.path());
    assert!(stdout.contains("Random bits: 63"), "{stdout}");
    let (_, stdout, _) = layout("auto_increment --rate 1M", folder.path());
    assert!(
        stdout.contains("use its numbers up in 292,277 years"),
        "{stdout}"
    );
    let (_, stdout, _) = layout("f1/s63 --rate 1M", folder.path());
    assert!(
        stdout.contains("use its numbers up in 292,277 years"),
        "{stdout}"
    );
}

#[test]
fn storage_is_predicted_for_each_width() {
    let folder = tempfile::tempdir().unwrap();
    let flags = "--rows 1M --secondary 4 --foreign 3 --format jsonl";
    let (code, stdout, stderr) = layout(flags, folder.path());
    assert_eq!((code, &*stderr), (0, ""));
    assert_eq!(value(&stdout, "id_copies_bytes", &["\"uuid\""]), 128e6);
    let primary = |words: &[&str]| value(&stdout, "primary_bytes", words);
    let in_order = primary(&["\"uuid\"", "\"postgres\"", "\"in_order\""]);
    assert_eq!(in_order, 3_853.0 * 8192.0);
    let at_random = primary(&["\"uuid\"", "\"postgres\"", "\"at_random\""]);
    assert!((1.2..1.4).contains(&(at_random / in_order)), "{at_random}");
    let (code, stdout, _) = layout("--rows 1", folder.path());
    assert!(code == 0 && stdout.contains("UUID, text"), "{stdout}");
}

#[test]
fn what_cannot_be_is_refused_in_one_line_before_anything_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("none");
    for (flags, expected) in [
        ("", "layout: expected a split such as 41/10/12"),
        (
            "41/10/11",
            "41/10/11: 41 + 10 + 11 = 62 bits, 2 too few for 64, 1 for 63",
        ),
        ("42/10/13", "65 bits, 1 too many for 64"),
        ("ten/four", "\"ten\" is not a number of bits"),
        ("t41/10/12", "some parts have a letter"),
        ("sonyflak", "did you mean \"sonyflake\"?"),
        ("twitter:worker=9", "must add up to 64 bits"),
        ("41/10/12 --tick 0", "expected more than 0"),
        ("41/10/12 --tick 0ms", "expected more than 0"),
        ("41/10/12 --tick ten", "with its unit"),
        ("41/10/12 --tick 25h", "at most 24h"),
        (
            "41/10/12 --epoch soon",
            "--epoch soon: expected a date such as",
        ),
        (
            "41/10/12 --epoch 2030-01-01 --now 2026-12-01",
            "--epoch 2030-01-01: lies in the future, expected at most 2026-12-01",
        ),
        ("41/10/12 --epoch 9998-12-31", "lies in the future"),
        (
            "41/10/12 --now today",
            "--now today: expected a date such as 2026-12-01",
        ),
        ("122 --tick 1ms", "--tick: has no effect on 122"),
        ("122 --epoch unix", "--epoch: has no effect on 122"),
        ("twitter --tick 1ms", "--tick: twitter has its own"),
        ("twitter --epoch unix", "--epoch: twitter has its own"),
        ("twitter --services 0", "expected at least 1"),
        ("twitter --services 2M", "expected at most 1M"),
        ("twitter --services many", "expected a whole number"),
        ("twitter --replicas 3", "--services"),
        ("twitter --deploys-per-day 3", "--services"),
        ("twitter --rows 1G", "--rows: has no effect on twitter"),
        ("ulid:tail=monotonic --rows 1G", "--rows: has no effect on"),
        ("--services 3", "LAYOUT"),
        ("--rate 3", "LAYOUT"),
        ("--secondary 3", "--rows"),
        ("--rows 0", "expected at least 1"),
        ("--rows many", "expected a whole number"),
        ("--rows 2000000G", "expected at most 1000000G"),
        ("--rows 1 --foreign 2k", "expected at most 1000"),
        ("--rows 1 --secondary -1", "'-1' for '--secondary"),
        ("twitter --rate -5", "'-5' for '--rate"),
        ("41/10/12 --tick -1ms", "'-1ms' for '--tick"),
        ("twitter --seed -1", "'-1' for '--seed"),
    ] {
        let (code, stdout, stderr) = layout(flags, &out);
        assert_eq!((code, stderr.lines().count()), (2, 1), "{flags}: {stderr}");
        assert!(stderr.contains(expected), "{flags}: {stderr}");
        assert!(stdout.is_empty() && !out.exists(), "{flags}");
    }
}
