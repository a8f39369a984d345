import Foundation

/// Files that the tests read, located relative to this source file.
enum Golden {
  /// Rows of a table in Tests/Golden, without comments.
  static func rows(_ name: String) throws -> [[String]] {
    let url = packageRoot.appending(path: "Tests/Golden/\(name)")
    return try String(contentsOf: url, encoding: .utf8)
      .split(separator: "\n").filter { !$0.hasPrefix("#") }
      .map { $0.split(separator: "\t").map(String.init) }
  }

  /// Reads numbers from a file outside the package, one array per line. If the file does not exist, prints a message
  /// and returns `nil`.
  static func sharedRows(_ path: String) -> [[Double]]? {
    let url = packageRoot.deletingLastPathComponent().appending(path: "shared/data/\(path)")
    guard let text = try? String(contentsOf: url, encoding: .utf8) else {
      print("skipped: \(url.path) is not there")
      return nil
    }
    return text.split(separator: "\n").map { $0.split(separator: " ").compactMap { Double($0) } }
  }
}
