#!/bin/bash
# Uses this tree as a dependency of another Swift package, by a Git address and a tag. Builds three programs: a Swift
# program with the engine, the store and the Foundation conversions; a C program with the header and the library; and
# the program of the Swift guide (Fencepost.docc/GettingStarted.md), word for word.
#
#   Tests/Packaging/swiftpm.sh
#
# Needs no network. Package.swift must not contain unsafe flags, because SwiftPM refuses them in dependencies.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD
. bindings/c/names.sh
folder=$root/.build/swiftpm
origin=$folder/origin/fencepost
rm -rf "$folder"
mkdir -p "$origin" "$folder/user/Sources/swift-user" "$folder/user/Sources/c-user" "$folder/user/Sources/guide"

# Copies the files that a clone has, without build results.
tar -c --exclude=./.build --exclude=./.venv --exclude=./.git --exclude='*.egg-info' --exclude=__pycache__ . |
  tar -x -C "$origin"
git() { command git -c user.name=test -c user.email=test@example.invalid -c init.defaultBranch=main -C "$origin" "$@"; }
git init --quiet
git add --all
git commit --quiet --message 'As it stands'
git tag "$version"

cat > "$folder/user/Package.swift" << END
// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "user",
  platforms: [.macOS(.v15)],
  dependencies: [.package(url: "file://$origin", exact: "$version")],
  targets: [
    .executableTarget(
      name: "swift-user",
      dependencies: [
        .product(name: "Fencepost", package: "fencepost"),
        .product(name: "FencepostFoundation", package: "fencepost"),
        .product(name: "FencepostStore", package: "fencepost"),
      ]),
    .executableTarget(
      name: "guide",
      dependencies: [
        .product(name: "Fencepost", package: "fencepost"),
        .product(name: "FencepostStore", package: "fencepost"),
      ]),
    .executableTarget(name: "c-user", dependencies: [.product(name: "fencepost-c", package: "fencepost")]),
  ]
)
END
# The guide's first code block is a shortened manifest. The other Swift blocks together form one program, and the text
# blocks contain its output.
guide=Sources/Fencepost/Fencepost.docc/GettingStarted.md
block() { awk -v language="$1" '$0 == "```" language { inside = 1; count++; next } /^```/ { inside = 0 } inside { print count ":" $0 }' "$guide"; }
block swift | sed -n 's/^[2-9]://p' > "$folder/user/Sources/guide/main.swift"
block text | sed 's/^[0-9]*://' > "$folder/guide-prints"
[ -s "$folder/guide-prints" ] && block swift | grep -q '^1:// swift-tools-version: ' || {
  echo "swiftpm: $guide has other blocks than this test reads" >&2
  exit 1
}
cp examples/c/quickstart.c "$folder/user/Sources/c-user/main.c"
cat > "$folder/user/Sources/swift-user/main.swift" << 'END'
import Fencepost
import FencepostFoundation
import FencepostStore
import Foundation

let folder = CommandLine.arguments[1]
for life in 1...2 {
  let monitor = try await Monitor("scratch", store: folder)
  if life == 1 {
    try await monitor.add(
      CircularGeographicCondition(center: Coordinate(latitude: 37.3349, longitude: -122.0090), radius: 200),
      identifier: "office")
    let date = Date(timeIntervalSince1970: 1_700_000_000)
    try await monitor.feed(try Fix(latitude: 37.3349, longitude: -122.0091, accuracy: 5, time: date))
  }
  for try await event in await monitor.events {
    print("life \(life): \(event.identifier) is \(event.state.name)")
    break  // not acknowledged: the next life is told again
  }
  try await monitor.close()
}
END

cd "$folder/user"
# Each run needs its own caches, because the tag names a different commit in each run.
swift build --quiet --scratch-path "$folder/scratch" --cache-path "$folder/cache" --config-path "$folder/config" \
  --security-path "$folder/security" > "$folder/log" 2>&1 || {
  cat "$folder/log"
  echo "swiftpm: the scratch package does not build" >&2
  exit 1
}
mkdir -p "$folder/store"
diff -u - <("$folder/scratch/debug/swift-user" "$folder/store") << 'END'
life 1: office is satisfied
life 2: office is satisfied
END
mkdir -p "$folder/commute"
diff -u "$folder/guide-prints" <("$folder/scratch/debug/guide" "$folder/commute")
diff -u "$root/examples/c/quickstart.expected" <("$folder/scratch/debug/c-user")
echo "swiftpm: a package that depends on fencepost $version by Git address and tag builds and runs"
