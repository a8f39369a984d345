import CFencepost
import Foundation

/// The working tree, located relative to this source file.
enum Project {
  static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  /// The self-contained release library built by bindings/c/build.sh.
  static let library = root.appending(path: ".build/lib/\(soname)")

  /// While the major version is 0, each minor version has its own SONAME; see ABIPolicy.md.
  static let soname = "libfencepost.so.\(FENCEPOST_VERSION_MAJOR).\(FENCEPOST_VERSION_MINOR)"

  /// True if the tests of the library run. They run if the library is built. If `FENCEPOST_REQUIRE_LIBRARY` is set, as
  /// by the Makefile, they also run without the library, and fail.
  static let testsLibrary =
    FileManager.default.fileExists(atPath: library.path)
    || ProcessInfo.processInfo.environment["FENCEPOST_REQUIRE_LIBRARY"] != nil

  struct Outcome {
    var status: Int32
    var output: String
  }

  /// Runs a program from the search path; returns its standard output and standard error combined.
  static func run(_ arguments: [String]) throws -> Outcome {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return Outcome(status: process.terminationStatus, output: String(decoding: data, as: UTF8.self))
  }
}
