#!/bin/sh
# furnish-root.sh DISK ROOT PACKAGES CHECKOUT PARTS IMAGE FLAGS HELPER_FLAGS: makes a copy of an image's root disk one that runs hostd: QEMU installed, this
# checkout with what PARTS (a file of paths) names of it at /opt/offshoot, and IMAGE for the sandboxes inside. FLAGS are those of Node, HELPER_FLAGS what its helpers have besides. To be run with mounts of its own.
set -eu
disk=$1 root=$2 packages=$3 checkout=$4 parts=$5 image=$6 flags=$7 helper_flags=$8
mount -o loop "$disk" "$root"

mkdir "$root/packages"
cp "$packages"/*.deb "$root/packages/"
chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
  sh -c 'dpkg --install --force-unsafe-io /packages/*.deb && rm -r /packages && groupadd --force --system kvm'

mkdir -p "$root/opt/offshoot" "$root/var/lib/inner/images"
tar -C "$checkout" -c -T "$parts" | tar -C "$root/opt/offshoot" -x
cp -a --sparse=always "$image" "$root/var/lib/inner/images/default"

# What Node would have to compile inside, where that takes forty times as long; it keeps this for the very same flags only.
mount -t proc proc "$root/proc"
compile() {
  modules=$1
  shift
  chroot "$root" /usr/bin/env -i PATH=/usr/bin:/bin NODE_COMPILE_CACHE=/opt/offshoot/build/compile-cache sh /opt/offshoot/hostd/setup/node.sh \
    "$@" --input-type=module -e "for (const module of '$modules'.split(' ')) await import('/opt/offshoot/hostd/' + module).catch((error) => {
      if (error.message !== 'which folder?') throw error;
    })"
}
# shellcheck disable=SC2086 # lists of flags
compile 'cli/command-line.ts daemon/run-daemon.ts' $flags
gate=net/egress/gate
# shellcheck disable=SC2086
compile "$gate/proxy-process.ts $gate/resolver-process.ts" $flags $helper_flags
umount "$root/proc" "$root"
