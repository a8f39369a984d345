#!/bin/sh
# Makes the npm package folder .build/js: the module fencepost.wasm and the files beside this script. `make wasm` calls
# this script.
#
#   bindings/js/build.sh [FOLDER]
#
# FOLDER is .build/js if omitted.
#
# The script also creates .build/wasm/replay.wasm, which contains the determinism programs (Tests/Determinism/replay.c)
# as a WASI command.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
cd "$root"
. bindings/c/targets.sh
set_target wasm32-wasi
out=${1:-.build/js}
work=.build/wasm
mkdir -p "$out" "$work"

toolchain=$(dirname "$(readlink -f "$(command -v swiftc)")")
libraries=/usr/lib/wasm32-wasi
builtins=$(find /usr/lib/llvm-*/lib/clang -name libclang_rt.builtins-wasm32.a 2> /dev/null | sort | tail -n 1)
if [ ! -f $libraries/libc.a ] || [ -z "$builtins" ] || ! command -v wasm-opt > /dev/null || ! command -v node > /dev/null; then
  echo "bindings/js/build.sh: wasi-libc, compiler-rt for wasm32, Binaryen or Node is missing: .ci/wasm.sh" >&2
  exit 1
fi
objects=$(bindings/c/embedded.sh wasm32-wasi)

# compile FILE: compiles a C file and prints the path of its object.
compile() {
  # shellcheck disable=SC2086
  "$cc" $cc_options -std=gnu11 -O2 -Wall -Wextra -Iinclude -c "$1" -o "$work/$(basename "$1" .c).o"
  echo "$work/$(basename "$1" .c).o"
}
module=$(compile bindings/js/wasm.c)
replay=$(compile Tests/Determinism/replay.c)

# The stack lies before the data in memory, so a stack overflow traps at the start of the memory instead of overwriting
# data.
wraps='--wrap=malloc --wrap=calloc --wrap=realloc --wrap=posix_memalign --wrap=aligned_alloc --wrap=free'
# Exports all functions except those that call back into a C program or use a store.
exports=$(sed -n 's/^ *\(fencepost_[a-z0-9_]*\);.*/--export=\1/p' bindings/c/fencepost.map |
  grep -vE '_(set_wakeup|checkpoint|close)$')
# shellcheck disable=SC2086
"$toolchain/wasm-ld" -z stack-size=262144 --stack-first --no-entry --gc-sections --strip-all -o "$work/fencepost.wasm" \
  $libraries/crt1-reactor.o $module $objects -L$libraries -lc -lm "$builtins" --export=_initialize $exports $wraps
# shellcheck disable=SC2086
"$toolchain/wasm-ld" -z stack-size=1048576 --stack-first --gc-sections --strip-all -o "$work/replay.wasm" \
  $libraries/crt1-command.o $replay $module $objects -L$libraries -lc -lm "$builtins" $wraps
# The optimizer may use only the WebAssembly features that the objects use. Floating-point results stay the same,
# because --fast-math is off. --dealign gives all loads and stores the same alignment hint, which engines ignore. Equal
# hints and the order of functions (order.js) make the compressed module 6 % smaller.
for made in fencepost replay; do
  wasm-opt --dealign -Oz --converge --enable-bulk-memory --enable-sign-ext --enable-nontrapping-float-to-int \
    --enable-mutable-globals "$work/$made.wasm" -o "$work/$made.wasm"
  node bindings/js/order.js "$work/$made.wasm"
done

rm -rf "${out:?}/lib"
cp -RL bindings/js/package.json bindings/js/README.md bindings/js/LICENSE bindings/js/fencepost.js bindings/js/fencepost.d.ts \
  bindings/js/lib "$work/fencepost.wasm" "$out/"
echo "$out/fencepost.wasm: $(wc -c < "$out/fencepost.wasm") bytes, $(gzip -9 -c "$out/fencepost.wasm" | wc -c) by gzip"
