//! `sim ids --real-time`: ids by this machine's clock. What it does when that is set back, scripts/faketime.sh shows.

use assert_cmd::Command;

fn ids(args: &str) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_sim"))
        .arg("ids")
        .args(args.split_whitespace())
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let code = output.status.code().unwrap_or(-1);
    (code, text(output.stdout), text(output.stderr))
}

/// More than a millisecond has, so that the generator has to wait for the next one.
#[test]
fn ids_of_a_real_clock_ascend_and_are_of_now() {
    let (code, stdout, stderr) =
        ids("snowflake:sequence=4:timestamp=49 --real-time --rollback hold -n 500");
    assert_eq!(code, 0, "{stderr}");
    let ids: Vec<u64> = stdout.lines().map(|line| line.parse().unwrap()).collect();
    assert_eq!(ids.len(), 500);
    assert!(ids.is_sorted_by(|a, b| a < b));
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let now_ms = since.unwrap().as_millis() as u64;
    let minted_ms = (ids[0] >> 14) + 1_288_834_974_657;
    let day_ms = 86_400_000;
    assert!(minted_ms.abs_diff(now_ms) < day_ms, "{minted_ms}");
}

#[test]
fn two_runs_differ_and_fields_are_shown() {
    let one = ids("uuid_v7 --real-time -n 3");
    assert_eq!((one.0, one.1.lines().count()), (0, 3));
    assert_ne!(one.1, ids("uuid_v7 --real-time -n 3").1);
    let (code, stdout, _) = ids("ulid --real-time -n 2 --decode");
    assert_eq!((code, stdout.lines().count()), (0, 4), "{stdout}");
    assert!(stdout.contains("timestamp"), "{stdout}");
}

#[test]
fn what_only_a_simulation_has_is_refused() {
    for (args, code, expected) in [
        (
            "snowflake --real-time --seed 3",
            2,
            "cannot be used with '--seed <N>'",
        ),
        (
            "snowflake --real-time --writers 3",
            2,
            "cannot be used with '--writers <N>'",
        ),
        ("snowflake --every 3ms", 2, "not provided: --real-time"),
        (
            "snowflake --real-time --rollback refuse,hold",
            2,
            "--rollback: expected one",
        ),
        (
            "auto_increment --real-time --rollback hold",
            2,
            "auto_increment has its own rule for clocks that go back",
        ),
        (
            "snowflake:epoch_ms=18000000000000 --real-time",
            1,
            "snowflake: the clock is outside the scheme's range",
        ),
    ] {
        let (found, stdout, stderr) = ids(args);
        assert_eq!(found, code, "{args}: {stderr}");
        assert!(stderr.contains(expected), "{args}: {stderr}");
        assert_eq!(stderr.lines().count(), 1, "{args}: {stderr}");
        assert!(stdout.is_empty(), "{args}: {stdout}");
    }
}
