#!/bin/bash
# Installs the packages that a cross build of the C library and its tests need; exits with 3 if they cannot be
# installed.
#
#   .ci/cross.sh TARGET
#
# TARGET is one of the targets that bindings/c/targets.sh defines.
#
# The compilers and emulators come from Debian packages. The target's files go into .build/cross/TARGET/root, so the
# system itself needs no packages of another architecture. A build for arm64 needs SQLite and Python, which are
# unpacked; a build for musl needs SQLite, which is compiled from Debian's source.
#
# shellcheck disable=SC2034,SC2154 # root is for targets.sh, which sets others
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
. bindings/c/targets.sh
set_target "${1:?usage: .ci/cross.sh TARGET}"

missing=()
for package in $test_needs; do
  dpkg-query -W -f '${Status}' "$package" 2> /dev/null | grep -q ' installed$' || missing+=("$package")
done
.ci/install.sh ${missing[@]+"${missing[@]}"}

unpacked=$PWD/.build/cross/$target/root
apt=$PWD/.build/cross/$target/apt

# is_there INPUTS: succeeds if the sysroot was made from the given inputs. done_with INPUTS: records the inputs of the
# sysroot.
is_there() { [ "$(cat "$unpacked.made-of" 2> /dev/null)" = "$*" ]; }
done_with() {
  rm -rf "$apt"
  echo "$*" > "$unpacked.made-of"
}

# begin_apt: prepares package lists separate from the system's; apt_get uses these lists, with the options in
# apt_options.
begin_apt() {
  rm -rf "$apt" "$unpacked"
  mkdir -p "$apt/state/lists/partial" "$apt/cache/archives/partial" "$apt/files" "$apt/parts" "$unpacked"
}
apt_get() {
  apt-get -qq -o APT::Sandbox::User=root -o Dir::State="$apt/state" -o Dir::Cache="$apt/cache" "${apt_options[@]}" "$@" >&2
}

case $target in
  aarch64-linux-gnu)
    packages=(libc6 libgcc-s1 libstdc++6 libsqlite3-0 libsqlite3-dev python3.11-minimal python3.11 libpython3.11-minimal
      libpython3.11-stdlib libpython3.11 libpython3.11-dev zlib1g libexpat1 libssl3 libffi8 liblzma5 libbz2-1.0 libuuid1
      libncursesw6 libtinfo6 libreadline8 libdb5.3)
    if is_there "${packages[@]}"; then exit; fi
    echo "fencepost: unpacking Debian's packages for arm64 into .build/cross/$target/root" >&2
    begin_apt
    touch "$apt/status"
    apt_options=(-o APT::Architecture=arm64 -o APT::Architectures=arm64 -o "Dir::State::status=$apt/status")
    apt_get update
    (cd "$apt/files" && apt_get download "${packages[@]}")
    for deb in "$apt"/files/*.deb; do dpkg-deb --extract "$deb" "$unpacked"; done
    done_with "${packages[@]}"
    ;;
  x86_64-linux-musl)
    # The options that SQLite's documentation recommends for embedding. The options also leave out the SQLite features
    # that the store does not use: the store has only one table and simple statements (FencepostStoreCore). SQLite keeps
    # its code for auto-vacuum, because another program may have enabled auto-vacuum in a store. SQLite's parser is
    # generated with the same options as SQLite itself.
    omitted=''
    for feature in LOAD_EXTENSION DEPRECATED SHARED_CACHE ALTERTABLE ANALYZE AUTHORIZATION AUTOINCREMENT \
      AUTOMATIC_INDEX BLOB_LITERAL CAST CHECK COMPILEOPTION_DIAGS COMPLETE COMPOUND_SELECT CTE DATETIME_FUNCS DECLTYPE \
      DESERIALIZE EXPLAIN FOREIGN_KEY GENERATED_COLUMNS GET_TABLE INCRBLOB JSON LIKE_OPTIMIZATION LOCALTIME \
      OR_OPTIMIZATION PROGRESS_CALLBACK REINDEX RETURNING TCL_VARIABLE TRACE TRIGGER UPSERT UTF16 VIEW VIRTUALTABLE \
      WINDOWFUNC XFER_OPT; do
      omitted+=" -DSQLITE_OMIT_$feature"
    done
    options="-Oz -fPIC -fvisibility=hidden -ffunction-sections -fdata-sections -fno-asynchronous-unwind-tables
      -DSQLITE_THREADSAFE=1 -DSQLITE_DQS=0$omitted"
    if is_there "$options"; then exit; fi
    echo "fencepost: compiling SQLite of Debian's source package for musl into .build/cross/$target/root" >&2
    begin_apt
    # Source entries for the repositories that the system uses.
    for list in /etc/apt/sources.list /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list.d/debian.list; do
      [ ! -e "$list" ] || sed 's/^Types:.*/Types: deb-src/; s/^deb /deb-src /' "$list" > "$apt/parts/$(basename "$list")"
    done
    apt_options=(-o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$apt/parts")
    apt_get update
    (cd "$apt/files" && apt_get source --download-only sqlite3 && dpkg-source --no-check -x ./*.dsc source > /dev/null 2>&1)
    mkdir "$apt/files/build" && cd "$apt/files/build"
    { ../source/configure --disable-tcl && make sqlite3.c "OPTS=$omitted"; } > log 2>&1 || {
      tail -n 20 log >&2
      exit 1
    }
    # shellcheck disable=SC2086
    $cc $options -w -c sqlite3.c -o sqlite3.o # it declares functions that are omitted
    mkdir -p "$unpacked/usr/lib" "$unpacked/usr/include"
    ar rcsD "$unpacked/usr/lib/libsqlite3.a" sqlite3.o
    cp sqlite3.h "$unpacked/usr/include"
    # Creates a library to link against, which defines the C library's names without code; its soname is the one that
    # Alpine uses for its C library. Every musl loader accepts this soname as its own, and tools recognise a musl
    # library by it.
    LC_ALL=C nm -D --defined-only /usr/lib/x86_64-linux-musl/libc.so |
      awk '{ printf ".globl %s\n.type %s, %%function\n%s:\n", $3, $3, $3 }' > libc.s
    gcc -shared -nostdlib -Wl,-soname,libc.musl-x86_64.so.1 libc.s -o "$unpacked/usr/lib/libc.so"
    cd "$root"
    done_with "$options"
    ;;
esac
