//! `sim unique` and `sim ids --random-bits`.

use assert_cmd::Command;
use std::path::Path;

fn sim(command: &str) -> (i32, Vec<u8>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_sim"))
        .args(command.split(' '))
        .output()
        .unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    (output.status.code().unwrap_or(-1), output.stdout, stderr)
}

fn unique(flags: &str, out: &Path) -> (i32, String, String) {
    let (code, stdout, stderr) = sim(&format!("unique {flags} --out {}", out.display()));
    (code, String::from_utf8(stdout).unwrap(), stderr)
}

#[test]
fn nothing_comes_twice_and_a_planted_id_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path();
    let (code, stdout, stderr) = unique("-n 100k --threads 2", out);
    assert_eq!((code, &*stderr), (0, ""), "{stdout}");
    assert!(
        stdout.contains("strict") && stdout.contains("none promised"),
        "{stdout}"
    );

    let (code, stdout, stderr) = unique("--scheme uuid_v4 -n 100k --plant", out);
    let expected = "error: uuid_v4: ids that come more than once: 1; the least is ";
    assert!(code == 1 && stderr.starts_with(expected), "{stderr}");
    assert!(stderr.trim_end().ends_with(", at 0 and 99999"), "{stderr}");
    assert!(stdout.contains(" 1  none promised "), "{stdout}");
    assert!(out.join("unique.jsonl").exists());
}

#[test]
fn ids_out_of_order_are_found() {
    let folder = tempfile::tempdir().unwrap();
    // What is planted is the least id: smaller than the one before it too.
    for scheme in ["snowflake", "uuid_v7:tail=monotonic", "ticket_block"] {
        let flags = format!("--scheme {scheme} -n 10k --plant");
        let (code, stdout, _) = unique(&flags, folder.path());
        assert_eq!(code, 1, "{stdout}");
        assert!(stdout.contains(" BROKEN 1 "), "{stdout}");
    }
}

/// All but what tells time is the same bytes, whatever the number of threads.
#[test]
fn rows_do_not_depend_on_threads() {
    let rows = |threads: u32| {
        let folder = tempfile::tempdir().unwrap();
        let flags = format!("--scheme ulid,stride:step=1:wrap=yes -n 50k --threads {threads}");
        let (code, stdout, _) = unique(&flags, folder.path());
        assert_eq!(code, 1, "{stdout}");
        let text = std::fs::read_to_string(folder.path().join("unique.jsonl")).unwrap();
        let rows = text
            .lines()
            .skip(1)
            .filter(|row| !row.contains("\"unit\":\"s\""));
        rows.map(str::to_owned).collect::<Vec<_>>()
    };
    let one = rows(1);
    assert!(
        one.iter()
            .any(|row| row.contains("\"duplicate_ids\"") && row.contains("\"value\":25000"))
    );
    assert_eq!(one, rows(2));
}

#[test]
fn what_cannot_be_is_refused_in_one_line_before_anything_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("none");
    for (flags, expected) in [
        ("-n 100T", "expected a whole number"),
        ("-n 900G", "of memory, and "),
        ("-n 0", "expected at least 1"),
        ("--scheme snowflak", "did you mean \"snowflake\"?"),
        ("--scheme ulid,ulid", "--scheme: ulid is given twice"),
        (
            "--scheme stride --generators 17",
            "--generators: stride has room for workers 0 to 15",
        ),
        (
            "--plant --clock real",
            "--plant: expected --clock simulated",
        ),
        ("--per-ms 2M", "expected at most 1M"),
    ] {
        let (code, stdout, stderr) = unique(flags, &out);
        assert_eq!((code, stderr.lines().count()), (2, 1), "{flags}: {stderr}");
        assert!(stderr.contains(expected), "{flags}: {stderr}");
        assert!(stdout.is_empty() && !out.exists(), "{flags}");
    }
}

#[test]
fn random_bits_are_those_of_the_random_fields() {
    let bytes = |scheme: &str, ids: u64| {
        let (code, stdout, stderr) = sim(&format!("ids {scheme} --random-bits -n {ids}"));
        assert_eq!((code, &*stderr), (0, ""), "{scheme}");
        stdout
    };
    for (scheme, bits) in [
        ("uuid_v4", 122),
        ("uuid_v7", 74),
        ("ulid", 80),
        ("ksuid", 128),
    ] {
        let stripped = bytes(scheme, 5_000);
        assert_eq!(stripped.len(), 5_000 * bits / 8, "{scheme}");
        // Half of the bits are ones, within 6 standard deviations.
        let ones: u32 = stripped.iter().map(|byte| byte.count_ones()).sum();
        let (ones, all) = (f64::from(ones), 8.0 * stripped.len() as f64);
        assert!(
            (ones - all / 2.0).abs() < 3.0 * all.sqrt(),
            "{scheme}: {ones} of {all}"
        );
    }
    for (flags, expected) in [
        (
            "snowflake --random-bits",
            "snowflake with these parameters has no random bits",
        ),
        ("ulid --random-bits --decode", "cannot be used with"),
        ("ulid -n 0", "-n 0: expected at least 1"),
    ] {
        let (code, stdout, stderr) = sim(&format!("ids {flags}"));
        assert_eq!(
            (code, stdout.len(), stderr.lines().count()),
            (2, 0, 1),
            "{stderr}"
        );
        assert!(stderr.contains(expected), "{stderr}");
    }
}
