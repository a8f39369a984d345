#!/bin/bash
# Installs QGIS (a download of about 230 MB) for the heavy tests; exits with 3 if it cannot be installed.
set -euo pipefail
packages=()
command -v qgis_process.bin > /dev/null || packages+=(qgis)
/usr/bin/python3 -c 'import qgis.core' 2> /dev/null || packages+=(python3-qgis)
exec "$(dirname "$0")/install.sh" "${packages[@]}"
