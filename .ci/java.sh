#!/bin/bash
# Makes sure that there is a Java for the tests against Spark; where it cannot be installed they are skipped.
set -euo pipefail
command -v java > /dev/null && exit 0
"$(dirname "$0")/install.sh" openjdk-17-jre-headless || true
