#!/bin/bash
# Tests the effects of the library on its host: see Tests/HostSafety/host_calls.c. The program host_calls checks
# signals, environment, locale and fork() from inside the process. For the release library and for `import fencepost`, a
# trace (strace) shows the threads, the files and all other system calls. The symbols show which functions our objects
# can call.
#
#   Tests/HostSafety/run.sh
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD
. bindings/c/names.sh
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0

complain() {
  echo "host safety: $1" >&2
  failed=1
}

# nothing TRACE WHAT PATTERN: fails if a line of the trace matches PATTERN.
nothing() {
  if grep -E "$3" "$1" > "$folder/found"; then
    complain "$2:"
    head -n 5 "$folder/found" >&2
  fi
}

# part FROM TO TRACE: prints the lines between two marks.
part() { sed -n "/write(1, \"$1\\\\n\"/,/write(1, \"$2\\\\n\"/p" "$3" | sed 's/^[0-9]* *//' | { grep -v '^write(1, ' || true; }; }

# The programs of this test call every function of the header, including those of stores.
for name in $(sed -n 's/^ *DO(\(fencepost_[a-z_]*\)).*/\1/p' <(tr ' ' '\n' < Tests/HostSafety/host.h)); do
  grep -q "[.(]$name(" Tests/HostSafety/host_calls.c Tests/HostSafety/host_fleets.c || complain "$name is not called"
done
for name in $(sed -n 's/.*\b\(fencepost_[a-z_0-9]*\)(.*/\1/p' <(grep FENCEPOST_API -A1 include/fencepost.h | grep -v '^ \*')); do
  grep -q "DO($name)" Tests/HostSafety/host.h || complain "$name is not in host.h"
done

library=$PWD/.build/lib/$soname
gcc -std=gnu11 -O1 -Wall -Wextra -Werror -rdynamic -Iinclude Tests/HostSafety/host_calls.c Tests/HostSafety/host_fleets.c -o "$folder/host" -ldl -lpthread
LC_ALL=C "$folder/host" "$library" > "$folder/marks" || complain "host_calls failed"
[ "$(tr '\n' ' ' < "$folder/marks")" = 'load use fork end ' ] || complain "host_calls did not get to its end"
echo "host safety: signals, environment, locale and fork() are as stated"

# Checks floating-point exceptions that the host has turned into signals, and the stack sizes that the header states.
gcc -std=gnu11 -O1 -Wall -Wextra -Werror -Iinclude Tests/HostSafety/host_limits.c Tests/HostSafety/host_fleets.c -o "$folder/limits" "$library" \
  -Wl,-rpath,"$PWD/.build/lib" -lm -lpthread
mkdir "$folder/store"
"$folder/limits" examples/data/drive.csv "$folder/store" > "$folder/marks" || complain "host_limits died"
[ "$(tr '\n' ' ' < "$folder/marks")" = 'stack exceptions ' ] || complain "host_limits did not get to its end"
echo "host safety: small stacks suffice, and no call raises a floating-point exception but inexact and underflow"

# The engine and the C interface use only memory, the futex system call of their lock, and exact arithmetic; they need
# nothing else from outside.
#
# look_at MODULE FOLDER FILES: looks at the functions that the objects of a module call. FILES is a pattern of functions
# for files that they must not call.
look_at() {
  local objects
  objects=$(find "$2/" -path "*/$1.build/*.o" -o -name "$1.o" | sort)
  [ -n "$objects" ] || complain "no objects of $1 under $2"
  # shellcheck disable=SC2086
  nm -u $objects | awk '$1 == "U" || $1 == "w" { sub(/@.*/, "", $2); print $2 }' | sort -u |
    grep -v -E '^(\$s|swift_|_swift|__swift)' > "$folder/symbols" || true
  nothing "$folder/symbols" "$1 calls what a library has no business with" \
    "^(.*env|.*locale.*|localeconv|nl_langinfo.*|pthread_create|thrd_create|clone3?|fork|vfork|posix_spawn.*|exec.*|sigaction|signal|sigprocmask|pthread_sigmask|$3|socket|connect|time|gettimeofday|clock_gettime|exit|_exit|rand.*|dlopen)\$"
}
files='open(at)?(64)?|fopen(64)?|creat(64)?|unlink.*|rename.*'
if [ "$runtime" = embedded ]; then
  # The only object also contains the store, which opens files. The objects of the tests' build show that the engine
  # opens none.
  look_at Fencepost "$objects_folder" creat
  engine=.build/tests/debug
else
  look_at FencepostABI "$objects_folder" "$files"
  engine=$objects_folder
fi
for module in FencepostKernel FencepostCore; do look_at $module "$engine" "$files"; done
echo "host safety: the objects call nothing of environment, locale, threads, signals, files, network, clocks"

if ! strace -f -o "$folder/try" true 2> "$folder/errors"; then
  echo "host safety: SKIPPED the traces: strace cannot trace here: $(head -n 1 "$folder/errors")"
  exit $failed
fi

never='^(clone3?|v?fork|execve|socket|connect|bind|kill|tgkill|setrlimit|prctl|umask|chdir|setpriority|rt_sigprocmask|sigaltstack|timer_create|setitimer|alarm)\('
strace -f -o "$folder/trace" "$folder/host" "$library" > "$folder/marks" || complain "host_calls failed under strace"
part load use "$folder/trace" > "$folder/load"
part use fork "$folder/trace" > "$folder/use"
[ -s "$folder/load" ] || complain "the trace shows no loading"
nothing "$folder/load" "loading does what it must not" "$never"
nothing "$folder/load" "loading sets a signal handler" '^rt_sigaction\([A-Z0-9_]+, \{'
nothing "$folder/load" "loading opens a file for writing" '^open(at)?\(.*(O_WRONLY|O_RDWR|O_CREAT)'
grep -E '^open(at)?\(' "$folder/load" | grep -v -E '"([^"]*\.so[.0-9]*|/etc/ld\.so\.cache|/proc/self/maps|/sys/devices/system/cpu/[a-z]+)"' \
  > "$folder/opened" || true
nothing "$folder/opened" "loading opens a file that is neither a library nor what the Swift runtime looks at" .
# While the library is used, it makes system calls only for memory, its lock, and random numbers (of the C++ library).
grep -v -E '^(brk|mmap|munmap|mremap|mprotect|madvise|futex|gettid|getrandom|sched_yield)\(' "$folder/use" > "$folder/other" || true
nothing "$folder/other" "using the library makes other system calls" .
nothing "$folder/use" "using the library maps a file" '^mmap\(.*, [0-9]+, (0x)?[0-9a-f]+\) ='
echo "host safety: traced: no thread, no file, no other system call in use"

if [ -x .venv/bin/python ]; then
  strace -f -o "$folder/trace" .venv/bin/python -B -c '
import os
os.write(1, b"load\n")
from fencepost import Monitor  # what the package loads, it loads here
Monitor().advance(0)
os.write(1, b"use\n")
Monitor().advance(0)
os.write(1, b"end\n")' > "$folder/marks" || complain "import fencepost failed under strace"
  part load use "$folder/trace" > "$folder/load"
  part use end "$folder/trace" > "$folder/use"
  [ -s "$folder/load" ] || complain "the trace shows no import"
  nothing "$folder/load" "import fencepost does what it must not" "$never"
  nothing "$folder/load" "import fencepost sets a signal handler" '^rt_sigaction\([A-Z0-9_]+, \{'
  nothing "$folder/load" "import fencepost opens a file for writing" '^open(at)?\(.*(O_WRONLY|O_RDWR|O_CREAT)'
  nothing "$folder/use" "a Python monitor does what it must not" "$never|^open|^rt_sigaction"
  echo "host safety: traced: import fencepost starts no thread, sets no handler, writes no file"
fi
exit $failed
