#!/usr/bin/env bash
# Steps the clock of `sim ids --real-time` back while it runs, under Debian's libfaketime:
# a step of 2 s is refused with its size named, steps of 3 ms are waited out, and a
# generator that holds its last tick goes on. As root it installs what is missing; exit
# code 77 where that cannot be.
set -euo pipefail
cd "$(dirname "$0")/.."

say() { printf 'faketime.sh: %s\n' "$*"; }
skip() {
  say "$*: nothing was checked" >&2
  exit 77
}
fail() {
  say "$*" >&2
  exit 1
}

library() { find /usr/lib /usr/local/lib -name libfaketimeMT.so.1 2>/dev/null | head -n 1; }
if [ -z "$(library)" ]; then
  [ "$(id -u)" = 0 ] || skip 'libfaketime is not installed; as root: apt-get install faketime'
  command -v apt-get >/dev/null || skip 'libfaketime is not installed, and there is no apt-get to install it'
  say 'installing faketime'
  apt=(apt-get -qq -o DPkg::Lock::Timeout=300)
  "${apt[@]}" update >/dev/null || say 'apt-get update failed; trying what is known' >&2
  DEBIAN_FRONTEND=noninteractive "${apt[@]}" install --no-install-recommends -y faketime >/dev/null ||
    skip 'apt-get install faketime failed'
fi
library=$(library)
[ -n "$library" ] || skip 'the package faketime has no libfaketimeMT.so.1'

cargo build --quiet --bin sim
sim=$(cargo metadata --format-version 1 --no-deps | grep -o '"target_directory":"[^"]*"' | cut -d'"' -f4)/debug/sim

out=$(mktemp -d)
generator=
tidy() {
  [ -z "$generator" ] || kill "$generator" 2>/dev/null || true
  rm -rf "$out"
}
trap tidy EXIT

# Sets the generator's clock to so many seconds from true time, at once: a reader never
# finds half a file.
set_clock() {
  printf '%s\n' "$1" >"$out/clock.new"
  mv "$out/clock.new" "$out/clock"
}

# Starts a generator with a right clock; its ids and words go to files.
start() { # flags of sim ids
  set_clock +0
  : >"$out/ids"
  env LD_PRELOAD="$library" FAKETIME_TIMESTAMP_FILE="$out/clock" FAKETIME_NO_CACHE=1 \
    DONT_FAKE_MONOTONIC=1 \
    "$sim" ids snowflake --real-time --every 1ms "$@" >"$out/ids" 2>"$out/words" &
  generator=$!
}

# Waits until there are so many ids, or the generator has ended.
until_ids() {
  local count=$1 tries=0
  while [ "$(wc -l <"$out/ids")" -lt "$count" ] && kill -0 "$generator" 2>/dev/null; do
    tries=$((tries + 1))
    [ $tries -lt 3000 ] || fail "no $count ids within 5 min"
    sleep 0.1
  done
}

# Waits for the end; its exit code is $code.
finish() {
  code=0
  wait "$generator" || code=$?
  generator=
}

# Ids ascend and none comes twice.
in_order() {
  LC_ALL=C sort --numeric-sort --unique --check "$out/ids" || fail "$1: ids are out of order or come twice"
}

# The most ids that one millisecond has.
most_in_a_tick() {
  local id tick last=0 count=0 most=0
  while read -r id; do
    tick=$((id >> 22))
    if [ "$tick" = "$last" ]; then count=$((count + 1)); else count=1; fi
    [ $count -le $most ] || most=$count
    last=$tick
  done <"$out/ids"
  printf '%s' "$most"
}

# A generator that was kept from running for as long as its clock went back does not see
# the step: then there is another one.
refuse() { # further flags
  local back=0 words
  start --rollback refuse -n 1M "$@"
  for _ in 1 2 3 4 5; do
    until_ids $(($(wc -l <"$out/ids") + 100))
    back=$((back + 2))
    set_clock -$back
    for _ in {1..40}; do
      kill -0 "$generator" 2>/dev/null || break 2
      sleep 0.1
    done
  done
  kill -0 "$generator" 2>/dev/null && fail 'refuse: a step of 2 s back was not refused'
  finish
  words=$(cat "$out/words")
  [ $code = 1 ] || fail "refuse: exit code $code, not 1: $words"
  [[ $words =~ ^error:\ the\ clock\ is\ ([0-9.]+)\ (s|ms)\ behind\ the\ last\ id$ ]] || fail "refuse: $words"
  # It is 2 s less what went by from the last id to the next call.
  [ "${BASH_REMATCH[2]}" = ms ] || awk "BEGIN { exit !(${BASH_REMATCH[1]} <= 2) }" ||
    fail "refuse: a step of 2 s is called ${BASH_REMATCH[1]} s"
  in_order "refuse $*"
  say "refuse${*:+ $*}: $words"
}

wait_out() {
  local step words
  start --rollback wait:5ms -n 3000
  for step in {1..40}; do
    until_ids $((step * 30))
    set_clock "-$(printf '0.%03d' $((step * 3)))"
  done
  finish
  words=$(cat "$out/words")
  [ $code = 0 ] || fail "wait:5ms: exit code $code: $words"
  [ "$(wc -l <"$out/ids")" = 3000 ] || fail 'wait:5ms: not all ids were issued'
  [[ $words =~ ^waited\ [0-9]+\ times ]] || fail "wait:5ms: of 40 steps of 3 ms none was waited out: $words"
  in_order wait:5ms
  say "wait:5ms: $words"
}

hold() {
  local held
  start --rollback hold -n 3000
  until_ids 100
  set_clock -2
  finish
  [ $code = 0 ] || fail "hold: exit code $code: $(cat "$out/words")"
  [ "$(wc -l <"$out/ids")" = 3000 ] || fail 'hold: not all ids were issued'
  in_order hold
  held=$(most_in_a_tick)
  [ "$held" -ge 10 ] || fail "hold: at most $held ids in a millisecond: the last one was not held"
  say "hold: went on with $held ids in one millisecond"
}

refuse
refuse --cached
wait_out
hold
