#!/bin/sh
# mmdebstrap customize hook: downloads the kernel packages behind $OFFSHOOT_KERNEL_PACKAGE into $OFFSHOOT_KERNEL_INTO.
# They are not installed: that would pull in tools to build an initrd that nobody boots.
set -eu
APT_CONFIG=$MMDEBSTRAP_APT_CONFIG
export APT_CONFIG
cd "$OFFSHOOT_KERNEL_INTO"

# kernel_dependencies PACKAGE: the linux-image and linux-modules packages it depends on
kernel_dependencies() {
  apt-cache depends "$1" | sed -n 's/^ *|\{0,1\}Depends: \(linux-\(image\|modules\|binary\)-[^ ]*\)$/\1/p'
}

wanted=$(kernel_dependencies "$OFFSHOOT_KERNEL_PACKAGE" | head -n 1)
[ -n "$wanted" ] || wanted=$OFFSHOOT_KERNEL_PACKAGE
# shellcheck disable=SC2086 # a list of package names
for package in $wanted $(kernel_dependencies "$wanted"); do
  file=$(apt-get download --print-uris "$package" | sed "s/^'[^']*' \([^ ]*\) .*/\1/")
  # apt checks a file that is there by its hash and fetches it again when it differs
  if [ -f "$OFFSHOOT_PACKAGE_CACHE/$file" ]; then cp "$OFFSHOOT_PACKAGE_CACHE/$file" .; fi
  apt-get download -q "$package"
done
