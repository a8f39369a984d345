#!/bin/bash
# Installs the Python package as a new user would, by `pip install ./bindings/python` with nothing prepared, and uses it
# without Swift on the path. Also links the C library, its archive and an extension in a folder whose name contains a
# space.
#
#   Tests/Packaging/package.sh
#
# Takes the build requirements and dependencies from the package index, as pip does.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD
. bindings/c/names.sh
folder=$root/.build/package
rm -rf "$folder"
mkdir -p "$folder/elsewhere"
unset FENCEPOST_LIBRARY FENCEPOST_ROOT PYTHONPATH PYTHONHOME
"$(tail -n 1 .build/stamps/system)" -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check ./bindings/python

# The folder is a symbolic link to this tree, so the objects are not compiled again.
ln -s "$root" "$folder/with a blank"
export FENCEPOST_LIB="$folder/a lib"
for script in c/build.sh c/archive.sh 'sql/build.sh sqlite'; do
  # shellcheck disable=SC2086
  (cd / && LANG=C "$folder/with a blank/bindings/"$script) > "$folder/log" 2>&1 || {
    cat "$folder/log" >&2
    echo "package: bindings/$script fails in a folder with a blank in its name" >&2
    exit 1
  }
done
unset FENCEPOST_LIB
cmp "$folder/a lib/$soname" ".build/lib/$soname"

cat > "$folder/elsewhere/track.csv" << 'END_OF_TRACK'
time,latitude,longitude
0,0,1
10,0,0
END_OF_TRACK
cat > "$folder/elsewhere/conditions.geojson" << 'END_OF_CONDITIONS'
{"type": "FeatureCollection", "features": [{"type": "Feature", "geometry": {"type": "Point", "coordinates": [0, 0]},
  "properties": {"identifier": "origin", "radius": 100, "policy": "exact"}}]}
END_OF_CONDITIONS

# The remaining commands run in another folder, with only the virtual environment on the path.
alone() { (cd "$folder/elsewhere" && env -i PATH="$folder/venv/bin" HOME="$folder/elsewhere" "$@"); }
fail() {
  echo "package: $*" >&2
  exit 1
}
if alone "$BASH" -c 'command -v swift' > /dev/null; then fail "swift is on the path of the test"; fi
version=$(alone fencepost --version) || fail "fencepost --version failed"
imported=$(alone python -c 'import fencepost; print("fencepost", fencepost.__version__, fencepost.__file__)') ||
  fail "the package cannot be imported"
case $imported in
  "$version $folder/venv/"*) ;;
  *) fail "imported is $imported, installed is $version in $folder/venv" ;;
esac
states=$(alone fencepost replay track.csv --conditions conditions.geojson --format jsonl) || fail "the replay failed"
[ "$(grep -o '"state":"[a-z]*"' <<< "$states" | tr '\n' ' ')" = '"state":"unsatisfied" "state":"satisfied" ' ] ||
  fail "the replay gives $states"
# Follows bindings/site/start.md: adds an extra to the installed package, and uses it.
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'fencepost[cli,report]'
alone fencepost replay track.csv --conditions conditions.geojson --report page.html > /dev/null ||
  fail "no report after pip install 'fencepost[cli,report]'"
[ -s "$folder/elsewhere/page.html" ] || fail "the report is empty"
echo "package: $version installed from its folder works without Swift"
