#!/bin/sh
# Builds the library and the benchmark, runs the benchmark on one core, prints the table and writes .build/bench.json.
#
# - `Tests/Benchmarks/run.sh` measures everything, within 10 minutes.
# - `QUICK=1 Tests/Benchmarks/run.sh` measures with less data, within a minute once everything is built.
# - `CORE=0` selects the core to measure on; the default is the last core.
#
# Needs g++, Boost and GeographicLib; installs missing ones if run as root on Debian. Rows with the unit "x limit" need
# the programs of ../shared/bench (and numpy for their data); without these programs the rows are reported as not
# measured.
set -eu
cd "$(dirname "$0")/../.."
out=.build/bench
mkdir -p "$out"
say() { echo "bench: $*" >&2; }

# ---- packages
missing=
for package in g++ libboost-dev libgeographiclib-dev libsqlite3-dev; do
  dpkg -s "$package" >/dev/null 2>&1 || missing="$missing $package"
done
# shellcheck disable=SC2086
.ci/install.sh $missing || say "missing:$missing"

# ---- build the library, self-contained, as it is released
library=$(bindings/c/build.sh 2>"$out/library.log") || { cat "$out/library.log" >&2; exit 1; }

# ---- the benchmark
newest() { # newest TARGET SOURCE...: whether the target is newer than all of its sources
  target=$1
  shift
  [ -e "$target" ] && [ -z "$(find "$@" -newer "$target" -print -quit)" ]
}
if ! newest "$out/bench" Tests/Benchmarks include/fencepost.h "$library"; then
  g++ -O3 -std=c++20 -Wall -Wextra -Wno-unknown-pragmas -isystem /usr/include/boost -Iinclude -o "$out/bench" \
    Tests/Benchmarks/bench.cpp Tests/Benchmarks/allocations.cpp -fno-builtin-malloc \
    "$library" -lGeographicLib -lsqlite3 -Wl,-rpath,"$(dirname "$library")" 2>"$out/compiler.log" ||
    { cat "$out/compiler.log" >&2; exit 1; }
fi

# ---- programs to compare with, if they are present
shared=../shared/bench
set --
if [ -f "$shared/limit.cpp" ]; then
  for program in limit boost_peer limit_polygons limit_fleet; do
    newest "$out/$program" "$shared/$program.cpp" Tests/Benchmarks/clock.hpp Tests/Benchmarks/shared_clock.hpp ||
      g++ -O3 -std=c++20 -w -include Tests/Benchmarks/shared_clock.hpp "$shared/$program.cpp" \
        -o "$out/$program" -lGeographicLib
  done
  data=$PWD/$out/data
  if [ ! -f "$data/SHA256" ]; then
    say "generating the shared workloads"
    python=
    for candidate in .venv/bin/python python3 "$out/venv/bin/python"; do
      if "$candidate" -c 'import numpy' 2>/dev/null; then python=$candidate && break; fi
    done
    if [ -z "$python" ]; then
      python3 -m venv "$out/venv"
      python=$out/venv/bin/python
      "$python" -m pip install -q numpy
    fi
    BENCH_DATA=$data "$python" "$shared/workload.py" >/dev/null
  fi
  if [ -n "${QUICK:-}" ]; then # the same circles, the first fixes
    mkdir -p "$data/quick"
    ln -sf ../w3_polys.bin ../circles_20.bin ../circles_1000.bin ../circles_100000.bin ../circles_1000000.bin "$data/quick/"
    for fixes in w1 w4; do head -c 6400000 "$data/${fixes}_fixes.bin" >"$data/quick/${fixes}_fixes.bin"; done
    # QUICK does not shorten W2, which has 10 000 tracks of 100 fixes.
    ln -sf ../w2_fixes.bin "$data/quick/"
    data=$data/quick
  fi
  set -- --limit "$PWD/$out/limit" "$data" --polygon-limit "$PWD/$out/limit_polygons" \
    --fleet-limit "$PWD/$out/limit_fleet" "$PWD/$out/boost_peer"
  if [ -z "${QUICK:-}" ]; then # what people use for polygons: S2, GEOS, Boost
    .ci/install.sh libs2-dev libgeos++-dev libabsl-dev || say "without S2 and GEOS polygons are compared with the limit alone"
    if newest "$out/polygon_peers" "$shared/polygon_peers.cpp" ||
      g++ -O2 -std=c++20 -w -DLIMIT_NO_MAIN -include Tests/Benchmarks/shared_clock.hpp "$shared/polygon_peers.cpp" \
        -o "$out/polygon_peers" -lGeographicLib -lgeos -ls2 -labsl_raw_hash_set -labsl_hash -labsl_throw_delegate \
        2>"$out/peers.log"; then
      set -- "$@" --polygon-peers "$PWD/$out/polygon_peers"
    else
      say "S2, GEOS and Boost are not built for polygons: $out/peers.log"
    fi
    # tg has no package; the package of its SQLite extension contains all of tg in a library.
    tg=$PWD/$out/tg
    if [ ! -e "$tg/sqlite_tg/tg0.so" ]; then
      mkdir -p "$tg"
      python=.venv/bin/python
      [ -x "$python" ] || python=python3
      "$python" -m pip download -q --no-deps -d "$tg" sqlite-tg 2>"$out/tg.log" &&
        "$python" -m zipfile -e "$tg"/sqlite_tg-*.whl "$tg" || say "tg cannot be had (sqlite-tg): its row is not measured"
    fi
    if [ -e "$tg/sqlite_tg/tg0.so" ]; then
      newest "$out/tg_peer" Tests/Benchmarks/tg_peer.cpp "$shared/common.hpp" ||
        g++ -O3 -std=c++20 -w -I"$shared" -DTG_LIBRARY="\"$tg/sqlite_tg/tg0.so\"" \
          -include Tests/Benchmarks/shared_clock.hpp Tests/Benchmarks/tg_peer.cpp -o "$out/tg_peer" -ldl 2>"$out/tg.log" ||
        say "tg is not built: $out/tg.log"
      [ ! -x "$out/tg_peer" ] || set -- "$@" --tg-peer "$PWD/$out/tg_peer"
    fi
  fi
fi

# ---- measure
core=${CORE:-$(($(nproc) - 1))}
pinned=
command -v taskset >/dev/null && pinned="taskset -c $core"
echo "Fencepost on $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), core $core of $(nproc)," \
  "$(date -u +%Y-%m-%d), load $(cut -d' ' -f1 /proc/loadavg); times are processor time, medians"
$pinned "$out/bench" ${QUICK:+--quick} --json .build/bench.json "$@"
if .venv/bin/python -c 'import fencepost, numpy' 2>/dev/null; then
  $pinned .venv/bin/python Tests/Benchmarks/columns.py ${QUICK:+--quick} --json .build/bench.json
else
  say "the Python package is not in .venv: its rows are not measured"
fi

if [ -x "$out/boost_peer" ] && [ -f "$shared/limit.cpp" ] && [ -z "${QUICK:-}" ]; then
  for workload in W1 W4; do
    BENCH_DATA=$data BENCH_ONLY=delta BENCH_REPS=3 $pinned "$out/boost_peer" "$workload" 2>/dev/null
  done | sed -n 's/.*"workload":"\(W.\)","n":\([0-9]*\),.*"ns_med":\([0-9.]*\).*/shared boost_peer with events, \1-\2: \3 ns/p'
fi

# ---- the Python package
if .venv/bin/python -c 'import fencepost, gpxpy' 2>/dev/null; then
  # shellcheck disable=SC2012
  track=$(ls -S ../shared/data/tracks/gpx/*.gpx 2>/dev/null | head -n 1)
  $pinned .venv/bin/python Tests/Benchmarks/replay.py .build/bench.json ${track:+"$track"}
fi

# ---- measure queries: a join of points with places, on all cores
if .venv/bin/python -c 'import fencepost, geopandas' 2>/dev/null; then
  .venv/bin/python Tests/Benchmarks/questions.py ${QUICK:+--quick} --json .build/bench.json
else
  say "GeoPandas is not in .venv: joins are not measured"
fi

# ---- measure the probability that a position is inside, against sidereon
if .venv/bin/python -c 'import fencepost, numpy, geographiclib' 2>/dev/null; then
  .venv/bin/python -c 'import sidereon' 2>/dev/null ||
    .venv/bin/python -m pip install -q --disable-pip-version-check sidereon 2>"$out/sidereon.log" ||
    say "sidereon cannot be had: its row is not measured: $out/sidereon.log"
  $pinned .venv/bin/python Tests/Benchmarks/probability.py ${QUICK:+--quick} --json .build/bench.json
fi

# ---- measure how fast a fleet finds the devices that are inside places
if .venv/bin/python -c 'import fencepost, geopandas' 2>/dev/null; then
  $pinned .venv/bin/python Tests/Benchmarks/presences.py ${QUICK:+--quick} --json .build/bench.json
fi

# ---- measure tables in memory, against files and against GeoPandas
if .venv/bin/python -c 'import fencepost, geopandas, pyarrow, nanoarrow' 2>/dev/null; then
  .venv/bin/python Tests/Benchmarks/tables.py ${QUICK:+--quick} --json .build/bench.json
else
  say "GeoPandas, PyArrow or nanoarrow is not in .venv: tables in memory are not measured"
fi

# ---- measure small calls while another thread feeds a batch, on all cores
if .venv/bin/python -c 'import fencepost, pandas' 2>/dev/null; then
  .venv/bin/python Tests/Benchmarks/waits.py ${QUICK:+--quick} --json .build/bench.json
fi

# ---- measure files of many tracks, on all cores
if .venv/bin/python -c 'import fencepost, geopandas, pyarrow, nanoarrow' 2>/dev/null; then
  .venv/bin/python Tests/Benchmarks/streams.py ${QUICK:+--quick} --json .build/bench.json
else
  say "GeoPandas, PyArrow or nanoarrow is not in .venv: files of many tracks are not measured"
fi
