#!/bin/sh
# Makes stub libraries to link against. The stubs offer each function of glibc in the newest version that already
# existed in glibc 2.28. A library linked against the stubs runs on systems of 2018 (RHEL 8, Debian 10) and later,
# whatever glibc this machine has.
#
#   bindings/c/older-glibc.sh FOLDER
#
# Writes these files into FOLDER: the libraries libc.so, libm.so, libpthread.so and libdl.so, for -L; missing.o, which
# must be linked together with the objects; and the file `remap`, for lld's option --remap-inputs-file. With `remap`,
# lld uses the stubs wherever it would use the system's libraries.
#
# glibc keeps every version of a symbol and never changes a version; a linker selects the newest version that it finds.
# To link for the older glibc, it is enough that the linker knows which symbol versions the older glibc has. The list of
# these versions is read from this machine's libraries. The file missing.c defines the functions of newer versions of
# glibc and libstdc++ that the older versions lack or have under another name. On a system without glibc, FOLDER stays
# empty.
set -eu

newest=28
here=$(cd "$(dirname "$0")" && pwd)
folder=$1
cc=${CC:-cc}

rm -rf "$folder"
mkdir -p "$folder"

# Writes each symbol of a library in its newest allowed version, as assembler source and as a version script.
stub() { # NAME SONAME
  from=$($cc -print-file-name="$2")
  LC_ALL=C readelf --dyn-syms --wide "$from" | awk -v newest="$newest" -v stem="$folder/$1" '
    # Converts a version to a number: 2.2.5 is 2005, 2.28 is 28000.
    function number(version, part) {
      split(version, part, ".")
      return part[1] == 2 ? part[2] * 1000 + part[3] : 1e9
    }
    ($4 == "FUNC" || $4 == "IFUNC" || $4 == "OBJECT") && $7 != "UND" && split($8, name, /@+/) == 2 &&
        name[2] ~ /^GLIBC_[0-9.]+$/ {
      rank = number(substr(name[2], 7))
      if (rank <= newest * 1000 + 999 && (!(name[1] in best) || rank > best[name[1]])) {
        best[name[1]] = rank
        version[name[1]] = name[2]
        kind[name[1]] = $4 == "OBJECT" ? "object" : "function"
        size[name[1]] = $4 == "OBJECT" ? $3 : 0
      }
    }
    END {
      for (symbol in best) {
        printf ".globl %s\n.type %s, %%%s\n.size %s, %s\n%s:\n", symbol, symbol, kind[symbol], symbol, size[symbol], symbol > (stem ".s")
        members[version[symbol]] = members[version[symbol]] "  " symbol ";\n"
      }
      for (each in members) printf "%s {\n%s};\n", each, members[each] > (stem ".map")
    }'
  if [ -f "$folder/$1.s" ]; then
    $cc -shared -nostdlib -Wl,-soname,"$2" -Wl,--version-script="$folder/$1.map" -o "$folder/$1.so" \
      -x assembler "$folder/$1.s"
  else # its functions have moved into libc, where older systems do not have them
    $cc -shared -nostdlib -Wl,-soname,"$2" -o "$folder/$1.so" -x c /dev/null
  fi
  rm -f "$folder/$1.s" "$folder/$1.map"
}

[ -e "$($cc -print-file-name=libc.so.6)" ] || exit 0
stub libc libc.so.6
stub libm libm.so.6
stub libpthread libpthread.so.0
stub libdl libdl.so.2
$cc -O2 -fPIC -ffunction-sections -fvisibility=hidden -c -o "$folder/missing.o" "$here/missing.c"
{
  for name in c m pthread dl; do echo "*/lib$name.so.*=$folder/lib$name.so"; done
  # libm.so is a linker script; libpthread.so and libdl.so are empty archives since glibc 2.34.
  for file in libm.so libpthread.a libdl.a; do echo "*/$file=$folder/${file%.*}.so"; done
} > "$folder/remap"
