#!/bin/bash
# Builds the published files: the source distribution, and from it the wheel, which includes the libraries.
#
#   bindings/python/dist.sh
#
# Needs .venv with the `dist` extra and the C library; `make wheel` provides both. Writes the .tar.gz and one .whl to
# .build/dist and prints their paths; the wheel's tag names the oldest glibc that the wheel works with.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD
. bindings/c/names.sh
folder=$root/.build/dist
python=$root/.venv/bin/python

rm -rf "$folder" "$folder.new"
mkdir -p "$folder.new"
unset FENCEPOST_ROOT

# The extension and SQLite are linked against the same version of glibc as the library (see build.sh).
older=$root/.build/older-glibc
sqlite=$root/.build/older-sqlite
bindings/c/older-sqlite.sh "$sqlite" "$older"
# LDFLAGS names the folder through a link, because setuptools splits LDFLAGS at spaces, and the folder's own path may
# contain spaces.
links=$(mktemp -d)
trap 'rm -rf "$links"' EXIT
ln -s "$older" "$links/older"
export LDFLAGS="-L$links/older ${LDFLAGS:-}"

# Includes the SQL extensions if both were built, which `make wheel` does.
sql=$root/.build/sql
if [ -f "$sql/fencepost.so" ] && [ -f "$sql/fencepost.duckdb" ]; then export FENCEPOST_SQL=$sql; fi

# The wheel is built from the unpacked source distribution, which contains no files of an earlier build.
FENCEPOST_LIBRARY=$root/.build/lib/$soname \
  "$python" -m build --outdir "$folder.new/built" bindings/python > "$folder.new/log" 2>&1 || {
  cat "$folder.new/log" >&2
  exit 1
}

# auditwheel searches for patchelf on the path. auditwheel adds SQLite to the wheel, because some Linux systems lack it,
# and renames it, so that it does not conflict with another SQLite.
LD_LIBRARY_PATH=$sqlite PATH=$root/.venv/bin:$PATH "$python" -m auditwheel repair --wheel-dir "$folder.new" "$folder.new/built/"*.whl \
  >> "$folder.new/log" 2>&1 || {
  cat "$folder.new/log" >&2
  exit 1
}
mv "$folder.new/built/"*.tar.gz "$folder.new"
rm -rf "$folder.new/built"
mv "$folder.new" "$folder"
ls "$folder/"*.tar.gz "$folder/"*.whl
