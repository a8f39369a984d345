# Version and file names of the C library, read from the header. Sourced by the scripts beside it, which set `root`.
# shellcheck shell=sh
version_part() { sed -n "s/^#define FENCEPOST_VERSION_$1 \([0-9][0-9]*\)\$/\1/p" "$root/include/fencepost.h"; }
major=$(version_part MAJOR)
minor=$(version_part MINOR)
version=$major.$minor.$(version_part PATCH)

# While the major version is 0 each minor version may break the ABI: see ABIPolicy.md.
if [ "$major" = 0 ]; then soname=libfencepost.so.0.$minor; else soname=libfencepost.so.$major; fi

# What a program that links the archive needs beside it, as names for -l. A further system library is a line here.
system_libraries='
sqlite3
stdc++
m
pthread
dl
'
