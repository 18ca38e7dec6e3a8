#!/bin/sh
# furnish-root.sh DISK ROOT PACKAGES CHECKOUT PARTS IMAGE: makes a copy of an image's root disk one that runs hostd: QEMU installed, this
# checkout with what PARTS (a file of paths) names of it at /opt/offshoot, and IMAGE for the sandboxes inside. To be run with mounts of its own.
set -eu
disk=$1 root=$2 packages=$3 checkout=$4 parts=$5 image=$6
mount -o loop "$disk" "$root"

mkdir "$root/packages"
cp "$packages"/*.deb "$root/packages/"
chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
  sh -c 'dpkg --install --force-unsafe-io /packages/*.deb && rm -r /packages && groupadd --force --system kvm'

mkdir -p "$root/opt/offshoot" "$root/var/lib/inner/images"
tar -C "$checkout" -c -T "$parts" | tar -C "$root/opt/offshoot" -x
cp -a --sparse=always "$image" "$root/var/lib/inner/images/default"

# What Node would have to compile inside, where it takes forty times as long. Only for the very flags that bin/offshoot gives hostd.
mount -t proc proc "$root/proc"
chroot "$root" /usr/bin/env -i PATH=/usr/bin:/bin NODE_COMPILE_CACHE=/opt/offshoot/build/compile-cache sh /opt/offshoot/hostd/setup/node.sh \
  --max-semi-space-size=2 --input-type=module -e "await import('/opt/offshoot/hostd/cli/main.ts'); await import('/opt/offshoot/hostd/daemon/run-daemon.ts'); process.exit()"
umount "$root/proc" "$root"
