#!/bin/sh
# Compiles the header alone, as C and as C++, under every standard that we promise and with every warning an error.
#
#   Tests/header.sh
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
printf '#include <fencepost.h>\nint fencepost_header_alone(void);\nint fencepost_header_alone(void) { return FENCEPOST_OK; }\n' > "$folder/alone.c"
warnings='-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror'
count=0
for compiler in gcc clang; do
  command -v $compiler > /dev/null || { echo "header: $compiler is missing" >&2; exit 1; }
  for standard in c99 c11 c17; do
    for file in "$folder/alone.c" "$root/Tests/CxxHeader/probe.c"; do
      $compiler -std=$standard $warnings -Wstrict-prototypes -I "$root/include" -c "$file" -o "$folder/out.o"
      count=$((count + 1))
    done
  done
done
for compiler in g++ clang++; do
  command -v $compiler > /dev/null || { echo "header: $compiler is missing" >&2; exit 1; }
  for standard in c++11 c++17 c++20; do
    for file in "$folder/alone.c" "$root/Tests/CxxHeader/probe.c"; do
      $compiler -std=$standard $warnings -I "$root/include" -x c++ -c "$file" -o "$folder/out.o"
      count=$((count + 1))
    done
  done
done
echo "header: $count compilations passed"
