#!/usr/bin/env bash
# Remakes results/ with the command lines of sims/published.txt.
#   scripts/reproduce.sh           writes results/
#   scripts/reproduce.sh --check   remakes the records elsewhere and fails if a row differs
set -euo pipefail
cd "$(dirname "$0")/.."

check=false
[ "${1:-}" = --check ] && check=true
out=results
if $check; then
  out=$(mktemp -d)
  trap 'rm -rf "$out"' EXIT
fi

cargo build --quiet --bin sim
grep -v -e '^#' -e '^ *$' sims/published.txt | while read -r _ command; do
  # shellcheck disable=SC2086  # a command line is words
  cargo run --quiet --bin sim -- $command --out "$out" >/dev/null
done
$check || exit 0

status=0
for made in "$out"/*.jsonl; do
  kept=results/$(basename "$made")
  # The run line tells time, host and commit; all other lines must be the same bytes.
  if cmp -s <(tail -n +2 "$kept") <(tail -n +2 "$made"); then
    echo "$kept: $(tail -n +2 "$kept" | wc -l) rows, the same"
  else
    echo "$kept: rows differ from what its command makes now; run scripts/reproduce.sh and look at the change" >&2
    diff <(tail -n +2 "$kept") <(tail -n +2 "$made") | head -n 6 | cut -c 1-300 >&2
    status=1
  fi
done
exit $status
