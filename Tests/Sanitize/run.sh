#!/bin/bash
# The C cases with the whole engine under a sanitizer: Thread Sanitizer for the cases with threads, Address Sanitizer
# for all of them and for the fuzz corpora. Debug builds, each with a scratch folder of its own.
#
#   Tests/Sanitize/run.sh [thread|address]...
set -euo pipefail
cd "$(dirname "$0")/../.."
# The backtrace program of the Swift runtime waits for a process that has gone.
export SWIFT_BACKTRACE=enable=no
clang=$(dirname "$(readlink -f "$(command -v swiftc)")")/clang
flags='-std=gnu11 -g -O1 -D_GNU_SOURCE -Iinclude -ITests/CCases/include'

# link SANITIZER OUTPUT SOURCE...: C sources and the library, with swiftc, which knows the libraries of its runtime.
link() {
  local sanitizer=$1 output=$2 objects=() source object
  shift 2
  for source in "$@"; do
    object=$build/cases/$(basename "$source" .c).o
    # shellcheck disable=SC2086
    "$clang" $flags -fsanitize="$sanitizer" -c "$source" -o "$object"
    objects+=("$object")
  done
  swiftc -sanitize="$sanitizer" -use-ld=lld "${objects[@]}" "$build/debug/libfencepost-c-static.a" -lsqlite3 -lm -lpthread -o "$output"
}

check() {
  local sanitizer=$1
  build=.build/sanitize-$sanitizer
  mkdir -p "$build"
  echo "== building with the $sanitizer sanitizer"
  local define=()
  if [ "$sanitizer" = thread ]; then define=(-Xswiftc -DFENCEPOST_THREAD_SANITIZER); fi
  swift build --sanitize "$sanitizer" --product fencepost-c-static --scratch-path "$build" "${define[@]}" \
    > "$build.log" 2>&1 || {
    cat "$build.log" >&2
    return 1
  }
  mkdir -p "$build/cases"
  link "$sanitizer" "$build/cases/run" Tests/CCases/*.c Tests/CInstalled/cases.c
  if [ "$sanitizer" = thread ]; then
    TSAN_OPTIONS="halt_on_error=0 exitcode=66 ${TSAN_OPTIONS:-}" "$build/cases/run" threads:
  else
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
