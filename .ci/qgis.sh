#!/bin/bash
# Makes sure that there is QGIS for the heavy tests, about 230 MB. As root on Debian and its relatives it is installed;
# otherwise the exit code is 3, and what is missing is named.
set -euo pipefail
packages=
command -v qgis_process.bin > /dev/null || packages+=" qgis"
/usr/bin/python3 -c 'import qgis.core' 2> /dev/null || packages+=" python3-qgis"
[ -n "$packages" ] || exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
  echo "fencepost: installing$packages" >&2
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq >&2
  # shellcheck disable=SC2086
  apt-get install -y -qq --no-install-recommends $packages >&2
else
  echo "fencepost: as root: apt-get install --no-install-recommends$packages" >&2
  exit 3
fi
