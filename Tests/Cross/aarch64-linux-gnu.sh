# This part of run.sh tests arm64: the wheel under Debian's Python for arm64 in an emulator. Sourced by run.sh.
# shellcheck shell=bash disable=SC2154

step "the wheel"
wheel=$(bindings/python/cross.sh)
case $(basename "$wheel") in
  *-cp311-abi3-manylinux_2_17_aarch64.*whl | *-cp311-abi3-manylinux_2_28_aarch64.whl) ;;
  *) fail "auditwheel gives the wheel the name $(basename "$wheel")" ;;
esac
site=$root/.build/cross/$target/site
# With these options, pip installs packages for the target platform and not for this machine. Downloads are cached; only
# our package is installed anew each time.
for_target=(--python-version 3.11 --implementation cp --abi cp311 --abi abi3 --abi none --only-binary=:all:)
for platform in manylinux_2_17_aarch64 manylinux_2_28_aarch64; do for_target+=(--platform "$platform"); done
others='rich numpy pytest hypothesis geographiclib'
if [ "$(cat "$site.made-of" 2> /dev/null)" != "$others" ]; then
  rm -rf "$site"
  # shellcheck disable=SC2086
  .venv/bin/python -m pip install --quiet --target "$site" "${for_target[@]}" $others
  echo "$others" > "$site.made-of"
fi
rm -rf "$site/fencepost" "$site/fencepost.libs" "$site"/fencepost-*
.venv/bin/python -m pip install --quiet --target "$site" --no-deps "${for_target[@]}" "$wheel"

# The programs that the tests start must run in the emulator too.
echo 'import os, sys; sys.executable = os.environ["FENCEPOST_PYTHON"]' > "$site/sitecustomize.py"
cat > "$folder/python" << END
#!/bin/sh
exec env FENCEPOST_PYTHON="$folder/python" PYTHONPATH="$site:$root/Tests/Conformance" PYTHONHOME="$unpacked/usr" PYTHONDONTWRITEBYTECODE=1 \
  qemu-aarch64 -L "$unpacked" "$unpacked/usr/bin/python3.11" "\$@"
END
chmod +x "$folder/python"
[ "$("$folder/python" -c 'import platform, fencepost; print(platform.machine(), fencepost.__version__)')" = "aarch64 $version" ] ||
  fail "the installed package is another"

step "the demo drive"
replay=(-m fencepost replay examples/data/drive.csv --conditions examples/data/places.geojson --sightings examples/data/sightings.jsonl
  --format jsonl)
.venv/bin/python "${replay[@]}" > "$folder/demo-native"
"$folder/python" "${replay[@]}" > "$folder/demo"
[ -s "$folder/demo" ] || fail "the demo gives no event"
cmp "$folder/demo" "$folder/demo-native" || fail "the demo gives other events"

step "conformance"
mkdir "$folder/kept"
find Tests/Conformance -name '*.json' -print0 | sort -z |
  xargs -0 "$folder/python" -m fencepost_conform --store "$folder/kept" > "$folder/conform" 2>&1 ||
  { tail -n 20 "$folder/conform" >&2; fail "conformance"; }

step "the package's core tests"
# The core tests need neither pandas nor pyarrow. The workflow `tests` runs all tests on an arm64 machine.
core='tests/monitor/test_monitor.py tests/monitor/test_store.py'
# shellcheck disable=SC2086
(cd bindings/python && "$folder/python" -m pytest -q -rs -p no:cacheprovider --durations 10 --durations-min 1 $core \
  -k 'not frames and not geopandas and not are_a_table and not while_others_change') >&2 || fail "the package's core tests"
tested=", $(tail -n 1 "$folder/conform"), wheel $(basename "$wheel") and its core tests"
