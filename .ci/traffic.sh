#!/bin/bash
# Fetches the package traffic (MIT) for the heavy tests: its wheel contains a flight with spoofed positions, and flight
# information regions. This script does not run any code of the package. If the wheel cannot be fetched, the tests that
# need it are skipped.
#
#   .ci/traffic.sh PYTHON
set -euo pipefail
cd "$(dirname "$0")/.."
folder=.build/data
[ -f $folder/traffic-2.13-py3-none-any.whl ] && exit 0
mkdir -p $folder
"$1" -m pip download --quiet --no-deps --only-binary :all: --dest $folder 'traffic==2.13' ||
  echo "fencepost: the package traffic could not be fetched; its tests will skip" >&2
