#!/bin/bash
# Installs the C library into temporary prefixes, one with a space in its name, and uses it as an outside user would.
# Builds and runs examples/c and examples/cpp with GCC and Clang: through pkg-config, through CMake, and with the static
# archive. Runs the C cases against the shared and the static library, follows bindings/c/README.md word for word, and
# uninstalls everything again.
#
# Needs the files that `make setup-test` builds.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD
. bindings/c/names.sh
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
unset PKG_CONFIG_PATH PKG_CONFIG_LIBDIR LD_LIBRARY_PATH CMAKE_PREFIX_PATH DESTDIR LIBDIR INCLUDEDIR CC CXX CFLAGS LDFLAGS
count=0

fail() {
  echo "install: $*" >&2
  exit 1
}

# same WHAT EXPECTED ACTUAL: compares the contents of two files.
same() {
  diff -u "$2" "$3" || fail "$1"
  count=$((count + 1))
}

# run NAME PROGRAM EXPECTED: runs an example with the arguments in its .args file, if it has one, and compares the
# output with the expected file.
run() {
  local arguments=() stem=${3%.expected}
  if [ -f "$stem.args" ]; then read -r -a arguments < "$stem.args"; fi
  "$2" ${arguments[@]+"${arguments[@]}"} > "$folder/output" 2> "$folder/errors" || {
    cat "$folder/errors" >&2
    fail "$1 ended with a failure"
  }
  same "$1 prints something else" "$3" "$folder/output"
}

strict='-O1 -Wall -Wextra -Wpedantic -Werror'

# through_pkg_config PREFIX EXAMPLE...: builds the examples with both compilers, each time in three ways: linked to the
# shared library, linked to the archive, and fully static.
through_pkg_config() {
  local shared static archive compiler source
  export PKG_CONFIG_PATH="$1/lib/pkgconfig"
  shared=$(pkg-config --cflags --libs "fencepost >= 0.2")
  static="-static $(pkg-config --static --cflags --libs fencepost)"
  # Links the archive into a program whose other libraries are dynamic.
  archive=$(pkg-config --cflags --libs fencepost-static)
  local prefix=$1
  shift
  for source in "$@"; do
    case $source in
      *.c) compilers='gcc clang' standard=c11 ;;
      *) compilers='g++ clang++' standard=c++17 ;;
    esac
    for compiler in $compilers; do
      # pkg-config quotes its output for a shell, hence eval.
      eval "$compiler -std=$standard $strict $source -pthread $shared -o $folder/program"
      LD_LIBRARY_PATH="$prefix/lib" run "$source ($compiler, pkg-config)" "$folder/program" "${source%.*}.expected"
      if readelf -d "$folder/program" | grep -q 'R.*PATH'; then fail "pkg-config gives a run path"; fi
      eval "$compiler -std=$standard $strict $source -pthread $archive -o $folder/program"
      if readelf -d "$folder/program" | grep -q 'NEEDED.*fencepost'; then fail "$source is not static"; fi
      run "$source ($compiler, archive)" "$folder/program" "${source%.*}.expected"
    done
    # glibc warns that a static program cannot load modules; none of these programs loads a module.
    eval "$compiler -std=$standard -w $source -pthread $static -o $folder/program" 2> /dev/null
    run "$source ($compiler, -static)" "$folder/program" "${source%.*}.expected"
  done
  unset PKG_CONFIG_PATH
}

# Links with each linker that a distribution may use by default, also with --gc-sections and with the options that
# Debian enables.
through_linkers() {
  local linker options
  for linker in 'gcc -fuse-ld=bfd' 'gcc -fuse-ld=gold' 'clang -fuse-ld=lld'; do
    for options in '' '-Wl,--gc-sections' '-pie -Wl,-z,relro,-z,now,-z,defs'; do
      # shellcheck disable=SC2086,SC2046
      $linker -fPIE $options -I"$1/include" examples/c/quickstart.c "$1/lib/libfencepost.a" \
        $(printf ' -l%s' $system_libraries) -o "$folder/program"
      run "the archive with $linker $options" "$folder/program" examples/c/quickstart.expected
    done
  done
}

# through_cmake PREFIX: builds with the shared library and GCC, and with the static library and Clang.
through_cmake() {
  local kind source language
  for kind in OFF ON; do
    rm -rf "$folder/cmake"
    if [ $kind = OFF ]; then compilers='gcc g++'; else compilers='clang clang++'; fi
    # shellcheck disable=SC2086
    set -- "$1" $compilers
    cmake -S examples -B "$folder/cmake" -DCMAKE_PREFIX_PATH="$1" -DFENCEPOST_STATIC=$kind -DCMAKE_C_COMPILER="$2" \
      -DCMAKE_CXX_COMPILER="$3" -DCMAKE_BUILD_TYPE=Release > "$folder/log" 2>&1 || { cat "$folder/log"; fail "cmake"; }
    cmake --build "$folder/cmake" > "$folder/log" 2>&1 || { cat "$folder/log"; fail "cmake --build"; }
    for source in examples/c/*.c examples/cpp/*.cpp; do
      language=$(basename "$(dirname "$source")")
      run "$source (CMake, static $kind)" "$folder/cmake/${language}_$(basename "${source%.*}")" "${source%.*}.expected"
    done
  done
}

# Tests which requested versions the CMake package accepts. It accepts versions with the same major number, beginning
# with the oldest version whose programs compile unchanged.
cmake_versions() {
  local request expected
  mkdir -p "$folder/versions"
  cat > "$folder/versions/CMakeLists.txt" << 'END'
cmake_minimum_required(VERSION 3.19)
project(versions LANGUAGES C)
separate_arguments(request UNIX_COMMAND "${REQUEST}")
find_package(Fencepost ${request} QUIET)
file(WRITE "${CMAKE_BINARY_DIR}/found" "${Fencepost_FOUND}")
END
  while read -r expected request; do
    cmake -S "$folder/versions" -B "$folder/versions/build" -DCMAKE_PREFIX_PATH="$1" "-DREQUEST=$request" \
      -UFencepost_DIR > "$folder/log" 2>&1 || { cat "$folder/log"; fail "cmake, version $request"; }
    grep -qx "$expected" "$folder/versions/build/found" || fail "find_package(Fencepost $request) is not $expected"
    count=$((count + 1))
  done << END
1
1 $major
0 0.1
0 0.2.0
0 0.1 EXACT
1 $major.$minor
1 $version
1 $version EXACT
1 $major.$minor...9
0 $major.$minor.999
0 $major.$((minor + 1))
0 $((major + 1))
0 0.0
0 0.0...<$major.$minor
END
}

# Runs the C cases against the installed libraries, because the header's statements must hold for the libraries that
# users link.
cases() {
  local source
  mkdir -p "$folder/cases"
  for source in Tests/CCases/*.c Tests/CInstalled/cases.c; do
    gcc -std=gnu11 -O1 -Wall -Wextra -Werror -I"$1/include" -ITests/CCases -ITests/CCases/include -c "$source" \
      -o "$folder/cases/$(basename "$source").o" -pthread
  done
  gcc "$folder"/cases/*.o -L"$1/lib" -lfencepost -lm -pthread -o "$folder/cases/shared"
  # shellcheck disable=SC2046,SC2086
  gcc "$folder"/cases/*.o "$1/lib/libfencepost.a" $(printf ' -l%s' $system_libraries) -o "$folder/cases/static"
  LD_LIBRARY_PATH="$1/lib" "$folder/cases/shared" || fail "C cases with the installed shared library"
  "$folder/cases/static" || fail "C cases with the installed archive"
  count=$((count + 2))
}

# Builds examples of version 0.1, changed only as bindings/c/MIGRATING.md says; their output must be the same as in 0.1.
of_0_1() {
  local source compiler
  for source in Tests/CInstalled/0.1/*; do
    case $(basename "$source") in
      *.c) compiler='gcc -std=c11' language=c ;;
      *) compiler='g++ -std=c++17' language=cpp ;;
    esac
    # shellcheck disable=SC2086
    $compiler $strict -I"$1/include" "$source" -L"$1/lib" -lfencepost -pthread -o "$folder/program"
    LD_LIBRARY_PATH="$1/lib" run "$source" "$folder/program" "examples/$language/$(basename "${source%.*}").expected"
  done
}

# With the installed suppressions, the Thread Sanitizer reports nothing in a host program.
under_thread_sanitizer() {
  gcc -std=gnu11 -D_GNU_SOURCE -O1 -g -fsanitize=thread -I"$1/include" -ITests/CCases Tests/CInstalled/threads.c \
    Tests/CCases/case_threads.c Tests/CCases/support.c -L"$1/lib" -lfencepost -lm -pthread \
    -o "$folder/program"
  TSAN_OPTIONS="suppressions=$1/share/fencepost/tsan.supp halt_on_error=1 exitcode=66" LD_LIBRARY_PATH="$1/lib" \
    "$folder/program" 2> "$folder/errors" || {
    head -n 20 "$folder/errors" >&2
    fail "a host under the Thread Sanitizer"
  }
  count=$((count + 1))
}

# Tests the promises of the C++ wrapper in a separate program.
wrapper() {
  g++ -std=c++17 -O1 -I"$1/include" Tests/CxxHeader/wrapper.cpp -L"$1/lib" -lfencepost -o "$folder/program"
  LD_LIBRARY_PATH="$1/lib" "$folder/program" || fail "the C++ wrapper"
  count=$((count + 1))
}

# Follows bindings/c/README.md word for word, in a separate home directory: first its program, then its two blocks of
# commands. Compiles the other programs of the README as well, and runs the one in C++.
readme() {
  mkdir -p "$folder/home"
  awk -v folder="$folder/home" '
    /^```c$/ { file = programs++ ? "snippet" programs ".c" : "office.c"; next }
    /^```cpp$/ { file = "office.cpp"; next }
    /^```sh$/ { file = "commands" ++blocks; next }
    /^```/ { if (file != "") close(folder "/" file); file = ""; next }
    file != "" { print > (folder "/" file) }' bindings/c/README.md
  HOME="$folder/home" bash -euo pipefail "$folder/home/commands1" > "$folder/log" 2>&1 || {
    cat "$folder/log"
    fail "bindings/c/README.md, first block of commands"
  }
  (cd "$folder/home" && HOME="$folder/home" bash -euo pipefail commands2) > "$folder/output" 2> "$folder/errors" || {
    cat "$folder/errors"
    fail "bindings/c/README.md, second block of commands"
  }
  grep -qx 'office is now 1, -191\.1 m from its line' "$folder/output" && grep -qxf "$folder/output" bindings/c/README.md || {
    cat "$folder/output"
    fail "bindings/c/README.md: the program prints something else"
  }
  {
    printf '#include <fencepost.h>\n#include <stdio.h>\nvoid snippet(fencepost_monitor *monitor);\n'
    printf 'void snippet(fencepost_monitor *monitor) {\n'
    for snippet in "$folder/home"/snippet[2-9].c; do printf '{\n%s\n}\n' "$(cat "$snippet")"; done
    printf '}\n'
  } > "$folder/home/snippet.c"
  # shellcheck disable=SC2086
  gcc -std=c99 $strict -I"$folder/home/.local/include" -c "$folder/home/snippet.c" -o "$folder/home/snippet.o"
  # shellcheck disable=SC2086
  g++ -std=c++17 $strict -I"$folder/home/.local/include" "$folder/home/office.cpp" -L"$folder/home/.local/lib" -lfencepost \
    -o "$folder/program"
  [ "$(LD_LIBRARY_PATH="$folder/home/.local/lib" "$folder/program")" = 'office is now 1' ] ||
    fail "bindings/c/README.md: the C++ program prints something else"
  {
    printf '#include <fencepost.h>\n#include <stdio.h>\nint main(void) {\n'
    awk '/^```c$/ { inside = 1; next } /^```/ { inside = 0 } inside' README.md
    printf '}\n'
  } > "$folder/home/front.c"
  # shellcheck disable=SC2086
  gcc -std=c99 $strict -I"$folder/home/.local/include" "$folder/home/front.c" -L"$folder/home/.local/lib" -lfencepost \
    -o "$folder/program"
  LD_LIBRARY_PATH="$folder/home/.local/lib" "$folder/program" > "$folder/other"
  same "README's C prints something else than that of bindings/c/README.md" "$folder/output" "$folder/other"
  count=$((count + 2))
}

# installed_files PREFIX: lists the installed files, and links with their targets.
installed_files() {
  (cd "$1" && find . \( -type f -printf '%m %P\n' -o -type l -printf 'link %P -> %l\n' \) | LC_ALL=C sort)
}

cat > "$folder/expected-files" << END
644 include/fencepost.h
644 include/fencepost.hpp
644 lib/cmake/Fencepost/FencepostConfig.cmake
644 lib/cmake/Fencepost/FencepostConfigVersion.cmake
644 lib/libfencepost.a
644 lib/pkgconfig/fencepost-static.pc
644 lib/pkgconfig/fencepost.pc
644 share/doc/fencepost/LICENSE
644 share/fencepost/tsan.supp
755 lib/libfencepost.so.$version
link lib/libfencepost.so -> $soname
link lib/$soname -> libfencepost.so.$version
END

install() { make --silent install "$@" > "$folder/log" || { cat "$folder/log"; fail "make install $*"; }; }

plain=$folder/plain
blank="$folder/with a blank"
install "PREFIX=$plain"
install "PREFIX=$blank"
for prefix in "$plain" "$blank"; do
  installed_files "$prefix" > "$folder/files"
  same "the installed files" "$folder/expected-files" "$folder/files"
done
if grep -rIl -e "$folder" -e "$root" "$plain" "$blank"; then fail "an installed text names a directory of the build"; fi

# In the archive, only the functions that the header declares are visible.
nm -g --defined-only "$plain/lib/libfencepost.a" | awk 'NF == 3 { print $3 }' | LC_ALL=C sort > "$folder/visible"
sed -n 's/^ *\(fencepost_[a-z0-9_]*\);.*/\1/p' bindings/c/fencepost.map | LC_ALL=C sort > "$folder/exports"
same "what the archive makes visible" "$folder/exports" "$folder/visible"

through_pkg_config "$plain" examples/c/*.c examples/cpp/*.cpp
through_pkg_config "$blank" examples/c/quickstart.c examples/cpp/quickstart.cpp
through_linkers "$plain"
through_cmake "$blank"
cmake_versions "$plain"
cases "$blank"
wrapper "$plain"
of_0_1 "$plain"
under_thread_sanitizer "$plain"
readme

# Installs into a staging directory with a separate library directory, and then moves the whole installation, as a
# package or image builder does.
staged=(PREFIX=/usr LIBDIR=/usr/lib/x86_64-linux-gnu INCLUDEDIR=/usr/include/fencepost "DESTDIR=$folder/stage")
install "${staged[@]}"
[ -f "$folder/stage/usr/lib/x86_64-linux-gnu/libfencepost.so.$version" ] || fail "DESTDIR is not respected"
mv "$folder/stage/usr" "$folder/moved"
export PKG_CONFIG_PATH=$folder/moved/lib/x86_64-linux-gnu/pkgconfig
eval "gcc examples/c/quickstart.c $(pkg-config --cflags --libs fencepost) -o $folder/program"
LD_LIBRARY_PATH="$folder/moved/lib/x86_64-linux-gnu" run "the moved tree" "$folder/program" examples/c/quickstart.expected
unset PKG_CONFIG_PATH
cmake_versions "$folder/moved"
mv "$folder/moved" "$folder/stage/usr"

# Installs the library outside the prefix. The prefix's name contains characters that are special for sed, pkg-config
# and CMake.
apart=("PREFIX=$folder/R&D Ü|1" "LIBDIR=$folder/apart/lib")
install "${apart[@]}"
through_pkg_config "$folder/apart" examples/c/quickstart.c
cmake_versions "$folder/apart"
make --silent uninstall "${apart[@]}" > /dev/null
[ "$(find "$folder/R&D Ü|1" "$folder/apart" -type f 2> /dev/null)" = '' ] || fail "uninstall leaves files"

# Uninstalling deletes the installed files and leaves other files. Uninstalling a second time is not an error.
touch "$plain/lib/pkgconfig/other.pc"
for target in "PREFIX=$plain" "PREFIX=$blank" "PREFIX=$plain"; do make --silent uninstall "$target" > /dev/null; done
make --silent uninstall "${staged[@]}" > /dev/null
[ "$(find "$plain" "$blank" "$folder/stage" \( -type f -o -type l \) 2> /dev/null)" = "$plain/lib/pkgconfig/other.pc" ] ||
  fail "uninstall leaves files, or takes others"
[ ! -e "$blank" ] || fail "uninstall leaves directories of ours: $(find "$blank" -type d)"
[ ! -e "$folder/stage/usr" ] || fail "uninstall leaves directories in the stage: $(find "$folder/stage" -type d)"
echo "install: $count checks passed"
