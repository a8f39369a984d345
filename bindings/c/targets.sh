# The targets of the C library as Embedded Swift. Sourced by the scripts beside it, which set `root`.
# shellcheck shell=sh
# shellcheck disable=SC2034 # read by the scripts that source this
targets='x86_64-linux-gnu x86_64-linux-musl aarch64-linux-gnu wasm32-wasi'

# set_target TARGET: sets these variables for a target.
#
#   triple        of the Swift compiler. It has Embedded Swift for few: a linux triple for x86-64 only, for others `none`,
#                 whose C headers, constants and layouts are those of c_target
#   c_target      of clang, and of the C headers that Swift imports
#   c_headers     options that find these headers, from the root of the tree
#   cc            compiles the C files, with cc_options
#   tools         what the names of ld, objcopy, strip and ar begin with
#   link_options  where its libsqlite3 is found
#   libraries     what it needs beside the C library, as names for -l
#   swift_of      the target whose Swift objects this one takes: same processor, same layouts (embedded/layouts.c)
#   pic           position-independent code; a WebAssembly module is linked at fixed addresses, which such code would look up
#   store         sqlite, or none: a module without files in the place of FencepostStoreCore. FENCEPOST_STORE=none takes that
#                 for any target
#   variant       what folders of such a library have behind the target's name
#   test_needs    Debian's packages beside those of .ci/system.sh
set_target() {
  target=$1 c_target=$1 pic=-fPIC c_headers='' cc_options='' tools='' link_options='' libraries='sqlite3 m' swift_of=$1
  store=${FENCEPOST_STORE:-sqlite} variant='' test_needs=''
  case $store in
    sqlite) ;;
    none) variant=-nostore libraries=m ;;
    *)
      echo "FENCEPOST_STORE is $store; accepted are sqlite and none" >&2
      return 2
      ;;
  esac
  case $1 in
    x86_64-linux-gnu) triple=x86_64-unknown-linux-gnu cc=${CC:-cc} ;;
    x86_64-linux-musl)
      # Its mathematics library is a part of the C library. SQLite is inside: there is none to link to.
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
      triple=wasm32-unknown-none-wasm cc=clang pic='' store=none variant='' libraries='' test_needs='wasi-libc libclang-rt-14-dev-wasm32 nodejs'
      c_headers='-isystem /usr/include/wasm32-wasi'
      cc_options="--target=wasm32-wasi $c_headers"
      ;;
    *)
      echo "there is no target $1; accepted are $targets" >&2
      return 2
      ;;
  esac
}
