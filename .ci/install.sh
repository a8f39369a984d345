#!/bin/bash
# Installs Debian packages (as root, on Debian or a derivative); elsewhere prints their names and exits with 3.
#
#   .ci/install.sh PACKAGE...
#
# If no PACKAGE is given, the script does nothing.
set -euo pipefail
[ $# -gt 0 ] || exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
  echo "fencepost: installing $*" >&2
  export DEBIAN_FRONTEND=noninteractive
  # Tests that run at the same time may both call this script. `apt-get update` fails instead of waiting if another
  # process holds apt's lock.
  exec 9> "${TMPDIR:-/tmp}/fencepost-apt.lock"
  flock 9
  apt-get update -qq >&2 9>&-
  # Another package manager may be running, for example right after boot: wait for it.
  apt-get install -y -qq -o DPkg::Lock::Timeout=600 --no-install-recommends "$@" >&2 9>&-
else
  echo "fencepost: as root: apt-get install --no-install-recommends $*" >&2
  exit 3
fi
