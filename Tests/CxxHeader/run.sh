#!/bin/sh
# Compiles the headers alone (fencepost.h as C and as C++, and fencepost.hpp) under every standard that we promise to
# support; every warning is an error.
#
#   Tests/CxxHeader/run.sh
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
printf '#include <fencepost.h>\nint fencepost_header_alone(void);\nint fencepost_header_alone(void) { return FENCEPOST_OK; }\n' > "$folder/alone.c"
warnings='-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror'
count=0
for compiler in gcc clang; do
  command -v $compiler > /dev/null || { echo "header: $compiler is missing" >&2; exit 1; }
  # In 2022, compilers call C23 `c2x`.
  for standard in c99 c11 c17 c2x; do
    for file in "$folder/alone.c" "$root/Tests/CxxHeader/probe.c"; do
      $compiler -std=$standard $warnings -Wstrict-prototypes -I "$root/include" -c "$file" -o "$folder/out.o"
      count=$((count + 1))
    done
  done
done
for compiler in g++ clang++; do
  command -v $compiler > /dev/null || { echo "header: $compiler is missing" >&2; exit 1; }
  for standard in c++11 c++14 c++17 c++20 c++2b; do
    for file in "$folder/alone.c" "$root/Tests/CxxHeader/probe.c"; do
      $compiler -std=$standard $warnings -fno-exceptions -fno-rtti -I "$root/include" -x c++ -c "$file" -o "$folder/out.o"
      count=$((count + 1))
    done
  done
  for standard in c++17 c++20 c++2b; do
    $compiler -std=$standard $warnings -Wsign-conversion -Wold-style-cast -I "$root/include" -c \
      "$root/Tests/CxxHeader/wrapper.cpp" -o "$folder/out.o"
    count=$((count + 1))
  done
  # If exceptions are disabled, fencepost.hpp does not compile; the error says what to use instead.
  if echo '#include <fencepost.hpp>' |
    $compiler -std=c++17 -fno-exceptions -I "$root/include" -x c++ -fsyntax-only - 2> "$folder/refusal" ||
    ! grep -q 'fencepost.hpp reports failures as exceptions' "$folder/refusal"; then
    cat "$folder/refusal" >&2
    echo "header: $compiler: fencepost.hpp without exceptions is not refused as it should be" >&2
    exit 1
  fi
done
echo "header: $count compilations passed"
