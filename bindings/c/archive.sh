#!/bin/sh
# Makes the static archive that a plain `cc` links: libfencepost.a in FENCEPOST_LIB. bindings/c/build.sh must have
# run with the same settings, which it describes.
#
#   [FENCEPOST_RUNTIME=full|embedded] [FENCEPOST_TARGET=] [FENCEPOST_STORE=none] [FENCEPOST_LIB=] bindings/c/archive.sh
#
# The archive holds one relocatable object: the library's objects and, in the full build, Swift's start object and the
# members of Swift's static runtime that they need. Everything but the functions of the header is made local, so that
# nothing of it meets another library or another Swift runtime of the program.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
. "$root/bindings/c/names.sh"
lib=${FENCEPOST_LIB:-$default_lib}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

if [ "$runtime" = embedded ]; then
  # Built already, unless a source has changed. Sections nobody calls are left out here: a linker of the program's would
  # have to be told to.
  objects=$("$root/bindings/c/embedded.sh" "$target")
  kept=$(sed -n 's/^ *\(fencepost_[a-z0-9_]*\);.*/-u \1/p' "$root/bindings/c/fencepost.map")
  # Where SQLite is not a library of the system it is inside.
  case $store/$libraries in sqlite/*sqlite3* | none/*) inside= ;; *) inside="$link_options -lsqlite3" ;; esac
  # shellcheck disable=SC2086
  "${tools}ld" -r --gc-sections --force-group-allocation $kept -o "$folder/fencepost.o" $objects $inside
else
  objects=$root/.build/release-lib/release/fencepost-c.product/Objects.LinkFileList
  [ -f "$objects" ] || {
    echo "bindings/c/archive.sh: run bindings/c/build.sh first" >&2
    exit 1
  }
  swift_runtime=$(swiftc -print-target-info -static-stdlib | sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p')/linux
  [ -f "$swift_runtime/libswiftCore.a" ] || {
    echo "bindings/c/archive.sh: the toolchain has no static runtime in $swift_runtime" >&2
    exit 1
  }

  # The libraries that the objects name, as far as they are Swift's; libdispatch is the runtime's own.
  xargs -a "$objects" swift-autolink-extract -o "$folder/linked"
  set -- "$swift_runtime/libdispatch.a" "$swift_runtime/libBlocksRuntime.a"
  for library in $(sed -n 's/^-l//p' "$folder/linked" | sort -u); do
    if [ -f "$swift_runtime/lib$library.a" ]; then
      set -- "$@" "$swift_runtime/lib$library.a"
    else
      case " $(echo $system_libraries) util " in
        *" $library "*) ;;
        *)
          echo "bindings/c/archive.sh: the objects need -l$library; add it to bindings/c/names.sh" >&2
          exit 1
          ;;
      esac
    fi
  done

  # Groups are resolved here: once their names are local, the linker of the program could take another's group for ours
  # and leave our references dangling.
  ld -r --force-group-allocation -o "$folder/fencepost.o" "@$objects" "$swift_runtime/$(uname -m)/swiftrt.o" \
    --start-group "$@" --end-group
fi

sed -n 's/^ *\(fencepost_[a-z0-9_]*\);.*/\1/p' "$root/bindings/c/fencepost.map" > "$folder/exports"
"${tools}objcopy" --strip-debug --keep-global-symbols="$folder/exports" --remove-section=.swift1_autolink_entries \
  "$folder/fencepost.o"
"${tools}strip" --strip-unneeded "$folder/fencepost.o"

mkdir -p "$lib"
"${tools}ar" rcsD "$folder/libfencepost.a" "$folder/fencepost.o"
mv -f "$folder/libfencepost.a" "$lib/libfencepost.a"
echo "$lib/libfencepost.a"
