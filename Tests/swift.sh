#!/bin/sh
# Builds or tests the package in .build/tests with an optimised library that checks its invariants. The tests take a
# fifth of the time of a debug build. A plain `swift test` runs the same tests and builds faster after a change.
#
#   Tests/swift.sh build --build-tests
#   Tests/swift.sh test --filter EventQueueTests
set -eu
cd "$(dirname "$0")/.."
command=$1
shift
FENCEPOST_OPTIMISED=1 exec swift "$command" --scratch-path .build/tests "$@"
