# shellcheck shell=bash
# Sourced: the servers of Debian's packages, and how they are installed and run.

say() { printf '%s\n' "$*"; }
fail() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 1
}

# Servers refuse to run as root, and their users may not enter root's home.
is_root=
[ "$(id -u)" != 0 ] || is_root=yes

declare -A package=([postgres]=postgresql [mariadb]=mariadb-server)
declare -A user=([postgres]=postgres [mariadb]=mysql)

# The server's program, of the newest release; nothing if it is not installed.
program() {
  case $1 in
    postgres) find /usr/lib/postgresql/*/bin -name postgres 2>/dev/null | sort -V | tail -n 1 ;;
    mariadb) PATH=$PATH:/usr/sbin command -v mariadbd || true ;;
  esac
}

# Runs a command as the engine's user if we are root.
as() {
  local name=${user[$1]}
  shift
  if [ -n "$is_root" ]; then
    (cd / && runuser -u "$name" -- "$@")
  else
    "$@"
  fi
}

# In a shell of its own, for the trap.
install_package() (
  name=${package[$1]} policy=/usr/sbin/policy-rc.d
  [ -n "$is_root" ] || fail "$1 is not installed; as root: apt-get install $name"
  command -v apt-get >/dev/null || fail "$1 is not installed, and there is no apt-get to install $name"
  say "$1: installing $name"
  if [ ! -e "$policy" ]; then
    # Debian starts no server of its own while this is there.
    trap 'rm -f /usr/sbin/policy-rc.d' EXIT
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod 755 "$policy"
  fi
  apt=(apt-get -qq -o DPkg::Lock::Timeout=300)
  "${apt[@]}" update >/dev/null || say "$1: apt-get update failed; trying what is known" >&2
  DEBIAN_FRONTEND=noninteractive "${apt[@]}" install --no-install-recommends -y "$name" >/dev/null ||
    fail "$1: apt-get install $name failed"
  [ -n "$(program "$1")" ] || fail "$1: $name has no server"
)
