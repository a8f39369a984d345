#!/bin/sh
# Makes libsqlite3.so.0, which a wheel contains, from the system's libsqlite3.a. The new library uses no functions of
# glibc versions newer than older-glibc.sh allows. Its compile options are those of the system's shared SQLite library,
# because the system builds both libraries from the same code.
#
#   bindings/c/older-sqlite.sh FOLDER OLDER
#
# OLDER is the folder that older-glibc.sh wrote.
set -eu

folder=$1
older=$2
cc=${CC:-cc}
archive=$($cc -print-file-name=libsqlite3.a)

[ -f "$archive" ] || {
  echo "bindings/c/older-sqlite.sh: libsqlite3.a is needed (Debian: libsqlite3-dev, Fedora: sqlite-devel)" >&2
  exit 1
}
mkdir -p "$folder"
# Links with -Bsymbolic, so that calls within SQLite are not redirected to another library at run time; SQLite's objects
# were compiled without support for such redirection.
$cc -shared -Wl,-soname,libsqlite3.so.0 -Wl,-Bsymbolic -Wl,--gc-sections -L"$older" \
  -o "$folder/libsqlite3.so.0" -Wl,--whole-archive "$archive" -Wl,--no-whole-archive "$older/missing.o" \
  -lm -Wl,--no-as-needed -lpthread -ldl
