#!/bin/sh
# Checks that the same inputs give the same events, byte for byte, in all runs: with the test build and with the
# release; in batches of one, in batches of seven, and all at once; and under valgrind, which has its own implementation
# of floating point.
#
#   Tests/Determinism/run.sh
#
# The script also checks which functions the object files of both builds call (Tests/Determinism/symbols.sh).
# FIXES=100000 reduces the number of fixes.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
cd "$root"
. bindings/c/names.sh
out=$root/.build/determinism
mkdir -p "$out"
fixes=${FIXES:-1000000}
shaped=50000
short=20000
fail() {
  echo "determinism: $*" >&2
  exit 1
}

command -v valgrind >/dev/null || .ci/install.sh valgrind || fail "valgrind is not here"

Tests/swift.sh build --product fencepost-c >"$out/tests.log" 2>&1 || { cat "$out/tests.log" >&2; exit 1; }
release=$(bindings/c/build.sh 2>"$out/release.log") || { cat "$out/release.log" >&2; exit 1; }
tests=$root/.build/tests/debug/libfencepost-c.so

cc=${CC:-cc}
command -v "$cc" >/dev/null || cc=clang
for build in tests release; do
  eval "library=\$$build"
  "$cc" -O1 -ffp-contract=off -Wall -Wextra -Iinclude -o "$out/replay-$build" Tests/Determinism/replay.c "$library" \
    -Wl,-rpath,"$(dirname "$library")"
  Tests/Determinism/symbols.sh "$([ $build = tests ] && echo .build/tests/debug || echo "$objects_folder")" >"$out/symbols-$build.log" ||
    { cat "$out/symbols-$build.log" >&2; fail "the $build build calls what it must not"; }
done

same() { # same NAME COMMAND...: its output is that of NAME's first command
  name=$1
  shift
  "$@" >"$out/$name.other" || fail "failed: $*"
  if [ ! -e "$out/$name.jsonl" ]; then
    mv "$out/$name.other" "$out/$name.jsonl"
    [ -s "$out/$name.jsonl" ] || fail "no event: $*"
  else
    cmp "$out/$name.jsonl" "$out/$name.other" || fail "other bytes than before: $*"
  fi
}

rm -f "$out"/*.jsonl
for build in release tests; do
  for batch in 1 7 0; do
    same drive "$out/replay-$build" drive examples/data/drive.csv examples/data/conditions.geojson $batch
    same walk "$out/replay-$build" walk "$fixes" $batch
    same shapes "$out/replay-$build" shapes $shaped $batch
    same paths "$out/replay-$build" paths $short $batch
  done
done
same short "$out/replay-release" walk $short 0
same short "$out/replay-tests" walk $short 7
for batch in 7 0; do
  same short valgrind --quiet --tool=none "$out/replay-release" walk $short $batch
  same shapes valgrind --quiet --tool=none "$out/replay-release" shapes $shaped $batch
  same paths valgrind --quiet --tool=none "$out/replay-release" paths $short $batch
  same drive valgrind --quiet --tool=none "$out/replay-release" drive examples/data/drive.csv \
    examples/data/conditions.geojson $batch
done

echo "determinism: $(wc -l <"$out/walk.jsonl") events of $fixes fixes, $(wc -l <"$out/shapes.jsonl") lines of $shaped among" \
  "shapes, $(wc -l <"$out/paths.jsonl") of the paths of $short and $(wc -l <"$out/drive.jsonl") of the drive are" \
  "the same bytes in the builds of tests and release, in batches of 1, 7 and all, and under valgrind ($short fixes)"
