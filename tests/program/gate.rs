//! `sim gate` against workers that do what they should, and against those that do not.
//!
//! Workers are shell scripts whose times are made up, so no verdict here depends on a clock.
#![cfg(unix)]

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;
use tempfile::TempDir;

/// Answers with this checksum and time.
const ANSWERS: &str = "
while read -r verb name seed n; do
  case $verb in
    run) echo \"$sum $ns\" ;;
    count) echo \"$sum\" ;;
  esac
done";
const GREETING: &str =
    "echo 'gate 1'; echo 'case a/one'; echo 'case b'; echo 'note rustc x'; echo ready";

/// A worker of two cases.
fn sound(sum: &str, ns: &str) -> String {
    format!("sum={sum} ns={ns}\n{GREETING}{ANSWERS}")
}

struct Gate(TempDir);

impl Gate {
    fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sim"));
        command.arg("gate").args(args).stdin(Stdio::null());
        command
    }

    /// The command of a shell script.
    fn worker(&self, name: &str, script: &str) -> String {
        let path = self.0.path().join(name);
        fs::write(&path, script).unwrap();
        format!("/bin/sh '{}'", path.display())
    }

    /// Compares two scripts; nothing is found on the path, so nothing is counted.
    fn compare(&self, base: &str, head: &str, args: &[&str]) -> (i32, String, String) {
        let base = self.worker("base.sh", base);
        let head = self.worker("head.sh", head);
        let output = self
            .command(&["--base", &base, "--head", &head, "--quick"])
            .args(args)
            .arg("--out")
            .arg(self.out())
            .env("PATH", "")
            .output()
            .unwrap();
        texts(output)
    }

    fn out(&self) -> PathBuf {
        self.0.path().join("out")
    }

    fn rows(&self) -> Vec<Value> {
        self.records("gate")
    }

    fn records(&self, experiment: &str) -> Vec<Value> {
        let file = self.out().join(format!("{experiment}.jsonl"));
        let text = fs::read_to_string(file).unwrap();
        text.lines()
            .skip(1)
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }
}

fn texts(output: Output) -> (i32, String, String) {
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (
        output.status.code().unwrap_or(-1),
        text(output.stdout),
        text(output.stderr),
    )
}

/// What a head does whose base answers `5` after 1 ms; the exit code; what is said.
#[test]
fn verdicts_and_their_exit_codes() {
    let other_cases =
        |lines: &str| format!("sum=5 ns=1000000\necho 'gate 1'; {lines}; echo ready{ANSWERS}");
    let by_turns = format!(
        "sum=5 ns=1000000\n{GREETING}\nwhile read -r verb name seed n; do
  echo \"5 $ns\"\n  case $ns in 1000000) ns=1060000 ;; *) ns=1000000 ;; esac\ndone"
    );
    let table: &[(&str, i32, &str)] = &[
        (&sound("5", "1000000"), 0, "a/one"),
        (&sound("5", "1019000"), 0, "1.019"),
        (&sound("5", "400000"), 0, "0.400"),
        (
            &sound("5", "1030000"),
            1,
            "error: 2 of 2 cases regressed: a/one, b\n",
        ),
        (
            &by_turns,
            3,
            "undecided: 2 of 2 cases undecided: a/one, b\n",
        ),
        (&sound("6", "1000000"), 3, "the checksums differ"),
        (&sound("6", "2000000"), 3, "the checksums differ"),
        (&other_cases("echo case b"), 3, "the head has no such case"),
        (
            &other_cases("echo case a/one; echo case b; echo case c"),
            0,
            "the base has no such case",
        ),
    ];
    for (head, expected, part) in table {
        let gate = Gate::new();
        let (code, stdout, stderr) = gate.compare(&sound("5", "1000000"), head, &[]);
        assert_eq!(code, *expected, "{head}\n{stdout}{stderr}");
        assert!(
            format!("{stdout}{stderr}").contains(part),
            "{part}: {stdout}{stderr}"
        );
    }
}

/// What a base or a head does instead, and what the one line must say of it.
const FAULTS: &[(&str, &[&str])] = &[
    (
        "exit 0",
        &["ended with exit status: 0", "expected \"gate 1\""],
    ),
    (
        "echo 'no such command' >&2; exit 2",
        &["ended with exit status: 2 (no such command)"],
    ),
    ("echo hello", &["said \"hello\"", "expected \"gate 1\""]),
    (
        "echo 'gate 2'; echo ready",
        &["speaks version 2", "expected version 1"],
    ),
    (
        "echo 'gate 1'; echo ready",
        &["lists no cases", "expected at least one"],
    ),
    (
        "echo 'gate 1'; echo case a; echo case a",
        &["lists case a twice"],
    ),
    (
        "echo 'gate 1'; echo 'case a b'",
        &["said \"case a b\"", "expected \"case NAME\""],
    ),
    ("printf '\\377\\376\\n'", &["no UTF-8"]),
    (
        "echo 'gate 1'; echo case z; echo ready; read -r x",
        &["no case in common"],
    ),
    (
        "GREETING; while read -r line; do echo what; done",
        &[
            "said \"what\"",
            "expected \"CHECKSUM NS\" in answer to \"run a/one 1 16384\"",
        ],
    ),
    (
        "GREETING; while read -r line; do echo 5 0; done",
        &["said \"5 0\""],
    ),
    (
        "GREETING; while read -r line; do echo 5 -3; done",
        &["said \"5 -3\""],
    ),
    (
        "GREETING; while read -r line; do echo; done",
        &["said \"\""],
    ),
    (
        "GREETING; while read -r line; do echo error out of ids; done",
        &["refused (out of ids)"],
    ),
    (
        "GREETING; read -r line; echo gone >&2; exit 7",
        &["ended with exit status: 7 (gone)"],
    ),
    ("GREETING; read -r line; kill -9 $$", &["signal: 9"]),
    (
        "GREETING; read -r line; exec 1>&-; while :; do read -r x || exit 0; done",
        &["closed its stdout"],
    ),
];

#[test]
fn a_worker_at_fault_is_named_in_one_line() {
    let good = sound("5", "1000000");
    for (script, parts) in FAULTS {
        let bad = script.replace("GREETING", GREETING);
        for (side, base, head) in [
            ("base (/bin/sh", &bad, &good),
            ("head (/bin/sh", &good, &bad),
        ] {
            let gate = Gate::new();
            let (code, stdout, stderr) = gate.compare(base, head, &[]);
            assert_eq!((code, &*stdout), (1, ""), "{script}: {stderr}");
            assert!(stderr.starts_with("error: "), "{script}: {stderr}");
            assert_eq!(stderr.lines().count(), 1, "{script}: {stderr}");
            assert!(
                parts.iter().all(|part| stderr.contains(part)),
                "{script}: {stderr}"
            );
            assert!(
                stderr.contains(side) || script.contains("case z"),
                "{script}: {stderr}"
            );
            assert!(!gate.out().join("gate.jsonl").exists(), "{script}");
        }
    }
}

/// A worker that greets and then listens to nothing, and the file that says which processes
/// it is made of.
fn hanging(gate: &Gate) -> (String, PathBuf) {
    let file = gate.0.path().join("pids");
    let script = format!(
        "trap '' TERM INT HUP\n(while :; do /bin/sleep 1; done) &\necho $$ $! > '{}'\n{GREETING}\nwhile :; do /bin/sleep 1; done",
        file.display()
    );
    (script, file)
}

/// The processes in the file: the worker and what it has started.
fn processes(file: &Path) -> Vec<String> {
    let text = fs::read_to_string(file).unwrap_or_default();
    text.split_whitespace().map(str::to_owned).collect()
}

/// Waits until it is so, for half a minute at most.
fn in_time(so: impl Fn() -> bool) {
    for _ in 0..600 {
        if so() {
            return;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("not in time");
}

/// Ended with all that it has started.
#[test]
fn a_worker_that_hangs_is_ended() {
    let gate = Gate::new();
    let (hangs, file) = hanging(&gate);
    let good = sound("5", "1000000");
    let (code, _, stderr) = gate.compare(&good, &hangs, &["--timeout", "300ms"]);
    assert_eq!(code, 1, "{stderr}");
    assert!(
        stderr.contains("head (") && stderr.contains("said nothing for 300ms"),
        "{stderr}"
    );
    let processes = processes(&file);
    assert_eq!(processes.len(), 2);
    assert!(!processes.iter().any(|pid| runs(pid)), "{processes:?}");
}

#[test]
fn an_interrupt_ends_the_workers_too() {
    let gate = Gate::new();
    let (hangs, file) = hanging(&gate);
    let base = gate.worker("base.sh", &sound("5", "1000000"));
    let head = gate.worker("head.sh", &hangs);
    let mut command = gate.command(&["--base", &base, "--head", &head, "--timeout", "1h"]);
    command.arg("--out").arg(gate.out());
    let gate = command.stderr(Stdio::piped()).spawn().unwrap();
    in_time(|| processes(&file).len() == 2);
    let kill = format!("kill -TERM {}", gate.id());
    Command::new("/bin/sh")
        .args(["-c", &kill])
        .status()
        .unwrap();
    let (code, _, stderr) = texts(gate.wait_with_output().unwrap());
    assert_eq!((code, &*stderr), (130, ""));
    // Killed, but perhaps not yet collected by whoever collects orphans.
    let processes = processes(&file);
    in_time(|| !processes.iter().any(|pid| runs(pid)));
}

/// Whether a process runs and is no zombie.
fn runs(pid: &str) -> bool {
    let status = fs::read_to_string(Path::new("/proc").join(pid).join("status"));
    status.is_ok_and(|status| !status.contains("State:\tZ") && !status.contains("State:\tX"))
}

#[test]
fn wrong_usage_is_one_line_and_exit_2() {
    let gate = Gate::new();
    let good = gate.worker("good.sh", &sound("5", "1000000"));
    let table: &[(&[&str], &str)] = &[
        (&[], "expected --base CMD and --head CMD"),
        (&["--head", &good], "expected --base CMD beside --head"),
        (
            &["--base", &good, "--head", "a 'b"],
            "--head \"a 'b\": expected a command",
        ),
        (
            &["--base", "", "--head", &good],
            "--base \"\": expected a command",
        ),
        (
            &["--base", &good, "--head", &good, "--case", "a/onn"],
            "no case \"a/onn\" (did you mean \"a/one\"?)",
        ),
        (
            &["--base", &good, "--head", &good, "--case", "x*,b"],
            "no case \"x*\"",
        ),
        (
            &["--base", &good, "--head", &good, "--timeout", "0"],
            "expected more than 0",
        ),
        (
            &["--base", &good, "--head", &good, "--comparisons", "3"],
            "--comparisons: is for --self-test",
        ),
        (&["--self-test", "--head", &good], "cannot be used with"),
        (
            &["--self-test", "--case", "uuid_v9/one"],
            "did you mean \"uuid_v",
        ),
    ];
    for (args, part) in table {
        let output = gate
            .command(args)
            .arg("--out")
            .arg(gate.out())
            .output()
            .unwrap();
        let (code, stdout, stderr) = texts(output);
        assert_eq!(
            (code, stderr.lines().count(), &*stdout),
            (2, 1, ""),
            "{args:?}: {stderr}"
        );
        assert!(stderr.contains(part), "{args:?}: {stderr}");
    }
}

#[test]
fn records_have_ratios_with_limits_and_verdicts() {
    let gate = Gate::new();
    let (code, _, _) = gate.compare(
        &sound("5", "1000000"),
        &sound("5", "1250000"),
        &["--case", "b*"],
    );
    assert_eq!(code, 1);
    let rows = gate.rows();
    let of = |measure: &str| -> Vec<&Value> {
        rows.iter()
            .filter(|row| row["measure"] == measure)
            .collect()
    };
    let ratios = of("time_ratio");
    // Once, and once more with workers started afresh.
    assert_eq!(ratios.len(), 2);
    for row in ratios {
        assert_eq!((&row["scheme"], &row["samples"]), (&"b".into(), &40.into()));
        for limit in ["low", "value", "high"] {
            assert_eq!(row[limit], 1.25, "{row}");
        }
    }
    let verdict = of("verdict")[0];
    assert_eq!(
        (&verdict["value"], &verdict["params"]["verdict"]),
        (&1.into(), &"regressed".into())
    );
}

#[test]
fn the_programs_own_worker_answers_alike_timed_or_not() {
    let mut worker = Command::new(env!("CARGO_BIN_EXE_sim"));
    worker
        .arg("worker")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let mut worker = worker.spawn().unwrap();
    let requests = "run uuid_v7/bulk 3 2000\ncount uuid_v7/bulk 3 2000\nrun btree/random 3 500\ncount btree/random 3 500\nwalk\nrun uuid_v9/one 1 1\n";
    std::io::Write::write_all(&mut worker.stdin.take().unwrap(), requests.as_bytes()).unwrap();
    let (code, stdout, _) = texts(worker.wait_with_output().unwrap());
    assert_eq!(code, 0);
    let (greeting, answers) = stdout.split_once("ready\n").unwrap();
    assert!(greeting.starts_with("gate 1\ncase "), "{greeting}");
    let answers: Vec<_> = answers.lines().collect();
    for pair in answers[..4].chunks(2) {
        assert_eq!(pair[0].split_once(' ').unwrap().0, pair[1]);
    }
    assert!(answers[4].starts_with("error expected run"), "{answers:?}");
    assert!(answers[5].contains("did you mean"), "{answers:?}");
}

/// The verdict may be any, as time may: what it says of one case is there.
#[test]
fn the_program_is_compared_with_itself() {
    let gate = Gate::new();
    let worker = format!("'{}' worker", env!("CARGO_BIN_EXE_sim"));
    let args = [
        "--quick", "--case", "ulid/one", "--base", &worker, "--head", &worker,
    ];
    let output = gate
        .command(&args)
        .arg("--out")
        .arg(gate.out())
        .output()
        .unwrap();
    let (code, stdout, stderr) = texts(output);
    assert!([0, 1, 3].contains(&code), "{stderr}");
    assert!(stdout.contains("ulid/one"), "{stdout}{stderr}");
    let samples = |row: &Value| row["measure"] == "time_ratio" && row["samples"] == 40;
    assert!(gate.rows().iter().any(samples));
}

/// Of the case at each of three sizes, then of all cases: each by gate, by time, and undecided.
#[test]
fn the_self_test_tells_shares() {
    let gate = Gate::new();
    let args = [
        "--self-test",
        "--quick",
        "--case",
        "ulid/one",
        "--comparisons",
        "2",
        "--planted",
        "1",
    ];
    let output = gate
        .command(&args)
        .arg("--out")
        .arg(gate.out())
        .env("PATH", "")
        .output()
        .unwrap();
    let (code, stdout, stderr) = texts(output);
    assert!([0, 1].contains(&code), "{stderr}");
    assert!(stdout.contains("ulid/one"), "{stdout}{stderr}");
    let rows = gate.records("gate_self_test");
    let comparisons: Vec<_> = rows
        .iter()
        .map(|row| row["samples"].as_u64().unwrap())
        .collect();
    assert_eq!(
        comparisons,
        [2, 2, 2, 1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1]
    );
}

/// A worker whose instructions grow with the ids, by this many per cent of what is usual.
fn counting(percent: u64) -> String {
    format!(
        "{GREETING}
while read -r verb name seed n; do
  i=0
  while [ $i -lt $((n * {percent} / 6400)) ]; do i=$((i + 1)); done
  case $verb in run) echo 5 1000000 ;; *) echo 5 ;; esac
done"
    )
}

/// The same program takes what it took, and 5 % more work is seen.
#[test]
fn stored_counts_are_compared_where_valgrind_is() {
    let here = Command::new("valgrind").arg("--version").output();
    let gate = Gate::new();
    let same = gate.worker("same.sh", &counting(100));
    let more = gate.worker("more.sh", &counting(105));
    let out = gate.out();
    let file = gate.0.path().join("counts.jsonl");
    let path = file.to_str().unwrap();
    let run = |args: &[&str]| texts(gate.command(args).output().unwrap());
    let compare = |head: &str| {
        run(&[
            "--head",
            head,
            "--baseline",
            path,
            "--out",
            out.to_str().unwrap(),
        ])
    };
    let (code, _, stderr) = run(&["--head", &same, "--save", path]);
    if here.is_err() {
        assert_eq!(code, 1);
        assert!(stderr.contains("valgrind is not here"), "{stderr}");
        return;
    }
    assert_eq!(code, 0, "{stderr}");
    for (head, expected) in [(&same, 0), (&more, 1)] {
        let (code, stdout, stderr) = compare(head);
        assert_eq!(code, expected, "{stdout}{stderr}");
        assert!(stderr.contains("weaker than two programs"), "{stderr}");
    }
    fs::write(&file, "{}\n").unwrap();
    let (code, _, stderr) = compare(&same);
    assert_eq!((code, stderr.lines().count()), (1, 1), "{stderr}");
    assert!(stderr.contains("counts.jsonl: line 1"), "{stderr}");
}
