#!/bin/bash
# Builds the published files: the source distribution, and from it the wheel, which includes its libraries.
#
#   bindings/python/dist.sh
#
# Needs .venv with the extra `dist` and the C library; `make wheel` sees to both. Leaves in .build/dist the .tar.gz and
# one .whl, whose tag names the oldest glibc that it works with, and prints their paths.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD
. bindings/c/names.sh
folder=$root/.build/dist
python=$root/.venv/bin/python

rm -rf "$folder" "$folder.new"
mkdir -p "$folder.new"
unset FENCEPOST_ROOT

# The extension and SQLite are linked for the glibc that the library is linked for (build.sh).
older=$root/.build/older-glibc
sqlite=$root/.build/older-sqlite
bindings/c/older-sqlite.sh "$sqlite" "$older"
# By a link, because setuptools splits LDFLAGS at blanks, which a folder above may have in its name.
links=$(mktemp -d)
trap 'rm -rf "$links"' EXIT
ln -s "$older" "$links/older"
export LDFLAGS="-L$links/older ${LDFLAGS:-}"

# The SQL extensions, if both were built: make wheel does.
sql=$root/.build/sql
if [ -f "$sql/fencepost.so" ] && [ -f "$sql/fencepost.duckdb" ]; then export FENCEPOST_SQL=$sql; fi

# The wheel is built from the unpacked source distribution, where nothing of an earlier build lies.
FENCEPOST_LIBRARY=$root/.build/lib/$soname \
  "$python" -m build --outdir "$folder.new/built" bindings/python > "$folder.new/log" 2>&1 || {
  cat "$folder.new/log" >&2
  exit 1
}

# auditwheel looks for patchelf on the path. It includes SQLite, which not every Linux has, under another name, so that
# it does not conflict with another SQLite.
LD_LIBRARY_PATH=$sqlite PATH=$root/.venv/bin:$PATH "$python" -m auditwheel repair --wheel-dir "$folder.new" "$folder.new/built/"*.whl \
  >> "$folder.new/log" 2>&1 || {
  cat "$folder.new/log" >&2
  exit 1
}
mv "$folder.new/built/"*.tar.gz "$folder.new"
rm -rf "$folder.new/built"
mv "$folder.new" "$folder"
ls "$folder/"*.tar.gz "$folder/"*.whl
