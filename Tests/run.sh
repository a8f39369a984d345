#!/bin/bash
# Runs every test, goes on after a failure, and closes with a summary. `make test` sets up and calls it.
#
#   Tests/run.sh [PART...]      parts: build header swift symbols determinism python package examples
set -uo pipefail
cd "$(dirname "$0")/.."
export FENCEPOST_REQUIRE_LIBRARY=1

build() { swift build --build-tests; }
header() { Tests/header.sh; }
swift_tests() { swift test --skip-build; }
symbols() { Tests/symbols.sh .build/release-lib/release; }
determinism() { Tests/determinism.sh; }
python_tests() { (cd bindings/python && ../../.venv/bin/python -m pytest -rs); }
package() { Tests/package.sh; }
examples() { Tests/run-examples.sh; }

parts=("$@")
if [ ${#parts[@]} = 0 ]; then parts=(build header swift symbols determinism python package examples); fi
summary=''
status=0
for part in "${parts[@]}"; do
  case $part in
    build | header | symbols | determinism | package | examples) command=$part ;;
    swift | python) command=${part}_tests ;;
    *)
      echo "usage: Tests/run.sh [build|header|swift|symbols|determinism|python|package|examples]..." >&2
      exit 2
      ;;
  esac
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
