# Sets the version and file names of the C library, read from the header. Sourced by the scripts beside it, which set
# `root`.
# shellcheck shell=sh
version_part() { sed -n "s/^#define FENCEPOST_VERSION_$1 \([0-9][0-9]*\)\$/\1/p" "$root/include/fencepost.h"; }
major=$(version_part MAJOR)
minor=$(version_part MINOR)
version=$major.$minor.$(version_part PATCH)

# While the major version is 0, each minor version may break the ABI: see ABIPolicy.md.
if [ "$major" = 0 ]; then abi=0.$minor; else abi=$major; fi
case $(uname -s) in
  Darwin) soname=libfencepost.$abi.dylib ;;
  *) soname=libfencepost.so.$abi ;;
esac

# FENCEPOST_TARGET names one of the cross targets in targets.sh. If the variable is unset, the library is built for this
# machine.
. "$root/bindings/c/targets.sh"
if [ -n "${FENCEPOST_TARGET:-}" ]; then
  set_target "$FENCEPOST_TARGET" || exit 2
  soname=libfencepost.so.$abi
  [ "${FENCEPOST_RUNTIME:-embedded}" = embedded ] || {
    echo "FENCEPOST_RUNTIME is $FENCEPOST_RUNTIME; accepted for the target $target is embedded" >&2
    exit 2
  }
  default_lib=$root/.build/cross/$target$variant/lib
else
  set_target x86_64-linux-gnu || exit 2
  default_lib=$root/.build/lib$variant
fi

# Sets how the library is built: embedded (Embedded Swift: a fifth of the size, without a Swift runtime; the default on
# x86-64 Linux) or full (ordinary Swift with its runtime inside; the default elsewhere). The embedded build and the full
# build give the same events, byte for byte (Tests/Runtimes/run.sh).
case ${FENCEPOST_TARGET:-$(uname -sm)} in
  'Linux x86_64' | "$target") runtime=${FENCEPOST_RUNTIME:-embedded} ;;
  *) runtime=${FENCEPOST_RUNTIME:-full} ;;
esac
case $runtime in
  embedded | full) ;;
  *)
    echo "FENCEPOST_RUNTIME is $runtime; must be embedded or full" >&2
    exit 2
    ;;
esac
[ -z "$variant" ] || [ "$runtime" = embedded ] || {
  echo "FENCEPOST_RUNTIME is $runtime; FENCEPOST_STORE=none, FENCEPOST_OPTIMIZE=size and FENCEPOST_PORTABLE=1 need embedded" >&2
  exit 2
}

# Lists the libraries that a program must link beside the archive, as names for -l. Add further system libraries here.
if [ "$runtime" = embedded ]; then
  system_libraries=$libraries
  objects_folder=$root/.build/embedded/$swift_of$swift_variant
else
  system_libraries='
sqlite3
stdc++
m
pthread
dl
'
  objects_folder=$root/.build/release-lib/release
fi
