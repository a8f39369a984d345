#!/bin/sh
# Compiles the library as Embedded Swift, into objects that need a C library but no Swift runtime.
#
#   [FENCEPOST_STORE=none] [FENCEPOST_OPTIMIZE=size] [FENCEPOST_SANITIZE=address] bindings/c/embedded.sh TARGET
#
# TARGET is a target in targets.sh. Leaves the objects in .build/embedded and prints their paths. build.sh links the
# objects into the shared library, and archive.sh puts them into the archive. The paths are relative to the root of the
# tree, because the name of a folder above the root may contain a space. FENCEPOST_SANITIZE=address compiles with the
# Address Sanitizer into a separate folder, for Tests/Sanitize/run.sh.
#
# In Swift 6.3, no compiler option adds unwind tables (.eh_frame) to the objects: clang's -fasynchronous-unwind-tables,
# -funwind-tables and -fexceptions have no effect, and -g adds .debug_frame instead, which strip removes.
#
# A compiled module contains copies of code from the modules that it imports. When the sources of a module change, that
# module and all later modules are recompiled, because an object older than a module that it imports would silently give
# wrong answers.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
. "$root/bindings/c/targets.sh"
set_target "${1:?usage: embedded.sh TARGET}"
cd "$root"

case ${FENCEPOST_SANITIZE:-} in
  '') sanitized='' ;;
  address)
    # C files use the toolchain's clang too, so that C and Swift share one sanitizer runtime.
    sanitized=-address cc=$(dirname "$(readlink -f "$(command -v swiftc)")")/clang
    cc_options="$cc_options -g -fsanitize=address"
    ;;
  *)
    echo "embedded.sh: FENCEPOST_SANITIZE is $FENCEPOST_SANITIZE; must be address" >&2
    exit 2
    ;;
esac

# folder_of MODULE: prints the folder of the module's object. The modules of the engine do not depend on whether there
# is a store or on the kind of locks, so all variants share their objects.
folder_of() {
  case $1 in
    FencepostKernel | FencepostCore) echo ".build/embedded/$swift_of$size$sanitized" ;;
    *) echo ".build/embedded/$swift_of$variant$sanitized" ;;
  esac
}
out=.build/embedded/$target$variant$sanitized
mkdir -p "$out" "$(folder_of FencepostKernel)" "$(folder_of FencepostABI)"

unicode=$(dirname "$(dirname "$(readlink -f "$(command -v swiftc)")")")/lib/swift/embedded/$triple/libswiftUnicodeDataTables.a
[ -f "$unicode" ] || {
  echo "embedded.sh: the toolchain has no Embedded Swift for $triple: $unicode is missing; FENCEPOST_RUNTIME=full does" \
    "without it" >&2
  exit 1
}
command -v "$cc" > /dev/null || {
  echo "embedded.sh: $cc is not on the path (Debian: ${test_needs:-clang})" >&2
  exit 1
}

# sources MODULE: prints the module's Swift files. c_sources MODULE: prints the C headers that the module imports, and
# then its Swift files.
sources() {
  case $store/$1 in
    none/FencepostStoreCore) echo bindings/c/embedded/FencepostStoreCore/NoStore.swift ;;
    *) find "Sources/$1" -name '*.swift' | LC_ALL=C sort ;;
  esac
}
c_sources() {
  case $1 in
    FencepostKernel) find Sources/CPlatform/include -type f ;;
    FencepostStoreCore) find Sources/CPosix Sources/CSQLite -type f ;;
    FencepostABI) echo include/module.modulemap ;;
  esac
}

# Prints the header without comments, because comments do not change the object.
header() { [ "$1" != FencepostABI ] || ${CC:-cc} -E -P -dD -x c include/fencepost.h; }

if [ "$swift_of" = "$target" ]; then
  # The hot loops use vector types, so unrolling and vectorising the other loops would only make the library 4 % larger.
  # The compiler assumes that functions rarely throw and that paths into traps are cold, and inlines nothing into these
  # paths; this makes the library 7 % smaller and no slower.
  set -- -target "$triple" -swift-version 6 -package-name fencepost -parse-as-library -wmo $optimization \
    -enable-experimental-feature Embedded -enable-upcoming-feature InternalImportsByDefault \
    -enable-upcoming-feature MemberImportVisibility -enable-upcoming-feature ExistentialAny \
    -Xllvm -unroll-runtime=false -Xllvm -vectorize-loops=false -Xfrontend -enable-throws-prediction \
    -Xfrontend -enable-noreturn-prediction -Xfrontend -function-sections ${sanitized:+-sanitize=address} ${pic:+-Xcc $pic} -I Sources/CPlatform/include -I Sources/CPosix -I Sources/CSQLite -I include
  [ "$triple" = x86_64-unknown-linux-gnu ] || set -- "$@" -Xfrontend -clang-target -Xfrontend "$c_target"
  for option in $c_headers; do set -- "$@" -Xcc "$option"; done
  before="$(swiftc --version 2>&1) $*"
  for module in FencepostKernel FencepostCore FencepostStoreCore FencepostABI; do
    # Only the store reads files, so only this module depends on the kind of locks.
    locks=
    [ "$module" != FencepostStoreCore ] || for option in $portable_option; do locks="$locks -Xcc $option"; done
    # Hashes the inputs of the object: its sources, the earlier modules, the options and the compiler.
    object=$(folder_of $module)/$module
    made_of=$({ echo "$before$locks" && sha256sum $(sources "$module") $(c_sources "$module") && header "$module"; } | sha256sum)
    if [ "$(cat "$object.made-of" 2> /dev/null)" != "$made_of" ]; then
      rm -f "$object".*
      echo "embedded: $target$variant$sanitized, $module" >&2
      # shellcheck disable=SC2046,SC2086
      swiftc "$@" $locks -I "$(folder_of FencepostABI)" -I "$(folder_of FencepostKernel)" -module-name "$module" -emit-module -emit-module-path "$object.swiftmodule" \
        -c $(sources "$module") -o "$object.o" > "$object.log" 2>&1 || {
        cat "$object.log" >&2
        exit 1
      }
      # Embedded Swift compiles the interpolation of any value. But if the value is not a number, a string or of a type
      # with a description, the result only says that the value cannot be printed. Only the x86-64 objects are checked:
      # all targets have the same sources, and the x86-64 code refers to its strings by name.
      if [ "$target" = x86_64-linux-gnu ] && objdump -dr --no-show-raw-insn "$object.o" |
        awk '/^[0-9a-f]+ <.*>:$/ { function_name = $2 } /cannot print value/ { print function_name; found = 1 } END { exit !found }' >&2; then
        echo "embedded: these functions interpolate a value that Embedded Swift cannot print; give its type a description" >&2
        exit 1
      fi
      echo "$made_of" > "$object.made-of"
    fi
    before=$made_of
  done
else
  "$0" "$swift_of" > /dev/null
fi

# The C files are always compiled, which takes a second. An unchanged object is not replaced, because another build may
# be linking it.
for file in Sources/CPlatform/*.c bindings/c/embedded/*.c; do
  object=$out/c-$(basename "$file" .c).o
  # shellcheck disable=SC2086
  $cc $cc_options $portable_option -std=gnu11 -O2 $pic -ffunction-sections -fvisibility=hidden -ISources/CPlatform/include \
    -c "$file" -o "$object.$$"
  if cmp -s "$object.$$" "$object"; then rm "$object.$$"; else mv "$object.$$" "$object"; fi
done
cmp -s "$unicode" "$out/unicode.a" || cp "$unicode" "$out/unicode.a"

for module in FencepostKernel FencepostCore FencepostStoreCore FencepostABI; do
  echo "$(folder_of $module)/$module.o"
done
ls "$out/c-"*.o "$out/unicode.a"
