#!/bin/bash
# Builds and runs every example, and compares its output with the file next to it.
#
#   Tests/Examples/run.sh
#
# Needs the release library (bindings/c/build.sh), the environment .venv with the Python package, and the Swift build.
# `make test` builds everything that this script needs.
set -uo pipefail
cd "$(dirname "$0")/../.."
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

for source in examples/c/*.c examples/cpp/*.cpp; do
  name=$(basename "${source%.*}")
  expected=${source%.*}.expected
  language=$(basename "$(dirname "$source")")
  case $language in
    c) compilers='gcc clang' standard=c11 ;;
    cpp) compilers='g++ clang++' standard=c++17 ;;
  esac
  arguments=()
  if [ -f "${source%.*}.args" ]; then read -r -a arguments < "${source%.*}.args"; fi
  for compiler in $compilers; do
    if ! $compiler -std=$standard -O1 -Wall -Wextra -Wpedantic -Werror -Iinclude "$source" \
      -o "$folder/$name-$compiler" -L.build/lib -lfencepost -pthread; then
      echo "examples: $language/$name: $compiler refuses it"
      failed=$((failed + 1))
      count=$((count + 1))
      continue
    fi
    compare "$language/$name ($compiler)" "$expected" \
      env LD_LIBRARY_PATH=.build/lib "$folder/$name-$compiler" ${arguments[@]+"${arguments[@]}"}
  done
done

# Replays a million fixes against 400 circles, and compares the number of events, their digest and the last event.
million() {
  .venv/bin/python Tests/Golden/million.py "$folder/track.csv" "$folder/circles.csv"
  LD_LIBRARY_PATH=.build/lib "$folder/batch_replay-gcc" "$folder/track.csv" "$folder/circles.csv" > "$folder/events"
  wc -l < "$folder/events"
  sha256sum < "$folder/events"
  tail -n 1 "$folder/events"
}
compare "c/batch_replay with a million fixes" Tests/Golden/million.txt million

for script in examples/python/*.py; do
  compare "python/$(basename "$script" .py)" "${script%.py}.expected" .venv/bin/python "$script"
done

compare "swift/quickstart" examples/swift/expected.txt .build/tests/debug/quickstart
compare "swift/best-practices" examples/swift/BestPractices/expected.txt .build/tests/debug/best-practices
compare "swift/reminders" examples/swift/Reminders/expected.txt examples/swift/Reminders/demo.sh .build/tests/debug/reminders

# Replays the same circles and the same drive with the Python package's command: the events must be the same, byte for
# byte.
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
