#!/bin/bash
# Tests the files that a hosting service runs or reads: workflows, container files, the release, the SBOM. Needs no
# network.
# `make setup-lint` installs the tools.
#
#   Tests/Workflows/run.sh [PYTEST-OPTION...]
set -euo pipefail
cd "$(dirname "$0")/../.."
exec .venv/bin/python -m pytest -q -rs -p no:cacheprovider --config-file=/dev/null --rootdir=. Tests/Workflows "$@"
