#!/bin/sh
# Builds an SQL extension from the engine's archive, the core and the host's files.
#
#   [FENCEPOST_LIB=.build/lib] bindings/sql/build.sh sqlite|duckdb|postgresql
#
# The script leaves the extension in .build/sql and prints its path. Run `make .build/stamps/archive` first.
set -eu

host=${1:?usage: build.sh sqlite|duckdb|postgresql}
root=$(cd "$(dirname "$0")/../.." && pwd)
lib=${FENCEPOST_LIB:-$root/.build/lib}
case $lib in /*) ;; *) lib=$PWD/$lib ;; esac
archive=$lib/libfencepost.a
out=$root/.build/sql
# The options below have relative paths, because the name of a folder above may contain a space.
cd "$root"
here=bindings/sql
mkdir -p "$out"
[ -f "$archive" ] || {
  echo "bindings/sql/build.sh: $archive is missing; run make .build/stamps/archive" >&2
  exit 1
}
# As bindings/c/build.sh does, use the versions of glibc's functions that older systems also have.
older=.build/older-glibc
older_options=
cc=${CC:-cc}
if [ -e "$older/remap" ] && command -v swiftc > /dev/null; then
  cc=$(dirname "$(readlink -f "$(command -v swiftc)")")/clang
  older_options="-fuse-ld=lld -Wl,--remap-inputs-file=$older/remap $older/missing.o"
fi
flags="-std=c11 -O2 -fPIC -fvisibility=hidden -Wall -Wextra -Wno-unused-parameter -Werror -Iinclude -I$here/core"

case $host in
  # no_store.c replaces the SQLite functions that the engine calls, so the host's SQLite stays the only one.
  sqlite) file=fencepost.so ;;
  duckdb)
    # Uses the headers of DuckDB's C API 1.2.0, which all later versions support; .ci/duckdb.sh fetches them.
    file=fencepost.duckdb headers=.build/duckdb
    [ -f "$headers/duckdb_extension.h" ] || "$root/.ci/duckdb.sh" "$headers"
    # DuckDB may throw exceptions through the extension's functions.
    flags="$flags -fexceptions -isystem $headers"
    ;;
  postgresql)
    # PostgreSQL has its own build system: see postgresql/Makefile.
    FENCEPOST_LIB=$lib make -s -C "$here/postgresql" >&2
    echo "$out/postgresql/fencepost.so"
    exit
    ;;
  *)
    echo "bindings/sql/build.sh: unknown host $host; must be sqlite, duckdb or postgresql" >&2
    exit 2
    ;;
esac
# shellcheck disable=SC2086
"$cc" $flags -shared -o "$out/$file.new" "$here/$host"/*.c "$here"/core/*.c "$archive" $older_options \
  -Wl,--version-script="$here/$host/extension.map" -Wl,-Bsymbolic -Wl,--gc-sections -Wl,-z,defs -s -lm -lpthread
mv -f "$out/$file.new" "$out/$file"
echo "$out/$file"
