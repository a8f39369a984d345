#!/bin/sh
# Compiles the library as Embedded Swift: objects that need a C library and nothing of Swift's runtime.
#
#   bindings/c/embedded.sh TARGET
#
# TARGET is x86_64-linux-gnu. Leaves the objects in .build/embedded/TARGET and prints their paths. build.sh links the
# shared library and archive.sh the archive.
#
# A module copies code of the modules that it imports, so all modules of a target are compiled anew when any source has
# changed: an object that is older than a module that it imports would give wrong answers without a message.
set -eu

target=${1:?usage: embedded.sh TARGET}
root=$(cd "$(dirname "$0")/../.." && pwd)
out=$root/.build/embedded/$target
cd "$root"

case $target in
  x86_64-linux-gnu) triple=x86_64-unknown-linux-gnu cc=${CC:-cc} ;;
  *)
    echo "embedded.sh: no target $target; accepted is x86_64-linux-gnu" >&2
    exit 2
    ;;
esac

unicode=$(dirname "$(dirname "$(readlink -f "$(command -v swiftc)")")")/lib/swift/embedded/$triple/libswiftUnicodeDataTables.a
[ -f "$unicode" ] || {
  echo "embedded.sh: the toolchain has no Embedded Swift for $triple: $unicode is missing; FENCEPOST_RUNTIME=full does" \
    "without it" >&2
  exit 1
}

sources() { find "Sources/$1" -name '*.swift' | LC_ALL=C sort; }
modules='FencepostKernel FencepostCore FencepostStoreCore FencepostABI'

# What the objects were made of: the sources, this script and the compiler.
stamp=$out/made-of
mkdir -p "$(dirname "$out")"
{
  swiftc --version 2>&1
  echo "$target ${CFLAGS:-}"
  find include Sources bindings/c/embedded.sh bindings/c/embedded -type f | LC_ALL=C sort | xargs sha256sum
} > "$out.stamp.$$"
if [ -f "$stamp" ] && cmp -s "$out.stamp.$$" "$stamp"; then
  rm -f "$out.stamp.$$"
else
  rm -rf "$out"
  mkdir -p "$out"
  for module in $modules; do
    echo "embedded: $target, $module" >&2
    # shellcheck disable=SC2046
    swiftc -target $triple -swift-version 6 -package-name fencepost -parse-as-library -wmo -O \
      -enable-experimental-feature Embedded -enable-upcoming-feature InternalImportsByDefault \
      -enable-upcoming-feature MemberImportVisibility -enable-upcoming-feature ExistentialAny \
      -Xfrontend -function-sections -Xcc -fPIC -I "$out" -I Sources/CPlatform/include -I Sources/CPosix \
      -I Sources/CSQLite -I include -module-name "$module" -emit-module -emit-module-path "$out/$module.swiftmodule" \
      -c $(sources "$module") -o "$out/$module.o" > "$out/$module.log" 2>&1 || {
      cat "$out/$module.log" >&2
      rm -f "$out.stamp.$$"
      exit 1
    }
    # Interpolating anything but numbers, strings and what has a description compiles, and prints that it cannot be printed.
    if objdump -dr --no-show-raw-insn "$out/$module.o" |
      awk '/^[0-9a-f]+ <.*>:$/ { function_name = $2 } /cannot print value/ { print function_name; found = 1 } END { exit !found }' >&2; then
      echo "embedded: these functions interpolate a value that Embedded Swift cannot print; give its type a description" >&2
      rm -f "$out.stamp.$$"
      exit 1
    fi
  done
  for file in Sources/CPlatform/*.c bindings/c/embedded/*.c; do
    "$cc" -std=gnu11 -O2 -fPIC -ffunction-sections -fvisibility=hidden -ISources/CPlatform/include \
      -c "$file" -o "$out/$(basename "$file" .c).o"
  done
  cp "$unicode" "$out/unicode.a"
  mv "$out.stamp.$$" "$stamp"
fi
ls "$out/"*.o "$out/unicode.a"
