#!/bin/sh
# Compiles the header alone, as C and as C++, under every standard that we promise and with every warning an error.
#
#   Tests/header.sh
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
printf '#include <fencepost.h>\nint fencepost_header_alone(void);\nint fencepost_header_alone(void) { return FENCEPOST_OK; }\n' > "$folder/alone.c"
# Twice, and the initialisers in C.
cat > "$folder/use.c" <<'END'
#include <fencepost.h>
#include <fencepost.h>
fencepost_status use(fencepost_monitor **monitor);
fencepost_status use(fencepost_monitor **monitor) {
  fencepost_monitor_options options = FENCEPOST_MONITOR_OPTIONS_INIT;
  fencepost_monitor_options like_core_location = FENCEPOST_MONITOR_OPTIONS_CORE_LOCATION_INIT;
  fencepost_condition_options condition = FENCEPOST_CONDITION_OPTIONS_INIT;
  fencepost_transition_policy standard = FENCEPOST_TRANSITION_POLICY_STANDARD_INIT;
  fencepost_transition_policy exact = FENCEPOST_TRANSITION_POLICY_EXACT_INIT;
  fencepost_transition_policy core_location = FENCEPOST_TRANSITION_POLICY_CORE_LOCATION_INIT;
  fencepost_statistics statistics = FENCEPOST_STATISTICS_INIT;
  fencepost_explanation explanation = FENCEPOST_EXPLANATION_INIT;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  options.delivery = like_core_location.delivery;
  standard.notify = exact.notify | core_location.notify;
  condition.policy = &standard;
  (void)condition;
  (void)statistics;
  (void)explanation;
  return fencepost_monitor_create(NULL, &options, monitor, &error);
}
END
warnings='-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror'
count=0
for compiler in gcc clang; do
  command -v $compiler > /dev/null || { echo "header: $compiler is missing" >&2; exit 1; }
  for standard in c99 c11 c17; do
    for file in alone use; do
      $compiler -std=$standard $warnings -Wstrict-prototypes -I "$root/include" -c "$folder/$file.c" -o "$folder/out.o"
      count=$((count + 1))
    done
  done
done
for compiler in g++ clang++; do
  command -v $compiler > /dev/null || { echo "header: $compiler is missing" >&2; exit 1; }
  for standard in c++11 c++17 c++20; do
    $compiler -std=$standard $warnings -I "$root/include" -x c++ -c "$folder/alone.c" -o "$folder/out.o"
    $compiler -std=$standard $warnings -I "$root/include" -c "$root/Tests/CxxHeader/probe.cpp" -o "$folder/out.o"
    count=$((count + 2))
  done
done
echo "header: $count compilations passed"
