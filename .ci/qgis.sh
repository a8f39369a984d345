#!/bin/bash
# Makes sure that there is QGIS for the heavy tests, about 230 MB; ends with 3 where it cannot be installed.
set -euo pipefail
packages=()
command -v qgis_process.bin > /dev/null || packages+=(qgis)
/usr/bin/python3 -c 'import qgis.core' 2> /dev/null || packages+=(python3-qgis)
exec "$(dirname "$0")/install.sh" "${packages[@]}"
