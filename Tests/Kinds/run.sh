#!/bin/bash
# Shows that a new kind of condition cannot be forgotten: with one more case in `ConditionKind`, in `Definition.Subject`
# and in `Shape`, each place that distinguishes the kinds must fail to compile. Works in a copy of Sources.
#
#   Tests/Kinds/run.sh
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD
work=$root/.build/kinds
rm -rf "$work"
mkdir -p "$work/modules"
cp -R Sources "$work/Sources"
cd "$work"

# add FILE CASE ADDITION: adds a case below the last line that contains CASE.
add() {
  local line
  line=$(grep -n -- "$2" "Sources/$1" | tail -n 1 | cut -d : -f 1)
  [ -n "$line" ] || { echo "kinds: Sources/$1 has no line with: $2" >&2; exit 2; }
  sed -i "${line}a $3" "Sources/$1"
}
add FencepostCore/Conditions/Condition.swift '^  case [a-zA-Z]* = [0-9]*$' '  case further = 99'
add FencepostCore/Conditions/Definition.swift '^    case corridor(GeodesicShape)$' '    case further(CircularGeographicCondition)'
add FencepostCore/Shapes/Shape.swift '^  case [a-zA-Z]*(.*)$' '  case further(Circle)'

options=(-swift-version 6 -package-name fencepost -parse-as-library -I "$work/modules" -I "$root/include" -I Sources/CPlatform/include -I Sources/CPosix -I Sources/CSQLite
  -enable-upcoming-feature InternalImportsByDefault -enable-upcoming-feature MemberImportVisibility
  -enable-upcoming-feature ExistentialAny -D FENCEPOST_INVARIANTS)
# Compiles a module without the bodies of its functions, for the modules that import it.
module() {
  find "Sources/$1" -name '*.swift' -print0 | sort -z | xargs -0 swiftc "${options[@]}" -module-name "$1" \
    -emit-module -emit-module-path "modules/$1.swiftmodule" -Xfrontend -experimental-skip-non-inlinable-function-bodies
}
errors() {
  find "Sources/$1" -name '*.swift' -print0 | sort -z | xargs -0 swiftc "${options[@]}" -module-name "$1" -wmo -typecheck \
    > "$1.log" 2>&1 && { echo "kinds: $1 compiles with a kind that it does not know" >&2; exit 1; }
  grep -E '^[^ ].*\.swift:[0-9]+:[0-9]+: error: ' "$1.log" | sed "s|^$work/||" | sort -u
}
module FencepostKernel
module FencepostCore
module FencepostStoreCore
errors FencepostCore > errors.txt
errors Fencepost >> errors.txt
errors FencepostABI >> errors.txt
if grep -v ': error: switch must be exhaustive' errors.txt; then
  echo "kinds: something else is wrong in the copy" >&2
  exit 2
fi

# Lists where each error is: the file, and the function or property around it.
while IFS=: read -r file line _; do
  around=$(head -n "$line" "$file" | grep -oE '\b(func [a-zA-Z]+|var [a-zA-Z]+:|init[(?])' | tail -n 1 | tr -d ':(?')
  echo "${file#Sources/} ${around##* }"
done < errors.txt | sort -u > found.txt

status=0
while read -r file around what; do
  case $file in '' | '#'*) continue ;; esac
  if ! grep -qx "$file $around" found.txt; then
    echo "kinds: $around in $file compiles with a kind that it does not know: $what" >&2
    status=1
  fi
done < "$root/Tests/Kinds/places.txt"
if grep -rnE '(==|!=) *\.(circularGeographic|beaconIdentity|polygonalGeographic|corridorGeographic|lineGeographic)' "$root/Sources"; then
  echo "kinds: a comparison with one kind says nothing of the others: ask the kind, or switch" >&2
  status=1
fi
[ $status = 0 ] && echo "kinds: $(wc -l < found.txt) places must answer for a further kind"
exit $status
