#!/bin/bash
# Installs what building and running WebAssembly modules needs: a C library and compiler-rt for wasm32, Binaryen, Node 18 or
# later, and TypeScript's compiler.
set -euo pipefail
packages=()
[ -f /usr/lib/wasm32-wasi/libc.a ] || packages+=(wasi-libc)
compgen -G '/usr/lib/llvm-*/lib/clang/*/lib/wasi/libclang_rt.builtins-wasm32.a' > /dev/null || packages+=(libclang-rt-14-dev-wasm32)
# Binaryen's optimizer makes the module smaller by a seventh.
command -v wasm-opt > /dev/null || packages+=(binaryen)
node -e 'process.exit(process.versions.node.split(".")[0] >= 18 ? 0 : 1)' 2> /dev/null || packages+=(nodejs)
# TypeScript's compiler checks the type declarations.
command -v tsc > /dev/null || packages+=(node-typescript)
exec "$(dirname "$0")/install.sh" "${packages[@]}"
