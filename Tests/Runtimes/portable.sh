#!/bin/bash
# Builds the C library with the locks for POSIX systems other than Linux (FENCEPOST_PORTABLE=1: flock() on store files,
# a condition variable instead of futex). Runs the C cases and the races for stores with this library.
#
#   Tests/Runtimes/portable.sh
set -euo pipefail
cd "$(dirname "$0")/../.."
lib=$PWD/.build/portable/lib
FENCEPOST_PORTABLE=1 FENCEPOST_LIB=$lib bindings/c/build.sh > /dev/null
mkdir -p .build/portable
# The portable library must differ from the usual library: its lock does not use the system call futex.
! cmp -s "$lib/libfencepost.so" .build/lib/libfencepost.so
# With both implementations of the lock, a thread that is cancelled must continue to wait for the lock.
for define in CPLATFORM_LINUX CPLATFORM_PORTABLE; do
  cc -std=gnu11 -O1 -Wall -Wextra -Werror -D$define -ISources/CPlatform/include Tests/Runtimes/cancelled.c Sources/CPlatform/platform.c \
    -pthread -o .build/portable/cancelled
  .build/portable/cancelled
done
FENCEPOST_LIB=$lib Tests/CInstalled/case.sh
FENCEPOST_LIB=$lib Tests/StoreFaults/run.sh race kill readonly
echo "portable: the C cases and the races for stores pass with the locks of other systems"
