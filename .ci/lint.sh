#!/bin/bash
# Makes sure that there is what the tests of workflows and releases call beside Python's tools.
set -euo pipefail
packages=()
for tool in curl git; do command -v $tool > /dev/null || packages+=("$tool"); done
command -v gpg > /dev/null || packages+=(gnupg)
exec "$(dirname "$0")/install.sh" ${packages[@]+"${packages[@]}"}
