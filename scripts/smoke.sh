#!/usr/bin/env bash
# Runs every `sim` command once on a small load, one thread against two, and
# through a closed pipe.
set -euo pipefail
cd "$(dirname "$0")/.."

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
cargo build --quiet --bin sim
sim() { cargo run --quiet --bin sim -- "$@"; }
rows() { grep '"kind":"row"' "$1"; }

sim --help >/dev/null
for command in btree cliff tail shards fleet unique verify ids latency layout advise compare gate list; do sim $command --help | grep -q '^Examples:'; done
sim list >/dev/null
sim ids uuid_v7 -n 5 --decode
sim btree -n 20k --out "$out/two" --engine postgres,textbook
sim btree -n 20k --out "$out/one" --engine postgres,textbook --threads 1 >/dev/null
cmp <(rows "$out/one/btree.jsonl") <(rows "$out/two/btree.jsonl")
sim btree --stream uuid4,seq8 -n 20k --out "$out" --format csv >/dev/null
sim ids ulid -n 5000 | sim btree --ids - --out "$out" --format jsonl >/dev/null
sim verify --engine lmdb,wiredtiger --out "$out" >/dev/null
sim cliff -n 100k --cache 8MiB --engine postgres,innodb,sqlite,lmdb --secondary 1 --out "$out" >/dev/null
sim btree -n 20k --engine innodb,innodb:secondary,sqlite,sqlite:without_rowid,lmdb,redb,wiredtiger,b_star:3,textbook:4,oracle_like,sql_server_like \
  --payload-bytes 100 --cache 8MiB --miss-curve --out "$out/engines" >/dev/null
sim shards --for 40s --out "$out/two" --nodes 3 --store cockroach,tikv_96,foundationdb,hash_fixed >/dev/null
sim shards --for 40s --out "$out/one" --nodes 3 --store cockroach,tikv_96,foundationdb,hash_fixed --threads 1 >/dev/null
cmp <(rows "$out/one/shards.jsonl") <(rows "$out/two/shards.jsonl")
sim ids snowflake -n 20000 --rate 100 | sim shards --ids - --shards 16 --key range,id_mod:16,bit_reversed --out "$out" >/dev/null
sim fleet --for 30s --clock wan_pool --commit heavy --out "$out/two" >/dev/null
sim fleet --for 30s --clock wan_pool --commit heavy --out "$out/one" --threads 1 >/dev/null
cmp <(rows "$out/one/fleet.jsonl") <(rows "$out/two/fleet.jsonl")
sim fleet --for 30s --scheme auto_increment,snowflake --reader overlap:2s,gap:3s,xmin,vector,tuple --abort 1% --replicas 2 --out "$out" >/dev/null
sim fleet --for 30s --leases ttl=3s,renew=1s --faults partitions=10s,pauses=10s,restarts=10s --memory reserved --out "$out" >/dev/null
sim fleet --for 30s --scheme snowflake --clock lan_chrony,at=10s:-1s --rollback refuse,hold --timeline --out "$out" >/dev/null
sim fleet --sweep step --rollback refuse,hold --out "$out" >/dev/null
sim fleet --check faults --schedules 500 --out "$out" >/dev/null
sim fleet --check planted --among 1M --out "$out" >/dev/null
sim fleet --check leases --out "$out" >/dev/null
sim fleet --scenario leap_second,seata_cursor --out "$out" >/dev/null
sim ids snowflake --real-time -n 1000 >/dev/null
sim unique -n 200k --out "$out" >/dev/null
sim unique --scheme snowflake --clock real -n 200k --out "$out" >/dev/null
sim ids ksuid --random-bits -n 1000 >/dev/null
sim latency --scheme all --for 20ms --generators 1,2 --clock cached --out "$out" >/dev/null
sim ids snowflake --real-time --cached -n 1000 >/dev/null
sim verify --live sqlite -n 20k --out "$out" >/dev/null
printf 'run uuid_v7/bulk 1 1000\ncount btree/random 1 1000\n' | sim worker >/dev/null
sim layout twitter --services 60 --replicas 20 --rows 1G --secondary 4 --foreign 3 --out "$out" >/dev/null
sim ids uuid_v7 -n 20000 | sim ids --read - --charts --out "$out" >/dev/null
sim ids snowflake -n 5000 | sim ids --read - --as twitter --format csv --out "$out" >/dev/null
sim ids --decode 01ARZ3NDEKTSV4RRFFQ69G5FAV >/dev/null
sim advise --quick --bytes 16 --public yes --rate 1k --rows 10M --out "$out" >/dev/null
sim compare uuid_v7 ksuid >/dev/null
sim tail -n 50k --per-ms 10,150 --out "$out" >/dev/null
set +o pipefail
sim ids uuid_v4 -n 1M | head -n 1 >/dev/null
sim ids uuid_v4 --random-bits | head -c 1 >/dev/null
sim btree -n 20k --out "$out" --format jsonl | head -n 1 >/dev/null
