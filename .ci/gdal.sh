#!/bin/bash
# Makes sure that GDAL's tools are there for the heavy tests. As root on Debian and its relatives they are installed;
# otherwise the tests that need them skip.
set -euo pipefail
command -v ogr2ogr > /dev/null && command -v ogrinfo > /dev/null && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
  echo "fencepost: installing gdal-bin" >&2
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq >&2
  apt-get install -y -qq --no-install-recommends gdal-bin >&2
else
  echo "fencepost: as root: apt-get install --no-install-recommends gdal-bin" >&2
fi
