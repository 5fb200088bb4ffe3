//! `sim shards` as a user meets it: wrong arguments, notes, determinism.

use sha2::{Digest, Sha256};
use std::path::Path;
use tempfile::TempDir;

/// Runs `sim COMMAND --out FOLDER` with this input; returns exit code, stdout and stderr.
fn sim(command: &str, out: &Path, input: &str) -> (i32, String, String) {
    let words: Vec<_> = command.split(' ').collect();
    crate::run(&words, out, input.as_bytes())
}

/// Rows of the records, as JSON.
fn rows(folder: &Path) -> Vec<serde_json::Value> {
    let text = std::fs::read_to_string(folder.join("shards.jsonl")).unwrap();
    let lines = text.lines().skip(1);
    let rows = lines.map(|line| serde_json::from_str(line).unwrap());
    rows.collect()
}

/// The total of this measure where each of the params is so.
fn total(rows: &[serde_json::Value], measure: &str, params: &[(&str, &str)]) -> Option<f64> {
    let found = rows.iter().find(|row| {
        row["measure"] == measure
            && row["x"].is_null()
            && row["value"].is_number()
            && params
                .iter()
                .all(|(name, value)| row["params"][name] == *value)
    });
    found?["value"].as_f64()
}

/// Wrong usage: a command, and how its one line begins after `error: `.
const WRONG: &[(&str, &str)] = &[
    (
        "--store cockroch",
        "--store: no store \"cockroch\" (did you mean \"cockroach\"?)",
    ),
    ("--store tikv,tikv", "--store: tikv is given twice"),
    (
        "--key slat:8",
        "--key no sharding key \"slat\" (did you mean \"salt\"?)",
    ),
    ("--key hash:4,hash:1..8", "--key: hash:4 is given twice"),
    ("--key salt", "--key salt: expected the number of buckets"),
    (
        "--key salt:0",
        "--key salt:0: buckets \"0\": expected a number of 1 to 4096",
    ),
    (
        "--key id_mod:0",
        "--key id_mod:0: shards \"0\": expected a number of 1 to 4096",
    ),
    (
        "--key hash:32..1",
        "--key hash:32..1: expected FIRST..LAST with at most 256 numbers, such as hash:1..32",
    ),
    (
        "--key hash:1..9999",
        "--key hash:1..9999: expected FIRST..LAST",
    ),
    (
        "--key tenant:zipf:steep",
        "--key tenant:zipf:steep: expected tenant:zipf:EXPONENT, such as tenant:zipf:1.2, a number of 0 to 10",
    ),
    (
        "--key tenant:zipf:1:tenants=20k",
        "--key tenant:zipf:1:tenants=20k: tenants \"20k\": expected a number of 1 to 1000000",
    ),
    (
        "--key tenant:zipf:1.5:tenants=20000 --for 1s",
        "--key tenant:zipf:1.5:tenants=20000: 20000 tenants are more than the 10000 rows of the load; expected fewer, such as tenant:zipf:1.5:tenants=1000",
    ),
    (
        "--nodes 0",
        "invalid value '0' for '--nodes <LIST>': expected at least 1",
    ),
    ("--nodes 4,1025", "--nodes 1025: expected at most 1024"),
    ("--nodes 4,4", "--nodes: 4 is given twice"),
    ("--shards 0", "invalid value '0' for '--shards <N>'"),
    ("--shards 65537", "--shards 65537: expected at most 65536"),
    (
        "--shards 16 --store cockroach",
        "--shards: only range_fixed and hash_fixed have a fixed number of ranges",
    ),
    ("--replication 8", "--replication 8: expected at most 7"),
    (
        "--replication 3 --nodes 2",
        "--replication 3: 2 nodes cannot hold so many copies, expected at most 2",
    ),
    (
        "--row 600MiB",
        "--row 629145600: larger than a range of cockroach",
    ),
    ("--row 0", "--row: expected at least 1 byte"),
    (
        "--row 1K",
        "invalid value '1K' for '--row <BYTES>': expected a size below 4 GiB",
    ),
    // Bytes a second, or ids?
    (
        "--rate 10MB",
        "invalid value '10MB' for '--rate <IDS/S>': expected ids a second, at least 1: a number such as 500, 10k or 2.5M without another unit",
    ),
    (
        "--rate 10k/s",
        "invalid value '10k/s' for '--rate <IDS/S>': expected ids a second",
    ),
    ("--rate 0", "invalid value '0' for '--rate <IDS/S>'"),
    ("--for 100ms", "--for: expected whole seconds, at least 1s"),
    ("--for 1500ms", "--for: expected whole seconds, at least 1s"),
    (
        "--for 10",
        "invalid value '10' for '--for <TIME>': expected a number with its unit",
    ),
    (
        "--scheme uuid_v4:rows=1M+uuid_v7:rows=1M --for 1s",
        "--for: uuid_v4:rows=1M+uuid_v7:rows=1M lasts as long as its rows; leave out --for, or rows=",
    ),
    ("--clients 0", "invalid value '0' for '--clients <N>'"),
    ("--clients 2M", "--clients: expected at most 1M"),
    ("--capacity 0", "invalid value '0' for '--capacity <N>'"),
    (
        "--ids - --writers 3",
        "--writers is for --scheme: a dump has its ids and their order",
    ),
    ("--ids - --arrivals steady", "--arrivals is for --scheme: "),
    ("--ids - --clock-sd 1s", "--clock-sd is for --scheme: "),
    ("--ids - --delay 1s", "--delay is for --scheme: "),
    (
        "--ids - --key tenant:zipf:1",
        "--key tenant:zipf:1: 1000 tenants are more than the 3 rows of the load",
    ),
    ("--ids - --as guid", "--as guid: unknown kind of id"),
    (
        "--as uuid",
        "the following required arguments were not provided",
    ),
];

#[test]
fn wrong_arguments_are_one_line_and_exit_2() {
    let out = TempDir::new().unwrap();
    for (args, begins) in WRONG {
        let (code, stdout, stderr) = sim(&format!("shards {args}"), out.path(), "1\n2\n3\n");
        assert_eq!(code, 2, "{args}: {stderr}");
        // What a dump holds may be said before.
        let last = stderr.lines().last().unwrap_or_default();
        assert!(
            last.starts_with(&format!("error: {begins}")),
            "{args}: {stderr}"
        );
        let errors = stderr.lines().filter(|line| line.starts_with("error"));
        assert_eq!((errors.count(), &*stdout), (1, ""), "{args}: {stderr}");
        assert!(!out.path().join("shards.jsonl").exists(), "{args}");
    }
}

#[test]
fn what_makes_no_difference_is_said() {
    let out = TempDir::new().unwrap();
    let said = |args: &str| {
        let (code, _, stderr) = sim(&format!("shards --for 1s {args}"), out.path(), "");
        assert_eq!(code, 0, "{stderr}");
        stderr
    };
    assert_eq!(
        said("--scheme uuid_v7 --store hash_fixed,range_fixed --key range,salt:4"),
        "hash_fixed: places rows by a hash of the whole key, so that salt:4 spread them no better than range\n"
    );
    assert_eq!(
        said("--scheme uuid_v7,uuid_v4 --key auto_random:3"),
        "auto_random:3: numbers rows by itself, so that it is the same for all schemes\n"
    );
    assert_eq!(said("--scheme uuid_v7 --key range,hash:4"), "");
}

#[test]
fn a_dump_says_what_was_skipped_and_what_was_there_already() {
    let out = TempDir::new().unwrap();
    let mut dump = "not an id\n\n".to_owned();
    (1..=3000)
        .chain(1..=10)
        .for_each(|id| dump += &format!("{id}\n"));
    let (code, _, stderr) = sim(
        "shards --ids - --key range,salt:4 --shards 8 --rate 1k",
        out.path(),
        &dump,
    );
    assert_eq!(code, 0, "{stderr}");
    assert_eq!(
        stderr,
        "stdin: 3,010 decimal integers; 2 lines skipped (1 empty, 1 not an id), line 1 is not an id: \"not\"; 10 ids were there already and count as rows\n"
    );
    let rows = rows(out.path());
    assert_eq!(
        total(&rows, "duplicate_ids", &[("key", "salt:4")]),
        Some(10.0)
    );
    assert_eq!(
        total(
            &rows,
            "skipped_lines",
            &[("key", "range"), ("reason", "empty")]
        ),
        Some(1.0)
    );
    // 3.01 s: no window of 10 s is full, the one there is counts.
    let of = |window| [("key", "range"), ("window", window), ("of", "max")];
    for window in ["1s", "10s", "60s"] {
        assert_eq!(
            total(&rows, "hot_node_share", &of(window)),
            Some(1.0),
            "{window}"
        );
    }
    // Shorter than a second, and a closed loop: one node takes 10,000 writes/s.
    let (code, _, stderr) = sim(
        "shards --ids - --key range --clients 20 --capacity 10k --store range_fixed",
        out.path(),
        &(1..=5000).map(|id| format!("{id}\n")).collect::<String>(),
    );
    assert_eq!((code, &*stderr), (0, "stdin: 5,000 decimal integers\n"));
    let rows = self::rows(out.path());
    let per_s = total(&rows, "closed_loop_writes_per_s", &[]).unwrap();
    assert!((per_s / 10_000.0 - 1.0).abs() < 0.08, "{per_s}");
}

/// All that is drawn or counted of a small run of each kind.
const SMALL: &str = "shards --scheme uuid_v4,uuid_v7,snowflake --store cockroach,tikv_96,foundationdb,mongo_range,hash_fixed \
     --key range,hash:5,salt:3,tenant:zipf:1:tenants=50:top=2:salts=2,id_mod:6,bit_reversed,auto_random:2 --nodes 3,4 --for 30s --rate 4k --row 4KiB";

#[test]
fn the_same_seed_gives_the_same_rows_on_any_number_of_threads() {
    let run = |more: &str| {
        let out = TempDir::new().unwrap();
        let (code, _, stderr) = sim(&format!("{SMALL} {more}"), out.path(), "");
        assert_eq!(code, 0, "{stderr}");
        let text = std::fs::read_to_string(out.path().join("shards.jsonl")).unwrap();
        let rows = text.split_once('\n').unwrap().1.to_owned();
        // The run's name tells the number of threads from another.
        let mut lines = rows.lines().map(|line| {
            let mut row: serde_json::Value = serde_json::from_str(line).unwrap();
            row.as_object_mut().unwrap().remove("run");
            row.to_string()
        });
        lines.by_ref().collect::<Vec<_>>().join("\n")
    };
    let one = run("--threads 1");
    assert!(one == run("--threads 2"), "threads change rows");
    assert!(
        one != run("--threads 2 --seed 2"),
        "the seed changes nothing"
    );
    let digest: String = Sha256::digest(&one)
        .iter()
        .take(8)
        .map(|byte| format!("{byte:02x}"))
        .collect();
    assert_eq!(
        digest, GOLDEN,
        "what a run finds has changed; is that meant?"
    );
}

/// SHA-256 of the rows of [`SMALL`], its first bytes.
const GOLDEN: &str = "5dff0e3ef8b7f468";

/// Ascending ids: all writes on one node at any time, all nodes equally in the end.
#[test]
fn ascending_ids_are_hot_in_each_window_and_even_in_the_end() {
    let out = TempDir::new().unwrap();
    let command = "shards --scheme auto_increment --arrivals steady --delay 0 --clock-sd 0 --store foundationdb --replication 1 --nodes 4 --key range --row 8KiB --for 20min --rate 2k";
    let (code, _, stderr) = sim(command, out.path(), "");
    assert_eq!(code, 0, "{stderr}");
    let rows = rows(out.path());
    let settled = total(&rows, "hot_node_share", &[("window", "1s"), ("of", "p50")]);
    assert_eq!(settled, Some(1.0));
    let bytes = total(&rows, "hot_node_bytes_share", &[]).unwrap();
    assert!((bytes - 0.25).abs() < 0.02, "{bytes}");
}

#[test]
fn the_table_is_at_most_160_columns_wide() {
    let out = TempDir::new().unwrap();
    for args in [
        "",
        "--store tikv,hbase_stepping,foundationdb --scheme uuid_v7,snowflake --nodes 9",
    ] {
        let (code, stdout, stderr) = sim(format!("shards --for 5s {args}").trim(), out.path(), "");
        assert_eq!(code, 0, "{stderr}");
        let widest = stdout.lines().filter(|line| !line.starts_with('/'));
        let widest = widest.map(|line| line.chars().count()).max().unwrap();
        assert!(widest <= 160, "{widest}:\n{stdout}");
    }
}
