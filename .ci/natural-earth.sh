#!/bin/bash
# Fetches the countries of Natural Earth (public domain) for the tests: the last GeoPandas that carried them, from PyPI, as a
# file that is only read. Where it cannot be fetched the tests that need it skip.
#
#   .ci/natural-earth.sh PYTHON
set -euo pipefail
cd "$(dirname "$0")/.."
folder=.build/data
[ -f $folder/geopandas-0.14.4-py3-none-any.whl ] && exit 0
mkdir -p $folder
"$1" -m pip download --quiet --no-deps --only-binary :all: --dest $folder 'geopandas==0.14.4' ||
  echo "fencepost: Natural Earth could not be fetched; its tests will skip" >&2
