#!/bin/bash
# Makes sure that a cross target of the C library can be built and tested; ends with 3 where packages cannot be installed.
#
#   .ci/cross.sh TARGET        one of bindings/c/targets.sh
#
# Compilers and emulators are Debian's packages. What runs on the target, SQLite and Python for arm64, is unpacked into
# .build/cross/TARGET/root: the system keeps its one architecture.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck disable=SC2034 # targets.sh
root=$PWD
. bindings/c/targets.sh
set_target "${1:?usage: .ci/cross.sh TARGET}"

missing=()
for package in $test_needs; do
  dpkg-query -W -f '${Status}' "$package" 2> /dev/null | grep -q ' installed$' || missing+=("$package")
done
.ci/install.sh "${missing[@]}"

case $target in
  aarch64-linux-gnu) architecture=arm64 ;;
  *) exit 0 ;;
esac
packages=(libc6 libgcc-s1 libsqlite3-0 libsqlite3-dev python3.11-minimal python3.11 libpython3.11-minimal libpython3.11-stdlib
  libpython3.11 libpython3.11-dev zlib1g libexpat1 libssl3 libffi8 liblzma5 libbz2-1.0 libuuid1 libncursesw6 libtinfo6 libreadline8
  libdb5.3)
unpacked=$PWD/.build/cross/$target/root
[ "$(cat "$unpacked.packages" 2> /dev/null)" != "${packages[*]}" ] || exit 0

# apt with lists of its own, for an architecture that dpkg does not know.
apt=$PWD/.build/cross/$target/apt
rm -rf "$apt" "$unpacked"
mkdir -p "$apt/state/lists/partial" "$apt/cache/archives/partial" "$apt/debs" "$unpacked"
touch "$apt/status"
apt_get() {
  apt-get -qq -o APT::Architecture=$architecture -o APT::Architectures=$architecture -o APT::Sandbox::User=root \
    -o Dir::State="$apt/state" -o Dir::State::status="$apt/status" -o Dir::Cache="$apt/cache" "$@"
}
echo "fencepost: unpacking Debian's packages for $architecture into .build/cross/$target/root" >&2
apt_get update >&2
(cd "$apt/debs" && apt_get download "${packages[@]}" >&2)
for deb in "$apt"/debs/*.deb; do dpkg-deb --extract "$deb" "$unpacked"; done
rm -rf "$apt"
echo "${packages[*]}" > "$unpacked.packages"
