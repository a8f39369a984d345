#!/bin/bash
# Installs the Swift toolchain that CI builds with, and on Debian the packages that it needs. Checks the signature of
# the download against one pinned key. Adds the toolchain's folder to GITHUB_PATH if that is set, and prints the folder
# in the last line of output.
#
#   .ci/swift.sh [FOLDER]
#
# FOLDER is $HOME/swift if omitted. Runs on Debian 12 (x86-64, arm64) as root, or on macOS 15 (arm64).
#
# To test this script with files from a local folder and with another signing key, Tests/Workflows/run.sh sets
# SWIFT_WEBROOT, SWIFT_KEYS and SWIFT_KEY.
set -euo pipefail
cd "$(dirname "$0")/.."

version=6.3.1
# "Swift 6.x Release Signing Key", the key that the official container image of 6.3.1 uses.
key=${SWIFT_KEY:-52BB7E3DE28A71BE22EC05FFEF80A866B47A981F}
webroot=${SWIFT_WEBROOT:-https://download.swift.org}
folder=${1:-$HOME/swift}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

get() { curl --fail --silent --show-error --location --retry 3 --output "$2" "$1"; }

case $(uname -sm) in
  'Linux x86_64') platform=debian12 suffix=debian12 ;;
  'Linux aarch64') platform=debian12-aarch64 suffix=debian12-aarch64 ;;
  'Darwin arm64') platform=xcode suffix=osx ;;
  *)
    echo "swift.sh: no toolchain for $(uname -sm); must be Linux x86_64, Linux aarch64 or Darwin arm64" >&2
    exit 2
    ;;
esac
release=$webroot/swift-$version-release/$platform/swift-$version-RELEASE/swift-$version-RELEASE-$suffix

if [ "$platform" = xcode ]; then
  # Apple signs the package: pkgutil checks the signature and the signer's name.
  get "$release.pkg" "$work/swift.pkg"
  pkgutil --check-signature "$work/swift.pkg" | grep 'Developer ID Installer: Swift Open Source' || {
    echo "swift.sh: $release.pkg is not signed by Swift Open Source" >&2
    exit 1
  }
  installer -pkg "$work/swift.pkg" -target CurrentUserHomeDirectory
  bin=$HOME/Library/Developer/Toolchains/swift-$version-RELEASE.xctoolchain/usr/bin
else
  # Installs the packages that the official container image contains.
  .ci/install.sh binutils-gold ca-certificates curl gnupg gcc g++ git libcurl4-openssl-dev libedit-dev libncurses-dev \
    libpython3-dev libsqlite3-dev libstdc++-12-dev libxml2-dev make pkg-config tzdata zlib1g-dev
  get "$release.tar.gz" "$work/swift.tar.gz"
  get "$release.tar.gz.sig" "$work/swift.tar.gz.sig"
  get "${SWIFT_KEYS:-https://www.swift.org/keys/all-keys.asc}" "$work/keys"
  export GNUPGHOME=$work/gnupg
  mkdir -m 700 "$GNUPGHOME"
  gpg --batch --quiet --import "$work/keys"
  # A valid signature is also refused if it was not made with the pinned key.
  gpg --batch --status-fd 1 --verify "$work/swift.tar.gz.sig" "$work/swift.tar.gz" 2> "$work/log" |
    grep -q "^\[GNUPG:\] VALIDSIG .*$key" || {
    cat "$work/log" >&2
    echo "swift.sh: $release.tar.gz is not signed with the key $key" >&2
    exit 1
  }
  mkdir -p "$folder"
  tar --extract --gzip --file "$work/swift.tar.gz" --directory "$folder" --strip-components 1
  bin=$folder/usr/bin
fi

[ -z "${GITHUB_PATH:-}" ] || echo "$bin" >> "$GITHUB_PATH"
"$bin/swift" --version >&2
echo "$bin"
