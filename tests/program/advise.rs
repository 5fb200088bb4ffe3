//! `sim advise`.

use crate::run;
use serde_json::Value;

/// A small question: no sharded store, two writers, short runs.
const SMALL: &[&str] = &[
    "advise", "--quick", "--nodes", "2", "--rate", "1k", "--rows", "1M",
];

fn with<'a>(more: &[&'a str]) -> Vec<&'a str> {
    SMALL.iter().chain(more).copied().collect()
}

#[test]
fn a_scheme_is_recommended_with_its_figures() {
    let folder = tempfile::tempdir().unwrap();
    let args = with(&["--bytes", "16", "--order", "ms", "--public", "yes"]);
    let (code, stdout, stderr) = run(&args, folder.path(), b"");
    assert_eq!((code, &*stderr), (0, ""));
    assert!(
        stdout.starts_with("Take auto_increment, public_id beside it\n"),
        "{stdout}"
    );
    for part in [
        "id_bytes",
        "order_resolution_ms",
        "It costs (scaled from a load of 100,000 rows)",
        "(closed form: ",
        "rows that a reader with id > last_seen",
        "Also fits",
        "Ruled out by:",
        "ksuid",
        "never an authorisation token",
    ] {
        assert!(stdout.contains(part), "{part}: {stdout}");
    }
    let records = std::fs::read_to_string(folder.path().join("advise.jsonl")).unwrap();
    let rows: Vec<Value> = records
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .filter(|line: &Value| line["kind"] == "row")
        .collect();
    let first = rows
        .iter()
        .find(|row| row["measure"] == "advice_rank" && row["value"] == 1);
    let first = first.unwrap();
    assert_eq!(
        (&first["scheme"], &first["params"]["beside"]),
        (&"auto_increment".into(), &"public_id".into())
    );
    // All its requirements are met, by the rows.
    let own = rows.iter().filter(|row| {
        row["scheme"] == "auto_increment"
            && row["params"]["beside"] == "public_id"
            && row["params"].get("asked").is_some()
    });
    let met: Vec<bool> = own.map(|row| row["params"]["met"] == true).collect();
    assert!(met.len() >= 5 && met.iter().all(|met| *met), "{met:?}");
}

#[test]
fn none_fits_is_said_with_the_nearest_and_what_to_relax() {
    let folder = tempfile::tempdir().unwrap();
    let args = with(&["--bytes", "8", "--shards", "hash", "--order", "strict"]);
    let (code, stdout, _) = run(&args, folder.path(), b"");
    assert_eq!(code, 0);
    let first = stdout.lines().next().unwrap();
    assert!(
        first.starts_with("None fits. The nearest is ") && first.contains("relax --"),
        "{first}"
    );
    assert!(stdout.contains("NOT MET"), "{stdout}");
}

#[test]
fn rows_do_not_depend_on_threads() {
    let rows = |threads: &str| {
        let folder = tempfile::tempdir().unwrap();
        let args = with(&[
            "--order",
            "second",
            "--registry",
            "yes",
            "--threads",
            threads,
            "--format",
            "jsonl",
        ]);
        let (code, stdout, _) = run(&args, folder.path(), b"");
        assert_eq!(code, 0);
        stdout.split_once('\n').unwrap().1.to_owned()
    };
    assert_eq!(rows("1"), rows("2"));
}

#[test]
fn what_cannot_be_is_refused_in_one_line_before_anything_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("none");
    for (flags, expected) in [
        ("--bytes 12", "--bytes"),
        ("--order sorted", "--order"),
        ("--rate 0", "--rate"),
        ("--rate 1T", "expected ids a second"),
        ("--rows -5", "--rows"),
        ("--nodes 0", "--nodes"),
        ("--nodes 1M", "--nodes: expected at most 100k"),
        (
            "--memory 8KiB",
            "--memory: 1 page of 8192 bytes, expected 16 or more",
        ),
        ("--memory lots", "expected a size in whole bytes"),
        ("--clock lan_chronie", "did you mean \"lan_chrony\"?"),
        ("--engine postgre", "did you mean \"postgres\"?"),
        ("--capacity 1G", "--capacity: expected at most 100M"),
        ("--registry maybe", "--registry"),
    ] {
        let args: Vec<_> = std::iter::once("advise").chain(flags.split(' ')).collect();
        let (code, stdout, stderr) = run(&args, &out, b"");
        assert_eq!((code, stderr.lines().count()), (2, 1), "{flags}: {stderr}");
        assert!(stderr.contains(expected), "{flags}: {stderr}");
        assert!(stdout.is_empty() && !out.exists(), "{flags}");
    }
}
