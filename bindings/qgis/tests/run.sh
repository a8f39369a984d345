#!/bin/bash
# Tests the plugin from its zip in the real QGIS: from outside, with qgis_process, and within QGIS's own Python. The
# test is skipped, with a message, if QGIS cannot be installed. The rendered map is saved as
# .build/screenshots/qgis-map.png.
set -euo pipefail
cd "$(dirname "$0")/../../.."
root=$PWD

status=0
.ci/qgis.sh || status=$?
if [ $status = 3 ]; then
  echo "qgis: SKIPPED: QGIS is not there and cannot be installed here"
  exit 0
fi
[ $status = 0 ] || exit $status
if ! /usr/bin/python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
  echo "qgis: SKIPPED: this QGIS has $(/usr/bin/python3 --version), the engine needs Python 3.11 or newer"
  exit 0
fi

zip=$(.venv/bin/python bindings/qgis/build_plugin.py)
folder=$root/.build/qgis/inside
rm -rf "$folder"
mkdir -p "$folder/plugins" "$folder/home" .build/screenshots
mkdir -m 700 "$folder/run"
.venv/bin/python -m zipfile -e "$zip" "$folder/plugins"

# Run QGIS without the caller's settings and environment.
env -i PATH="$PATH" HOME="$folder/home" XDG_RUNTIME_DIR="$folder/run" LANG=C.UTF-8 PYTHONDONTWRITEBYTECODE=1 \
  QT_QPA_PLATFORM=offscreen QGIS_PLUGIN="$folder/plugins" QGIS_PICTURE="$root/.build/screenshots/qgis-map.png" \
  timeout 600 /usr/bin/python3 -W ignore::DeprecationWarning -m unittest discover -s bindings/qgis/tests/inside
.venv/bin/python -m pytest -q -rs -p no:cacheprovider --ignore bindings/qgis/tests/inside bindings/qgis/tests
