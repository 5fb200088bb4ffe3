//! `sim fleet` as a user meets it.

use assert_cmd::Command;
use std::fs;
use std::path::Path;

fn fleet(args: &str, out: &Path) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_sim"))
        .arg("fleet")
        .args(args.split_whitespace())
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

/// Wrong usage: exit code 2, one line with `expected` in it, and nothing written.
fn refused(args: &str, out: &Path, expected: &str) {
    let (code, stdout, stderr) = fleet(args, out);
    assert_eq!(code, 2, "{args}: {stderr}");
    assert!(stderr.contains(expected), "{args}: {stderr}");
    assert_eq!(stderr.lines().count(), 1, "{args}: {stderr}");
    assert!(stdout.is_empty() && !out.exists(), "{args}");
}

#[test]
fn wrong_arguments_get_one_line_and_nothing_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("none");
    for (args, expected) in [
        (
            "--clock lan_crony",
            "--clock: unknown clock \"lan_crony\" (did you mean \"lan_chrony\"?)",
        ),
        ("--clock xyz", "known: ideal, ptp_hw"),
        (
            "--clock lan_chrony,ofset=constant:1s",
            "--clock: ofset=constant:1s: unknown key \"ofset\" (did you mean \"offset\"?)",
        ),
        (
            "--clock offset=laplace:150",
            "--clock: offset=laplace:150: \"150\": expected a number with its unit",
        ),
        (
            "--clock ideal --clock-log x",
            "the argument '--clock <CLOCK>' cannot be used with '--clock-log <FILES>'",
        ),
        (
            "--commit hevy",
            "--commit: unknown latency \"hevy\" (did you mean \"heavy\"?)",
        ),
        (
            "--commit exponential:5",
            "--commit exponential:5: expected a number with its unit",
        ),
        (
            "--commit exponential:20h",
            "rows on their way, expected at most 1000000: lower --rate or --delay, or take another --commit",
        ),
        ("--scheme uuid_v9", "did you mean"),
        (
            "--scheme uuid_v7,uuid_v7",
            "--scheme: uuid_v7 is given twice",
        ),
        (
            "--scheme snowflake --writers 1025",
            "snowflake has room for workers 0 to 1023, not for worker 1024: use fewer --writers",
        ),
        (
            "--rollback refuze",
            "--rollback: unknown rollback \"refuze\" (did you mean \"refuse\"?)",
        ),
        (
            "--rollback wait:5",
            "--rollback: \"wait:5\": expected a number with its unit",
        ),
        ("--rollback hold,hold", "--rollback: hold is given twice"),
        (
            "--memory storred",
            "--memory: unknown memory \"storred\" (did you mean \"stored\"?)",
        ),
        ("--clock ideal --clock-sd 2ms", "cannot be used with"),
        ("--commit light --delay 2ms", "cannot be used with"),
        ("--writers 2M", "--writers: expected at most 1M"),
        ("--writers 0", "expected at least 1"),
        ("--for 0", "--for 0: expected some time"),
        (
            "--for 1ms --rate 10 --lag 0 --poll 0",
            "--rate 10 for 0.001 s: expected at least one row; raise --rate or --for",
        ),
        ("--for 10", "expected a number with its unit"),
        (
            "--for 24h --rate 10k",
            "864000000 rows, expected at most 100000000: lower --rate or --for",
        ),
        ("--lag 1s,-1s", "expected a number with its unit"),
        ("--lag 1s,1s", "--lag: 1 s is given twice"),
        (
            "--lag 11min",
            "--lag 660 s: expected at most the run's 600 s",
        ),
        (
            "--poll 11min",
            "--poll 660 s: expected at most the run's 600 s",
        ),
        ("--poll -1s", "expected a number with its unit"),
        ("--rate 0", "expected ids a second, at least 1"),
        (
            "--rate 1M --for 10s --scheme ksuid,snowflake:worker=4:sequence=1:timestamp=58",
            "snowflake issues at most 32000 ids a second",
        ),
    ] {
        refused(args, &out, expected);
    }
}

#[test]
fn a_run_has_a_table_records_and_a_chart_and_repeats() {
    let folder = tempfile::tempdir().unwrap();
    let args = "--for 1min --clock wan_pool --commit heavy --lag 0,2s,10s --scheme snowflake,ksuid,auto_increment";
    let found = |name: &str, more: &str| {
        let out = folder.path().join(name);
        let (code, stdout, stderr) = fleet(&format!("{args} {more}"), &out);
        assert_eq!((code, &*stderr), (0, ""), "{stdout}");
        for scheme in ["snowflake", "ksuid", "auto_increment"] {
            assert!(
                stdout
                    .lines()
                    .any(|line| line.trim_start().starts_with(scheme))
            );
        }
        assert!(out.join("fleet_skipped.svg").exists() && out.join("fleet_skipped.png").exists());
        let text = fs::read_to_string(out.join("fleet.jsonl")).unwrap();
        text.split_once('\n').unwrap().1.to_owned()
    };
    let first = found("one", "--threads 1");
    assert_eq!(first, found("two", "--threads 2"));
    assert_ne!(first, found("three", "--seed 2"));
    let share = |scheme: &str, lag_ns: u64| {
        let rows = first
            .lines()
            .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        let mut rows = rows.filter(|row| {
            row["scheme"] == scheme && row["measure"] == "skipped_rows_share" && row["x"] == lag_ns
        });
        rows.next().unwrap()["value"].as_f64().unwrap()
    };
    // Within a second, KSUIDs are in random order.
    assert!(share("ksuid", 0) > 50.0 * share("snowflake", 0));
    assert!(share("snowflake", 0) > share("snowflake", 2_000_000_000));
    assert!(share("auto_increment", 0) > 0.0);
}

/// Nothing is lost, so nothing is drawn; the other numbers are there.
#[test]
fn a_run_without_a_loss_has_no_chart() {
    let folder = tempfile::tempdir().unwrap();
    let (code, stdout, _) = fleet(
        "--for 10s --clock ideal --commit none --scheme auto_increment --lag 0,1s",
        folder.path(),
    );
    assert_eq!(code, 0);
    assert!(stdout.contains("auto_increment"), "{stdout}");
    assert!(!folder.path().join("fleet_skipped.svg").exists());
    // One point only is a chart too.
    let (code, _, _) = fleet("--for 10s --scheme ksuid --lag 0", folder.path());
    assert_eq!(code, 0);
    assert!(folder.path().join("fleet_skipped.svg").exists());
}

#[test]
fn clocks_are_composed_and_follow_logs() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let run = |args: &str| {
        let args = format!(
            "--for 2min --rate 500 --scheme snowflake --lag 0 --poll 0 --commit none {args}"
        );
        let (code, stdout, stderr) = fleet(&args, &out);
        assert_eq!((code, &*stderr), (0, ""), "{stdout}");
        fs::read_to_string(out.join("fleet.jsonl")).unwrap()
    };
    let lost = |text: &str| {
        let rows = text
            .lines()
            .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        let mut rows = rows.filter(|row| row["measure"] == "skipped_rows_share");
        rows.next().unwrap()["value"].as_f64().unwrap()
    };
    let equal = run("--clock offset=constant:20ms");
    // Ties within a millisecond.
    assert!(lost(&equal) < 0.3);
    let apart = run("--clock offset=uniform:20ms");
    assert!(lost(&apart) > 0.6);
    let log = folder.path().join("loopstats");
    fs::write(
        &log,
        "61041 0.5 0.020 -33 0.001 0.1 6\n61041 64.5 -0.020 -33 0.001 0.1 6\n",
    )
    .unwrap();
    let replayed = run(&format!("--clock-log {}", log.display()));
    assert!(lost(&replayed) > 0.6);
    assert!(replayed.contains("\"clock\":\"loopstats (2 updates in 64 s)\""));
}

#[test]
fn a_log_that_cannot_be_read_gets_one_line_and_nothing_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("none");
    let log = folder.path().join("syslog");
    fs::write(&log, "Jan 1 00:00:00 kernel: hello\n").unwrap();
    for (path, exit, expected) in [
        (
            folder.path().join("absent"),
            1,
            "absent: cannot be opened: ",
        ),
        (
            folder.path().to_owned(),
            1,
            ": is a folder, expected a file",
        ),
        (
            log,
            2,
            "/syslog: line 1: 5 fields of something else, expected chrony's tracking.log",
        ),
    ] {
        let (code, stdout, stderr) = fleet(&format!("--clock-log {}", path.display()), &out);
        assert_eq!(code, exit, "{stderr}");
        assert!(stderr.contains(expected), "{stderr}");
        assert_eq!(stderr.lines().count(), 1, "{stderr}");
        assert!(stdout.is_empty() && !out.exists());
    }
}

#[test]
fn what_a_centre_costs_is_told_of_schemes_that_visit_one() {
    let folder = tempfile::tempdir().unwrap();
    let run = |schemes: &str| {
        let args = format!("--scheme {schemes} --for 10s --poll 1s --lag 0");
        let (code, stdout, stderr) = fleet(&args, folder.path());
        assert_eq!(code, 0, "{stderr}");
        stdout
    };
    let both = run("ticket_block:size=50:prefetch=20:rtt_us=2000,stride,odd_even");
    let (_, centres) = both.split_once("visits").unwrap();
    assert!(
        centres.contains("ticket_block") && centres.contains("odd_even"),
        "{both}"
    );
    assert!(!centres.contains("stride"), "{both}");
    let records = fs::read_to_string(folder.path().join("fleet.jsonl")).unwrap();
    for measure in ["round_trips_per_id", "gap_ids", "stalled_writers"] {
        assert!(records.contains(measure), "{measure}");
    }
    assert!(!run("stride,snowflake").contains("visits"));
    let (code, _, stderr) = fleet("--scheme stride --writers 17", &folder.path().join("none"));
    assert_eq!(code, 2);
    assert!(
        stderr.contains("stride has room for workers 0 to 15, not for worker 16"),
        "{stderr}"
    );
}

/// The lines of a record file after the run line.
fn records(folder: &Path) -> Vec<serde_json::Value> {
    let text = fs::read_to_string(folder.join("fleet.jsonl")).unwrap();
    let lines = text.lines().skip(1);
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Value, least and most by the value of a param and the size.
fn swept(rows: &[serde_json::Value], measure: &str, param: &str, name: &str) -> Vec<[f64; 4]> {
    let rows = rows.iter().filter(|row| {
        row["measure"] == measure && (row[param] == name || row["params"][param] == name)
    });
    rows.map(|row| ["x", "low", "value", "high"].map(|key| row[key].as_f64().unwrap()))
        .collect()
}

#[test]
fn sweeps_have_tables_records_and_charts_on_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    for (sweep, args, sizes) in [
        (
            "skew",
            "--scheme snowflake,auto_increment --for 5s --replicas 2",
            19,
        ),
        (
            "step",
            "--scheme snowflake --rollback refuse,hold,ignore --rate 400 --writers 1 --arrivals steady --replicas 2",
            13,
        ),
        ("pause", "--for 30s --replicas 2 --rate 600", 13),
    ] {
        let mut found = Vec::new();
        for threads in [1, 3] {
            let out = folder.path().join(format!("{sweep}{threads}"));
            let args = format!("--sweep {sweep} {args} --threads {threads}");
            let (code, stdout, stderr) = fleet(&args, &out);
            assert_eq!((code, &*stderr), (0, ""), "{args}: {stdout}");
            assert!(stdout.contains("Means of 2 runs of each"), "{stdout}");
            for end in ["svg", "png"] {
                assert!(out.join(format!("fleet_{sweep}.{end}")).exists(), "{args}");
            }
            let svg = fs::read(out.join(format!("fleet_{sweep}.svg"))).unwrap();
            found.push((records(&out), svg, stdout.lines().next().map(str::to_owned)));
        }
        assert_eq!(found[0], found[1]);
        let rows = &found[0].0;
        let swept = |measure: &str, param: &str, name: &str| {
            let found = swept(rows, measure, param, name);
            // The closed form is told where clocks are further apart than a tick.
            let exact = measure == "inversions_expected_per_row";
            assert_eq!(
                found.len(),
                if exact { 10 } else { sizes },
                "{measure} {name}"
            );
            assert!(
                found
                    .iter()
                    .all(|[_, low, value, high]| low <= value && value <= high)
            );
            found
        };
        let none = |found: &[[f64; 4]]| found.iter().all(|point| point[3] == 0.0);
        match sweep {
            "skew" => {
                let skewed = swept("inversions_per_row", "scheme", "snowflake");
                let expected = swept("inversions_expected_per_row", "scheme", "snowflake");
                assert!(expected.is_sorted_by(|a, b| a[2] < b[2]));
                assert!(skewed[12..].is_sorted_by(|a, b| a[2] < b[2]));
                assert!(none(&swept("k_sorted_rows", "scheme", "auto_increment")));
            }
            "step" => {
                let out = swept("unavailable_per_step_ms", "rollback", "refuse");
                // A call each 2.5 ms, a tick of 1 ms.
                assert!(
                    out.iter().all(|[ns, low, _, high]| {
                        ns / 1e6 - 3.6 < *low && *high < ns / 1e6 + 3.6
                    })
                );
                // 4096 ids last for ten seconds.
                assert!(none(&swept("unavailable_per_step_ms", "rollback", "hold")));
                assert!(none(&swept("refused_calls_per_step", "rollback", "hold")));
                assert!(none(&swept("duplicate_ids_per_step", "rollback", "refuse")));
                assert!(none(&swept("duplicate_ids_per_step", "rollback", "hold")));
                let twice = swept("duplicate_ids_per_step", "rollback", "ignore");
                assert!(none(&twice[..1]) || twice[0][2] <= 2.0);
                assert!(twice[3..].iter().all(|point| point[1] > 0.0));
            }
            _ => {
                let twice = swept("fleet_duplicate_ids", "holder", "background");
                let (within, beyond): (Vec<[f64; 4]>, Vec<[f64; 4]>) =
                    twice.iter().partition(|point| point[0] < 15e9 - 5.1e9);
                assert!(none(&within));
                let beyond = beyond.iter().filter(|point| point[0] > 17.1e9);
                assert!(beyond.clone().count() > 3 && beyond.clone().all(|point| point[1] > 0.0));
                for holder in ["own_clock", "key_time"] {
                    assert!(none(&swept("fleet_duplicate_ids", "holder", holder)));
                    assert!(none(&swept("worker_number_shared_ms", "holder", holder)));
                }
            }
        }
    }
}

#[test]
fn a_timeline_is_of_the_minute_asked_for_or_of_the_first_trouble() {
    let folder = tempfile::tempdir().unwrap();
    let run = |args: &str| {
        let args = format!(
            "--for 2min --clock ideal,at=90s:-1s --scheme snowflake,auto_increment --rollback refuse,hold --lag 0 --poll 0 --rate 200 {args}"
        );
        let (code, stdout, stderr) = fleet(&args, folder.path());
        assert_eq!((code, &*stderr), (0, ""), "{stdout}");
        // The lag windows are those asked for.
        assert!(!stdout.contains("75."), "{stdout}");
        let rows = records(folder.path());
        let mut times = rows
            .iter()
            .filter(|row| row["measure"].as_str().unwrap().starts_with("timeline_"));
        let first = times.next().map(|row| row["x"].as_f64().unwrap() / 1e9);
        let refused = rows
            .iter()
            .filter(|row| row["measure"] == "timeline_refused_calls");
        let calls: u64 = refused.map(|row| row["value"].as_u64().unwrap()).sum();
        (
            first,
            calls,
            folder.path().join("fleet_timeline.png").exists(),
        )
    };
    let (first, calls, drawn) = run("--timeline");
    assert!((74.9..77.0).contains(&first.unwrap()), "{first:?}");
    assert!(calls > 150 && drawn);
    let (first, calls, drawn) = run("--timeline 10s");
    assert!((10.0..11.0).contains(&first.unwrap()), "{first:?}");
    assert!(calls == 0 && drawn);
    let bytes = |folder: &Path| fs::read(folder.join("fleet_timeline.svg")).unwrap();
    let drawn = bytes(folder.path());
    let again = run("--timeline 10s --threads 1");
    assert!(again.0 == first && drawn == bytes(folder.path()));
    assert_eq!(run(""), (None, 0, false));
}

#[test]
fn sweeps_and_timelines_refuse_what_they_cannot_do() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("none");
    for (args, expected) in [
        (
            "--sweep skew --clock ideal",
            "--clock: --sweep skew sets the clocks itself",
        ),
        (
            "--sweep pause --rollback wait,hold",
            "several at once are for --sweep step",
        ),
        (
            "--sweep pause --numbers random:4",
            "--numbers: --sweep pause has --leases instead",
        ),
        (
            "--sweep pause --scheme snowflake",
            "snowflake has 1024 worker numbers: --sweep pause needs some, but fewer than 3 writers",
        ),
        (
            "--sweep pause --scheme uuid_v7",
            "uuid_v7 has no worker numbers",
        ),
        ("--sweep step --poll 1s", "cannot be used with"),
        ("--sweep drift", "invalid value 'drift'"),
        (
            "--sweep step --scheme uuid_v4",
            "it can follow none of the rollbacks",
        ),
        (
            "--sweep skew --for 24h --rate 100k",
            "expected 1 to 100000000: change --rate or --for",
        ),
        ("--replicas 3 --timeline", "cannot be used with"),
        (
            "--timeline 11min",
            "--timeline 11min: expected less than the run's 10min",
        ),
        ("--timeline soon", "expected a number with its unit"),
    ] {
        refused(args, &out, expected);
    }
}

#[test]
fn a_lag_as_printed_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let run = |lag: &str| {
        let args = format!("--scheme uuid_v7 --for 1min --lag {lag}");
        let (code, stdout, stderr) = fleet(&args, &out);
        assert_eq!(code, 0, "{stderr}");
        let line = stdout
            .lines()
            .find(|line| line.trim_start().starts_with("uuid_v7"));
        line.unwrap()
            .split_whitespace()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let lossless = run("0")[9].clone();
    let lost = |lag: &str| run(lag)[10].clone();
    assert_eq!(lost(&format!("{lossless}ms")), "0");
    let less: f64 = lossless.parse().unwrap();
    assert_ne!(lost(&format!("{:.2}ms", less - 0.02)), "0");
}

#[test]
fn flags_that_say_nothing_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("none");
    for (args, expected) in [
        (
            "--scenario ksuid_second --sweep skew",
            "cannot be used with",
        ),
        (
            "--scenario ksuid_second --among 100",
            "--among: is for --check alone",
        ),
        (
            "--scheme snowflake --schedules 50",
            "--schedules: is for --check alone",
        ),
        (
            "--check leases --leases ttl=5s,renew=1s",
            "cannot be used with",
        ),
        ("--check planted --sweep skew", "cannot be used with"),
        (
            "--sweep step --commit heavy",
            "--commit: says nothing to this --sweep",
        ),
        (
            "--sweep skew --scheme snowflake --rollback hold",
            "--rollback: says nothing",
        ),
        (
            "--scheme snowflake --reader gap:1s",
            "none of the schemes is a sequence",
        ),
        (
            "--scheme uuid_v4 --timeline",
            "none of the schemes says a time",
        ),
        (
            "--for 20s --reader cursor:1h",
            "--reader cursor:1h: expected at most the run's 20 s",
        ),
        ("--rate -5", "--rate"),
    ] {
        refused(args, &out, expected);
    }
    // The default windows are those that fit.
    let (code, stdout, stderr) = fleet("--scheme snowflake --for 5s", &folder.path().join("out"));
    assert_eq!(code, 0, "{stderr}");
    assert!(
        stdout.contains("2 s") && !stdout.contains("10 s"),
        "{stdout}"
    );
}

#[test]
fn callers_who_only_waited_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let run = |args: &str| {
        let (code, stdout, stderr) = fleet(args, &out);
        assert_eq!(code, 0, "{stderr}");
        stdout
    };
    let paused = run("--scheme snowflake --for 20s --lag 0 --rate 200 --faults pauses=1s");
    assert!(paused.contains("without ids"), "{paused}");
}

/// Faults are drawn for each seed: three runs in one are the mean of three.
#[test]
fn replicas_are_the_mean_of_runs_with_the_seeds_that_follow() {
    let folder = tempfile::tempdir().unwrap();
    let args = "--scheme snowflake --for 10s --lag 0 --faults restarts=20s:1s,pauses=20s:1s";
    let refused = |more: &str| {
        let out = folder.path().join("out");
        let (code, _, stderr) = fleet(&format!("{args} {more}"), &out);
        assert_eq!(code, 0, "{stderr}");
        let rows = records(&out);
        let down = rows
            .iter()
            .find(|row| row["measure"] == "refused_calls" && row["params"]["cause"] == "down");
        let down = down.unwrap_or_else(|| panic!("{rows:?}")).clone();
        ["value", "low", "high", "samples"].map(|key| down[key].as_f64())
    };
    let single = ["--seed 5", "--seed 6", "--seed 7"].map(|seed| refused(seed)[0].unwrap());
    let [mean, low, high, samples] = refused("--seed 5 --replicas 3");
    assert_eq!(mean, Some(single.iter().sum::<f64>() / 3.0));
    assert_eq!(low, single.iter().copied().reduce(f64::min));
    assert_eq!(high, single.iter().copied().reduce(f64::max));
    assert_eq!(samples, Some(3.0));
    assert!(low < high);
}

/// The rows that are not late go to the right edge of an index, whichever command says so.
#[test]
fn the_same_fleet_feeds_trees_and_shards() {
    let folder = tempfile::tempdir().unwrap();
    let flags = "--scheme snowflake --clock wan_pool --commit heavy --rate 1000";
    let run = |command: &str, more: &str| {
        let out = folder.path().join(command);
        let run = Command::new(env!("CARGO_BIN_EXE_sim"))
            .arg(command)
            .args(flags.split(' ').chain(more.split(' ')))
            .arg("--out")
            .arg(&out)
            .output()
            .unwrap();
        assert!(
            run.status.success(),
            "{}",
            String::from_utf8_lossy(&run.stderr)
        );
        fs::read_to_string(out.join(format!("{command}.jsonl"))).unwrap()
    };
    let value = |text: &str, measure: &str| {
        let rows = text.lines().skip(1);
        let mut rows = rows.map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        let row = rows.find(|row| row["measure"] == measure).unwrap();
        row["value"].as_f64().unwrap()
    };
    let tree = run("btree", "-n 30k");
    let late = value(&run("fleet", "--for 30s --lag 0"), "late_rows_share");
    let edge = value(&tree, "right_edge_share");
    assert!(
        (edge + late - 1.0).abs() < 0.01 && late > 0.3,
        "{edge} {late}"
    );
    let shards = run("shards", "--key range --nodes 4 --for 30s");
    assert!(shards.lines().next().unwrap().contains("wan_pool") || shards.contains("target="));
}
