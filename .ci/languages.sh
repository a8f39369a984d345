#!/bin/bash
# Installs the Rust and Go compilers, for the test that links the C library into programs of both; exits with 3 if they cannot
# be installed.
set -euo pipefail
packages=()
command -v rustc > /dev/null || packages+=(rustc)
command -v go > /dev/null || packages+=(golang-go)
exec "$(dirname "$0")/install.sh" ${packages[@]+"${packages[@]}"}
