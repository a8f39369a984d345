#!/bin/bash
# Runs the tests, continues after a failure, and ends with a summary. `make test` prepares the build and then calls this
# script.
#
# - `Tests/run.sh` runs all light parts in two parallel lanes. `make test` prints a line for each part, with the time of
#   day, its elapsed time and its processor time in seconds; the output is in .build/test-logs.
# - `Tests/run.sh heavy` runs the heavy parts, also in parallel lanes; `make test-all` calls it.
# - `Tests/run.sh PART...` runs the named parts one after another and shows their output.
#
# Tests/README.md says what each part proves.
set -uo pipefail
cd "$(dirname "$0")/.."
export FENCEPOST_REQUIRE_LIBRARY=1
# If one test takes longer than this, it has probably hung: pytest prints the stack of each thread and ends the process,
# so that the part fails soon instead of using up the time limit of the whole run.
seconds_of_a_test=$([ -n "${FENCEPOST_SOAK:-}" ] && echo 7200 || echo 400)
export PYTEST_ADDOPTS="--durations 0 --durations-min 1 -o faulthandler_timeout=$seconds_of_a_test -o faulthandler_exit_on_timeout=true ${PYTEST_ADDOPTS:-}"

# The parts of the first list run in one lane and those of the second list in the other lane, in the listed order. A
# lane that has finished its own list takes parts of the third list, one at a time. The third list starts with the
# longest parts, so that both lanes end at about the same time. A part that needs the test build must follow `build` in
# the same lane. Two Swift builds in the same folder do not run in parallel: the second one waits for the first. Parts
# that build wheels or source distributions must be in the same lane. The parts of `heavy_waiting` use little processor
# time, so a third lane runs them at the same time.
lane1=(build swift determinism host store fuzz symbols abi examples)
lane2=(python package wheel)
either=(install format header)
waiting=()
light=("${lane1[@]}" "${lane2[@]}" "${either[@]}" "${waiting[@]}")
heavy1=(wheels sdist pages musl arm64)
heavy2=()
heavy_waiting=(live gpsd)
heavy_either=(runtimes spark docs kinds qgis tools swiftpm sql wasm workflows browser)
heavy=("${heavy1[@]}" "${heavy2[@]}" "${heavy_either[@]}" "${heavy_waiting[@]}")
# Only the nightly workflow and `make soak` run these parts, because each takes ten minutes of processor time or more.
nightly=(full sanitize)

# `run.py --check` fails if the code around a mutant has changed, because such a mutant would prove nothing.
format() { Tests/Style/run.sh && .venv/bin/python Tests/Mutants/run.py --check; }
build() { Tests/swift.sh build --build-tests; }
header() { Tests/CxxHeader/run.sh; }
kinds() { Tests/Kinds/run.sh; }
swift_tests() { Tests/swift.sh test --skip-build; }
symbols() { (root=. && . bindings/c/names.sh && Tests/Determinism/symbols.sh "$objects_folder"); }
abi() { .venv/bin/python Tests/Golden/abi.py; }
determinism() { Tests/Determinism/run.sh; }
# Some tests send Ctrl-C, which a background shell may have configured to be ignored.
python_tests() { (cd bindings/python && env --default-signal=INT ../../.venv/bin/python -m pytest -rsfE --numprocesses 2 --dist worksteal); }
# Runs the tests with full counts that `make test` runs with reduced counts; see `number_of_cases` in conftest.py.
full() { (cd bindings/python && FENCEPOST_FULL=1 ../../.venv/bin/python -m pytest -rsfE -m full --numprocesses 1); }
host() { Tests/HostSafety/run.sh; }
store() { Tests/StoreFaults/run.sh; }
fuzz() { Tests/Fuzz/run.sh replay; }
package() { Tests/Packaging/package.sh; }
wheel() { .venv/bin/python Tests/Packaging/wheel.py wheel; }
wheels() { env --default-signal=INT .venv/bin/python Tests/Packaging/wheel.py wheels; }
pages() { .venv/bin/python Tests/Packaging/pages.py; }
sdist() { env --default-signal=INT .venv/bin/python Tests/Packaging/wheel.py sdist; }
examples() { Tests/Examples/run.sh; }
install() { Tests/CInstalled/run.sh; }
swiftpm() { Tests/Packaging/swiftpm.sh; }
sanitize() { Tests/Sanitize/run.sh; }
runtimes() { Tests/Runtimes/run.sh && Tests/Benchmarks/builds.sh && Tests/Runtimes/portable.sh; }
# Tests the JavaScript package.
wasm() { make --silent .build/stamps/wasm && node --test bindings/js/test/*.test.js && Tests/Determinism/hashes.sh .build/wasm/hashes node --no-warnings bindings/js/test/wasi.js && (cd bindings/python && ../../.venv/bin/python -m pytest -rsfE ../js/browser); }
arm64() { Tests/Cross/run.sh aarch64-linux-gnu; }
musl() { Tests/Cross/run.sh x86_64-linux-musl; }
workflows() { Tests/Workflows/run.sh; }
docs() { make --silent docs && .venv/bin/python -m pytest -q -rsfE -p no:cacheprovider bindings/site/tests; }
# Runs the tests that `make test` skipped because a library or program is only installed for the heavy tests.
tools() { (cd bindings/python && ../../.venv/bin/python -m pytest -rsfE tests/tables/test_arrow.py tests/monitor/test_arrow_libraries.py tests/files/test_duckdb.py tests/files/test_moving.py tests/files/test_moving_clip.py tests/log/test_files_out.py tests/command/test_join.py); }
# Tests the database extensions inside the databases.
sql() { (cd bindings/sql/tests && ../../../.venv/bin/python -m pytest -rsfE -p no:cacheprovider -c pytest.ini .); }
browser() { (cd bindings/python && ../../.venv/bin/python -m pytest -rsfE browser); }
gpsd() { (cd bindings/python && ../../.venv/bin/python -m pytest -rsfE gpsd); }
live() { (cd bindings/python && env --default-signal=INT ../../.venv/bin/python -m pytest -rsfE --numprocesses 2 live); }
# Hides the warnings of PySpark, which does not know recent versions of pandas. The tests are skipped without Java.
spark() { (cd bindings/python && timeout --kill-after 10 "$([ -n "${FENCEPOST_SOAK:-}" ] && echo 3600 || echo 1200)" ../../.venv/bin/python -m pytest -rsfE -W default spark); }
qgis() { bindings/qgis/tests/run.sh; }

logs=.build/test-logs
mkdir -p "$logs"

# command_of PART: prints the name of the function that runs a part. The parts `swift` and `python` have functions with
# other names, because this script calls commands with these names.
command_of() { case $1 in swift | python) echo "${1}_tests" ;; *) echo "$1" ;; esac; }

# quietly PART...: runs parts one after another; prints a line for each, and the end of its output if it fails.
quietly() {
  local part outcome started worked log TIMEFORMAT='%0U %0S'
  for part in "$@"; do
    log=$logs/$part.log
    started=$SECONDS
    : > "$logs/$part.began"
    if { time "$(command_of "$part")" > "$log" 2>&1; } 2> "$logs/$part.time"; then outcome=passed; else outcome=FAILED; fi
    worked=$(awk '{ print $1 + $2 }' "$logs/$part.time")
    printf '%s\n' "$outcome" > "$logs/$part.outcome"
    printf '%(%T)T %-12s %-7s %5d s %5d s   %s\n' -1 "$part" "$outcome" $((SECONDS - started)) "$worked" \
      "$(grep -v '^ *$' "$log" | tail -n 1 | cut -c 1-90)"
    if [ $outcome = FAILED ]; then printf '%s\n' "$(tail -n 40 "$log" | sed 's/^/    /')" "    all of it: $log"; fi
  done
}

# remaining PART...: runs each of the parts, unless another lane has already taken it.
remaining() {
  local part
  for part in "$@"; do
    if mkdir "$logs/$part.taken" 2> /dev/null; then quietly "$part"; fi
  done
}

# unfinished: prints how far the running parts are, for a run that is interrupted or exceeds a time limit.
unfinished() {
  local part
  for part in "${parts[@]}"; do
    if [ -e "$logs/$part.began" ] && [ ! -e "$logs/$part.outcome" ]; then
      printf '%(%T)T %s has not ended; its last output:\n%s\n' -1 "$part" "$(tail -n 3 "$logs/$part.log" | cut -c 1-300 | sed 's/^/    /')"
    fi
  done
}

# in_lanes LANE1 LANE2 EITHER WAITING: runs the parts named in the four arrays LANE1, LANE2, EITHER and WAITING. Two
# parallel lanes run the parts of LANE1 and LANE2. A lane that has finished its own array takes parts of EITHER. At the
# same time, a third lane runs the parts of WAITING.
in_lanes() {
  local -n one=$1 two=$2 rest=$3 beside=$4
  local lanes=()
  rm -rf "$logs"/*.taken
  # Uses separate process groups, so that an interruption ends everything that a lane has started.
  set -m
  { quietly "${one[@]}"; remaining "${rest[@]}"; } &
  lanes+=("-$!")
  { quietly "${two[@]}"; remaining "${rest[@]}"; } &
  lanes+=("-$!")
  quietly "${beside[@]}" &
  lanes+=("-$!")
  # shellcheck disable=SC2064 # now
  trap "kill -- ${lanes[*]} 2> /dev/null; unfinished; exit 130" INT TERM
  set +m
  wait
  trap - INT TERM
}

# aloud PART...: runs parts one after another and shows all their output; prints a summary line for each part at the
# end.
aloud() {
  local part outcome started summary=''
  for part in "$@"; do
    echo "== $part"
    started=$SECONDS
    if "$(command_of "$part")"; then outcome=passed; else outcome=FAILED; fi
    printf '%s\n' "$outcome" > "$logs/$part.outcome"
    summary+=$(printf '%-12s %-7s %5d s' "$part" "$outcome" $((SECONDS - started)))$'\n'
  done
  printf '== summary\n%s' "$summary"
}

parts=("$@")
[ ${#parts[@]} != 0 ] || parts=("${light[@]}")
[ "${parts[*]}" != heavy ] || parts=("${heavy[@]}")
for part in "${parts[@]}"; do
  case " ${light[*]} ${heavy[*]} ${nightly[*]} " in
    *" $part "*) ;;
    *)
      echo "usage: Tests/run.sh [heavy | PART...], a part being one of ${light[*]} ${heavy[*]} ${nightly[*]}" >&2
      exit 2
      ;;
  esac
  rm -f "$logs/$part.outcome" "$logs/$part.began"
done

printf '%(%T)T the tests begin\n' -1
if [ $# = 0 ]; then
  in_lanes lane1 lane2 either waiting
elif [ "$*" = heavy ]; then
  in_lanes heavy1 heavy2 heavy_either heavy_waiting
else
  aloud "${parts[@]}"
fi

# Prints the first things to check if the tests take too long: the ten slowest tests of each part, and all tests that
# take more than ten seconds, as measured by pytest and Swift Testing. For Swift only the ten slowest tests are shown,
# because Swift's tests all run at the same time and wait for each other.
slowest() {
  local log=$logs/$1.log
  [ -f "$log" ] || return 0
  {
    sed -nE '/slowest .*durations/,/^[^0-9]*$/s/^ *([0-9.]+)s (call|setup|teardown) +(.*)/\1 s  \3/p' "$log"
    sed -nE '/ Test run with /d; s/^[^ ]+ Test (.*) passed after ([0-9.]+) seconds.*/\2 s  \1/p' "$log"
  } | sort -rn | awk -v part="$1" '$1 >= 1 && NR <= 10 || $1 >= 10 && part != "swift" { print "  " part ": " $0 }'
}
if [ $# = 0 ] || [ "$*" = heavy ]; then
  for part in "${parts[@]}"; do slowest "$part"; done
fi

failed=()
for part in "${parts[@]}"; do
  # If a part has no outcome, something outside the script ended it.
  [ "$(cat "$logs/$part.outcome" 2> /dev/null)" = passed ] || failed+=("$part")
done
if [ ${#failed[@]} = 0 ]; then echo "all tests passed in $SECONDS s"; else echo "some tests FAILED: ${failed[*]}"; fi
[ ${#failed[@]} = 0 ]
