#!/bin/bash
# Builds and runs every example and compares what it prints with the file beside it.
#
#   Tests/run-examples.sh
#
# Needs the release library (bindings/c/build.sh), the environment .venv with the Python package, and the Swift build:
# `make test` has made all three.
set -uo pipefail
cd "$(dirname "$0")/.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0
count=0

# compare NAME EXPECTED COMMAND...
compare() {
  local name=$1 expected=$2
  shift 2
  count=$((count + 1))
  if [ ! -f "$expected" ]; then
    echo "examples: $name: $expected is missing"
    failed=$((failed + 1))
  elif ! "$@" > "$folder/output" 2> "$folder/errors"; then
    echo "examples: $name: ended with a failure"
    cat "$folder/errors"
    failed=$((failed + 1))
  elif ! diff -u "$expected" "$folder/output"; then
    echo "examples: $name: prints something else than $expected"
    failed=$((failed + 1))
  else
    echo "examples: $name: as expected"
  fi
}

for source in examples/c/*.c; do
  name=$(basename "$source" .c)
  arguments=()
  if [ -f "examples/c/$name.args" ]; then read -r -a arguments < "examples/c/$name.args"; fi
  for compiler in gcc clang; do
    if ! $compiler -std=c11 -O1 -Wall -Wextra -Wpedantic -Werror -Iinclude "$source" -o "$folder/$name-$compiler" \
      -L.build/lib -lfencepost; then
      echo "examples: c/$name: $compiler refuses it"
      failed=$((failed + 1))
      count=$((count + 1))
      continue
    fi
    compare "c/$name ($compiler)" "examples/c/$name.expected" \
      env LD_LIBRARY_PATH=.build/lib "$folder/$name-$compiler" ${arguments[@]+"${arguments[@]}"}
  done
done

for script in examples/python/*.py; do
  compare "python/$(basename "$script" .py)" "${script%.py}.expected" .venv/bin/python "$script"
done

compare "swift/quickstart" examples/swift/expected.txt .build/debug/quickstart
compare "swift/best-practices" examples/swift/BestPractices/expected.txt .build/debug/best-practices

# The same circles and the same drive through the command of the Python package: byte for byte the same events.
.venv/bin/python - examples/data/circles.csv > "$folder/circles.geojson" << 'END'
import csv, json, sys
with open(sys.argv[1], newline="") as file:
    features = [
        {"type": "Feature",
         "geometry": {"type": "Point", "coordinates": [float(row["longitude"]), float(row["latitude"])]},
         "properties": {"identifier": row["identifier"], "radius": float(row["radius"])}}
        for row in csv.DictReader(file)
    ]
json.dump({"type": "FeatureCollection", "features": features}, sys.stdout)
END
compare "fencepost replay against c/batch_replay" examples/c/batch_replay.expected \
  .venv/bin/fencepost replay examples/data/drive.csv --conditions "$folder/circles.geojson" --format jsonl

echo "examples: $((count - failed)) of $count as expected"
[ "$failed" = 0 ]
