import Fencepost
import Foundation
@_exported import TestSupport

/// A temporary directory for one test.
final class Folder: Sendable {
  let path: String

  init() throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("fencepost-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  /// The names of the files in the directory.
  var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path).sorted()) ?? [] }

  func file(_ name: String) -> String { path + "/" + name }

  func bytes(_ name: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(fileURLWithPath: file(name)))) }

  func write(_ bytes: [UInt8], to name: String) throws { try Data(bytes).write(to: URL(fileURLWithPath: file(name))) }

  /// Copies every file into another directory.
  func copy(into other: Folder) throws {
    for name in names {
      try? FileManager.default.removeItem(atPath: other.file(name))
      try FileManager.default.copyItem(atPath: file(name), toPath: other.file(name))
    }
  }
}

/// Seconds since the epoch.
func at(_ seconds: Int64) -> Timestamp { Timestamp(microseconds: seconds * 1_000_000) }

/// A fix `metres` metres north of the point (0, 0).
func fix(_ seconds: Int64, _ metres: Double) -> Fix {
  Fix(latitude: metres / 110_574, longitude: 0, accuracy: 5, time: at(seconds))
}
