# Contains the differences between Linux and macOS in the build of the C library. Sourced by build.sh after names.sh.
# shellcheck shell=sh
# shellcheck disable=SC2154 # root, soname: names.sh

# strip_library FROM TO: copies a library without the symbols that programs do not need.
# needed_by FILE: prints the libraries that a library needs, one name per line.
# library_options: prints options of swift build for the linker: the exported names and the library's name.
case $(uname -s) in
  Darwin)
    built_name=libfencepost-c.dylib
    link_name=libfencepost.dylib
    strip_library() { strip -x -o "$2" "$1"; }
    needed_by() { otool -L "$1" | sed -n '3,$s/^[[:space:]]*\([^ ]*\) (.*/\1/p'; }
    is_of_the_system() { case $1 in /usr/lib/* | /System/Library/*) ;; *) return 1 ;; esac; }
    # On macOS the Swift runtime is part of the system.
    library_options() {
      exports=$root/.build/fencepost.exports
      sed -n 's/^ *\(fencepost_[a-z0-9_]*\);.*/_\1/p' "$root/bindings/c/fencepost.map" > "$exports"
      echo "-Xlinker -exported_symbols_list -Xlinker $exports -Xlinker -install_name -Xlinker @rpath/$soname" \
        "-Xlinker -dead_strip"
    }
    ;;
  *)
    built_name=libfencepost-c.so
    link_name=libfencepost.so
    strip_library() { "${tools}strip" --strip-unneeded -o "$2" "$1"; }
    needed_by() { LC_ALL=C readelf --dynamic --wide "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'; }
    is_of_the_system() {
      case $1 in ld-linux*.so.* | libc.musl-*.so.1) return ;; esac
      case " c gcc_s $(echo $system_libraries) " in *" $(expr "$1" : 'lib\(.*\)\.so.*') "*) ;; *) return 1 ;; esac
    }
    # Uses lld, because the toolchain's default linker exports Swift data symbols despite the version script.
    library_options() {
      echo "-Xswiftc -static-stdlib -Xswiftc -use-ld=lld -Xlinker --version-script=$root/bindings/c/fencepost.map" \
        "-Xlinker -soname -Xlinker $soname -Xlinker --gc-sections"
    }
    ;;
esac
