//! Tells the program what it was built from, for the run line of its records.

use std::process::Command;

fn main() {
    // Without locks `status` does not write the index, a change of which would build all again.
    let git = |args: &[&str]| output(Command::new("git").arg("--no-optional-locks").args(args));
    let commit = git(&["rev-parse", "--short=12", "HEAD"]);
    // Results are written by the program itself: they do not make its source dirty.
    let changes = git(&["status", "--porcelain", "--", ".", ":!results"]);
    println!("cargo::rustc-env=IDLAB_COMMIT={commit}");
    println!("cargo::rustc-env=IDLAB_DIRTY={}", !changes.is_empty());
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    println!(
        "cargo::rustc-env=IDLAB_RUSTC={}",
        output(Command::new(rustc).arg("--version"))
    );
    let profile = std::env::var("PROFILE").unwrap_or_default();
    println!(
        "cargo::rustc-env=IDLAB_PROFILE={}",
        if profile == "debug" { "dev" } else { &profile }
    );
    for path in [
        "src",
        "sims",
        "benches",
        "Cargo.toml",
        "Cargo.lock",
        "build.rs",
    ] {
        println!("cargo::rerun-if-changed={path}");
    }
    for path in ["HEAD", "logs/HEAD", "index"] {
        let path = git(&["rev-parse", "--git-path", path]);
        if std::path::Path::new(&path).exists() {
            println!("cargo::rerun-if-changed={path}");
        }
    }
}

/// The first line that a command prints; empty if it fails.
fn output(command: &mut Command) -> String {
    let Ok(output) = command.output() else {
        return String::new();
    };
    if !output.status.success() {
        return String::new();
    }
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .next()
        .unwrap_or_default()
        .to_owned()
}
