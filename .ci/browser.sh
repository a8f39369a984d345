#!/bin/bash
# Installs what the browser tests need: Chromium, its driver, and a font (without a font, pages show no text).
set -euo pipefail
packages=()
command -v chromium > /dev/null || packages+=(chromium)
command -v chromedriver > /dev/null || packages+=(chromium-driver)
[ -d /usr/share/fonts/truetype/dejavu ] || packages+=(fonts-dejavu-core)
exec "$(dirname "$0")/install.sh" "${packages[@]}"
