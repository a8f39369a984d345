// swift-tools-version: 6.2
import PackageDescription

// These settings apply to every Swift target of the library: imports stay internal unless written `public`, and a
// warning is a defect.
let strict: [SwiftSetting] = [
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("ExistentialAny"),
  .treatAllWarnings(as: .error),
  // Compiles the invariant checks that Architecture.md describes into test builds, but not into releases.
  .define("FENCEPOST_INVARIANTS", .when(configuration: .debug)),
]

// Tests/swift.sh sets FENCEPOST_OPTIMISED: the tests then run against an optimised library with invariant checks, in a
// fifth of the time. Only these test builds have the optimisation flags, because SwiftPM refuses dependencies with
// unsafe flags. Several threads are needed, because with one thread the compiler would write one object file for a
// module, but SwiftPM expects one for each source file.
let optimised: [SwiftSetting] =
  Context.environment["FENCEPOST_OPTIMISED"] == "1"
  ? [.unsafeFlags(["-O", "-whole-module-optimization", "-num-threads", "2"])] : []
let library = strict + optimised

// These settings are for the targets that must not contain any unsafe construct; decision 0008 says why the other
// targets contain some.
let safe = library + [.strictMemorySafety()]

let package = Package(
  name: "fencepost",
  // The first versions of Apple's systems that have the module Synchronization; Linux needs no entry.
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "Fencepost", targets: ["Fencepost"]),
    // Keeps monitors in SQLite files; needs the system's libsqlite3.
    .library(name: "FencepostStore", targets: ["FencepostStore"]),
    .library(name: "FencepostFoundation", targets: ["FencepostFoundation"]),
    // The C library. The name of this product differs from that of the Swift product by more than letter case, because
    // some file systems ignore case; the install step names it libfencepost.so.
    .library(name: "fencepost-c", type: .dynamic, targets: ["FencepostABI"]),
    .library(name: "fencepost-c-static", type: .static, targets: ["FencepostABI"]),
  ],
  targets: [
    // Contains only the header: the Swift targets and the C targets of the package read the same file.
    .target(name: "CFencepost", path: "include", publicHeadersPath: "."),

    // Functions for locks and threads, with one file for each platform.
    .target(name: "CPlatform"),
    .target(name: "FencepostKernel", dependencies: ["CPlatform"], swiftSettings: library),
    // The engine, with its values and locks. The core uses no actors, no existentials of unbounded protocols and no key
    // paths.
    .target(name: "FencepostCore", dependencies: ["CPlatform", "FencepostKernel"], swiftSettings: library),
    // The API for Swift programs: actors, regions, `any Condition`. This target re-exports the core.
    .target(name: "Fencepost", dependencies: ["FencepostCore", "FencepostKernel"], swiftSettings: library),
    .target(name: "FencepostFoundation", dependencies: ["Fencepost"], swiftSettings: safe),
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
    .systemLibrary(name: "CPosix"),
    .target(name: "FencepostStoreCore", dependencies: ["CPosix", "CSQLite", "FencepostCore"], swiftSettings: library),
    .target(name: "FencepostStore", dependencies: ["Fencepost", "FencepostStoreCore"], swiftSettings: library),
    .target(
      name: "FencepostABI",
      dependencies: ["CFencepost", "CPlatform", "FencepostCore", "FencepostKernel", "FencepostStoreCore"],
      swiftSettings: library),

    .executableTarget(
      name: "quickstart", dependencies: ["Fencepost"], path: "examples/swift",
      exclude: ["BestPractices", "Reminders", "expected.txt"],
      swiftSettings: safe),
    .executableTarget(
      name: "reminders", dependencies: ["Fencepost", "FencepostFoundation", "FencepostStore"],
      path: "examples/swift/Reminders", exclude: ["demo.sh", "expected.txt"], swiftSettings: safe),
    .executableTarget(
      name: "best-practices", dependencies: ["Fencepost", "FencepostStore"], path: "examples/swift/BestPractices",
      exclude: ["expected.txt"], swiftSettings: safe),

    // The cases are C programs written against the header; Swift Testing enumerates and reports them.
    .target(
      name: "CCases", dependencies: ["CFencepost", "FencepostABI"], path: "Tests/CCases",
      publicHeadersPath: "include",
      cSettings: [
        .enableWarning("all"), .enableWarning("extra"), .enableWarning("pedantic"), .treatAllWarnings(as: .error),
      ]
    ),
    .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: library),
    .testTarget(
      name: "FencepostABITests", dependencies: ["CCases", "CFencepost", "Fencepost", "FencepostABI", "FencepostCore"],
      exclude: ["host_safety.c"], swiftSettings: strict),
    .testTarget(
      name: "FencepostKernelTests", dependencies: ["CPlatform", "FencepostKernel", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "FencepostTests",
      dependencies: ["Fencepost", "FencepostCore", "FencepostFoundation", "FencepostKernel", "TestSupport"],
      swiftSettings: strict),
    // A file system for SQLite that fails on demand.
    .target(name: "FaultyVFS", dependencies: ["CSQLite"], path: "Tests/FaultyVFS"),
    .testTarget(
      name: "FencepostStoreTests",
      dependencies: [
        "CSQLite", "FaultyVFS", "Fencepost", "FencepostCore", "FencepostStore", "FencepostStoreCore", "TestSupport",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "FencepostFoundationTests", dependencies: ["Fencepost", "FencepostFoundation", "TestSupport"],
      swiftSettings: strict),
  ]
)
