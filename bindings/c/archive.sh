#!/bin/sh
# Makes the static archive libfencepost.a in FENCEPOST_LIB, for programs that a plain `cc` links. Run
# bindings/c/build.sh first with the same settings; that script describes the settings.
#
#   [FENCEPOST_RUNTIME=full|embedded] [FENCEPOST_TARGET=] [FENCEPOST_STORE=none] [FENCEPOST_OPTIMIZE=size] \
#     [FENCEPOST_LIB=] bindings/c/archive.sh
#
# The archive contains one relocatable object, which combines the library's objects. In the full build, the object also
# contains Swift's start object and the needed members of Swift's static runtime. All symbols except the functions of
# the header are local, so they cannot clash with another library or another Swift runtime in the program.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
. "$root/bindings/c/names.sh"
lib=${FENCEPOST_LIB:-$default_lib}
case $lib in /*) ;; *) lib=$PWD/$lib ;; esac
cd "$root"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

if [ "$runtime" = embedded ]; then
  # The objects are compiled again only if a source has changed. The linker drops unused sections here, so that programs
  # that link the archive need not pass --gc-sections.
  objects=$("$root/bindings/c/embedded.sh" "$target")
  kept=$(sed -n 's/^ *\(fencepost_[a-z0-9_]*\);.*/-u \1/p' "$root/bindings/c/fencepost.map")
  # If SQLite is not a system library, put it into the archive.
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

  # Lists the Swift libraries that the objects name; libdispatch is part of Swift's runtime.
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

  # Resolving the section groups makes their names local. If a group's name were global, a program's linker could
  # discard this library's group in favour of a group with the same name in another library. References from this
  # library to the discarded group would then be undefined.
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
