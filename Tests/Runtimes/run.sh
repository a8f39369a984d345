#!/bin/bash
# Tests the two builds of the C library. All other tests use the embedded build. For the embedded build, tests the size,
# the dependencies and the cost of loading, and links the archive into programs in C, C++, Rust, Go and Swift. Runs the
# C cases with the shared library and with the archive of the full build (FENCEPOST_RUNTIME=full). Checks that the
# events of both builds and of a debug build are the same, byte for byte. Runs the conformance corpus through Python
# with the full build.
#
#   Tests/Runtimes/run.sh
#
# Run `make setup-test` before this script.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD
. bindings/c/names.sh
embedded=$root/.build/lib full=$root/.build/full/lib
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

fail() {
  echo "runtimes: $*" >&2
  exit 1
}

[ "$runtime" = embedded ] || fail "the library in .build/lib is to be the embedded one; FENCEPOST_RUNTIME is $runtime"
library=$embedded/$soname archive=$embedded/libfencepost.a

# Checks the size of the library in bytes, and the size of its compressed download.
size=$(stat -c %s "$library")
packed=$(gzip -9 -c "$library" | wc -c)
[ "$size" -le 2300000 ] || fail "the library has $size bytes; the limit is 2 300 000"
[ "$packed" -le 1000000 ] || fail "the library has $packed bytes compressed; the limit is 1 000 000"
needed=$(LC_ALL=C readelf --dynamic --wide "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sort | tr '\n' ' ')
[ "$needed" = 'libc.so.6 libm.so.6 libsqlite3.so.0 ' ] || fail "the library needs $needed"
LC_ALL=C readelf --dyn-syms --wide "$library" | awk '$5 == "GLOBAL" && $7 != "UND" { sub(/@.*/, "", $8); print $8 }' |
  grep -v '^FENCEPOST_' | sort > "$folder/exported"
sed -n 's/^ *\(fencepost_[a-z0-9_]*\);.*/\1/p' bindings/c/fencepost.map | sort > "$folder/declared"
diff "$folder/declared" "$folder/exported" || fail "the library exports something else than the header declares"
# Decisions must depend only on arithmetic that IEEE 754 defines exactly. The library must therefore not call any of the
# math functions in this list.
if nm -D --undefined-only "$library" | awk '{ sub(/@.*/, "", $NF); print $NF }' |
  grep -xE '(sin|cos|tan|asin|acos|atan|atan2|exp|exp2|log|log2|log10|pow|fma|hypot|cbrt|sincos|round|fmin|fmax|ldexp)f?l?'; then
  fail "the library calls functions whose results differ between platforms"
fi

# The library must run on every x86-64 processor, so it must not contain instructions that are newer than SSE2. (An
# older processor executes tzcnt as bsf; for nonzero numbers, both give the same result.)
objdump -d --no-show-raw-insn "$library" | awk '{ print $2 }' | sort -u > "$folder/instructions"
grep -qx movsd "$folder/instructions" || fail "objdump does not show the instructions"
newer='v.+|popcnt|lzcnt|andn|mulx|rorx|s[ah][lr]x|bls.+|bextr|pdep|pext|crc32.*|cmpxchg16b|pclmul.+|aes.+|round[sp][sd]|blend.+'
newer+='|p(shufb|test|mulld|blend.+|insr[bdq]|extr[bdq])|h(add|sub)p[sd]|addsubp[sd]'
if grep -xE "$newer" "$folder/instructions"; then
  fail "the library has instructions that older processors do not have"
fi

# Links the archive into C and C++ programs, and into a Swift program, which also contains the Swift runtime.
# shellcheck disable=SC2046,SC2086
{
  gcc -std=c11 -Iinclude examples/c/quickstart.c "$archive" $(printf ' -l%s' $system_libraries) -o "$folder/c"
  g++ -std=c++17 -Iinclude examples/cpp/quickstart.cpp "$archive" $(printf ' -l%s' $system_libraries) -pthread -o "$folder/cpp"
}
mkdir "$folder/refusing"
gcc -std=gnu11 -Wall -Werror -Iinclude Tests/Runtimes/refusals.c "$library" -Wl,-rpath,"$embedded" -o "$folder/refusals"
"$folder/refusals" "$folder/refusing" || fail "refusals keep memory"
mkdir "$folder/reloading"
gcc -std=gnu11 -O1 -Wall -Wextra -Werror -Iinclude Tests/Runtimes/reloaded.c -o "$folder/reloaded"
"$folder/reloaded" "$library" "$folder/reloading" || fail "loaded and unloaded again and again"
mkdir "$folder/sandboxed"
gcc -std=gnu11 -O1 -Wall -Wextra -Werror -Iinclude Tests/Runtimes/sandbox.c "$library" -Wl,-rpath,"$embedded" -o "$folder/sandbox"
"$folder/sandbox" "$folder/sandboxed" || fail "where getrandom() is refused"
# Runs several engines in one process: one that the program exports, one in each of two plug-ins, and one in a plug-in
# that uses the shared library.
# shellcheck disable=SC2046,SC2086
{
  gcc -shared -fPIC -Iinclude Tests/Runtimes/plugin.c "$archive" $(printf ' -l%s' $system_libraries) -o "$folder/plugin1.so"
  cp "$folder/plugin1.so" "$folder/plugin2.so"
  gcc -shared -fPIC -Iinclude Tests/Runtimes/plugin.c "$library" -Wl,-rpath,"$embedded" -o "$folder/plugin3.so"
  gcc -DHOST -rdynamic -Iinclude Tests/Runtimes/plugin.c "$archive" "$archive" $(printf ' -l%s' $system_libraries) -ldl -o "$folder/plugins"
}
[ "$("$folder/plugins" "$folder"/plugin[123].so)" = '1 1 1 1' ] || fail "several engines in one process"
# A host linked with -ffast-math flushes denormal numbers to zero; the events must be the same in such a host.
gcc -O1 -ffp-contract=off -Iinclude -c Tests/Determinism/replay.c -o "$folder/replay.o"
gcc -ffast-math "$folder/replay.o" "$library" -Wl,-rpath,"$embedded" -o "$folder/replay"
Tests/Determinism/hashes.sh "$folder/fast-math" "$folder/replay" || fail "other events in a host with -ffast-math"
"$folder/c" | diff examples/c/quickstart.expected - || fail "the C example prints something else"
"$folder/cpp" | diff examples/cpp/quickstart.expected - || fail "the C++ example prints something else"
cat > "$folder/beside.swift" << 'END'
import CFencepost

// Both runtimes are at work: strings and dictionaries of this program's, and an engine behind the C functions.
var counts: [String: Int] = [:]
var monitor: OpaquePointer?
guard fencepost_monitor_create(nil, nil, &monitor, nil) == FENCEPOST_OK else { fatalError("create") }
guard fencepost_monitor_add_circular_condition(monitor, "office", 37.3349, -122.0090, 200, nil, nil) == FENCEPOST_OK else {
  fatalError("add")
}
var fix = fencepost_fix(latitude: 37.3349, longitude: -122.0091, accuracy_m: 5, time_us: 1_700_000_000_000_000)
guard fencepost_monitor_feed_fix(monitor, &fix, nil) == FENCEPOST_OK else { fatalError("feed") }
var event = fencepost_event()
var available: UInt32 = 0
while fencepost_monitor_poll_event(monitor, &event, &available, nil) == FENCEPOST_OK, available != 0 {
  counts["state \(event.state)", default: 0] += 1
}
fencepost_monitor_destroy(monitor)
print(counts)
END
# shellcheck disable=SC2046,SC2086
swiftc -I include "$folder/beside.swift" -Xlinker "$archive" $(printf ' -l%s' $system_libraries) -o "$folder/beside"
[ "$("$folder/beside")" = '["state 1": 1]' ] || fail "the Swift program beside the real runtime prints something else"

# Uses the archive in Rust and Go programs, whose runtimes have their own threads, stacks and unwinding.
.ci/languages.sh || echo "runtimes: without the Rust or Go compiler, which could not be installed" >&2
if command -v rustc > /dev/null; then
  # shellcheck disable=SC2046,SC2086
  rustc --edition 2021 -O Tests/Runtimes/beside.rs -L "$embedded" -l static=fencepost $(printf ' -l %s' $system_libraries) -o "$folder/rust"
  [ "$("$folder/rust")" = '{"office": 1}' ] || fail "the Rust program prints something else"
fi
if command -v go > /dev/null; then
  # shellcheck disable=SC2086
  (cd Tests/Runtimes/go && CGO_ENABLED=1 CGO_CFLAGS="-I$root/include" CGO_LDFLAGS="$archive$(printf ' -l%s' $system_libraries)" GOFLAGS=-buildvcs=false \
    GOPROXY=off GOCACHE=$folder/go-cache GOPATH=$folder/go-path go build -o "$folder/go" .)
  [ "$("$folder/go")" = 'map[office:1]' ] || fail "the Go program prints something else"
fi

# The full build.
FENCEPOST_RUNTIME=full FENCEPOST_LIB=$full bindings/c/build.sh > /dev/null
full_archive=$(FENCEPOST_RUNTIME=full FENCEPOST_LIB=$full bindings/c/archive.sh)
full_libraries=$(export FENCEPOST_RUNTIME=full && . bindings/c/names.sh && printf ' -l%s' $system_libraries)
mkdir -p "$folder/cases"
for source in Tests/CCases/*.c Tests/CInstalled/cases.c; do
  gcc -std=gnu11 -O1 -Wall -Wextra -Werror -Iinclude -ITests/CCases -ITests/CCases/include -c "$source" \
    -o "$folder/cases/$(basename "$source").o" -pthread
done
gcc "$folder"/cases/*.o -L"$full" -lfencepost -lm -pthread -o "$folder/cases/shared"
LD_LIBRARY_PATH=$full "$folder/cases/shared" || fail "C cases with the full shared library"
# Checks unwind tables: the full build has them, and the header says that the embedded build has none.
tables() { LC_ALL=C readelf --debug-dump=frames "$1" 2> /dev/null | grep -c ' FDE ' || true; }
[ "$(tables "$full/$soname")" -gt 1000 ] || fail "the full build has no unwind tables"
[ "$(tables "$library")" -lt 100 ] || fail "the embedded build has unwind tables: correct what the header says"
# Under valgrind, programs must not need a suppression for the library.
command -v valgrind > /dev/null || .ci/install.sh valgrind || fail "valgrind is not here"
LD_LIBRARY_PATH=$full valgrind --quiet --error-exitcode=1 "$folder/cases/shared" "fleet store" ||
  fail "valgrind reports uninitialised bytes in the C cases of fleets with stores"
# Checks the cost of loading, in instructions: a processor of 2020 executes 2 000 000 in 0.6 ms.
gcc -std=gnu11 -O2 -Wall -Wextra -Werror Tests/Runtimes/start.c -o "$folder/start"
loading() {
  valgrind --tool=callgrind --toggle-collect=load --callgrind-out-file="$folder/callgrind" "$folder/start" "$1" 0 2>&1 |
    sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
}
loads=$(loading "$library") loads_full=$(loading "$full/$soname")
[ "$loads" -gt 0 ] && [ "$loads" -le 2000000 ] || fail "loading takes $loads instructions; the limit is 2 000 000"
[ "$loads" -lt "$loads_full" ] || fail "loading takes $loads instructions, the full build $loads_full"
# shellcheck disable=SC2086
gcc "$folder"/cases/*.o "$full_archive" $full_libraries -pthread -o "$folder/cases/static"
"$folder/cases/static" || fail "C cases with the full archive"

# Checks that both builds, and a build without optimisation, give exactly the events in the list, byte for byte.
swift build --product fencepost-c > "$folder/debug.log" 2>&1 || { cat "$folder/debug.log" >&2; fail "the debug build"; }
Tests/Determinism/symbols.sh .build/debug > "$folder/symbols" || { cat "$folder/symbols" >&2; fail "symbols of the debug build"; }
declare -A libraries=([embedded]=$library [full]=$full/$soname [debug]=$root/.build/debug/libfencepost-c.so)
for build in embedded full debug; do
  cc -O1 -ffp-contract=off -Iinclude -o "$folder/replay" Tests/Determinism/replay.c "${libraries[$build]}" \
    -Wl,-rpath,"$(dirname "${libraries[$build]}")"
  Tests/Determinism/hashes.sh "$folder/$build" "$folder/replay" || fail "the $build build gives other events"
done
# Checks the hashes on the documentation page.
while read -r hash program; do
  grep -q "^| .$program.: .*| .$hash. |\$" bindings/site/concepts/determinism.md ||
    fail "bindings/site/concepts/determinism.md has another SHA-256 for $program than Tests/Golden/events.sha256"
done < Tests/Golden/events.sha256

# Runs the conformance corpus through a copy of the installed package, in which this library replaces the package's own
# library.
package=$(cd / && "$root/.venv/bin/python" -c 'import fencepost, os; print(os.path.dirname(fencepost.__file__))')
cp -R "$package" "$folder/fencepost"
replaced=$(find "$folder/fencepost" -name "$soname")
[ -n "$replaced" ] || fail "the installed package has no $soname"
cp "$full/$soname" "$replaced"
mkdir "$folder/stores"
find Tests/Conformance -name '*.json' -print0 | sort -z |
  PYTHONPATH=$folder:Tests/Conformance xargs -0 .venv/bin/python -m fencepost_conform --store "$folder/stores" > "$folder/conform" 2>&1 ||
  { tail -n 20 "$folder/conform" >&2; fail "conformance of the full build"; }

echo "runtimes: embedded $size bytes ($packed compressed), full $(stat -c %s "$full/$soname"): the same events;" \
  "conformance: $(tail -n 1 "$folder/conform"); loaded in $loads and $loads_full instructions, $("$folder/start" "$library" 20)"
