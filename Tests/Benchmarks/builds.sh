#!/bin/bash
# Compares two builds of the C library, row by row, by the number of instructions that valgrind counts. The number of
# instructions does not depend on the load of the machine.
#
#   Tests/Benchmarks/builds.sh [LIBRARY [OTHER]]
#
# LIBRARY defaults to the embedded build in .build/lib, OTHER to the build with a Swift runtime, which
# Tests/Runtimes/run.sh leaves in .build/full/lib. Fails if LIBRARY needs 2 % more instructions than OTHER for a row, or
# if their results differ.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD
. bindings/c/names.sh
# shellcheck disable=SC2034 # read by name
library=${1:-$root/.build/lib/$soname} other=${2:-$root/.build/full/lib/$soname}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
[ -e "$other" ] || {
  echo "builds: $other is missing; FENCEPOST_RUNTIME=full FENCEPOST_LIB=.build/full/lib bindings/c/build.sh builds it" >&2
  exit 2
}
command -v valgrind > /dev/null || .ci/install.sh valgrind

# count BUILD ROW: prints the number of instructions and writes the answers to BUILD.ROW.
count() {
  mkdir "$folder/$1-$2"
  valgrind --tool=callgrind --toggle-collect=measured --callgrind-out-file="$folder/callgrind" "$folder/$1" "$2" "$folder/$1-$2" \
    2> "$folder/log" > "$folder/$1.$2" || {
    cat "$folder/log" >&2
    exit 1
  }
  sed -n 's/.*Collected : \([0-9]*\).*/\1/p' "$folder/log"
}
for build in library other; do
  cc -std=gnu11 -O2 -Iinclude Tests/Benchmarks/rows.c "${!build}" -Wl,-rpath,"$(dirname "${!build}")" -o "$folder/$build"
done
status=0
printf '%-16s %14s %14s  ratio\n' row "${1:-embedded}" "${2:-full}"
for row in circles-20 circles-1000 circles-20000 plausible single polygons path fleet containing nearest json snapshot store; do
  first=$(count library $row)
  second=$(count other $row)
  printf '%-16s %14d %14d  %s\n' $row "$first" "$second" "$(awk -v a="$first" -v b="$second" 'BEGIN { printf "%.3f", a / b }')"
  [ $((first * 100)) -le $((second * 102)) ] || status=1
  cmp "$folder/library.$row" "$folder/other.$row" || status=1
done

# `make test` does not run the benchmark, so check here that the benchmark compiles.
missing=()
for package in libboost-dev libgeographiclib-dev; do dpkg -s "$package" > /dev/null 2>&1 || missing+=("$package"); done
.ci/install.sh "${missing[@]}"
g++ -fsyntax-only -std=c++20 -Wall -Wextra -Wno-unknown-pragmas -isystem /usr/include/boost -Iinclude Tests/Benchmarks/bench.cpp || {
  echo "builds: Tests/Benchmarks/bench.cpp does not compile" >&2
  status=1
}
exit $status
