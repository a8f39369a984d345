#!/bin/bash
# Makes sure that there is a gpsd for the heavy tests, and gpsfake, which plays logs to it. As root on Debian and its
# relatives they are installed; otherwise they are named.
set -euo pipefail
packages=
command -v gpsd > /dev/null || [ -x /usr/sbin/gpsd ] || packages+=" gpsd"
command -v gpsfake > /dev/null || packages+=" gpsd-clients"
[ -n "$packages" ] || exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
  echo "fencepost: installing$packages" >&2
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq >&2
  # shellcheck disable=SC2086
  apt-get install -y -qq --no-install-recommends $packages >&2
else
  echo "fencepost: as root: apt-get install --no-install-recommends$packages" >&2
  exit 1
fi
