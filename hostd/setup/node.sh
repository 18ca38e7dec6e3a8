#!/bin/sh
# node.sh ARG...: runs the pinned Node 24 of this checkout, whatever node the machine has.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
case $(uname -m) in
  x86_64) cpu=x64 ;;
  aarch64 | arm64) cpu=arm64 ;;
  *) echo "offshoot: no pinned Node for $(uname -m)" >&2; exit 125 ;;
esac
node=$root/node_modules/node-linux-$cpu/bin/node
[ -x "$node" ] || { echo "offshoot: the pinned Node is not installed; run: npm ci (in $root)" >&2; exit 125; }
exec "$node" --disable-warning=ExperimentalWarning "$@"
