//! `sim verify --live`: engines that are loaded now.

use assert_cmd::Command;
use std::fs;
use tempfile::TempDir;

/// Runs `sim verify --live ARGS`; returns exit code, stderr and the records.
fn live(args: &[&str]) -> (i32, String, Vec<serde_json::Value>) {
    let out = TempDir::new().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_sim"))
        .args(["verify", "--live"])
        .args(args)
        .arg("--out")
        .arg(out.path())
        .output()
        .unwrap();
    let records = fs::read_to_string(out.path().join("verify_live.jsonl")).unwrap_or_default();
    let records = records.lines().map(serde_json::from_str);
    (
        output.status.code().unwrap_or(-1),
        String::from_utf8(output.stderr).unwrap(),
        records.map(Result::unwrap).collect(),
    )
}

/// Loads, which must pass and be predicted exactly, but for LMDB's file, which its freelist's own
/// pages make a few pages longer or shorter; returns how many numbers `engine` has.
fn exact(args: &[&str], engine: &str) -> usize {
    let (code, stderr, records) = live(args);
    assert_eq!((code, &*stderr), (0, ""), "{args:?}");
    let rows: Vec<_> = records
        .iter()
        .filter(|record| record["kind"] == "row")
        .collect();
    for row in &rows {
        if row["measure"] != "file_pages_high_water" {
            let measured = &row["params"]["measured"];
            assert_eq!(row["value"].as_f64(), measured.as_f64(), "{row}");
        }
    }
    rows.iter().filter(|row| row["engine"] == engine).count()
}

#[test]
fn engines_inside_the_program_are_predicted_exactly() {
    let engines = "sqlite,sqlite:unique,lmdb,redb";
    let streams = "uuid4,rand8,ksuid20_r10000";
    // A tree that has 12 columns, and two of a table and its index.
    let sqlite = exact(&[engines, "-n", "20k", "--stream", streams], "sqlite");
    assert_eq!(sqlite, 3 * 12 + 3 * 2 * 12);
    for (engine, columns) in [("lmdb", 6), ("redb", 4)] {
        assert_eq!(exact(&[engine, "-n", "20k"], engine), 3 * columns);
    }
}

#[test]
fn seed_payload_and_cache_reach_engine_and_model() {
    let common = ["--stream", "uuid4", "-n", "10k", "--seed", "7"];
    let sqlite = ["sqlite", "--cache", "400KiB", "--payload-bytes", "300"];
    exact(&[&sqlite[..], &common].concat(), "sqlite");
    for engine in ["redb", "lmdb"] {
        let args = [engine, "--payload-bytes", "0"];
        exact(&[&args[..], &common].concat(), engine);
    }
}

/// Wrong arguments after `--live`, and what the one line must say.
const WRONG: &[(&[&str], &str)] = &[
    (&["oracle"], "known: sqlite, sqlite:unique, redb"),
    (&["sqlight"], "did you mean \"sqlite\"?"),
    (&["lmdb:unique"], "lmdb:unique: cannot be loaded"),
    (&["sqlite,sqlite"], "is given twice"),
    (&["sqlite", "--engine", "sqlite"], "cannot be used with"),
    (&["sqlite", "--stream", "uuid9"], "uuid9"),
    (&["sqlite", "--rows", "0"], "expected at least 1"),
    (&["lmdb", "--cache", "1MiB"], "only sqlite"),
    (
        &["sqlite", "--cache", "4KiB"],
        "--cache: sqlite: a cache of 4096 bytes is 1 page of 4096, expected",
    ),
    (
        &["redb", "--payload-bytes", "5000"],
        "--payload-bytes: redb: a key of 16 bytes and a payload of 5000 bytes are larger than a page",
    ),
    (
        &["sqlite", "--url", "postgres://127.0.0.1"],
        "runs inside this program",
    ),
    (
        &["sqlite,redb", "--url", "postgres://127.0.0.1"],
        "expected one engine",
    ),
    (&["sqlite", "--yes-remote"], "--url"),
    #[cfg(not(feature = "servers"))]
    (&["postgres"], "--features servers"),
    #[cfg(feature = "servers")]
    (
        &["postgres", "--url", "postgres://user@192.0.2.1"],
        "--yes-remote lets it be loaded",
    ),
];

#[test]
fn wrong_usage_is_one_line_and_exit_code_2() {
    for (args, part) in WRONG {
        let (code, stderr, records) = live(args);
        assert_eq!(code, 2, "{args:?}: {stderr}");
        assert_eq!(stderr.lines().count(), 1, "{args:?}: {stderr}");
        assert!(stderr.contains(part), "{args:?}: {stderr}");
        assert!(records.is_empty());
    }
}

#[cfg(feature = "servers")]
#[test]
fn a_server_that_is_dead_or_of_another_kind_is_told() {
    use std::io::Write;
    use std::net::TcpListener;
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for client in listener.incoming().take(2) {
            let _ = client.and_then(|mut client| client.write_all(b"HTTP/1.1 400"));
        }
    });
    for engine in ["postgres", "mariadb"] {
        for (port, part) in [(port, "another kind of server answers"), (1, "connect")] {
            let url = format!("{engine}://user@127.0.0.1:{port}");
            let (code, stderr, _) = live(&[engine, "--url", &url]);
            assert_eq!(code, 1, "{stderr}");
            assert_eq!(stderr.lines().count(), 1, "{stderr}");
            assert!(stderr.contains(part), "{stderr}");
        }
    }
}
