//! Every scenario of `sim fleet` comes out as expected, whatever the seed.

use assert_cmd::Command;
use std::fs;

fn sim(args: &str) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_sim"))
        .args(args.split_whitespace())
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let code = output.status.code().unwrap_or(-1);
    (code, text(output.stdout), text(output.stderr))
}

/// The names that `sim list scenarios` has in its first column.
fn names() -> Vec<String> {
    let (_, list, _) = sim("list scenarios");
    let lines = list.lines().skip(1);
    let names = lines.filter_map(|line| line.strip_prefix(' ')?.split(' ').next());
    names
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect()
}

#[test]
fn every_scenario_comes_out_as_expected() {
    let names = names();
    assert!(names.len() >= 19, "{names:?}");
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().display();
    let all = names.join(",");
    let (code, stdout, stderr) = sim(&format!("fleet --scenario {all} --seed 5 --out {out}"));
    assert_eq!((code, &*stderr), (0, ""), "{stdout}");
    let text = fs::read_to_string(folder.path().join("fleet_scenario.jsonl")).unwrap();
    let rows = text.lines().skip(1);
    let rows: Vec<serde_json::Value> = rows
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    for name in &names {
        assert!(stdout.contains(&format!("{name}: ")), "{name}");
        let mut checks = rows
            .iter()
            .filter(|row| row["params"]["scenario"] == **name)
            .peekable();
        assert!(checks.peek().is_some(), "{name} has no expectation");
        for row in checks {
            let number = |name: &str| row["params"][name].as_f64().unwrap();
            let value = row["value"].as_f64().unwrap();
            assert!(number("expected_least") <= value, "{row}");
            assert!(value <= number("expected_most"), "{row}");
            assert_eq!(row["params"]["as_expected"], true, "{row}");
        }
    }
}

#[test]
fn wrong_scenarios_get_one_line_and_nothing_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("none");
    for (args, expected) in [
        (
            "leap_secnd",
            "--scenario: unknown scenario \"leap_secnd\" (did you mean \"leap_second\"?)",
        ),
        (
            "leap_second,leap_second",
            "--scenario: leap_second is given twice",
        ),
        ("leap_second --writers 3", "--writers is for --scheme: "),
        (
            "leap_second --scheme ulid",
            "'--scenario <LIST>' cannot be used with '--scheme <LIST>'",
        ),
        (
            "leap_second --lag 1s",
            "'--scenario <LIST>' cannot be used with '--lag <LIST>'",
        ),
    ] {
        let args = format!("fleet --scenario {args} --out {}", out.display());
        let (code, stdout, stderr) = sim(&args);
        assert_eq!(code, 2, "{args}: {stderr}");
        assert!(stderr.contains(expected), "{args}: {stderr}");
        assert_eq!(stderr.lines().count(), 1, "{args}: {stderr}");
        assert!(stdout.is_empty() && !out.exists(), "{args}");
    }
}
