#!/usr/bin/env bash
# Tests of randomness on the random bits of ids. `--help` has the rest.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)

usage() {
  cat <<'END'
Test whether the bits of ids that claim to be random look so

Usage: scripts/randomness.sh [OPTIONS]

`sim ids --random-bits` strips ids of everything else. ent reads 100 MB of each scheme;
dieharder, which has three tests of NIST SP 800-22 among its own (sts_*), reads the endless
stream of uuid_v4. What is missing is installed with apt-get, if this runs as root. Verdicts go to the terminal and to DIR/randomness.jsonl, what the
tests print to DIR/ent.txt and DIR/dieharder.txt.

A p-value below 0.000001 or above 0.999999 is a failure (exit 1), as dieharder has it: a
good generator has one in half a million tests. Beyond 0.005 from either end it is weak,
which one test in a hundred is by chance.

Options:
      --schemes LIST  Schemes that ent reads [default: uuid_v4,uuid_v7,ulid,ksuid]
      --bytes N       Bytes that ent reads of each [default: 100000000]
      --quick         Six tests of dieharder instead of all of them, which take an hour
      --seed N        Seed of the ids [default: 1]
      --out DIR       Folder for the verdicts [default: results/randomness]
  -h, --help          Print help

Examples:
  scripts/randomness.sh --quick --out verdicts
  scripts/randomness.sh --seed 2
END
}

say() { printf '%s\n' "$*"; }
fail() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 1
}
misused() {
  printf '%s: %s; see --help\n' "${0##*/}" "$*" >&2
  exit 2
}

schemes=uuid_v4,uuid_v7,ulid,ksuid bytes=100000000 quick='' seed=1 out=$root/results/randomness
command="scripts/randomness.sh${*:+ $*}"
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) usage && exit ;;
    --quick) quick=yes ;;
    --schemes | --bytes | --seed | --out)
      [ $# -gt 1 ] || misused "$1: expected a value"
      case $1 in
        --schemes) [[ $2 =~ ^[a-z0-9_:=]+(,[a-z0-9_:=]+)*$ ]] || misused "$1 '$2': expected schemes such as uuid_v4,ulid" ;;
        --bytes | --seed) [[ $2 =~ ^[1-9][0-9]{0,14}$ ]] || misused "$1 '$2': expected a whole number, at least 1" ;;
      esac
      printf -v "${1#--}" %s "$2"
      shift
      ;;
    *) misused "'$1': no such option" ;;
  esac
  shift
done

install_missing() { # programs, each of the package with its name
  local missing=() name apt=(apt-get -qq -o DPkg::Lock::Timeout=300)
  for name in "$@"; do command -v "$name" >/dev/null || missing+=("$name"); done
  [ ${#missing[@]} -gt 0 ] || return 0
  [ "$(id -u)" = 0 ] || fail "${missing[*]} not installed; as root: apt-get install ${missing[*]}"
  command -v apt-get >/dev/null || fail "${missing[*]} not installed, and there is no apt-get to install them"
  say "installing ${missing[*]}"
  "${apt[@]}" update >/dev/null || say 'apt-get update failed; trying what is known' >&2
  DEBIAN_FRONTEND=noninteractive "${apt[@]}" install --no-install-recommends -y "${missing[@]}" >/dev/null ||
    fail "apt-get install ${missing[*]} failed"
}

install_missing ent dieharder
mkdir -p "$out" 2>/dev/null || fail "--out '$out': cannot be created"
out=$(cd "$out" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$root"
cargo build --quiet --bin sim
sim=$(cargo metadata --format-version 1 --no-deps | grep -o '"target_directory":"[^"]*"' | cut -d'"' -f4)/debug/sim
bits() { "$sim" ids "$1" --random-bits --seed "$seed"; } # scheme

# Reads lines of program, scheme, test and p-value; adds verdicts to $work/verdicts.
judge() {
  awk -F '\t' '{
    far = $4 < 0.5 ? $4 : 1 - $4
    verdict = far < 0.000001 ? "failed" : far < 0.005 ? "weak" : "passed"
    printf "%s\t%s\t%s\t%s\t%s\n", $1, $2, $3, $4, verdict
  }' | tee -a "$work/verdicts" | awk -F '\t' '{ printf "%-10s %-24s %-28s %12s  %s\n", $1, $2, $3, $4, $5; fflush() }'
}

: >"$work/verdicts"
for scheme in ${schemes//,/ }; do
  # The reader ends first: a closed pipe is no failure of `sim`.
  bits "$scheme" | head -c "$bytes" >"$work/bits"
  {
    say "sim ids $scheme --random-bits --seed $seed | head -c $bytes | ent"
    ent "$work/bits"
    say ''
  } | tee -a "$work/ent.txt" | awk -v scheme="$scheme" '
    # The upper tail of the normal distribution (Abramowitz and Stegun, 7.1.26).
    function tail(z,    t) {
      if (z < 0) return 1 - tail(-z)
      if (z > 30) return 0
      t = 1 / (1 + 0.3275911 * z / sqrt(2))
      return 0.5 * t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429)))) * exp(-z * z / 2)
    }
    /^Chi square/ { # 255 degrees of freedom, made normal (Wilson and Hilferty)
      v = 2 / (9 * 255)
      printf "ent\t%s\tchi-square\t%.6g\n", scheme, tail((($8 / 255) ^ (1 / 3) - 1 + v) / sqrt(v))
    }' | judge
done

# Numbers of dieharder's tests: birthdays, ranks of 32x32, ones in a stream, runs, and two of STS.
if [ -n "$quick" ]; then tests=(-d\ 0 -d\ 2 -d\ 8 -d\ 15 -d\ 100 -d\ 101); else tests=(-a); fi
for test in "${tests[@]}"; do
  say "sim ids uuid_v4 --random-bits --seed $seed | dieharder -g 200 $test" >>"$work/dieharder.txt"
  # shellcheck disable=SC2086  # an option and its value
  bits uuid_v4 | dieharder -g 200 $test | tee -a "$work/dieharder.txt" |
    awk -F '|' 'NF == 6 && $5 + 0 == $5 {
      gsub(/ /, "", $1); gsub(/ /, "", $2); gsub(/ /, "", $5)
      printf "dieharder\tuuid_v4\t%s%s\t%s\n", $1, $2 + 0 ? " " $2 : "", $5
      fflush()
    }' | judge
done

cp "$work/ent.txt" "$work/dieharder.txt" "$out"
{
  printf '{"kind":"run","experiment":"randomness","command":"%s","seed":%d,"versions":{"ent":"%s","dieharder":"%s"},"started":"%s"}\n' \
    "${command//[\"\\]/}" "$seed" "$(dpkg-query -W -f '${Version}' ent 2>/dev/null)" \
    "$(dpkg-query -W -f '${Version}' dieharder 2>/dev/null)" "$(date -u +%FT%TZ)"
  awk -F '\t' '{
    printf "{\"kind\":\"row\",\"program\":\"%s\",\"scheme\":\"%s\",\"test\":\"%s\",\"p\":%s,\"verdict\":\"%s\"}\n", $1, $2, $3, $4, $5
  }' "$work/verdicts"
} >"$work/randomness.jsonl"
cp "$work/randomness.jsonl" "$out"
count() { cut -f 5 "$work/verdicts" | grep -c "$1" || true; }
say "$(count passed) passed, $(count weak) weak, $(count failed) failed: $out/randomness.jsonl"
[ "$(count failed)" = 0 ] || fail 'bits that claim to be random are not'
