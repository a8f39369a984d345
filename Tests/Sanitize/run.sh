#!/bin/bash
# Runs the C cases with the whole engine under a sanitizer. The Thread Sanitizer runs the cases with threads, on a debug
# build with a Swift runtime. The Address Sanitizer with LeakSanitizer runs all cases and the fuzz corpora, on optimised
# Embedded Swift, because this is the code that is installed, and each of its allocations is a separate malloc().
#
#   [FENCEPOST_RUNTIME=full] Tests/Sanitize/run.sh [thread|address]...
#
# With FENCEPOST_RUNTIME=full the Address Sanitizer also runs a debug build with a Swift runtime.
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck disable=SC2034 # for names.sh
root=$PWD
# shellcheck source=bindings/c/names.sh
. bindings/c/names.sh
# Disables the backtrace program of the Swift runtime, which would wait for a process that has ended.
export SWIFT_BACKTRACE=enable=no
clang=$(dirname "$(readlink -f "$(command -v swiftc)")")/clang
flags='-std=gnu11 -g -O1 -D_GNU_SOURCE -Iinclude -ITests/CCases/include'

# link SANITIZER OUTPUT SOURCE...: links C sources with the library. swiftc links if there is a Swift runtime, because
# it knows the runtime's libraries.
link() {
  local sanitizer=$1 output=$2 objects=() source object
  shift 2
  for source in "$@"; do
    object=$build/cases/$(basename "$source" .c).o
    # shellcheck disable=SC2086
    "$clang" $flags -fsanitize="$sanitizer" -c "$source" -o "$object"
    objects+=("$object")
  done
  if [ ${#embedded[@]} != 0 ]; then
    "$clang" -fsanitize="$sanitizer" -fuse-ld=lld "${objects[@]}" "${embedded[@]}" -lsqlite3 -lm -pthread -o "$output"
  else
    swiftc -sanitize="$sanitizer" -use-ld=lld "${objects[@]}" "$build/debug/libfencepost-c-static.a" -lsqlite3 -lm -lpthread -o "$output"
  fi
}

# compile SANITIZER: compiles the engine, into the objects in `embedded` or into an archive that SwiftPM makes.
compile() {
  local sanitizer=$1 define=() objects
  embedded=()
  if [ "$sanitizer/$runtime" = address/embedded ]; then
    objects=$(FENCEPOST_SANITIZE=address bindings/c/embedded.sh "$target") || return 1
    mapfile -t embedded <<< "$objects"
    return
  fi
  if [ "$sanitizer" = thread ]; then define=(-Xswiftc -DFENCEPOST_THREAD_SANITIZER); fi
  swift build --sanitize "$sanitizer" --product fencepost-c-static --scratch-path "$build" "${define[@]}" \
    > "$build.log" 2>&1 || {
    cat "$build.log" >&2
    return 1
  }
}

check() {
  local sanitizer=$1
  build=.build/sanitize-$sanitizer
  mkdir -p "$build"
  echo "== building with the $sanitizer sanitizer"
  compile "$sanitizer" || return 1
  mkdir -p "$build/cases"
  link "$sanitizer" "$build/cases/run" Tests/CCases/*.c Tests/CInstalled/cases.c
  if [ "$sanitizer" = thread ]; then
    TSAN_OPTIONS="halt_on_error=0 exitcode=66 ${TSAN_OPTIONS:-}" "$build/cases/run" threads:
  else
    # LeakSanitizer must report a monitor that is not destroyed: this shows that leaks in the other programs would be
    # reported too.
    link "$sanitizer" "$build/cases/leak" Tests/Sanitize/leak.c
    if "$build/cases/leak" > "$build/leak.log" 2>&1 || ! grep -q LeakSanitizer "$build/leak.log"; then
      echo "sanitize: a monitor that is lost is not reported" >&2
      return 1
    fi
    "$build/cases/run"
    for target in Tests/Fuzz/corpus/*/; do
      target=$(basename "$target")
      link "$sanitizer" "$build/cases/fuzz-$target" "Tests/Fuzz/fuzz_$target.c" Tests/Fuzz/replay.c
      printf 'corpus %s: ' "$target"
      "$build/cases/fuzz-$target" "Tests/Fuzz/corpus/$target"
    done
  fi
}

if [ $# = 0 ]; then set -- thread address; fi
for sanitizer in "$@"; do
  case $sanitizer in
    thread | address) check "$sanitizer" ;;
    *)
      echo "usage: Tests/Sanitize/run.sh [thread|address]..." >&2
      exit 2
      ;;
  esac
done
echo "sanitize: no report"
