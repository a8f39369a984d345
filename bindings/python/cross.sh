#!/bin/bash
# Cross-compiles the wheel for another target on this machine.
#
#   FENCEPOST_TARGET=aarch64-linux-gnu bindings/python/cross.sh
#
# Needs .venv with the `dist` extra and the target's library (make cross TARGET=…). Leaves one .whl in
# .build/cross/TARGET/dist, with auditwheel's platform tag, and prints its path.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD
: "${FENCEPOST_TARGET:?set it to aarch64-linux-gnu or x86_64-linux-musl}"
. bindings/c/names.sh
python=$root/.venv/bin/python
cross=$root/.build/cross/$target
folder=$cross/dist
# The limited API of CPython is the same on every system; pyconfig.h is that of the target, or that of this machine if
# only the C library differs.
include=$("$python" -c 'import sysconfig; print(sysconfig.get_path("include"))')
case $target in
  aarch64-linux-gnu)
    platform=linux_aarch64
    CC="$cc -B$cross/root/usr/lib/$target/" bindings/c/older-sqlite.sh "$cross/sqlite" "$cross/older-glibc"
    CFLAGS="-I$cross/root/usr/include/python3.11 -I$cross/root/usr/include"
    LDFLAGS="-L$cross/older-glibc -Wl,-rpath-link,$cross/sqlite"
    ldpaths=$cross/sqlite:$cross/root/usr/lib/$target:$cross/root/lib/$target
    ;;
  x86_64-linux-musl)
    platform=linux_x86_64 CFLAGS="-I$include" LDFLAGS="$link_options" ldpaths=$cross/root/usr/lib
    ;;
  *)
    echo "bindings/python/cross.sh: there is no wheel for $target" >&2
    exit 2
    ;;
esac

rm -rf "$folder" "$folder.new"
mkdir -p "$folder.new/built"
# The following variables configure setuptools for the target: the compiler, the linker and the platform's name. The
# build runs in the unpacked source distribution, which contains no object files from other targets.
env -u FENCEPOST_ROOT -u FENCEPOST_SQL CC="$cc" LDSHARED="$cc -shared" STRIP="${tools}strip" CFLAGS="-O2 -fPIC $CFLAGS" LDFLAGS="$LDFLAGS" \
  _PYTHON_HOST_PLATFORM="${platform/_/-}" FENCEPOST_LIBRARY="$default_lib/$soname" \
  "$python" -m build --outdir "$folder.new/built" bindings/python > "$folder.new/log" 2>&1 &&
  PATH=$root/.venv/bin:$PATH "$python" -m auditwheel repair --ldpaths "$ldpaths" --wheel-dir "$folder.new" \
    "$folder.new/built/"*.whl >> "$folder.new/log" 2>&1 || {
  cat "$folder.new/log" >&2
  exit 1
}
rm -rf "$folder.new/built"
mv "$folder.new" "$folder"
ls "$folder/"*.whl
