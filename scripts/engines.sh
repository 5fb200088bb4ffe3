#!/usr/bin/env bash
# Servers for `sim verify --live postgres,mariadb`. They are for measuring only: nothing
# is synced to disk, and whoever is on this machine may log in.
#   scripts/engines.sh up|down|status [postgres] [mariadb]
# `up` installs what is missing from Debian's packages. Data is kept in $IDLAB_ENGINES;
# other servers on this machine are left alone.
set -euo pipefail

here=$(dirname "$0")
# shellcheck source=scripts/packages.sh
. "$here/packages.sh"

if [ -n "$is_root" ]; then
  home=${IDLAB_ENGINES:-/var/lib/idlab-engines}
else
  home=${IDLAB_ENGINES:-$HOME/.cache/idlab-engines}
fi

declare -A port=([postgres]=54329 [mariadb]=33069)
declare -A stop_signal=([postgres]=INT [mariadb]=TERM)
declare -A url=(
  [postgres]=postgres://postgres@127.0.0.1:${port[postgres]}/postgres
  [mariadb]=mariadb://root@127.0.0.1:${port[mariadb]}
)

# The data of the engine's installed release.
folder() {
  local release
  release=$("$(program "$1")" --version | grep -oE '[0-9]+\.[0-9]+' | head -n 1)
  [ "$1" = mariadb ] || release=${release%.*}
  say "$home/$1-$release"
}

# The process that runs on the data in folder $1, if any. After a crash the file may
# name a process of another program.
process() {
  local pid
  pid=$(cat "$1.pid" 2>/dev/null) || return 0
  case $(ps -o args= -p "$pid" 2>/dev/null) in
    *"$1"*) say "$pid" ;;
  esac
}

# All our folders of an engine that a server runs on.
running() {
  local pid_file
  for pid_file in "$home/$1"-*.pid; do
    [ -z "$(process "${pid_file%.pid}")" ] || say "${pid_file%.pid}"
  done
}

create() {
  local engine=$1 at=$2 programs
  programs=$(dirname "$(program "$engine")")
  mkdir -p "$home"
  as "$engine" test -x "$home" || fail "$engine: the user ${user[$engine]} cannot enter $home; set IDLAB_ENGINES"
  rm -rf "$at.new"
  mkdir -m 700 "$at.new"
  [ -z "$is_root" ] || chown "${user[$engine]}:" "$at.new"
  case $engine in
    postgres)
      as postgres "$programs/initdb" --locale=C -E UTF8 --auth=trust -U postgres --no-sync -D "$at.new"
      ;;
    mariadb)
      as mariadb mariadb-install-db --no-defaults --auth-root-authentication-method=normal --skip-test-db "--datadir=$at.new"
      ;;
  esac >"$at.log" 2>&1 || fail "$engine: no database could be created, see $at.log"
  mv "$at.new" "$at"
}

launch() {
  local engine=$1 at=$2 server
  server=("$(program "$engine")")
  case $engine in
    postgres)
      server+=(
        -D "$at" -c listen_addresses=127.0.0.1 -c "port=${port[postgres]}" -c unix_socket_directories=
        -c fsync=off -c full_page_writes=on -c wal_level=replica -c wal_compression=off
        -c checkpoint_timeout=1d -c max_wal_size=40GB -c autovacuum=off -c jit=off -c shared_buffers=128MB
      )
      ;;
    mariadb)
      server+=(
        --no-defaults "--datadir=$at" "--socket=$at/server.sock" "--pid-file=$at/server.pid"
        --bind-address=127.0.0.1 "--port=${port[mariadb]}" --skip-log-bin
        --innodb-buffer-pool-size=128M --innodb-flush-method=nosync --innodb-doublewrite=0
        --innodb-flush-log-at-trx-commit=0 --innodb-log-file-size=1G --innodb-monitor-enable=all
        --innodb-stats-auto-recalc=0
        --innodb-buffer-pool-dump-at-shutdown=0 --innodb-buffer-pool-load-at-startup=0
      )
      ;;
  esac
  rm -f "$at.pid"
  # shellcheck disable=SC2016  # the inner shell expands
  as "$engine" setsid -f sh -c 'echo $$; exec "$@" >&2' sh "${server[@]}" >"$at.pid" 2>>"$at.log" </dev/null
}

# The version of the server that answers at the engine's port.
version() {
  case $1 in
    postgres) psql -XAt -d "${url[postgres]}" -c 'show server_version' ;;
    mariadb) mariadb --no-defaults -h 127.0.0.1 -P "${port[mariadb]}" -u root -BN -e 'select version()' ;;
  esac 2>/dev/null
}

up() {
  local engine=$1 at try
  if [ -z "$(running "$engine")" ]; then
    [ -n "$(program "$engine")" ] || install_package "$engine"
    at=$(folder "$engine")
    if (: <"/dev/tcp/127.0.0.1/${port[$engine]}") 2>/dev/null; then
      fail "$engine: another program has port ${port[$engine]}"
    fi
    [ -e "$at" ] || create "$engine" "$at"
    # After a crash, processes that are left may keep a server from starting for a while.
    for ((try = 0; try < 60; try++)); do
      [ -n "$(process "$at")" ] || launch "$engine" "$at"
      sleep 0.5
      if version "$engine" >/dev/null; then break; fi
    done
  fi
  status "$engine" || fail "$engine: does not start, see $(folder "$engine").log"
}

down() {
  local engine=$1 at pid try
  for at in $(running "$engine"); do
    pid=$(process "$at")
    kill "-${stop_signal[$engine]}" "$pid"
    for ((try = 0; try < 120; try++)); do
      [ -n "$(process "$at")" ] || break
      sleep 0.5
    done
    [ -z "$(process "$at")" ] || fail "$engine: process $pid does not stop, see $at.log"
    rm -f "$at.pid"
  done
  say "$engine: not running"
}

status() {
  local release
  if [ -n "$(running "$1")" ] && release=$(version "$1"); then
    say "$1: ${url[$1]}, version $release"
  else
    say "$1: not running"
    return 1
  fi
}

action=${1:-}
shift || true
case $action in
  up | down | status) ;;
  *) fail 'usage: scripts/engines.sh up|down|status [postgres] [mariadb]' ;;
esac
[ $# -gt 0 ] || set -- postgres mariadb
for engine in "$@"; do
  [ -n "${port[$engine]:-}" ] || fail "$engine: expected postgres or mariadb"
done
code=0
for engine in "$@"; do
  case $action in
    up) up "$engine" ;;
    down) down "$engine" ;;
    status) status "$engine" || code=1 ;;
  esac
done
exit $code
