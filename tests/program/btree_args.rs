//! Flags that change nothing and sizes that cannot be: one line that says what to do.

use assert_cmd::Command;
use tempfile::TempDir;

/// Runs `sim COMMAND`; returns exit code, stdout and stderr.
fn sim(command: &str) -> (i32, String, String) {
    let out = TempDir::new().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_sim"))
        .args(command.split(' '))
        .arg("--out")
        .arg(out.path())
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (
        output.status.code().unwrap_or(-1),
        text(output.stdout),
        text(output.stderr),
    )
}

/// Wrong usage: a command, and how its one line begins after `error: `.
const WRONG: &[(&str, &str)] = &[
    // Flags on which nothing depends.
    (
        "btree --checkpoint-rows 1k --engine innodb,sqlite --cache 8MiB",
        "--checkpoint-rows: has no effect on innodb, sqlite: leave it out, or take postgres",
    ),
    (
        "btree --checkpoint-rows 1k --engine lmdb --cache 8MiB --cache-policy lru",
        "--checkpoint-rows: has no effect on lmdb: ",
    ),
    (
        "btree --checkpoint-rows 1k --engine oracle_like",
        "--checkpoint-rows: has no effect on oracle_like: ",
    ),
    (
        "btree --transaction-rows 10 --cache 8MiB",
        "--transaction-rows: has no effect on postgres: leave it out, or take lmdb",
    ),
    (
        "btree --transaction-rows 10 --engine innodb",
        "--transaction-rows: has no effect on innodb: ",
    ),
    (
        "btree --transaction-rows 10 --engine sqlite --cache 8MiB --cache-policy two-list",
        "--transaction-rows: has no effect on sqlite: ",
    ),
    (
        "btree --secondary 2",
        "--secondary: has no effect on postgres: give --cache or --miss-curve",
    ),
    (
        "btree --engine textbook:4 --page-bytes 4096",
        "--page-bytes: has no effect on textbook:4: ",
    ),
    (
        "btree --engine postgres,oracle_like --payload-bytes 100",
        "--payload-bytes: has no effect on postgres, oracle_like: ",
    ),
    (
        "cliff --engine oracle_like --row 200B",
        "--row: has no effect on oracle_like: ",
    ),
    // Flags that need another one, which cannot be given.
    ("btree --as uuid --scheme uuid_v4", "the argument '--as"),
    ("btree --as uuid --stream uuid4", "the argument '--as"),
    (
        "btree --purge-every 5 --cache 8MiB",
        "the argument '--purge-every",
    ),
    (
        "btree --cache-policy lru --keep-rows 5",
        "the argument '--cache-policy",
    ),
    ("verify --engine lmdb -n 5", "the argument '--engine"),
    (
        "verify --engine lmdb --cache 8MiB",
        "the argument '--engine",
    ),
    (
        "verify --engine lmdb --url x --yes-remote",
        "the argument '--engine",
    ),
    // Page sizes.
    (
        "btree --page-bytes 5000",
        "--page-bytes: postgres: a page of 5000 bytes is not valid, expected one of 1024, 2048, 4096, 8192, 16384, 32768",
    ),
    (
        "btree --engine innodb --page-bytes 2KiB",
        "--page-bytes: innodb: a page of 2048 bytes is not valid, expected one of 4096, 8192, 16384, 32768, 65536",
    ),
    (
        "btree --engine innodb:secondary --page-bytes 12KiB",
        "--page-bytes: innodb: a page of 12288 bytes is not valid, expected one of 4096,",
    ),
    (
        "btree --engine sqlite --page-bytes 1",
        "--page-bytes: sqlite: a page of 1 byte is not valid, expected one of 512, 1024,",
    ),
    (
        "btree --engine lmdb --page-bytes 64KiB",
        "--page-bytes: lmdb: a page of 65536 bytes is not valid, expected one of 512,",
    ),
    (
        "btree --engine redb --page-bytes 128KiB",
        "--page-bytes: redb: a page of 131072 bytes is not valid, expected one of 512,",
    ),
    (
        "btree --engine oracle_like --page-bytes 1KiB",
        "--page-bytes: oracle_like: a page of 1024 bytes is not valid, expected one of 2048,",
    ),
    (
        "btree --engine sql_server_like --page-bytes 16KiB",
        "--page-bytes: sql_server_like: a page of 16384 bytes is not valid, expected 8192",
    ),
    (
        "btree --engine wiredtiger --page-bytes 1",
        "--page-bytes: wiredtiger: a leaf_page_max of 1 byte is not valid",
    ),
    // The flag that is to blame, and exact sizes.
    (
        "btree --engine textbook --page-bytes 1",
        "--page-bytes: textbook: a page of 1 byte is too small",
    ),
    (
        "btree --engine textbook --payload-bytes 4000",
        "--payload-bytes: textbook: a page of 8192 bytes is too small",
    ),
    (
        "btree --engine innodb --payload-bytes 9000",
        "--payload-bytes: innodb: a page of 16384 bytes is too small",
    ),
    (
        "btree --engine lmdb --page-bytes 512 --key-bytes 511",
        "--page-bytes: lmdb: a key of 511 bytes and a payload of 0 bytes are larger than a page of 512",
    ),
    (
        "btree --engine oracle_like --key-bytes 6000",
        "--key-bytes: oracle_like: a page of 8192 bytes is too small",
    ),
    (
        "btree --engine innodb --cache 7.75MiB",
        "--cache: innodb: a cache of 8126464 bytes is too small, expected at least 8 MiB",
    ),
    (
        "btree --cache 1",
        "--cache: postgres: a cache of 1 byte is 0 pages of 8192,",
    ),
    (
        "btree --cache 7.9MiB",
        "invalid value '7.9MiB' for '--cache <BYTES>': expected a size in whole bytes",
    ),
    (
        "cliff --engine textbook --row 4000B",
        "--row: textbook: a page of 8192 bytes is too small",
    ),
    (
        "cliff --engine sqlite --cache 4KiB",
        "--cache: sqlite: 1 page of 4096, expected 16 or more",
    ),
    ("cliff --at 0.1,0.10", "--at: 0.1 is given twice"),
    (
        "verify --engine redb",
        "--engine redb: has no recorded rows, expected postgres, innodb, sqlite, lmdb, wiredtiger; --live redb loads it now",
    ),
    (
        "verify --engine sqlite:unique",
        "--engine sqlite:unique: has no recorded rows, expected postgres, innodb, sqlite, lmdb, wiredtiger; --live sqlite:unique loads it now",
    ),
];

#[test]
fn what_cannot_be_or_changes_nothing_is_one_line_and_exit_2() {
    for (command, begins) in WRONG {
        let (code, stdout, stderr) = sim(command);
        assert!(
            stderr.starts_with(&format!("error: {begins}")),
            "{command}: {stderr}"
        );
        assert_eq!(
            (code, stderr.lines().count(), &*stdout),
            (2, 1, ""),
            "{command}: {stderr}"
        );
    }
}

/// One engine that takes notice of a flag is enough.
const RIGHT: &[&str] = &[
    "--checkpoint-rows 100 --engine innodb,postgres",
    "--checkpoint-rows 100 --engine innodb --cache 8MiB --cache-policy lru",
    "--checkpoint-rows 100 --engine oracle_like,innodb --cache 8MiB",
    "--transaction-rows 10 --engine postgres,lmdb",
    "--transaction-rows 10 --engine postgres,innodb --cache 8MiB",
    "--secondary 1 --miss-curve",
    "--secondary 1 --engine lmdb",
    "--page-bytes 4096 --engine textbook:4,postgres",
    "--payload-bytes 100 --engine postgres,innodb",
    "--payload-bytes 100 --cache 8MiB",
    "--page-bytes 1048576 --engine wiredtiger",
];

#[test]
fn a_flag_that_one_engine_of_a_list_uses_is_taken() {
    for flags in RIGHT {
        let (code, _, stderr) = sim(&format!("btree --scheme uuid_v4 -n 1k {flags}"));
        assert_eq!((code, &*stderr), (0, ""), "{flags}");
    }
}

#[test]
fn a_table_of_wiredtiger_says_what_its_leaves_are() {
    let note = |engine| {
        let (code, stdout, _) = sim(&format!("btree --scheme uuid_v4 -n 1k --engine {engine}"));
        assert_eq!(code, 0);
        stdout.contains("wiredtiger: leaves, MiB and fill are as after a checkpoint.")
    };
    assert!(note("wiredtiger") && note("postgres,wiredtiger") && !note("postgres"));
}
