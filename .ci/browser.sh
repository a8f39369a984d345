#!/bin/bash
# Makes sure that there is a browser for the heavy tests: Chromium, its driver, a font (without one a page has no letters).
set -euo pipefail
packages=()
command -v chromium > /dev/null || packages+=(chromium)
command -v chromedriver > /dev/null || packages+=(chromium-driver)
[ -d /usr/share/fonts/truetype/dejavu ] || packages+=(fonts-dejavu-core)
exec "$(dirname "$0")/install.sh" "${packages[@]}"
