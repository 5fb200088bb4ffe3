//! `sim compare`.

use crate::{run, sim};
use std::path::Path;

fn compare(args: &[&str]) -> (i32, String, String) {
    let args: Vec<_> = std::iter::once("compare")
        .chain(args.iter().copied())
        .collect();
    let output = sim(&args).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (
        output.status.code().unwrap_or(-1),
        text(output.stdout),
        text(output.stderr),
    )
}

/// Records of a small load in `folder`.
fn load(folder: &Path, schemes: &str) {
    let (code, _, stderr) = run(&["btree", "--scheme", schemes, "-n", "2000"], folder, b"");
    assert_eq!(code, 0, "{stderr}");
}

#[test]
fn schemes_stand_side_by_side() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    load(folder.path(), "uuid_v4,snowflake");
    let (code, stdout, stderr) = compare(&["snowflake", "uuid_v4", "--records", path]);
    assert_eq!((code, &*stderr), (0, ""));
    let heading: Vec<_> = stdout.lines().next().unwrap().split_whitespace().collect();
    assert_eq!(heading, ["measure", "of", "snowflake", "uuid_v4"]);
    let line = |name: &str| {
        let found = stdout
            .lines()
            .find(|line| line.trim_start().starts_with(name));
        found
            .unwrap_or_else(|| panic!("{name}: {stdout}"))
            .to_owned()
    };
    // In the order of `sim list measures`.
    let place = |name: &str| stdout.find(&line(name)).unwrap();
    assert!(place("right_edge_share") < place("leaf_splits"));
    assert!(place("leaf_splits") < place("index_bytes"));
    let rows: Vec<_> = line("rows [rows]")
        .split_whitespace()
        .map(str::to_owned)
        .collect();
    assert_eq!(rows[rows.len() - 2..], ["2,000", "2,000"]);
    assert!(line("last_leaves_share").contains("k=10"));
    assert!(stdout.contains("1 file of one commit: "), "{stdout}");
}

#[test]
fn what_is_missing_is_a_dash_and_machines_get_all_digits() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    load(folder.path(), "uuid_v4");
    load(&folder.path().join("more"), "uuid_v7");
    let names = ["uuid_v4", "uuid_v7", "--records", path];
    let (code, _, stderr) = compare(&names);
    assert_eq!((code, stderr.lines().count()), (2, 1));
    assert!(stderr.contains("--all"), "{stderr}");
    let all = |more: &[&str]| {
        let args: Vec<_> = names
            .iter()
            .chain(&["--all", "--measure", "leaf_pages"])
            .chain(more)
            .copied()
            .collect();
        let (code, stdout, stderr) = compare(&args);
        assert_eq!((code, &*stderr), (0, ""));
        stdout
    };
    assert_eq!(all(&[]).matches(" -").count(), 2);
    let csv = all(&["--format", "csv"]);
    assert!(
        csv.starts_with("measure,unit,records,experiment,engine,params,x,uuid_v4,uuid_v7\n"),
        "{csv}"
    );
    assert_eq!(csv.lines().count(), 3);
    for line in all(&["--format", "jsonl"]).lines() {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        let values = [&line["values"]["uuid_v4"], &line["values"]["uuid_v7"]];
        assert_eq!(
            values.iter().filter(|value| value.is_null()).count(),
            1,
            "{line}"
        );
    }
}

#[test]
fn unknown_names_and_files_are_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    load(folder.path(), "uuid_v4,snowflake");
    // Lines of another program are no concern.
    std::fs::write(folder.path().join("other.jsonl"), "{}\n").unwrap();
    let (code, _, stderr) = compare(&["uuid_v4", "snowflake", "--records", path]);
    assert_eq!((code, &*stderr), (0, ""));
    // Half a record is.
    let whole = std::fs::read(folder.path().join("btree.jsonl")).unwrap();
    let half = folder.path().join("half.jsonl");
    std::fs::write(&half, &whole[..whole.len() - 9]).unwrap();
    let (code, _, stderr) = compare(&["uuid_v4", "snowflake", "--records", path]);
    assert_eq!((code, stderr.lines().count()), (0, 1), "{stderr}");
    assert!(
        stderr.starts_with("passed over: ") && stderr.contains("half.jsonl: line "),
        "{stderr}"
    );
    // An error is one line, whatever was passed over, which may have what is missed.
    let (code, _, stderr) = compare(&["uuid_v5", "--records", path]);
    assert_eq!((code, stderr.lines().count()), (2, 1), "{stderr}");
    assert!(
        stderr.contains("; passed over ") && stderr.contains("half.jsonl: line "),
        "{stderr}"
    );
    std::fs::remove_file(half).unwrap();
    // A file that is named twice is read once.
    let once = compare(&["uuid_v4", "snowflake", "--records", path]);
    let file = format!("{path},{path}/btree.jsonl");
    assert_eq!(compare(&["uuid_v4", "snowflake", "--records", &file]), once);
    let missing = folder.path().join("none.jsonl");
    std::fs::write(folder.path().join("broken"), "{}\n").unwrap();
    let broken = folder.path().join("broken");
    for (args, code, expected) in [
        (
            vec!["uuidv4", "--records", path],
            2,
            "no record is of \"uuidv4\" (did you mean \"uuid_v4\"?)",
        ),
        (
            vec!["uuid_v4", "uuid_v4", "--records", path],
            2,
            "uuid_v4 is given twice",
        ),
        (
            vec!["uuid_v4", "--measure", "leafs", "--records", path],
            2,
            "--measure: no record has \"leafs\"",
        ),
        (vec![], 2, "required"),
        (
            vec!["uuid_v4", "--records", missing.to_str().unwrap()],
            1,
            "cannot be opened",
        ),
        (
            vec!["uuid_v4", "--records", broken.to_str().unwrap()],
            1,
            "line 1: not a record",
        ),
    ] {
        let (found, stdout, stderr) = compare(&args);
        assert_eq!(
            (found, stderr.lines().count(), &*stdout),
            (code, 1, ""),
            "{args:?}: {stderr}"
        );
        assert!(stderr.contains(expected), "{args:?}: {stderr}");
    }
}
