#!/bin/bash
# Adds reminders, plays the demo drive, kills the program half way, and continues. The output is the same on every
# machine.
#
#   examples/swift/Reminders/demo.sh .build/debug/reminders
set -uo pipefail
program=${1:?usage: demo.sh PROGRAM}
data=$(dirname "$0")/../../data
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"$program" "$folder" add "Lock the bicycle" 37.4220 -122.0841 75 --on-exit
"$program" "$folder" add "Post the letter" 37.3773 -122.0675 200
"$program" "$folder" add "Visit the library" 37.3903 -122.0836 5000
"$program" "$folder" add "Ask for Tim" 37.3270 -122.0310 300
"$program" "$folder" list
"$program" "$folder" delete "Visit the library"
echo "-- played until it is killed"
"$program" "$folder" play "$data/drive.gpx" --die-after 1400 2> /dev/null
echo "-- played again"
"$program" "$folder" play "$data/drive.gpx" --accelerate 100000
echo "-- a walk back, by way points"
cat > "$folder/walk.gpx" << 'GPX'
<gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1">
<wpt lat="37.3270" lon="-122.0310"/><wpt lat="37.3773" lon="-122.0675"/><wpt lat="37.39" lon="-122.0675"/>
</gpx>
GPX
"$program" "$folder" play "$folder/walk.gpx"
"$program" "$folder" play "$folder/walk.gpx" --speed 10 --start 2024-05-02T09:00:00Z
echo "-- too many"
for number in $(seq 4 21); do "$program" "$folder" add "note $number" 10 "$number" 100; done | tail -2
exit 0
