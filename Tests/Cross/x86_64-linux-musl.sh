# This part of run.sh tests musl: fully static programs, and the wheel. Sourced by run.sh.
# shellcheck shell=bash disable=SC2154

# Builds fully static programs: one that contains SQLite, and one without stores.
step "static programs"
static() { # ARCHIVE OUTPUT LARGEST
  compile -Os -static -s -Wl,--gc-sections,-z,noseparate-code Tests/Determinism/replay.c "$1" -o "$2"
  if LC_ALL=C readelf --program-headers "$2" | grep -q INTERP; then fail "$2 is not static"; fi
  [ "$(stat -c %s "$2")" -le "$3" ] || fail "$2 has $(stat -c %s "$2") bytes; the limit is $3"
  Tests/Determinism/hashes.sh "$folder/events-$(basename "$2")" "$2" >&2 || fail "other events of $2"
}
static "$archive" "$folder/static" 1900000
# Only `make soak` tests the library that is optimised for size and the library without stores, because compiling each
# takes minutes. The WebAssembly module, which has no stores either, is tested each time.
sizes="$(stat -c %s "$folder/static") bytes"
if [ -n "${FENCEPOST_SOAK:-}" ]; then
  step "the library optimised for size"
  small=$(FENCEPOST_OPTIMIZE=size bindings/c/archive.sh) || fail "optimised for size"
  static "$small" "$folder/static-size" 1550000
  compile -ITests/CCases -ITests/CCases/include Tests/CCases/*.c Tests/CInstalled/cases.c "$small" -o "$folder/cases/size" -static -pthread
  "$folder/cases/size" || fail "C cases with the library optimised for size"
  sizes+=", optimised for size $(stat -c %s "$folder/static-size")"
  step "the library without stores"
  storeless=$(export FENCEPOST_STORE=none && bindings/c/build.sh > /dev/null && bindings/c/archive.sh) || fail "without stores"
  FENCEPOST_STORE=none PREFIX=$folder/installed bindings/c/install.sh install > /dev/null
  cmp "$storeless" "$folder/installed/lib/libfencepost.a" || fail "what is installed is not the library without stores"
  if grep -r sqlite "$folder/installed/lib/pkgconfig" "$folder/installed/lib/cmake"; then fail "what is installed asks for SQLite"; fi
  static "$storeless" "$folder/static-nostore" 1225000
  compile -static Tests/Cross/store.c "$storeless" -o "$folder/refused"
  if "$folder/refused" write "$folder" 2> "$folder/refusal"; then fail "a library without stores opened one"; fi
  grep -q 'store_unavailable: this build of the library has no store' "$folder/refusal" || fail "says $(cat "$folder/refusal")"
  sizes+=", without stores $(stat -c %s "$folder/static-nostore")"
fi

# Tests the stack sizes that the header states. With musl, threads have small stacks, and printf() needs more stack than
# with glibc.
step "small stacks"
mkdir "$folder/limits-store"
compile -D'feenableexcept(x)=(void)0' Tests/HostSafety/host_limits.c Tests/HostSafety/host_fleets.c -static "$archive" -o "$folder/limits"
[ "$("$folder/limits" examples/data/drive.csv "$folder/limits-store" stack)" = stack ] || fail "the stacks that the header states"

# The wheel can be built without a CPython for musl, because CPython's headers are the same with every C library. Debian
# has no CPython for musl, so only the library in the wheel is tested here, by the C cases.
step "the wheel"
wheel=$(bindings/python/cross.sh)
case $(basename "$wheel") in
  *-cp311-abi3-musllinux_1_2_x86_64.whl) ;;
  *) fail "auditwheel gives the wheel the name $(basename "$wheel")" ;;
esac
tested=", static programs of $sizes, wheel $(basename "$wheel")"
