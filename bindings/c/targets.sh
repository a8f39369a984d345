# Defines the targets for which the C library can be built as Embedded Swift. Sourced by the scripts beside it, which
# set `root`.
# shellcheck shell=sh
# shellcheck disable=SC2034 # read by the scripts that source this
targets='x86_64-linux-gnu x86_64-linux-musl aarch64-linux-gnu wasm32-wasi'

# set_target TARGET: sets these variables for a target.
#
# - triple: the target of the Swift compiler. Embedded Swift supports few targets; of the Linux targets, it supports
#   only x86-64. For targets that Embedded Swift does not support, the triple is `none`, and C headers, constants and
#   layouts are those of c_target.
# - c_target: the target for which clang compiles C files, and for which Swift imports C headers.
# - c_headers: options that find these headers, relative to the root of the tree.
# - cc: the compiler of the C files, which is called with cc_options.
# - tools: the prefix of the names of ld, objcopy, strip and ar.
# - link_options: linker options that find the target's libsqlite3.
# - libraries: libraries that the target needs in addition to the C library, as names for -l.
# - swift_of: the target whose Swift objects are used; it has the same processor and the same layouts
#   (embedded/layouts.c).
# - pic: the option for position-independent code; empty for a WebAssembly module, which is linked at fixed addresses.
# - store: sqlite, or none if a module without files replaces FencepostStoreCore. If FENCEPOST_STORE is `none` in the
#   environment, every target is built without a store.
# - optimization: -O, or -Osize for a smaller and slower library. FENCEPOST_OPTIMIZE=size selects -Osize for any target.
# - size: the suffix that is added to the target's name in the folders of a library built with -Osize.
# - portable, portable_option: the suffix and the C compiler's option for a library with the locks of POSIX systems other
#   than Linux. FENCEPOST_PORTABLE=1 selects the locks of other POSIX systems on Linux; Tests/Runtimes/portable.sh tests
#   them.
# - swift_variant, variant: the suffix of the Swift objects and of the library, which depends on -Osize, on a missing
#   store and, for the library, on portable locks.
# - test_needs: Debian packages that the target's tests need in addition to those of .ci/system.sh.
set_target() {
  target=$1 c_target=$1 pic=-fPIC c_headers='' cc_options='' tools='' link_options='' libraries='sqlite3 m' swift_of=$1
  store=${FENCEPOST_STORE:-sqlite} test_needs=''
  case ${FENCEPOST_OPTIMIZE:-speed} in
    speed) optimization=-O size='' ;;
    size) optimization=-Osize size=-size ;;
    *)
      echo "FENCEPOST_OPTIMIZE is $FENCEPOST_OPTIMIZE; must be speed or size" >&2
      return 2
      ;;
  esac
  variant=$size
  case $store in
    sqlite) ;;
    none) variant=$size-nostore libraries=m ;;
    *)
      echo "FENCEPOST_STORE is $store; must be sqlite or none" >&2
      return 2
      ;;
  esac
  portable='' portable_option=''
  [ "${FENCEPOST_PORTABLE:-}" != 1 ] || portable=-portable portable_option=-DCPLATFORM_PORTABLE
  swift_variant=$variant variant=$variant$portable
  case $1 in
    x86_64-linux-gnu) triple=x86_64-unknown-linux-gnu cc=${CC:-cc} ;;
    x86_64-linux-musl)
      # musl's math library is part of its C library. SQLite is included in the library, because the target has no
      # SQLite library to link to.
      triple=x86_64-unknown-linux-gnu cc=musl-gcc swift_of=x86_64-linux-gnu libraries=''
      cc_options="-isystem $root/.build/cross/$1/root/usr/include" link_options="-L$root/.build/cross/$1/root/usr/lib"
      test_needs='musl-tools tcl dpkg-dev'
      ;;
    aarch64-linux-gnu)
      triple=aarch64-none-none-elf cc=aarch64-linux-gnu-gcc tools=aarch64-linux-gnu-
      test_needs='gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user'
      link_options="-L$root/.build/cross/$1/root/usr/lib/$1"
      c_headers="-isystem .build/cross/$1/root/usr/include -isystem /usr/aarch64-linux-gnu/include"
      ;;
    wasm32-wasi)
      triple=wasm32-unknown-none-wasm cc=clang pic='' store=none swift_variant=$size variant=$size libraries='' test_needs='wasi-libc libclang-rt-14-dev-wasm32 nodejs'
      c_headers='-isystem /usr/include/wasm32-wasi'
      cc_options="--target=wasm32-wasi $c_headers"
      ;;
    *)
      echo "unknown target $1; must be one of $targets" >&2
      return 2
      ;;
  esac
}
