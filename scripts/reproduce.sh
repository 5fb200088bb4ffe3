#!/usr/bin/env bash
# Remakes results/ and the outputs shown in README.md with the command lines of
# sims/published.txt.
#   scripts/reproduce.sh           writes them
#   scripts/reproduce.sh --check   remakes them elsewhere; fails if a row or an output differs
set -euo pipefail
cd "$(dirname "$0")/.."

made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
cp README.md "$made/README.md"

# Puts the lines of file $2 into the block after `$ $1` in README.md.
splice() {
  awk -v command="\$ $1" -v output="$2" '
    inside && /^```/ { inside = 0 }
    !inside { print }
    $0 == command { inside = 1; while ((getline line < output) > 0) print line }
  ' "$made/README.md" >"$made/README.next"
  mv "$made/README.next" "$made/README.md"
}

cargo build --quiet --bin sim
manifest=$PWD/Cargo.toml
mkdir "$made/results"
while read -r folder command; do
  mkdir -p "$made/at/$folder" "$made/results/$folder"
  shown=${command//sim /cargo run --bin sim -- }
  run=${shown//cargo run/cargo run --quiet --manifest-path \"\$manifest\"}
  (cd "$made/at/$folder" && manifest=$manifest bash -o pipefail -c "$run") >"$made/stdout"
  cp "$made/at/$folder"/results/* "$made/results/$folder"
  tac "$made/stdout" | sed '1,/^$/d' | tac >"$made/shown" # without the names of the files
  splice "$shown" "$made/shown"
done < <(grep -v -e '^#' -e '^ *$' sims/published.txt)

# Times are not made again; their summaries are. Cargo runs benches in the package's folder.
for bench in generation sidecar; do
  summary="--bench $bench -- --summary results/$bench.jsonl"
  # shellcheck disable=SC2086
  cargo bench --quiet --profile dev $summary >"$made/stdout"
  splice "cargo bench $summary" "$made/stdout"
done

if [ "${1:-}" != --check ]; then
  cp "$made/README.md" README.md
  cp -r "$made/results" .
  exit 0
fi

status=0
while read -r file; do
  # The run line tells time, host and commit; all other lines must be the same bytes.
  if ! cmp -s <(tail -n +2 "results/$file") <(tail -n +2 "$made/results/$file"); then
    echo "results/$file: rows differ from what its command makes now" >&2
    diff <(tail -n +2 "results/$file") <(tail -n +2 "$made/results/$file") | head -n 6 | cut -c 1-300 >&2
    status=1
  else
    echo "results/$file: $(tail -n +2 "results/$file" | wc -l) lines, the same"
  fi
done < <(cd "$made/results" && find . -name '*.jsonl' -printf '%P\n' | sort)
if ! diff README.md "$made/README.md" >&2; then
  echo "README.md: an output differs from what its command prints now" >&2
  status=1
fi
[ $status = 0 ] || echo "run scripts/reproduce.sh and look at the change" >&2
exit $status
