#!/bin/sh
# furnish-root.sh DISK ROOT PACKAGES NODE BUNDLE IMAGE FLAGS HELPER_FLAGS: makes a copy of an image's root disk one that runs hostd: QEMU installed,
# NODE and what the folder BUNDLE has at /opt/offshoot, and IMAGE for the sandboxes inside. FLAGS are those of Node, HELPER_FLAGS what its helpers
# have besides. To be run with mounts of its own.
set -eu
disk=$1 root=$2 packages=$3 node=$4 bundle=$5 image=$6 flags=$7 helper_flags=$8
mount -o loop "$disk" "$root"

mkdir "$root/packages"
cp "$packages"/*.deb "$root/packages/"
chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
  sh -c 'dpkg --install --force-unsafe-io /packages/*.deb && rm -r /packages && groupadd --force --system kvm'

mkdir -p "$root/opt/offshoot" "$root/var/lib/inner/images"
cp -a "$bundle/." "$root/opt/offshoot/"
cp "$node" "$root/opt/offshoot/node"
cp -a --sparse=always "$image" "$root/var/lib/inner/images/default"

# What Node would have to compile inside, where that takes forty times as long; it keeps this for the very same flags only.
mount -t proc proc "$root/proc"
compile() {
  chroot "$root" /usr/bin/env -i PATH=/usr/bin:/bin NODE_COMPILE_CACHE=/opt/offshoot/compile-cache /opt/offshoot/node "$@" >/dev/null 2>&1 || :
}
# What is not there ends each of them when all is loaded.
# shellcheck disable=SC2086 # lists of flags
{
  compile $flags /opt/offshoot/offshoot.mjs hostd --config /nonexistent
  for helper in egress-proxy egress-resolver; do compile $flags $helper_flags /opt/offshoot/$helper.mjs; done
}
compiled=$(find "$root/opt/offshoot/compile-cache" -type f | wc -l)
[ "$compiled" -gt 20 ] || { echo "only $compiled modules were compiled" >&2; exit 1; }
umount "$root/proc" "$root"
