#!/bin/sh
# Makes a libsqlite3.so.0 of the system's libsqlite3.a that asks for no newer glibc than older-glibc.sh says: the copy of
# SQLite that a wheel carries. It has the options that the system's SQLite was compiled with, since it is the same.
#
#   bindings/c/older-sqlite.sh FOLDER OLDER      OLDER is what older-glibc.sh was given
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
# Its own calls stay its own (-Bsymbolic), also because its objects were not compiled to be replaced at run time.
$cc -shared -Wl,-soname,libsqlite3.so.0 -Wl,-Bsymbolic -Wl,--gc-sections -L"$older" \
  -o "$folder/libsqlite3.so.0" -Wl,--whole-archive "$archive" -Wl,--no-whole-archive "$older/missing.o" \
  -lm -Wl,--no-as-needed -lpthread -ldl
