#!/bin/bash
# Makes sure that there are compilers of Rust and Go, whose programs link the C library in a test; ends with 3 where they
# cannot be installed.
set -euo pipefail
packages=()
command -v rustc > /dev/null || packages+=(rustc)
command -v go > /dev/null || packages+=(golang-go)
exec "$(dirname "$0")/install.sh" ${packages[@]+"${packages[@]}"}
