#!/bin/sh
# Builds an SQL extension: the engine's archive, the core and the files of the host.
#
#   [FENCEPOST_LIB=.build/lib] bindings/sql/build.sh sqlite
#
# Leaves it in .build/sql and prints its path. `make .build/stamps/archive` must have run.
set -eu

host=${1:?usage: build.sh sqlite}
root=$(cd "$(dirname "$0")/../.." && pwd)
here=$root/bindings/sql
archive=${FENCEPOST_LIB:-$root/.build/lib}/libfencepost.a
out=$root/.build/sql
mkdir -p "$out"
[ -f "$archive" ] || {
  echo "bindings/sql/build.sh: $archive is missing; run make .build/stamps/archive" >&2
  exit 1
}
flags="-std=c11 -O2 -fPIC -fvisibility=hidden -Wall -Wextra -Wno-unused-parameter -Werror -I$root/include -I$here/core"

case $host in
  sqlite)
    # The engine's calls of SQLite are answered by no_store.c: the host's SQLite stays the only one.
    # shellcheck disable=SC2086
    ${CC:-cc} $flags -shared -o "$out/fencepost.so.new" "$here"/sqlite/*.c "$here"/core/*.c "$archive" \
      -Wl,--version-script="$here/sqlite/extension.map" -Wl,-Bsymbolic -Wl,--gc-sections -Wl,-z,defs -s -lm -lpthread
    ;;
  *)
    echo "bindings/sql/build.sh: no host $host; accepted is sqlite" >&2
    exit 2
    ;;
esac
mv -f "$out/fencepost.so.new" "$out/fencepost.so"
echo "$out/fencepost.so"
