#!/bin/bash
# Makes sure that GDAL's tools are there for the heavy tests; where they cannot be installed the tests that need them skip.
set -euo pipefail
command -v ogr2ogr > /dev/null && command -v ogrinfo > /dev/null && exit 0
"$(dirname "$0")/install.sh" gdal-bin || true
