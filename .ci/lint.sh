#!/bin/bash
# Installs the tools that the tests of workflows and releases call, except for those from PyPI.
set -euo pipefail
packages=()
for tool in curl git; do command -v $tool > /dev/null || packages+=("$tool"); done
command -v gpg > /dev/null || packages+=(gnupg)
exec "$(dirname "$0")/install.sh" ${packages[@]+"${packages[@]}"}
