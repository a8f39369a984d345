#!/bin/bash
# Fetches a wheel from PyPI whose data the tests read. This script does not run any code of the wheel. If the wheel
# cannot be fetched, the tests that need it are skipped.
#
#   .ci/data.sh PYTHON geopandas 0.14.4    Natural Earth's countries (public domain), in the last GeoPandas with them
#   .ci/data.sh PYTHON traffic 2.13        a flight with spoofed positions, and flight information regions (MIT)
set -euo pipefail
cd "$(dirname "$0")/.."
folder=.build/data
[ -f "$folder/$2-$3-py3-none-any.whl" ] && exit 0
mkdir -p $folder
"$1" -m pip download --quiet --no-deps --only-binary :all: --dest $folder "$2==$3" ||
  echo "fencepost: $2 $3 could not be fetched; its tests will skip" >&2
