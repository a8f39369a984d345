#!/bin/bash
# Installs gpsd and gpsfake for the heavy tests; gpsfake replays logs to gpsd.
set -euo pipefail
packages=()
command -v gpsd > /dev/null || [ -x /usr/sbin/gpsd ] || packages+=(gpsd)
command -v gpsfake > /dev/null || packages+=(gpsd-clients)
exec "$(dirname "$0")/install.sh" "${packages[@]}"
