#!/bin/bash
# Installs gpsd for the heavy tests, and gpsfake, which replays logs to it.
set -euo pipefail
packages=()
command -v gpsd > /dev/null || [ -x /usr/sbin/gpsd ] || packages+=(gpsd)
command -v gpsfake > /dev/null || packages+=(gpsd-clients)
exec "$(dirname "$0")/install.sh" "${packages[@]}"
