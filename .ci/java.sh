#!/bin/bash
# Installs Java for the tests with Spark; if it cannot be installed, these tests are skipped.
set -euo pipefail
command -v java > /dev/null && exit 0
"$(dirname "$0")/install.sh" openjdk-17-jre-headless || true
