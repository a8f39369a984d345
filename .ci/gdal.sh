#!/bin/bash
# Installs GDAL's tools for the heavy tests; if they cannot be installed, the tests that need them are skipped.
set -euo pipefail
command -v ogr2ogr > /dev/null && command -v ogrinfo > /dev/null && exit 0
"$(dirname "$0")/install.sh" gdal-bin || true
