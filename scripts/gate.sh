#!/usr/bin/env bash
# Whether this tree is slower than the commit where it left main: builds the workers of both,
# then runs `sim gate` on them. Exit code 0: it is not; 1: it is; 3: undecided; 2: wrong usage.
#   scripts/gate.sh [--quick] [other flags of sim gate]
#   BASE=v1.2 scripts/gate.sh       compares with another commit
#   PROFILE=dev scripts/gate.sh     builds with the dependencies that tests are built with
set -euo pipefail
cd "$(dirname "$0")/.."

stop() { # exit code, then the line
  echo "gate.sh: $2" >&2
  exit "$1"
}
commit() { git rev-parse --quiet --verify "$1^{commit}"; }

git rev-parse --git-dir >/dev/null 2>&1 || stop 2 'expected git and a clone of the project: the base is a commit'
head=$(commit HEAD) || stop 2 'expected a commit'
changes=$(git status --porcelain -- . ':!results')
if [ -n "${BASE:-}" ]; then
  base=$(commit "$BASE") || stop 2 "BASE=$BASE: no such commit here, expected one that was fetched"
else
  main=$(commit origin/main || commit main) || stop 2 'expected a branch main or origin/main: git fetch origin main, or set BASE'
  base=$(git merge-base HEAD "$main") || stop 2 'the commit where this tree left main is not in this clone: git fetch --unshallow, or set BASE'
  if [ "$base" = "$head" ] && [ -z "$changes" ]; then
    base=$(commit HEAD^) || stop 2 'the commit before this one is not in this clone: git fetch --deepen 1, or set BASE'
  fi
fi
git cat-file -e "$base:examples/worker.rs" 2>/dev/null ||
  stop 3 "undecided: ${base:0:12} has no examples/worker.rs yet, so there is nothing to compare with"

# The working tree as a commit, new files too, so that it can be built where the base is.
now=$head
if [ -n "$changes" ]; then
  index=$(mktemp)
  cp "$(git rev-parse --git-path index)" "$index"
  GIT_INDEX_FILE=$index git add --all
  now=$(GIT_INDEX_FILE=$index git -c user.name=gate -c user.email=gate@localhost \
    commit-tree "$(GIT_INDEX_FILE=$index git write-tree)" -p "$head" -m 'the working tree')
  rm "$index"
fi

if git diff --quiet "$base" "$now" -- src examples/worker.rs build.rs Cargo.toml Cargo.lock; then
  echo "gate.sh: ${base:0:12} has the same sources, so it is as fast" >&2
  exit 0
fi

profile=${PROFILE:-release}
built=$PWD/target/$([ "$profile" = dev ] && echo debug || echo "$profile")
mkdir -p target/gate
tree=target/gate/tree
drop_tree() { git worktree remove --force "$tree" 2>/dev/null || true; }
drop_tree
git worktree prune
trap drop_tree EXIT
git worktree add --quiet --detach "$tree" "$base"

# Both in one folder and as one unit: names of symbols follow from the folder, what is inlined
# from the units, and where code is placed from both, which alone can make a case a quarter
# slower. Dependencies are those of target/.
build() { # commit, copy
  git -C "$tree" checkout --quiet --detach "$1"
  cargo build --quiet --manifest-path "$tree/Cargo.toml" --target-dir target --profile "$profile" \
    --config "profile.$profile.package.idlab.codegen-units=1" --example worker || return
  cp "$built/examples/worker" "$2"
  # Without debug information valgrind starts in two thirds of the time.
  strip "$2" 2>/dev/null || true
}
build "$base" target/gate/base-worker || stop 3 "undecided: ${base:0:12} cannot be built"
build "$now" target/gate/head-worker || stop 1 'this tree cannot be built'
cargo build --quiet --profile "$profile" --bin sim || stop 1 'this tree cannot be built'

echo "base ${base:0:12}, head ${head:0:12}${changes:+ with changes}" >&2
status=0
"$built/sim" gate --out target/gate --base target/gate/base-worker --head target/gate/head-worker "$@" || status=$?
exit "$status"
