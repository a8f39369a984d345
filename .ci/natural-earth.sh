#!/bin/bash
# Fetches Natural Earth's countries (public domain) for the tests. The data come from PyPI, inside the last GeoPandas
# release that included them. This script does not run any code of that release. If the data cannot be fetched, the
# tests that need them are skipped.
#
#   .ci/natural-earth.sh PYTHON
set -euo pipefail
cd "$(dirname "$0")/.."
folder=.build/data
[ -f $folder/geopandas-0.14.4-py3-none-any.whl ] && exit 0
mkdir -p $folder
"$1" -m pip download --quiet --no-deps --only-binary :all: --dest $folder 'geopandas==0.14.4' ||
  echo "fencepost: Natural Earth could not be fetched; its tests will skip" >&2
