#!/bin/bash
# Assembles the Home Assistant add-on: a folder to copy to /addons on the computer that runs Home Assistant.
#
#   make wheel && containers/homeassistant/build.sh      .build/homeassistant/fencepost
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=.build/homeassistant/fencepost
wheels=(.build/dist/fencepost-*.whl)
[ -f "${wheels[0]}" ] || {
  echo "build.sh: .build/dist has no wheel; run make wheel first" >&2
  exit 1
}
rm -rf "$folder"
mkdir -p "$folder"
cp containers/homeassistant/{config.yaml,Dockerfile,DOCS.md,run.py} LICENSE "${wheels[0]}" "$folder"
echo "$folder"
