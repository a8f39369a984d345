#!/bin/bash
# Makes sure that there is a browser for the heavy tests: Chromium, its driver, a font. As root on Debian and its relatives
# they are installed; otherwise they are named.
set -euo pipefail
packages=
command -v chromium > /dev/null || packages+=" chromium"
command -v chromedriver > /dev/null || packages+=" chromium-driver"
# Without a font a page has no letters.
[ -d /usr/share/fonts/truetype/dejavu ] || packages+=" fonts-dejavu-core"
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
