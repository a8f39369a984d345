#!/bin/bash
# Tests what a hosting service would run or read: workflows, container files, the release, the bill of materials. No network.
# `make setup-lint` installs the tools.
#
#   Tests/Workflows/run.sh [PYTEST-OPTION...]
set -euo pipefail
cd "$(dirname "$0")/../.."
exec .venv/bin/python -m pytest -q -rs -p no:cacheprovider --config-file=/dev/null --rootdir=. Tests/Workflows "$@"
