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
# The modules are compiled as one module, from copies of their sources without the imports of each other. As separate
# modules, each would contain copies of the code that it uses of the others, and the compilation would take twice as
# long. Names of different modules must therefore not clash: an internal declaration is visible in all of them.
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

out=.build/embedded/$target$variant$sanitized
folder=.build/embedded/$swift_of$swift_variant$sanitized
mkdir -p "$out" "$folder"

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
header() { ${CC:-cc} -E -P -dD -x c include/fencepost.h; }
modules='FencepostKernel FencepostCore FencepostStoreCore FencepostABI'

if [ "$swift_of" = "$target" ]; then
  # The hot loops use vector types, so unrolling and vectorising the other loops would only make the library 4 % larger.
  # The compiler assumes that functions rarely throw and that paths into traps are cold, and inlines nothing into these
  # paths; this makes the library 7 % smaller and no slower.
  # The other options of LLVM make the library smaller at the same number of instructions: traps of a function are one
  # trap, short loops are not unrolled, equal instructions of two branches exist once, blocks are not duplicated, and
  # loops are not aligned. Retaining and allocating an object are calls, which saves 36 kB at hundreds of places.
  set -- -target "$triple" -swift-version 6 -package-name fencepost -parse-as-library -wmo $optimization \
    -enable-experimental-feature Embedded -enable-upcoming-feature InternalImportsByDefault \
    -enable-upcoming-feature MemberImportVisibility -enable-upcoming-feature ExistentialAny \
    -Xllvm -unroll-runtime=false -Xllvm -vectorize-loops=false -Xllvm -unroll-full-max-count=0 \
    -Xllvm -sink-common-insts -Xllvm -hoist-common-insts -Xllvm -tail-dup-placement=false -Xllvm -tail-dup-size=0 \
    -Xllvm -jump-threading-threshold=1 -Xllvm -split-spill-mode=size -Xllvm -align-loops=1 \
    -Xllvm -force-attribute=swift_retain:noinline -Xllvm -force-attribute=swift_allocObject:noinline \
    -Xllvm -force-attribute=swift_slowAlloc:noinline -Xfrontend -mergeable-traps \
    -Xfrontend -enable-throws-prediction -Xfrontend -enable-noreturn-prediction -Xfrontend -function-sections \
    ${sanitized:+-sanitize=address} ${pic:+-Xcc $pic} -I Sources/CPlatform/include -I Sources/CPosix -I Sources/CSQLite -I include
  [ "$triple" = x86_64-unknown-linux-gnu ] || set -- "$@" -Xfrontend -clang-target -Xfrontend "$c_target"
  # The module is downloaded, so size counts more than for a library.
  [ "$target" != wasm32-wasi ] || set -- "$@" -Xllvm -inline-threshold=15
  for option in $c_headers; do set -- "$@" -Xcc "$option"; done
  # Hashes the inputs of the object: its sources, the options and the compiler.
  object=$folder/Fencepost
  made_of=$({
    echo "$(swiftc --version 2>&1) $*"
    # shellcheck disable=SC2046
    for module in $modules; do sha256sum $(sources "$module") $(c_sources "$module"); done
    header
  } | sha256sum)
  if [ "$(cat "$object.made-of" 2> /dev/null)" != "$made_of" ]; then
    rm -f "$object".*
    # Another run may be compiling the same object, so each run has its own copies.
    copies=$folder/sources.$$
    rm -rf "$copies"
    mkdir "$copies"
    trap 'rm -rf "$copies"' EXIT
    trap 'exit 1' HUP INT TERM
    for module in $modules; do
      for file in $(sources "$module"); do
        sed -E '/^ *([a-z@_]+ )?import Fencepost(Kernel|Core|StoreCore)$/d' "$file" > "$copies/$module-$(basename "$file")"
      done
    done
    echo "embedded: $target$swift_variant$sanitized" >&2
    swiftc "$@" -module-name FencepostABI -c "$copies"/*.swift -o "$copies/made.o" > "$copies/log" 2>&1 || {
      cat "$copies/log" >&2
      exit 1
    }
    mv "$copies/made.o" "$object.o"
    # Embedded Swift compiles the interpolation of any value. But if the value is not a number, a string or of a type
    # with a description, the result only says that the value cannot be printed. Only the x86-64 object is checked: all
    # targets have the same sources, and the x86-64 code refers to its strings by name. The disassembly, which takes
    # minutes, only finds the functions of an object that contains the text.
    if [ "$target" = x86_64-linux-gnu ] && grep -q "cannot print value" "$object.o" && objdump -dr --no-show-raw-insn "$object.o" |
      awk '/^[0-9a-f]+ <.*>:$/ { function_name = $2 } /cannot print value/ { print function_name; found = 1 } END { exit !found }' >&2; then
      echo "embedded: these functions interpolate a value that Embedded Swift cannot print; give its type a description" >&2
      exit 1
    fi
    echo "$made_of" > "$object.made-of"
  fi
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

echo "$folder/Fencepost.o"
ls "$out/c-"*.o "$out/unicode.a"
