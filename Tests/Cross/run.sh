#!/bin/bash
# shellcheck disable=SC2086 # here, link_options
# Builds the C library for another target and tests it: arm64 in an emulator, musl on this machine.
#
#   Tests/Cross/run.sh TARGET
#
# TARGET is aarch64-linux-gnu or x86_64-linux-musl.
#
# `make cross TARGET=…` builds the library without testing it. Run `make setup-test` before this script.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD
export FENCEPOST_TARGET=${1:?usage: Tests/Cross/run.sh TARGET}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
started=$SECONDS

fail() {
  echo "cross: $FENCEPOST_TARGET: $*" >&2
  exit 1
}
step() { echo "cross: $((SECONDS - started)) s: $*" >&2; }

.ci/cross.sh "$FENCEPOST_TARGET" || {
  [ $? = 3 ] || fail "the tools of the target"
  echo "cross: skipped: the packages above are missing"
  exit 0
}
step "building"
library=$(bindings/c/build.sh)
archive=$(bindings/c/archive.sh)
# shellcheck source=bindings/c/names.sh
. bindings/c/names.sh
lib=$(dirname "$library")
unpacked=$root/.build/cross/$target/root
step "the library has $(stat -c %s "$library") bytes"

case $target in
  aarch64-linux-gnu)
    needed='ld-linux-aarch64.so.1 libc.so.6 libm.so.6 libsqlite3.so.0 '
    machine=AArch64 largest=2300000
    here="qemu-aarch64 -L $unpacked -E LD_LIBRARY_PATH=$lib:$unpacked/usr/lib/$target"
    link=(-pthread "-Wl,-rpath-link,$unpacked/usr/lib/$target")
    ;;
  x86_64-linux-musl)
    # SQLite is inside.
    needed='libc.musl-x86_64.so.1 '
    machine='Advanced Micro Devices X86-64' largest=2750000
    here="env LD_LIBRARY_PATH=$lib"
    link=(-pthread -Wl,--allow-shlib-undefined -Wl,-rpath-link,/lib)
    ;;
  *) fail "has no tests here" ;;
esac

# Check the ELF header of the library.
LC_ALL=C readelf --file-header "$library" | grep -q "Machine: *$machine\$" || fail "the library is for another machine"
[ "$(stat -c %s "$library")" -le $largest ] || fail "the library has more than $largest bytes"
found=$(LC_ALL=C readelf --dynamic --wide "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sort | tr '\n' ' ')
[ "$found" = "$needed" ] || fail "the library needs $found"
LC_ALL=C readelf --dyn-syms --wide "$library" > "$folder/symbols"
if grep -oE '@GLIBC_[0-9.]+' "$folder/symbols" | sort -u | grep -vxE '@GLIBC_2\.17'; then
  fail "the library needs a newer glibc than 2.17, the first for arm64"
fi
awk '$5 == "GLOBAL" && $7 != "UND" { sub(/@.*/, "", $8); print $8 }' "$folder/symbols" | grep -v '^FENCEPOST_' | sort > "$folder/exported"
sed -n 's/^ *\(fencepost_[a-z0-9_]*\);.*/\1/p' bindings/c/fencepost.map | sort | diff - "$folder/exported" ||
  fail "the library exports something else than the header declares"
Tests/Determinism/symbols.sh "$objects_folder" > "$folder/taken" || { cat "$folder/taken" >&2; fail "calls what it must not"; }

# Builds the C cases, and the C example "quickstart" with the static library.
mkdir "$folder/cases"
compile() { "$cc" -std=gnu11 -O1 -ffp-contract=off -Wall -Wextra -Werror -Iinclude "$@"; }
step "C cases"
compile -ITests/CCases -ITests/CCases/include Tests/CCases/*.c Tests/CInstalled/cases.c -o "$folder/cases/run" -L"$lib" -lfencepost \
  -lm "${link[@]}"
$here "$folder/cases/run" || fail "C cases"
# shellcheck disable=SC2046
compile examples/c/quickstart.c "$archive" ${libraries:+$link_options $(printf ' -l%s' $libraries)} "${link[@]}" -o "$folder/quickstart"
$here "$folder/quickstart" | diff examples/c/quickstart.expected - || fail "the C example prints something else"

# The events must be the same as those of every other build, byte for byte.
step "events"
compile Tests/Determinism/replay.c -L"$lib" -lfencepost "${link[@]}" -o "$folder/replay"
Tests/Determinism/hashes.sh "$folder/events" $here "$folder/replay" >&2 || fail "other events"

# A store that the build for the target has written must open in the native build, and vice versa.
step "stores"
native=$root/.build/lib
cc -std=gnu11 -O1 -Wall -Wextra -Werror -Iinclude Tests/Cross/store.c -L"$native" -lfencepost -Wl,-rpath,"$native" -o "$folder/store-native"
compile Tests/Cross/store.c -L"$lib" -lfencepost "${link[@]}" -o "$folder/store"
mkdir "$folder/stores"
for writer in native target; do
  for reader in target native; do
    mkdir "$folder/stores/$writer-$reader"
    case $writer in
      native) "$folder/store-native" write "$folder/stores/$writer-$reader" ;;
      *) $here "$folder/store" write "$folder/stores/$writer-$reader" ;;
    esac > "$folder/stores/$writer-$reader.written"
    case $reader in
      native) "$folder/store-native" read "$folder/stores/$writer-$reader" ;;
      *) $here "$folder/store" read "$folder/stores/$writer-$reader" ;;
    esac > "$folder/stores/$writer-$reader.read" || fail "a store written by $writer and read by $reader"
    cmp "$folder/stores/native-target.read" "$folder/stores/$writer-$reader.read" ||
      fail "a store written by $writer and read by $reader gives other events"
    cmp "$folder/stores/native-target.written" "$folder/stores/$writer-$reader.written" || fail "other snapshots of $writer"
  done
done
[ -s "$folder/stores/native-target.read" ] || fail "the stores give no event"

. "Tests/Cross/$target.sh"
echo "cross: $target: $(stat -c %s "$library") bytes; C cases, events, stores${tested:-} as on x86-64"
