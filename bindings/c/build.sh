#!/bin/sh
# Builds the C library as it is released: self-contained, stripped, and exporting only the functions of the header. The
# Python package and the Makefile call this script.
#
#   [FENCEPOST_RUNTIME=full|embedded] [FENCEPOST_TARGET=] [FENCEPOST_STORE=none] [FENCEPOST_OPTIMIZE=size] \
#     [FENCEPOST_PORTABLE=1] [FENCEPOST_LIB=] bindings/c/build.sh
#
# The "full" build is ordinary Swift and contains the Swift runtime; the "embedded" build is Embedded Swift and needs no
# runtime (embedded.sh). The defaults are in names.sh. Without FENCEPOST_TARGET, the library is built for this machine,
# into .build/lib; for a target in targets.sh, it is built into .build/cross/TARGET/lib.
# Writes the library to FENCEPOST_LIB under its SONAME (names.sh), makes the link libfencepost.so beside it, and prints
# the library's path.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
. "$root/bindings/c/names.sh"
. "$root/bindings/c/system.sh"
scratch=${FENCEPOST_SCRATCH:-$root/.build/release-lib}
lib=${FENCEPOST_LIB:-$default_lib}
case $lib in /*) ;; *) lib=$PWD/$lib ;; esac
# The lists below separate paths by spaces. The paths are relative to this folder, because the name of a folder above it
# may contain a space.
cd "$root"
older=.build/older-glibc
[ -z "${FENCEPOST_TARGET:-}" ] || older=.build/cross/$target/older-glibc

command -v swift > /dev/null || {
  echo "bindings/c/build.sh: the Swift toolchain (6.3) is needed, and swift is not on the path" >&2
  exit 1
}

case $target in
  wasm*)
    echo "bindings/c/build.sh: make wasm builds the library for $target" >&2
    exit 2
    ;;
esac

# Makes the library run on older systems, by linking the versions of glibc's functions that these systems have.
case $(uname -s)/$target in Linux/*-linux-gnu) CC=$cc "$root/bindings/c/older-glibc.sh" "$older" ;; esac
if [ "$runtime" = embedded ]; then
  objects=$("$root/bindings/c/embedded.sh" "$target")
  linked=$root/.build/embedded/$target$variant/libfencepost.so
  older_options=
  [ ! -e "$older/remap" ] || older_options="-Wl,--remap-inputs-file=$older/remap $older/missing.o"
  # Uses the linker of the Swift toolchain, because other linkers lack --remap-inputs-file. For musl, uses musl's
  # compiler, because the toolchain's clang cannot find musl. --icf=all merges identical functions and saves 30 kB; no
  # code compares function addresses.
  case $target in
    *-musl) linker=$cc ;;
    *) linker="$(dirname "$(readlink -f "$(command -v swiftc)")")/clang --target=$target -fuse-ld=lld -Wl,--icf=all" ;;
  esac
  # Binds all functions at load time (-z now): the lazy binding of a function needs up to 3 kB of the stack of the thread
  # that calls it first, and the header promises small stacks.
  # shellcheck disable=SC2086
  link() { # [OPTION...]
    $linker -shared -o "$linked" $objects $older_options $link_options "$@" \
      -Wl,--version-script="$root/bindings/c/fencepost.map" -Wl,-soname,"$soname" -Wl,--gc-sections -Wl,--as-needed \
      -Wl,-z,now -Wl,-z,defs $([ $store = none ] || echo -lsqlite3) -lm
  }
  link
  # Links again with similar functions beside each other, so that the compressed library is 62 kB smaller. It is 18 kB
  # smaller than with lld's --bp-compression-sort=function. GNU ld, which links for musl, cannot do this.
  case $target in
    *-musl) ;;
    *)
      order=$(dirname "$linked")/order
      "${CC:-cc}" -std=gnu11 -O2 -o "$order" bindings/c/order.c
      "$order" "$linked" > "$order.txt"
      link -Wl,--symbol-ordering-file="$order.txt" -Wl,--no-warn-symbol-ordering
      ;;
  esac
  # Operations on the characters of a `String` would add 65 kB of Unicode code and tables to the library.
  if "${tools}nm" "$linked" | grep -q _swift_stdlib_nfd_decomp; then
    echo "bindings/c/build.sh: the library contains Unicode tables, because a text is compared with == or hasPrefix, or" \
      "split into characters; use hasBytes(of:), beginsWithBytes(of:) or utf8 (TextBytes.swift)" >&2
    exit 1
  fi
else
  linked=$scratch/release/$built_name
  older_options=
  # SwiftPM does not notice changes to remapped files or to the header, so the files that depend on them are removed
  # here.
  rm -f "$linked"
  if [ -e "$lib/$soname" ] && [ -n "$(find "$root/include" -newer "$lib/$soname")" ]; then
    rm -f "$scratch/release/FencepostABI.build/"*.o
  fi
  # SwiftPM runs the linker in a folder of its choice, so these paths are absolute.
  [ ! -e "$older/remap" ] || older_options="-Xlinker --remap-inputs-file=$root/$older/remap -Xlinker $root/$older/missing.o"
  # shellcheck disable=SC2046,SC2086
  swift build -c release --product fencepost-c --package-path "$root" --scratch-path "$scratch" \
    --disable-local-rpath $older_options $(library_options) >&2
fi

mkdir -p "$lib"
strip_library "$linked" "$lib/$soname.new"

# The library must be self-contained: it may need only libraries that every system has.
for library in $(needed_by "$lib/$soname.new"); do
  is_of_the_system "$library" || {
    echo "bindings/c/build.sh: the library needs $library, which is not part of the system" >&2
    exit 1
  }
done

# If the bytes are the same, keep the old time stamp, so that make does not rebuild the targets that depend on it.
if cmp -s "$lib/$soname.new" "$lib/$soname" 2> /dev/null; then
  rm -f "$lib/$soname.new"
else
  mv -f "$lib/$soname.new" "$lib/$soname"
fi
ln -sf "$soname" "$lib/$link_name"
echo "$lib/$soname"
