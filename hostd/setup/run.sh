#!/bin/sh
# run.sh SCRIPT.ts ARG...: makes this machine ready as far as it is not yet, then runs SCRIPT.ts on the pinned Node 24.
# It can be stopped at any point and run again. Its own failures end with exit code 125.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
setup=$root/hostd/setup
log=$root/build/setup.log
running=
# shellcheck source=hostd/setup/steps.sh
. "$setup/steps.sh"

[ $# -ge 1 ] || fail 'usage: run.sh SCRIPT.ts ARG...'
[ "$(uname -s)-$(uname -m)" = Linux-x86_64 ] || fail "hostd runs on Linux x86_64, this is $(uname -s) $(uname -m)"
mkdir -p "$root/build"
trap stop_running INT TERM HUP

# Another set-up of this checkout may be at work.
exec 9>"$root/build/setup.lock"
if command -v flock >/dev/null; then
  flock -n 9 || { say 'waiting for another set-up of this checkout'; flock 9; }
fi
install_node_modules
install_debian_packages
step 'guest agent' make -s -C "$root/hostd/guest/agent"
step 'native parts' make -s -C "$root/hostd/vmm/native"
exec 9>&-

trap - INT TERM HUP
script=$1
shift
case $script in /*) ;; *) script=$root/$script ;; esac
NODE_COMPILE_CACHE=${NODE_COMPILE_CACHE:-$root/build/compile-cache}
export NODE_COMPILE_CACHE
exec sh "$setup/node.sh" "$script" "$@"
