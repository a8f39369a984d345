// swift-tools-version: 6.2
import PackageDescription

// These settings apply to every Swift target of the library: imports stay internal unless written `public`, and a
// warning is a defect.
let strict: [SwiftSetting] = [
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("ExistentialAny"),
  .treatAllWarnings(as: .error),
  // Test builds contain the invariant checks that Architecture.md describes; releases do not.
  .define("FENCEPOST_INVARIANTS", .when(configuration: .debug)),
]

// If Tests/swift.sh sets FENCEPOST_OPTIMISED, the library is optimised but keeps its invariant checks, and the tests
// take a fifth of the time. The optimisation flags are unsafe flags, which SwiftPM refuses in dependencies; therefore
// only these test builds have the flags. Several threads are needed, because with one thread the compiler would write
// one object file for a module, but SwiftPM expects one for each source file.
let optimised: [SwiftSetting] =
  Context.environment["FENCEPOST_OPTIMISED"] == "1"
  ? [.unsafeFlags(["-O", "-whole-module-optimization", "-num-threads", "2"])] : []
let library = strict + optimised

// These settings are for the targets that must not contain any unsafe construct; decision 0008 says why the other
// targets contain some.
let safe = library + [.strictMemorySafety()]

let package = Package(
  name: "fencepost",
  // These are the first versions of Apple's systems that have the module Synchronization; Linux needs no entry.
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "Fencepost", targets: ["Fencepost"]),
    // Keeps monitors in SQLite files; needs the system's libsqlite3.
    .library(name: "FencepostStore", targets: ["FencepostStore"]),
    .library(name: "FencepostFoundation", targets: ["FencepostFoundation"]),
    // The C library. Some file systems ignore case, so the name of this product differs from that of the Swift product
    // in more than case. The install step names the file libfencepost.so.
    .library(name: "fencepost-c", type: .dynamic, targets: ["FencepostABI"]),
    .library(name: "fencepost-c-static", type: .static, targets: ["FencepostABI"]),
  ],
  targets: [
    // This target contains only the header, which the package's Swift targets and C targets share.
    .target(name: "CFencepost", path: "include", publicHeadersPath: "."),

    // Contains the functions for locks, threads and locks of files, in one file for each platform.
    .target(name: "CPlatform"),
    .target(name: "FencepostKernel", dependencies: ["CPlatform"], swiftSettings: library),
    // Contains the engine, the types of its values, and its locks. The core uses no actors, no existentials of
    // unbounded protocols and no key paths.
    .target(name: "FencepostCore", dependencies: ["CPlatform", "FencepostKernel"], swiftSettings: library),
    // The API for Swift programs: actors, regions, `any Condition`. This target re-exports the core.
    .target(name: "Fencepost", dependencies: ["FencepostCore", "FencepostKernel"], swiftSettings: library),
    .target(name: "FencepostFoundation", dependencies: ["Fencepost"], swiftSettings: safe),
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
    .systemLibrary(name: "CPosix"),
    .target(
      name: "FencepostStoreCore", dependencies: ["CPlatform", "CPosix", "CSQLite", "FencepostCore"],
      swiftSettings: library),
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
