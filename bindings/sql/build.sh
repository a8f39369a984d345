#!/bin/sh
# Builds an SQL extension: the engine's archive, the core and the files of the host.
#
#   [FENCEPOST_LIB=.build/lib] bindings/sql/build.sh sqlite|duckdb|postgresql
#
# Leaves it in .build/sql and prints its path. `make .build/stamps/archive` must have run.
set -eu

host=${1:?usage: build.sh sqlite|duckdb|postgresql}
root=$(cd "$(dirname "$0")/../.." && pwd)
here=$root/bindings/sql
archive=${FENCEPOST_LIB:-$root/.build/lib}/libfencepost.a
out=$root/.build/sql
mkdir -p "$out"
[ -f "$archive" ] || {
  echo "bindings/sql/build.sh: $archive is missing; run make .build/stamps/archive" >&2
  exit 1
}
# As bindings/c/build.sh: the versions of glibc's functions that older systems have too.
older=$root/.build/older-glibc
older_options=
cc=${CC:-cc}
if [ -e "$older/remap" ] && command -v swiftc > /dev/null; then
  cc=$(dirname "$(readlink -f "$(command -v swiftc)")")/clang
  older_options="-fuse-ld=lld -Wl,--remap-inputs-file=$older/remap $older/missing.o"
fi
flags="-std=c11 -O2 -fPIC -fvisibility=hidden -Wall -Wextra -Wno-unused-parameter -Werror -I$root/include -I$here/core"

case $host in
  sqlite)
    # The engine's calls of SQLite are answered by no_store.c: the host's SQLite stays the only one.
    # shellcheck disable=SC2086
    "$cc" $flags -shared -o "$out/fencepost.so.new" "$here"/sqlite/*.c "$here"/core/*.c "$archive" $older_options \
      -Wl,--version-script="$here/sqlite/extension.map" -Wl,-Bsymbolic -Wl,--gc-sections -Wl,-z,defs -s -lm -lpthread
    ;;
  duckdb)
    # The headers of DuckDB's C API, of 1.2.0, which every later version serves: .ci/duckdb.sh fetches them.
    headers=$root/.build/duckdb
    [ -f "$headers/duckdb_extension.h" ] || "$root/.ci/duckdb.sh" "$headers"
    # shellcheck disable=SC2086
    "$cc" $flags -isystem "$headers" -shared -o "$out/fencepost.duckdb.new" "$here"/duckdb/*.c "$here"/core/*.c \
      "$archive" $older_options -Wl,--version-script="$here/duckdb/extension.map" -Wl,-Bsymbolic -Wl,--gc-sections -Wl,-z,defs -s -lm \
      -lpthread
    mv -f "$out/fencepost.duckdb.new" "$out/fencepost.duckdb"
    echo "$out/fencepost.duckdb"
    exit
    ;;
  postgresql)
    pg_config=${PG_CONFIG:-pg_config}
    # shellcheck disable=SC2046,SC2086
    ${CC:-cc} $(echo $flags | sed 's/-std=c11/-std=gnu11/; s/-Wextra//; s/-fvisibility=hidden//') -Wno-declaration-after-statement \
      -isystem "$("$pg_config" --includedir-server)" -shared -o "$out/fencepost_pg.so.new" "$here"/postgresql/*.c \
      "$here"/core/*.c "$archive" -Wl,--version-script="$here/postgresql/extension.map" -Wl,-Bsymbolic \
      -Wl,--gc-sections -s -lm -lpthread
    mv -f "$out/fencepost_pg.so.new" "$out/fencepost_pg.so"
    echo "$out/fencepost_pg.so"
    exit
    ;;
  *)
    echo "bindings/sql/build.sh: no host $host; accepted are sqlite, duckdb and postgresql" >&2
    exit 2
    ;;
esac
mv -f "$out/fencepost.so.new" "$out/fencepost.so"
echo "$out/fencepost.so"
