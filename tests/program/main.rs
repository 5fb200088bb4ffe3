//! The program as a user meets it.

mod advise;
mod btree_args;
mod cli;
mod compare;
mod fleet;
mod fleet_scenarios;
mod gate;
mod ids_read;
mod layout;
mod live;
mod real_time;
mod shards;
mod shards_check;
mod unique;

use assert_cmd::Command;
use std::path::Path;

/// `sim ARGS`.
fn sim(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sim"));
    command.args(args);
    command
}

/// Runs `sim ARGS --out FOLDER` with this input; returns exit code, stdout and stderr.
fn run(args: &[&str], out: &Path, input: &[u8]) -> (i32, String, String) {
    let output = sim(args)
        .arg("--out")
        .arg(out)
        .write_stdin(input)
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (
        output.status.code().unwrap_or(-1),
        text(output.stdout),
        text(output.stderr),
    )
}
