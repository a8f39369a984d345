#!/bin/sh
# Fetches from PyPI what building and testing the DuckDB extension needs.
#
# - `.ci/duckdb.sh FOLDER` fetches the two headers of DuckDB's C extension API 1.2.0 from the source distribution.
# - `.ci/duckdb.sh FOLDER VERSION` installs the given version of DuckDB's Python package into FOLDER.
set -eu

folder=${1:?usage: .ci/duckdb.sh FOLDER [VERSION]}
python=${PYTHON:-$(cd "$(dirname "$0")/.." && pwd)/.venv/bin/python}
if [ $# = 2 ]; then
  [ -d "$folder/duckdb" ] || "$python" -m pip install --quiet --no-deps --target "$folder" "duckdb==$2"
  exit
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$python" -m pip download --quiet --no-deps --no-binary duckdb --dest "$scratch" duckdb==1.2.0
mkdir -p "$folder"
tar xzf "$scratch"/duckdb-1.2.0.tar.gz -C "$folder" --strip-components=4 duckdb-1.2.0/duckdb_build/src/include/duckdb.h \
  duckdb-1.2.0/duckdb_build/src/include/duckdb_extension.h
