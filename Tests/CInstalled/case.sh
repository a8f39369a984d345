#!/bin/bash
# Runs the C cases whose name contains a word against the release library, to examine a single case.
#
#   Tests/CInstalled/case.sh WORD...
#
# WORD can be `columns` or `batches: late`, for example. If no WORD is given, all cases run.
#
# Needs the files that `make setup-test` builds.
set -euo pipefail
cd "$(dirname "$0")/../.."
lib=${FENCEPOST_LIB:-$PWD/.build/lib}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
gcc -std=gnu11 -O1 -g -Wall -Wextra -Werror -Iinclude -ITests/CCases -ITests/CCases/include Tests/CCases/*.c \
  Tests/CInstalled/cases.c -o "$folder/cases" -L"$lib" -lfencepost -lm -pthread
LD_LIBRARY_PATH=$lib "$folder/cases" "$@"
