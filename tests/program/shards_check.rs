//! `sim shards --check`, and what it found.

use assert_cmd::Command;
use idlab::id::Column;
use idlab::measure::{Clients, Rows, Service, ShardsPlan, measure_shards};
use idlab::record::Parameters;
use idlab::shards::{RANGE_FIXED, Setup, ShardingKey};
use idlab::source::{Source, SourceError};

fn sim(args: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sim"));
    let output = command.args(args).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let code = output.status.code().unwrap_or(-1);
    (code, text(output.stdout), text(output.stderr))
}

#[test]
fn what_is_known_beforehand_comes_out() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    let (code, table, error) = sim(&["shards", "--check", "--trials", "20", "--out", out]);
    assert_eq!((code, error.as_str()), (0, ""), "{table}");
    assert!(!table.contains("BEYOND"), "{table}");
    let records = std::fs::read_to_string(folder.path().join("shards_check.jsonl")).unwrap();
    let (run, rows) = records.split_once('\n').unwrap();
    assert!(run.contains("\"experiment\":\"shards_check\""), "{run}");
    for section in ["oracle", "closed_form", "published"] {
        let of = format!("\"engine\":\"{section}\"");
        let count = rows.lines().filter(|row| row.contains(&of)).count();
        assert!(count > 10, "{section}: {count}");
    }
}

#[test]
fn a_check_takes_no_load() {
    for args in [
        &["shards", "--check", "--scheme", "uuid_v7"][..],
        &["shards", "--check", "--nodes", "3"],
        &["shards", "--check", "--rate", "1k"],
    ] {
        let (code, _, error) = sim(args);
        assert_eq!((code, error.lines().count()), (2, 1), "{error}");
        assert!(error.contains("cannot be used with"), "{error}");
    }
    let (code, _, error) = sim(&["shards", "--check", "--trials", "1"]);
    assert_eq!(code, 2);
    assert!(error.contains("--trials 1: expected 2 to 1M"), "{error}");
    assert_eq!(sim(&["shards", "--trials", "20"]).0, 2);
}

struct Ascending(u64);

impl Source<u64> for Ascending {
    fn fill(&mut self, keys: &mut Vec<u64>, rows: usize) -> Result<(), SourceError> {
        keys.extend((1..=rows as u64).map(|row| self.0 + row));
        self.0 += rows as u64;
        Ok(())
    }
}

/// The last second counts once: ten seconds of one busy node are ten, not eleven.
#[test]
fn a_busy_node_writes_what_it_can() {
    let setup = Setup {
        store: &RANGE_FIXED,
        key: ShardingKey::Range,
        column: Column::Bigint,
        nodes: 1,
        replication: 1,
        shards: 1,
        row_bytes: 256,
        seed: 1,
    };
    let plan = ShardsPlan {
        setups: vec![setup],
        clients: Clients::ClosedLoop {
            clients: 4,
            service: Service::Exponential,
        },
        ids_per_s: 10_000,
        capacity_per_s: 10_000,
        seconds: 10,
        seed: 1,
    };
    let mut rows = [Rows::new("", "", "", Parameters::new())];
    measure_shards(&mut Ascending(0), &plan, &mut rows, &|_| {}).unwrap();
    let [rows] = rows;
    let rows = rows.into_rows();
    let per_s = rows
        .iter()
        .find(|row| row.measure == "closed_loop_writes_per_s");
    let per_s = per_s.unwrap().value.as_f64();
    assert!((per_s - 10_000.0).abs() < 200.0, "{per_s}");
}
