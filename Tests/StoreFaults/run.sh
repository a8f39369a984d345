#!/bin/bash
# Attacks the stores of the built C library: kills, power failures, torn copies, disks that are failing, full, small or
# read-only, races for a name, and flipped bits, at each file operation in turn. In further tests, other programs write
# into the open files, and the process has resource limits. FENCEPOST_SOAK=1 runs each test with its full number of
# repetitions. See main.c.
#
#   Tests/StoreFaults/run.sh [COMMAND...]
set -euo pipefail
cd "$(dirname "$0")/../.."

declare -A sample=([kill]=250 [power]=250 [parts]=16 [torn]=200 [fail]=200 [flips]=150 [migrate]=1 [cost]=4000 [race]=150 [readonly]=4 [meddling]=8 [scarce]=120 [links]=80 [small]=3000 [million]=20000 [fleet-kill]=120 [fleet-power]=120 [fleet-torn]=100 [fleet-fail]=100 [fleet-flips]=100 [fleet-parts]=4)
declare -A full=([kill]=5400 [power]=5000 [parts]=400 [torn]=3500 [fail]=5000 [flips]=20000 [migrate]=1 [cost]=20000 [race]=4000 [readonly]=4 [meddling]=200 [scarce]=2000 [links]=1000 [small]=100000 [million]=1000000 [fleet-kill]=4000 [fleet-power]=4000 [fleet-torn]=3000 [fleet-fail]=3000 [fleet-flips]=10000 [fleet-parts]=60)

lib=${FENCEPOST_LIB:-$PWD/.build/lib}
scratch=$(mktemp -d "${TMPDIR:-/tmp}/fencepost-faults.XXXXXX")
# Use an in-memory file system if possible: the tests simulate the disk, so they need no real one.
if [ -w /dev/shm ]; then fast=$(mktemp -d /dev/shm/fencepost-faults.XXXXXX); else fast=$scratch; fi
# Some processes that open a store in this folder do not run as the superuser.
chmod 711 "$fast"
mounted=()
clean() {
  for place in "${mounted[@]}"; do umount "$place" || true; done
  rm -rf "$scratch" "$fast"
}
trap clean EXIT

cc -O1 -g -std=gnu11 -Wall -Wextra -Iinclude -o "$scratch/store_faults" Tests/StoreFaults/*.c -L"$lib" -lfencepost -Wl,-rpath,"$lib" -ldl

status=0
run() {
  "$scratch/store_faults" "$@" || status=1
}

commands=("$@")
if [ ${#commands[@]} = 0 ]; then commands=(kill power parts torn fail flips migrate cost race readonly meddling scarce links small million fleet-kill fleet-power fleet-torn fleet-fail fleet-flips fleet-parts); fi
for command in "${commands[@]}"; do
  count=${sample[$command]}
  if [ "${FENCEPOST_SOAK:-}" = 1 ]; then count=${full[$command]}; fi
  case $command in
    migrate) run migrate "$fast/w" 1 Tests/Golden ;;
    million) run million "$scratch/w" "$count" ;;
    small)
      mkdir "$scratch/small"
      if mount -t tmpfs -o size=512k,mode=700 tmpfs "$scratch/small" 2> /dev/null; then
        mounted+=("$scratch/small")
        run small "$scratch/small/w" "$count"
      else
        echo "small: skipped, no file system can be mounted here"
      fi
      ;;
    *) run "$command" "$fast/w" "$count" ;;
  esac
done

# Repeats the test on a real disk with little room, if one can be created.
if [ $# = 0 ] && [ "${FENCEPOST_SOAK:-}" = 1 ]; then
  truncate -s 4M "$scratch/disk"
  mkdir "$scratch/ext4"
  if mkfs.ext4 -q -b 1024 -O ^has_journal "$scratch/disk" 2> /dev/null &&
    mount -o loop "$scratch/disk" "$scratch/ext4" 2> /dev/null; then
    mounted+=("$scratch/ext4")
    run small "$scratch/ext4/w" 5000
    run kill "$scratch/ext4/w" 200
  else
    echo "ext4: skipped, no loop device can be mounted here"
  fi
fi
exit $status
