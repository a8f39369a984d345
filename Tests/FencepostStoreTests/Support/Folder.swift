import Fencepost
import Foundation

/// A directory of a test's own, removed with it.
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

  /// Names of the files in it.
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

/// A fix that many metres north of the point 0, 0.
func fix(_ seconds: Int64, _ metres: Double) -> Fix {
  Fix(latitude: metres / 110_574, longitude: 0, accuracy: 5, time: at(seconds))
}

/// Random numbers that can be had again: SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
struct SplitMix: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }
}

/// Whether the long versions of the tests run: `make soak`.
let isSoak = ProcessInfo.processInfo.environment["FENCEPOST_SOAK"] == "1"
