#!/bin/sh
# Runs the programs of replay.c and compares the SHA-256 of their events with the list that every build must match:
# Tests/Golden/events.sha256.
#
# - `Tests/Determinism/hashes.sh FOLDER COMMAND...` compares the hashes. COMMAND is either the replay program, built
#   against a library, or a program that runs the replay program.
# - `Tests/Determinism/hashes.sh update FOLDER COMMAND...` writes a new list of hashes.
#
# The event files remain in FOLDER.
set -eu
cd "$(dirname "$0")/../.."
golden=$PWD/Tests/Golden/events.sha256
update=
[ "$1" != update ] || { update=1 && shift; }
folder=$1
shift
mkdir -p "$folder"

"$@" drive examples/data/drive.csv examples/data/conditions.geojson 0 > "$folder/drive"
"$@" walk 200000 0 > "$folder/walk"
"$@" shapes 20000 7 > "$folder/shapes"
"$@" paths 20000 0 > "$folder/paths"
cd "$folder"
for name in drive paths shapes walk; do
  [ -s "$name" ] || {
    echo "hashes: $name: no event" >&2
    exit 1
  }
done
sha256sum drive paths shapes walk > hashes
[ -z "$update" ] || cp hashes "$golden"
cmp -s hashes "$golden" || {
  echo "hashes: other events than $golden lists:" >&2
  diff "$golden" hashes >&2 || true
  exit 1
}
echo "the events of $(wc -l < walk) + $(wc -l < shapes) + $(wc -l < paths) + $(wc -l < drive) lines have the listed SHA-256"
