#!/bin/sh
# Installs the C library for C and C++ programs, or removes what it installed. `make install` builds the library and
# calls this script.
#
#   [PREFIX=/usr/local] [LIBDIR=$PREFIX/lib] [INCLUDEDIR=$PREFIX/include] [DESTDIR=] bindings/c/install.sh install|uninstall
#
# The build settings (build.sh) select which library is installed.
#
# The installed tree can be moved as a whole: the pkg-config and CMake files find the other files by relative paths.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
. "$root/bindings/c/names.sh"
built=${FENCEPOST_LIB:-$default_lib}

usage() {
  echo "usage: bindings/c/install.sh install|uninstall, with PREFIX, LIBDIR, INCLUDEDIR, DESTDIR in the environment" >&2
  exit 2
}
[ $# = 1 ] || usage

prefix=$(realpath -ms "${PREFIX:-/usr/local}")
libdir=$(realpath -ms "${LIBDIR:-$prefix/lib}")
includedir=$(realpath -ms "${INCLUDEDIR:-$prefix/include}")
docdir=$prefix/share/doc/fencepost
datadir=$prefix/share/fencepost
stage=${DESTDIR:-}
cmakedir=$libdir/cmake/Fencepost

# put SOURCE DIRECTORY NAME MODE: installs a file
put() {
  mkdir -p "$stage$2"
  cp "$1" "$stage$2/$3"
  chmod "$4" "$stage$2/$3"
}

# relative FROM-DIRECTORY TO-DIRECTORY: prints the relative path, escaped for sed, where &, | and \ are special. In
# paths for pkg-config files, spaces are escaped as well, because they would separate options.
relative() {
  case $1 in */pkgconfig) blank='\\\\&' ;; *) blank='&' ;; esac
  realpath -ms --relative-to="$1" "$2" | sed -e 's/[&|\\]/\\&/g' -e "s/ /$blank/g"
}

# fill TEMPLATE DIRECTORY NAME: writes this installation's values into a template.
fill() {
  mkdir -p "$stage$2"
  private=''
  for library in $system_libraries; do private="$private -l$library"; done
  sed -e "s|@VERSION@|$version|g" -e "s|@SONAME@|$soname|g" -e "s|@PRIVATE@|${private# }|g" \
    -e "s|@SYSTEM_LIBRARIES@|$(echo $system_libraries)|g" -e "s|@LIBDIR@|$(relative "$2" "$libdir")|g" \
    -e "s|@INCLUDEDIR@|$(relative "$2" "$includedir")|g" -e "s|@PREFIX@|$(relative "$2" "$prefix")|g" \
    "$root/bindings/c/install/$1" > "$stage$2/$3"
  chmod 644 "$stage$2/$3"
}

install_all() {
  for file in "$soname" libfencepost.a; do
    [ -f "$built/$file" ] || {
      echo "bindings/c/install.sh: $file is not built; make install builds it" >&2
      exit 1
    }
  done
  put "$root/include/fencepost.h" "$includedir" fencepost.h 644
  put "$root/include/fencepost.hpp" "$includedir" fencepost.hpp 644
  put "$built/$soname" "$libdir" "libfencepost.so.$version" 755
  ln -sf "libfencepost.so.$version" "$stage$libdir/$soname"
  ln -sf "$soname" "$stage$libdir/libfencepost.so"
  put "$built/libfencepost.a" "$libdir" libfencepost.a 644
  fill fencepost.pc.in "$libdir/pkgconfig" fencepost.pc
  fill fencepost-static.pc.in "$libdir/pkgconfig" fencepost-static.pc
  fill FencepostConfig.cmake.in "$cmakedir" FencepostConfig.cmake
  fill FencepostConfigVersion.cmake.in "$cmakedir" FencepostConfigVersion.cmake
  put "$root/LICENSE" "$docdir" LICENSE 644
  put "$root/bindings/c/install/tsan.supp" "$datadir" tsan.supp 644
  echo "fencepost $version is installed in $stage$prefix"
}

uninstall_all() {
  rm -f "$stage$includedir/fencepost.h" "$stage$includedir/fencepost.hpp" \
    "$stage$libdir/libfencepost.so" "$stage$libdir/$soname" "$stage$libdir/libfencepost.so.$version" \
    "$stage$libdir/libfencepost.a" "$stage$libdir/pkgconfig/fencepost.pc" \
    "$stage$libdir/pkgconfig/fencepost-static.pc" "$stage$datadir/tsan.supp" \
    "$stage$cmakedir/FencepostConfig.cmake" "$stage$cmakedir/FencepostConfigVersion.cmake" "$stage$docdir/LICENSE"
  # Removes the directories up to the prefix if they are empty.
  for directory in "$cmakedir" "$docdir" "$datadir" "$libdir/pkgconfig" "$includedir"; do
    while [ -d "$stage$directory" ] && rmdir "$stage$directory" 2> /dev/null && [ "$directory" != "$prefix" ]; do
      directory=$(dirname "$directory")
    done
  done
  echo "fencepost $version is removed from $stage$prefix"
}

case $1 in
  install) install_all ;;
  uninstall) uninstall_all ;;
  *) usage ;;
esac
