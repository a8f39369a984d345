#!/bin/bash
# Makes sure that the machine has what the builds and tests need: a C and C++ compiler, binutils, clang, SQLite, CMake,
# strace, pkg-config, Doxygen, git, Python 3.11 or later with headers and venv. Installs missing packages if run as root
# on Debian or a derivative; otherwise prints their names. Swift 6.3 has no Debian package and must be installed
# already. The last line of output is the path of the Python to use.
set -euo pipefail

# Selects the first Python that can create a virtual environment and compile an extension.
find_python() {
  local candidate path
  for candidate in python3 python3.11 python3.12 python3.13 python3.14 /usr/bin/python3 /usr/bin/python3.11; do
    path=$(command -v "$candidate") || continue
    "$path" - 2> /dev/null << 'END' && return 0
import os, sys, sysconfig
import ensurepip, venv
assert sys.version_info >= (3, 11)
assert os.path.exists(os.path.join(sysconfig.get_paths()["include"], "Python.h"))
print(os.path.realpath(sys.executable))
END
  done
  return 1
}

# Prints the missing packages, one per line.
missing() {
  command -v gcc > /dev/null || echo gcc
  command -v g++ > /dev/null || echo g++
  command -v strip > /dev/null && command -v readelf > /dev/null && command -v nm > /dev/null || echo binutils
  command -v clang > /dev/null && command -v clang++ > /dev/null || echo clang
  for tool in cmake doxygen git pkg-config strace; do command -v $tool > /dev/null || echo $tool; done
  if command -v gcc > /dev/null; then
    printf '#include <stdio.h>\n' | gcc -fsyntax-only -x c - 2> /dev/null || echo libc6-dev
    printf '#include <sqlite3.h>\n' | gcc -fsyntax-only -x c - 2> /dev/null || echo libsqlite3-dev
  fi
  find_python > /dev/null || printf 'python3\npython3-dev\npython3-venv\n'
}

command -v swift > /dev/null || {
  echo "fencepost: swift is not on the path; install Swift 6.3 (https://www.swift.org/install) and put its usr/bin there" >&2
  exit 1
}

packages=$(missing | sort -u)
if [ -n "$packages" ]; then
  # shellcheck disable=SC2086
  "$(dirname "$0")/install.sh" $packages
  hash -r
  packages=$(missing | sort -u | tr '\n' ' ')
  if [ -n "$packages" ]; then
    echo "fencepost: these packages are installed and yet missing: $packages" >&2
    exit 1
  fi
fi
find_python
