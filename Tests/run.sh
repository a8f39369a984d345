#!/bin/bash
# Runs every test, goes on after a failure, and closes with a summary. `make test` sets up and calls it.
#
#   Tests/run.sh [PART...]      without a part: all of `light`; `Tests/run.sh heavy` is what `make test-all` runs
set -uo pipefail
cd "$(dirname "$0")/.."
export FENCEPOST_REQUIRE_LIBRARY=1

light=(format build header swift symbols abi determinism host fuzz python package wheel examples install)
heavy=(swiftpm docs browser tools gpsd qgis sanitize wheels sdist)

format() { Tests/Style/run.sh; }
build() { swift build --build-tests; }
header() { Tests/CxxHeader/run.sh; }
swift_tests() { swift test --skip-build; }
symbols() { Tests/Determinism/symbols.sh .build/release-lib/release; }
abi() { .venv/bin/python Tests/Golden/abi.py; }
determinism() { Tests/Determinism/run.sh; }
python_tests() { (cd bindings/python && ../../.venv/bin/python -m pytest -rs); }
host() { Tests/HostSafety/run.sh; }
fuzz() { Tests/Fuzz/run.sh replay; }
package() { Tests/Packaging/package.sh; }
wheel() { .venv/bin/python Tests/Packaging/wheel.py wheel; }
wheels() { .venv/bin/python Tests/Packaging/wheel.py wheels; }
sdist() { .venv/bin/python Tests/Packaging/wheel.py sdist; }
examples() { Tests/Examples/run.sh; }
install() { Tests/CInstalled/run.sh; }
swiftpm() { Tests/Packaging/swiftpm.sh; }
sanitize() { Tests/Sanitize/run.sh; }
docs() { make --silent docs && .venv/bin/python -m pytest -q -rs -p no:cacheprovider bindings/site/tests; }
# What `make test` skipped for want of a library or program that is only installed for the heavy tests.
tools() { (cd bindings/python && ../../.venv/bin/python -m pytest -rs tests/tables/test_arrow.py tests/monitor/test_arrow_libraries.py tests/files/test_duckdb.py tests/files/test_moving.py tests/log/test_files_out.py); }
browser() { (cd bindings/python && ../../.venv/bin/python -m pytest -rs browser); }
gpsd() { (cd bindings/python && ../../.venv/bin/python -m pytest -rs gpsd); }
qgis() { bindings/qgis/tests/run.sh; }

parts=("$@")
if [ ${#parts[@]} = 0 ]; then parts=("${light[@]}"); fi
if [ "${parts[*]}" = heavy ]; then parts=("${heavy[@]}"); fi
summary=''
status=0
for part in "${parts[@]}"; do
  case " ${light[*]} ${heavy[*]} " in
    *" $part "*) command=$part ;;
    *)
      echo "usage: Tests/run.sh [heavy | PART...], a part being one of ${light[*]} ${heavy[*]}" >&2
      exit 2
      ;;
  esac
  # Commands of these names are needed here.
  case $part in swift | python) command=${part}_tests ;; esac
  echo "== $part"
  started=$SECONDS
  if "$command"; then outcome=passed; else
    outcome=FAILED
    status=1
  fi
  summary+=$(printf '%-10s %-7s %5d s' "$part" "$outcome" $((SECONDS - started)))$'\n'
done
echo "== summary"
printf '%s' "$summary"
if [ $status = 0 ]; then echo "all tests passed"; else echo "some tests FAILED"; fi
exit $status
