#!/usr/bin/env bash
# A range-sharded store beside its model: PostgreSQL servers whose capacity is capped,
# behind a router. `--help` has the rest.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=scripts/packages.sh
. "$root/scripts/packages.sh"

usage() {
  cat <<'END'
Measure how ids spread over a real sharded store, beside what the model predicts

Usage: scripts/real_shards.sh [OPTIONS]

N PostgreSQL servers hold the partitions of one table, round-robin; a router reaches them
with postgres_fdw. Each data server serves one insert at a time, in order of arrival.
Closed-loop clients insert ids of `sim ids` in their order. Everything runs in a private
folder, through sockets in it, and is gone at the end. PostgreSQL is installed with
apt-get if it is missing and this runs as root.

Cases: uuid_v7 RANGE, uuid_v4 RANGE, uuid_v7 HASH, snowflake mod, snowflake HASH (one id
in 10 ms a worker), salt 1..8 and 16 (a bucket column: row number mod salts), Zipf tenants
(1000 tenants mod partitions). A speed-up is over uuid_v7 RANGE, which one server takes.
Predictions are of `sim shards`, which serves the same rows to the same clients: by the
partition of each, or by a hash of its own where PostgreSQL hashes.
Exit 1 if a hot share is off by more than 0.02 and 3 standard errors, or a speed-up by
more than the tolerance.

Options:
      --servers N          Data servers [default: 4]
      --partitions N       Partitions; a salt has one each [default: 16]
      --clients N          Clients, each with one insert at a time [default: 24]
      --sleep-ms MS        Mean time of an insert at its data server [default: 8]
      --service KIND       fixed: each takes the mean; exponential: their mean is that
                           [default: fixed]
      --seconds S          Time of a case, after 1 s of warm-up [default: 6]
      --rounds N           Times that all cases run, with new ids; the speed-up is the
                           median [default: 3]
      --tolerance PERCENT  Largest error of a speed-up [default: 15]
      --quick              Five cases, 3 s each, one round
      --out DIR            Write DIR/real_shards.jsonl
  -h, --help               Print help

Examples:
  scripts/real_shards.sh --quick
  scripts/real_shards.sh --seconds 10 --out results/real_shards
END
}

misused() {
  printf '%s: %s; see --help\n' "${0##*/}" "$*" >&2
  exit 2
}

servers=4 partitions=16 clients=24 sleep_ms=8 service=fixed seconds=6 rounds=3 tolerance=15
quick='' out='' command="scripts/real_shards.sh${*:+ $*}"
whole() { # flag, value, least, most
  if ! [[ $2 =~ ^[1-9][0-9]{0,5}$ ]] || (($2 < $3 || $2 > $4)); then
    misused "$1 '$2': expected a whole number from $3 to $4"
  fi
}
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) usage && exit ;;
    --quick)
      quick=yes seconds=3 rounds=1
      shift
      continue
      ;;
    --servers | --partitions | --clients | --sleep-ms | --service | --seconds | --rounds | --tolerance | --out)
      [ $# -gt 1 ] || misused "$1: expected a value"
      ;;
    *) misused "'$1': no such option" ;;
  esac
  case $1 in
    --servers) whole "$1" "$2" 1 16 && servers=$2 ;;
    --partitions) whole "$1" "$2" 1 256 && partitions=$2 ;;
    --clients) whole "$1" "$2" 1 80 && clients=$2 ;;
    --sleep-ms) whole "$1" "$2" 1 1000 && sleep_ms=$2 ;;
    --service)
      case $2 in
        fixed | exponential) service=$2 ;;
        *) misused "--service '$2': expected fixed or exponential" ;;
      esac
      ;;
    --seconds) whole "$1" "$2" 1 3600 && seconds=$2 ;;
    --rounds) whole "$1" "$2" 1 100 && rounds=$2 ;;
    --tolerance) whole "$1" "$2" 1 100 && tolerance=$2 ;;
    --out) out=$2 ;;
  esac
  shift 2
done

# Name, scheme, partitioning, rule of the bucket, buckets, Zipf exponent.
cases() {
  local salts='1 2 3 4 5 6 7 8 16' salt s
  [ -z "$quick" ] || salts='1 4 5'
  say "uuid_v7 RANGE,uuid_v7,RANGE,range,$partitions,0"
  say "uuid_v4 RANGE,uuid_v4,RANGE,range,$partitions,0"
  if [ -z "$quick" ]; then
    say "uuid_v7 HASH,uuid_v7,HASH,even,$partitions,0"
    say "snowflake mod $partitions,snowflake,LIST,mod,$partitions,0"
    say "snowflake HASH,snowflake,HASH,even,$partitions,0"
  fi
  for salt in $salts; do say "salt $salt,uuid_v7,LIST,even,$salt,0"; done
  if [ -z "$quick" ]; then
    for s in 1.0 1.2 1.5; do say "zipf $s,uuid_v7,LIST,zipf,$partitions,$s"; done
  fi
}

# Reads ids; writes row number, bucket and id. Where the store hashes it ignores the bucket,
# and the model takes its own to be even.
deal() { # rule, buckets, Zipf exponent
  awk -v rule="$1" -v buckets="$2" -v s="$3" -v state="$round" '
    function leading(id,    i, value) { # 32 bits
      for (i = 1; i <= 8; i++) value = value * 16 + index("0123456789abcdef", substr(id, i, 1)) - 1
      return value
    }
    function remainder(id,    i, value) {
      for (i = 1; i <= length(id); i++) value = (value * 10 + substr(id, i, 1)) % buckets
      return value
    }
    function tenant(    low, high, middle, u) {
      state = state * 16807 % 2147483647 # Park and Miller
      u = state / 2147483647 * below[1000]
      low = 1; high = 1000
      while (low < high) {
        middle = int((low + high) / 2)
        if (u < below[middle]) high = middle; else low = middle + 1
      }
      return low
    }
    BEGIN { state += 20260100; for (i = 1; i <= 1000; i++) below[i] = below[i - 1] + i ^ -s }
    {
      if (rule == "range") bucket = int(leading($1) * buckets / 4294967296)
      else if (rule == "mod") bucket = remainder($1)
      else if (rule == "zipf") bucket = tenant() % buckets
      else bucket = NR % buckets
      printf "%d\t%d\t%s\n", NR, bucket, $1
    }'
}

# Reads rows of `deal`; prints the hot share and the speed-up over one server that the model
# gives to the same rows: by the bucket of each, or by a hash of its id.
predict() { # partitioning, buckets
  local column=2 sharded=(--store range_fixed --key "id_mod:$2")
  if [ "$1" = HASH ]; then
    column=3 sharded=(--store hash_fixed --key range)
  fi
  cut -f "$column" >"$work/ids"
  sim shards --ids "$work/ids" "${sharded[@]}" --shards "$2" --nodes "$servers" --clients "$clients" \
    --service "$service" --capacity 1000 --out "$work/model" --format csv --seed "$round" 2>"$work/model.err" |
    awk -F, '
      /hot_node_share/ && /all/ { hot = $(NF - 3) }
      /closed_loop_writes_per_s/ { speed = $(NF - 3) / 1000 }
      END { printf "%.6f,%.6f\n", hot, speed }' || fail "no prediction: $(tail -n 1 "$work/model.err")"
}

# Server 0 is the router; the port is no more than a part of the socket's name.
sql() { # server, then arguments of psql
  PGOPTIONS='-c client_min_messages=warning' "$programs/psql" -XqAt -v ON_ERROR_STOP=1 -h "$work" -p $((5432 + $1)) \
    -U postgres "${@:2}" 2>"$work/psql.err" || fail "server $1: $(head -n 1 "$work/psql.err")"
}

pgbench_pid=
tidy() {
  local server
  [ -z "$pgbench_pid" ] || kill "$pgbench_pid" 2>/dev/null || true
  for ((server = 0; server <= servers; server++)); do
    [ ! -e "$work/$server/postmaster.pid" ] ||
      as postgres "$programs/pg_ctl" stop -s -m immediate -D "$work/$server" >/dev/null 2>&1 || true
  done
  rm -rf "$work"
}

start() {
  local server
  as postgres "$programs/initdb" --locale=C -E UTF8 --auth=trust -U postgres --no-sync -D "$work/0" \
    >"$work/initdb.log" 2>&1 || fail "no database could be created: $(tail -n 1 "$work/initdb.log")"
  cat >>"$work/0/postgresql.conf" <<END
listen_addresses = ''
unix_socket_directories = '$work'
max_connections = $((clients + 10))
shared_buffers = 16MB
fsync = off
synchronous_commit = off
autovacuum = off
jit = off
END
  for ((server = 1; server <= servers; server++)); do cp -a "$work/0" "$work/$server"; done
  for ((server = 0; server <= servers; server++)); do
    as postgres "$programs/pg_ctl" start -s -w -D "$work/$server" -l "$work/$server/log" -o "-p $((5432 + server))" \
      >/dev/null 2>&1 || fail "server $server does not start: $(grep FATAL "$work/$server/log" | head -n 1)"
  done
  {
    say 'CREATE EXTENSION postgres_fdw;'
    for ((server = 1; server <= servers; server++)); do
      say "CREATE SERVER server_$server FOREIGN DATA WRAPPER postgres_fdw
             OPTIONS (host '$work', port '$((5432 + server))', dbname 'postgres');
           CREATE USER MAPPING FOR postgres SERVER server_$server OPTIONS (user 'postgres');"
    done
  } >"$work/router.sql"
  sql 0 -f "$work/router.sql"
}

# Empty tables on all servers, and the rows to insert on the router.
prepare() { # type of the id, partitioning, buckets, file of rows
  local server bucket bounds service_us="$sleep_ms * 1000"
  [ "$service" = fixed ] || service_us="$service_us * -ln(1 - random())"
  # A server is free at a time that the next insert pushes back by its own; only the
  # push is locked, so that a busy machine makes nobody slower.
  for ((server = 1; server <= servers; server++)); do
    {
      say "DROP SCHEMA public CASCADE; CREATE SCHEMA public;
           CREATE TABLE inserted (bucket int, id $1, at_s double precision);
           CREATE SEQUENCE free_at_us;
           CREATE FUNCTION one_at_a_time() RETURNS trigger LANGUAGE plpgsql AS \$\$
           DECLARE
             now_us bigint;
             done_us bigint;
           BEGIN
             PERFORM pg_advisory_lock(1);
             now_us := extract(epoch FROM clock_timestamp()) * 1000000;
             done_us := greatest(now_us, (SELECT last_value FROM public.free_at_us)) + $service_us;
             PERFORM setval('public.free_at_us', done_us);
             PERFORM pg_advisory_unlock(1);
             PERFORM pg_sleep((done_us - now_us) / 1000000.0);
             NEW.at_s := done_us / 1000000.0;
             RETURN NEW;
           END \$\$;"
      for ((bucket = server - 1; bucket < $3; bucket += servers)); do
        say "CREATE TABLE part_$bucket () INHERITS (inserted);
             CREATE TRIGGER one_at_a_time BEFORE INSERT ON part_$bucket
               FOR EACH ROW EXECUTE FUNCTION one_at_a_time();"
      done
    } >"$work/prepare.sql"
    sql "$server" -f "$work/prepare.sql"
  done
  {
    say "DROP TABLE IF EXISTS inserted, stream; DROP SEQUENCE IF EXISTS next_row;
         CREATE SEQUENCE next_row;
         CREATE TABLE stream (row int PRIMARY KEY, bucket int, id $1);"
    if [ "$2" = LIST ]; then bounds=bucket; else bounds=id; fi
    say "CREATE TABLE inserted (bucket int, id $1, at_s double precision) PARTITION BY $2 ($bounds);"
    for ((bucket = 0; bucket < $3; bucket++)); do
      case $2 in
        RANGE) bounds="FROM ($(bound $bucket "$3" MINVALUE)) TO ($(bound $((bucket + 1)) "$3" MAXVALUE))" ;;
        HASH) bounds="WITH (MODULUS $3, REMAINDER $bucket)" ;;
        LIST) bounds="IN ($bucket)" ;;
      esac
      say "CREATE FOREIGN TABLE part_$bucket PARTITION OF inserted FOR VALUES $bounds
             SERVER server_$((bucket % servers + 1));"
    done
    say "\\copy stream from '$4'"
  } >"$work/prepare.sql"
  sql 0 -f "$work/prepare.sql"
}

# The least UUID of bucket $1 of $2 equal ones; $3 at either end of all.
bound() {
  if (($1 == 0 || $1 == $2)); then
    say "$3"
  else
    printf "'%08x-0000-0000-0000-000000000000'" $((((1 << 32) * $1 + $2 - 1) / $2))
  fi
}

# Loads the store; prints the rows of all servers and of the hot one.
load() {
  # A second of connecting before the time, and one of slack after it.
  "$programs/pgbench" -n -M prepared -f "$work/insert.sql" -c "$clients" -j 2 -T $((seconds + 2)) \
    -h "$work" -p 5432 -U postgres postgres >"$work/pgbench.log" 2>&1 &
  pgbench_pid=$!
  wait "$pgbench_pid" || fail "$(grep -m 1 error: "$work/pgbench.log" || tail -n 1 "$work/pgbench.log")"
  pgbench_pid=
  sql 0 -F ' ' -c "
    WITH warm AS (SELECT min(at_s) + 1 AS s FROM inserted), served AS (
      SELECT count(*) AS n FROM warm, inserted JOIN pg_foreign_table ON ftrelid = inserted.tableoid
      WHERE at_s >= s AND at_s < s + $seconds GROUP BY ftserver)
    SELECT coalesce(sum(n), 0), coalesce(max(n), 0) FROM served" >"$work/load"
}

[ -n "$(program postgres)" ] || install_package postgres
programs=$(dirname "$(program postgres)")
[ -z "$out" ] || mkdir -p "$out" 2>/dev/null || fail "--out '$out': cannot be created"
work=$(mktemp -d "${TMPDIR:-/tmp}/real_shards.XXXXXX" 2>/dev/null) || fail "no folder could be made in '${TMPDIR:-/tmp}'"
trap tidy EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
[ -z "$is_root" ] || chown "${user[postgres]}:" "$work"
as postgres test -x "$work" || fail "the user ${user[postgres]} cannot enter $work; set TMPDIR to a folder that it can"
# A socket's name has 107 bytes at most.
[ ${#work} -lt 85 ] || fail "$work is too long a name for sockets; set TMPDIR to a shorter one"

# A quarter more than all servers can take.
count=$((servers * (seconds + 2) * 1250 / sleep_ms + 10 * clients))
sim() { cargo run --quiet --manifest-path "$root/Cargo.toml" --bin sim -- "$@"; }
ids() { sim ids "$@" -n $count --seed "$round" >"$work/$1"; }

start
cat >"$work/insert.sql" <<'END'
INSERT INTO inserted (bucket, id)
  SELECT bucket, id FROM stream WHERE row = (SELECT nextval('next_row'));
END
cases >"$work/cases"
started=$(date -u +%FT%TZ)
for ((round = 1; round <= rounds; round++)); do
  ids uuid_v7
  ids uuid_v4
  ids snowflake --writers 16 --rate 1600 --arrivals steady
  while IFS=, read -r name scheme partitioning rule buckets s <&3; do
    type=uuid
    [ "$scheme" != snowflake ] || type=bigint
    deal "$rule" "$buckets" "$s" <"$work/$scheme" >"$work/rows"
    prepare "$type" "$partitioning" "$buckets" "$work/rows"
    load
    say "$name,$buckets,$(predict "$partitioning" "$buckets" <"$work/rows"),$(tr ' ' , <"$work/load")"
    [ ! -t 2 ] || printf '\r\033[Kround %d of %d: %s' "$round" "$rounds" "$name" >&2
  done 3<"$work/cases"
  [ ! -t 2 ] || printf '\r\033[K' >&2
done >"$work/loads"

# The table; records go to $work/records; fails if a case is off.
status=0
awk -F, -v servers="$servers" -v clients="$clients" -v sleep_ms="$sleep_ms" -v service="$service" \
  -v seconds="$seconds" -v rounds="$rounds" -v tolerance="$tolerance" -v records="$work/records" '
  function median(list, round,    i, j, keep) {
    for (i = 2; i <= round; i++)
      for (j = i; j > 1 && list[j - 1] > list[j]; j--) { keep = list[j]; list[j] = list[j - 1]; list[j - 1] = keep }
    i = int((round + 1) / 2)
    return round % 2 ? list[i] : (list[i] + list[i + 1]) / 2
  }
  !($1 in buckets) { order[++cases] = $1; buckets[$1] = $2 }
  { hot[$1] += $3 / rounds; faster[$1] += $4 / rounds }
  { round[$1]++; total[$1, round[$1]] = $5; rows[$1] += $5; most[$1] += $6 }
  END {
    printf "%-17s %7s %7s   %-26s   %-26s\n", "", "", "", "hot share", "speed-up over one server"
    printf "%-17s %7s %7s   %8s %9s %7s   %8s %9s %7s\n", "case", "rows", "rows/s",
      "measured", "predicted", "error %", "measured", "predicted", "error %"
    for (c = 1; c <= cases; c++) {
      name = order[c]
      for (r = 1; r <= rounds; r++) {
        if (!total[name, r]) { print name ": no row arrived" > "/dev/stderr"; exit 1 }
        rate[r] = total[name, r] / seconds
        ratio[r] = total[name, r] / total[order[1], r]
      }
      share = most[name] / rows[name]
      speed = median(ratio, rounds)
      share_error = 100 * (share / hot[name] - 1)
      speed_error = 100 * (speed / faster[name] - 1)
      allowed = 0.02 + 3 * sqrt(hot[name] * (1 - hot[name]) / rows[name])
      off = (share - hot[name]) ^ 2 > allowed ^ 2 || speed_error ^ 2 > tolerance ^ 2
      printf "%-17s %7d %7.1f   %8.3f %9.3f %+7.1f   %8.2f %9.2f %+7.1f%s\n", name, rows[name], median(rate, rounds),
        share, hot[name], share_error, speed, faster[name], speed_error, off ? "  off" : ""
      printf "{\"kind\":\"row\",\"case\":\"%s\",\"servers\":%d,\"partitions\":%d,\"clients\":%d,\"sleep_ms\":%d,", name,
        servers, buckets[name], clients, sleep_ms > records
      printf "\"service\":\"%s\",", service > records
      printf "\"seconds\":%d,\"rounds\":%d,\"rows\":%d,\"rows_per_s\":%.1f,", seconds, rounds, rows[name],
        median(rate, rounds) > records
      printf "\"hot_share\":{\"measured\":%.4f,\"predicted\":%.4f},", share, hot[name] > records
      printf "\"speed_up\":{\"measured\":%.3f,\"predicted\":%.3f}}\n", speed, faster[name] > records
      failed += off
    }
    if (failed) exit 1
  }' "$work/loads" || status=1

if [ -n "$out" ]; then
  version=$(sql 0 -c 'show server_version' | cut -d ' ' -f 1)
  cpu=$(grep -m 1 '^model name' /proc/cpuinfo | cut -d : -f 2 | sed 's/^ *//')
  {
    printf '{"kind":"run","experiment":"real_shards","command":"%s","engine":"postgres","version":"%s",' \
      "${command//[\"\\]/}" "$version"
    printf '"host":{"cpu":"%s","cores":%d,"os":"linux %s"},"started":"%s"}\n' \
      "$cpu" "$(nproc)" "$(uname -r)" "$started"
    cat "$work/records"
  } >"$out/real_shards.jsonl" || fail "--out '$out': real_shards.jsonl cannot be written"
  say "$out/real_shards.jsonl"
fi
[ $status = 0 ] || fail 'the store is not as predicted where a line says off'
