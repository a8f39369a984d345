#!/bin/sh
# Fetches the two headers of DuckDB's C extension API, of version 1.2.0, out of the source distribution on PyPI.
#
#   .ci/duckdb.sh FOLDER
set -eu

folder=${1:?usage: .ci/duckdb.sh FOLDER}
python=${PYTHON:-$(cd "$(dirname "$0")/.." && pwd)/.venv/bin/python}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$python" -m pip download --quiet --no-deps --no-binary duckdb --dest "$scratch" duckdb==1.2.0
mkdir -p "$folder"
tar xzf "$scratch"/duckdb-1.2.0.tar.gz -C "$folder" --strip-components=4 duckdb-1.2.0/duckdb_build/src/include/duckdb.h \
  duckdb-1.2.0/duckdb_build/src/include/duckdb_extension.h
