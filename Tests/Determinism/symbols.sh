#!/bin/sh
# Lists the external functions that the objects of FencepostKernel and FencepostCore use, except Swift's own. Fails if
# one of the external functions is a math function, because decisions may depend only on operations that IEEE 754
# defines exactly. The script also fails if the release build contains the invariant checks that only tests run.
#
#   Tests/Determinism/symbols.sh BUILD-FOLDER
#
# An example of a build folder is .build/tests/debug.
set -eu

build=${1:?usage: symbols.sh <build dir>}
# The functions in `allowed` have exact results by IEEE 754, and the compiler may emit calls to them.
allowed='sqrt floor ceil rint trunc fmod remainder'
forbidden='sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh exp exp2 exp10 expm1 log log2 log10 log1p
  pow fma hypot cbrt sincos tgamma lgamma erf erfc round roundeven nearbyint ldexp scalbn frexp modf fdim fmin fmax
  lround llround lrint llrint logb ilogb nextafter remquo'

status=0
# find_objects MODULE: prints the objects of a module. SwiftPM writes a folder of object files for each module; Embedded
# Swift writes the object Fencepost.o, which contains all modules.
find_objects() { find "$build/" -path "*/$1.build/*.o" -o -name "$1.o" | sort; }
engine='FencepostKernel FencepostCore' rest='FencepostStoreCore FencepostABI'
case $build in *embedded*) engine=Fencepost rest='' ;; esac
for target in $engine; do
  objects=$(find_objects $target)
  if [ -z "$objects" ]; then
    echo "symbols: no objects of $target under $build" >&2
    exit 2
  fi
  # shellcheck disable=SC2086
  undefined=$(nm -u $objects | awk '$1 == "U" || $1 == "w" { sub(/@.*/, "", $2); print $2 }' | sort -u)
  echo "$target:" $(echo "$undefined" | grep -v -e '^\$s' -e '^swift_' -e '^_swift' || true)
  for name in $forbidden; do
    for suffix in '' f l; do
      if echo "$undefined" | grep -qx "$name$suffix"; then
        echo "symbols: $target calls $name$suffix; allowed are: $allowed" >&2
        status=1
      fi
    done
  done
done
# Only the test build checks the invariants that Architecture.md describes.
case $build in
  *release* | *embedded*)
    for target in $engine $rest; do
      objects=$(find_objects $target)
      # shellcheck disable=SC2086
      if nm $objects | grep -qi 'check_\?invariants'; then
        echo "symbols: $target computes invariants, which only the builds of the tests may" >&2
        status=1
      fi
    done
    ;;
esac
exit $status
