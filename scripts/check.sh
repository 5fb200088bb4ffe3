#!/usr/bin/env bash
# What CI runs, in this order: the README's test command, format, lints, docs,
# reference results remade and compared, and every `sim` command once.
set -euo pipefail
cd "$(dirname "$0")/.."

step() { printf '\n== %s\n' "$*"; "$@"; }

step cargo test
step cargo fmt --all --check
step cargo clippy --all-targets -- -D warnings
RUSTDOCFLAGS='-D warnings' step cargo doc --no-deps
step cargo run --quiet --example custom_scheme
step cargo bench --bench btree -- --quick
step cargo bench --bench predict -- --quick
step scripts/reproduce.sh --check
step scripts/smoke.sh
