#!/bin/sh
# Builds the C library as it is released: self-contained (the Swift runtime inside), exporting the functions of the
# header and nothing else, stripped. The one place that knows how; the Python package and the Makefile call it.
#
#   bindings/c/build.sh
#
# Leaves the library under its SONAME (names.sh) in .build/lib and the link libfencepost.so beside it, and prints the
# library's path.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
. "$root/bindings/c/names.sh"
scratch=$root/.build/release-lib
lib=$root/.build/lib
older=$root/.build/older-glibc

command -v swift > /dev/null || {
  echo "bindings/c/build.sh: the Swift toolchain (6.3) is needed, and swift is not on the path" >&2
  exit 1
}

# What runs on older systems too: the versions of glibc's functions that these have.
"$root/bindings/c/older-glibc.sh" "$older"
older_options=
# SwiftPM looks neither at what is remapped nor at the header, whose values are compiled in.
rm -f "$scratch/release/libfencepost-c.so"
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

mkdir -p "$lib"
strip --strip-unneeded -o "$lib/$soname.new" "$scratch/release/libfencepost-c.so"

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
