#!/bin/sh
# Builds the C library as it is released: self-contained, exporting the functions of the header and nothing else,
# stripped. The one place that knows how; the Python package and the Makefile call it.
#
#   [FENCEPOST_RUNTIME=full|embedded] [FENCEPOST_LIB=.build/lib] bindings/c/build.sh
#
# Full is ordinary Swift with the runtime inside; embedded has none (embedded.sh). names.sh has the default.
# Leaves the library under its SONAME (names.sh) in FENCEPOST_LIB and the link libfencepost.so beside it, and prints the
# library's path.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
. "$root/bindings/c/names.sh"
scratch=$root/.build/release-lib
lib=${FENCEPOST_LIB:-$root/.build/lib}
older=$root/.build/older-glibc

command -v swift > /dev/null || {
  echo "bindings/c/build.sh: the Swift toolchain (6.3) is needed, and swift is not on the path" >&2
  exit 1
}

# What runs on older systems too: the versions of glibc's functions that these have.
"$root/bindings/c/older-glibc.sh" "$older"
if [ "$runtime" = embedded ]; then
  objects=$("$root/bindings/c/embedded.sh" x86_64-linux-gnu)
  linked=$root/.build/embedded/libfencepost.so
  older_options=
  [ ! -e "$older/remap" ] || older_options="-Wl,--remap-inputs-file=$older/remap $older/missing.o"
  # The linker of the toolchain, because others lack --remap-inputs-file.
  # shellcheck disable=SC2086
  "$(dirname "$(readlink -f "$(command -v swiftc)")")/clang" -shared -fuse-ld=lld -o "$linked" $objects $older_options \
    -Wl,--version-script="$root/bindings/c/fencepost.map" -Wl,-soname,"$soname" -Wl,--gc-sections -Wl,--as-needed \
    -Wl,-z,defs -lsqlite3 -lm
else
  linked=$scratch/release/libfencepost-c.so
  older_options=
  # SwiftPM looks neither at what is remapped nor at the header, whose values are compiled in.
  rm -f "$linked"
  if [ -e "$lib/$soname" ] && [ -n "$(find "$root/include" -newer "$lib/$soname")" ]; then
    rm -f "$scratch/release/FencepostABI.build/"*.o
  fi
  [ ! -e "$older/remap" ] || older_options="-Xlinker --remap-inputs-file=$older/remap -Xlinker $older/missing.o"
  # lld, because the default linker of the toolchain lets symbols of Swift data slip past the version script.
  # shellcheck disable=SC2086
  swift build -c release --product fencepost-c --package-path "$root" --scratch-path "$scratch" \
    --disable-local-rpath -Xswiftc -static-stdlib -Xswiftc -use-ld=lld $older_options \
    -Xlinker "--version-script=$root/bindings/c/fencepost.map" -Xlinker -soname -Xlinker "$soname" \
    -Xlinker --gc-sections >&2
fi

mkdir -p "$lib"
strip --strip-unneeded -o "$lib/$soname.new" "$linked"

# It must stand alone: only what every Linux has.
needed=$(LC_ALL=C readelf --dynamic --wide "$lib/$soname.new" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
for library in $needed; do
  case " c gcc_s $(echo $system_libraries) " in
    *" $(expr "$library" : 'lib\(.*\)\.so.*') "*) ;;
    *)
      case $library in ld-linux*.so.*) continue ;; esac
      echo "bindings/c/build.sh: the library needs $library, which is not part of the system" >&2
      exit 1
      ;;
  esac
done

# The same bytes keep their time stamp, so that what depends on them is not made again.
if cmp -s "$lib/$soname.new" "$lib/$soname" 2> /dev/null; then
  rm -f "$lib/$soname.new"
else
  mv -f "$lib/$soname.new" "$lib/$soname"
fi
ln -sf "$soname" "$lib/libfencepost.so"
echo "$lib/$soname"
