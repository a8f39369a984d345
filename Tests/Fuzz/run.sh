#!/bin/bash
# Runs the fuzz targets of Tests/Fuzz.
#
# - `Tests/Fuzz/run.sh replay` runs the corpora on the release library, with a plain driver, as `make test` does.
# - `Tests/Fuzz/run.sh run SECONDS [T...]` runs libFuzzer on each target for SECONDS, with the engine under the Address
#   Sanitizer. Each run starts from the corpora, and saves its findings in .build/fuzz/corpus.
# - `Tests/Fuzz/run.sh merge [T...]` copies the inputs in .build/fuzz/corpus that reach new code to the committed
#   corpora.
set -euo pipefail
# Disables the backtrace program of the Swift runtime, which would wait for a process that has ended.
export SWIFT_BACKTRACE=enable=no
cd "$(dirname "$0")/../.."
root=$PWD
build=$root/.build/fuzz
targets=(advertisement text options columns snapshot calls wkb shapes fleet)
warnings='-std=c11 -Wall -Wextra -Werror -D_GNU_SOURCE'

replay() {
  local folder failed=0
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' RETURN
  for target in "${targets[@]}"; do
    # shellcheck disable=SC2086
    gcc $warnings -O1 -g -Iinclude "Tests/Fuzz/fuzz_$target.c" Tests/Fuzz/replay.c -o "$folder/$target" -L.build/lib \
      -lfencepost -lm
    printf 'fuzz: %s: ' "$target"
    LD_LIBRARY_PATH=.build/lib "$folder/$target" "Tests/Fuzz/corpus/$target" || failed=1
  done
  return $failed
}

# Builds the library with coverage counters, the Address Sanitizer and invariant checks, and links each target to it.
# swiftc does the linking, because it knows the libraries of the Swift runtime. The linker is lld, because swiftc's
# default linker fails on the counters.
compile() {
  # The --sanitize option of swift build accepts only one sanitizer; only the compiler option -sanitize=fuzzer gives
  # coverage.
  swift build -c release --product fencepost-c-static --scratch-path "$build" -Xswiftc -sanitize=fuzzer,address \
    -Xswiftc -DFENCEPOST_INVARIANTS >&2
  local clang
  clang=$(dirname "$(readlink -f "$(command -v swiftc)")")/clang
  mkdir -p "$build/targets"
  for target in "$@"; do
    # shellcheck disable=SC2086
    "$clang" $warnings -O1 -g -fsanitize=fuzzer-no-link,address -Iinclude -c "Tests/Fuzz/fuzz_$target.c" \
      -o "$build/targets/$target.o"
    swiftc -sanitize=fuzzer,address -use-ld=lld "$build/targets/$target.o" "$build/release/libfencepost-c-static.a" \
      -lsqlite3 -lm -o "$build/targets/$target"
  done
}

run() {
  local seconds=$1 failed=0
  shift
  compile "$@"
  for target in "$@"; do
    echo "== fuzz: $target, $seconds s"
    mkdir -p "$build/corpus/$target" "$build/crashes"
    # The allocations that the runtime makes at start-up are never freed, by design.
    ASAN_OPTIONS=detect_leaks=0 "$build/targets/$target" -max_total_time="$seconds" -timeout="${TIMEOUT:-10}" -rss_limit_mb=2048 \
      -max_len=4096 -print_final_stats=1 -verbosity=1 -artifact_prefix="$build/crashes/$target-" \
      "$build/corpus/$target" "Tests/Fuzz/corpus/$target" 2>&1 |
      { grep --line-buffered -E '^(#[0-9]+.(INITED|DONE)|stat::(number|average|peak)|SUMMARY|Tests/|.*(ERROR|Fatal|Test unit))|not true' || true; } ||
      failed=1
  done
  if [ $failed = 1 ]; then echo "fuzz: what fails is in .build/fuzz/crashes" >&2; fi
  return $failed
}

merge() {
  compile "$@"
  for target in "$@"; do
    mkdir -p "Tests/Fuzz/corpus/$target" "$build/corpus/$target"
    ASAN_OPTIONS=detect_leaks=0 "$build/targets/$target" -merge=1 -max_len=4096 -verbosity=0 "Tests/Fuzz/corpus/$target" \
      "$build/corpus/$target" 2>&1 | tail -n 1
    ls "Tests/Fuzz/corpus/$target" | wc -l
  done
}

mode=${1:-}
case $mode in
  replay) replay ;;
  run | merge)
    shift
    seconds=60
    if [ "$mode" = run ]; then
      seconds=${1:?usage: Fuzz/run.sh run SECONDS [TARGET...]}
      shift
    fi
    if [ $# = 0 ]; then set -- "${targets[@]}"; fi
    if [ "$mode" = run ]; then run "$seconds" "$@"; else merge "$@"; fi
    ;;
  *)
    echo "usage: Tests/Fuzz/run.sh replay | run SECONDS [TARGET...] | merge [TARGET...]" >&2
    exit 2
    ;;
esac
