import Fencepost
import FencepostStore
import Foundation
import Testing

/// A file and a snapshot of each released version, and what is in them: they are opened for good.
///
/// `FENCEPOST_WRITE_GOLDEN=1 swift test --filter GoldenTests` writes those of the present version, when it is new.
@Suite struct GoldenTests {
  private static let golden = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Golden")
  private static let writes = ProcessInfo.processInfo.environment["FENCEPOST_WRITE_GOLDEN"] == "1"

  /// Everything that a caller sees of a monitor, events included.
  private func description(_ engine: MonitorEngine) -> String {
    var engine = engine
    var lines = ["name \(engine.name ?? "none")", "options \(engine.options)", "statistics \(engine.statistics)"]
    for identifier in engine.identifiers {
      guard let record = engine.record(for: identifier) else { continue }
      lines.append("\(identifier): \(record.condition), \(record.policy), \(record.lastEvent.json)")
      lines.append("  \(engine.explain(identifier).map { "\($0)" } ?? "none")")
    }
    while let event = engine.nextEvent() { lines.append(event.json) }
    try? engine.advance(to: Timestamp(microseconds: (engine.currentTime?.microseconds ?? 0) + 100_000_000))
    while let event = engine.nextEvent() { lines.append(event.json) }
    return lines.joined(separator: "\n") + "\n"
  }

  @Test(arguments: [1]) func storeOfVersion(_ version: Int) throws {
    let file = Self.golden.appendingPathComponent("store-\(version).fencepost")
    let folder = try Folder()
    if Self.writes {
      var stored = try StoredEngine(name: "m", options: Drive.options, directory: folder.path)
      for call in Drive.calls(42, count: 120) { _ = stored.call { engine in try? call(&engine) } }
      try stored.close()
      try? FileManager.default.removeItem(at: file)
      try FileManager.default.copyItem(atPath: folder.file("m.fencepost"), toPath: file.path)
      let text = description(stored.call { $0.fork() })
      try Data(text.utf8).write(to: Self.golden.appendingPathComponent("store-\(version).txt"))
    }
    try? FileManager.default.removeItem(atPath: folder.file("m.fencepost"))
    try FileManager.default.copyItem(atPath: file.path, toPath: folder.file("m.fencepost"))
    var stored = try StoredEngine(name: "m", options: Drive.options, directory: folder.path)
    let text = String(decoding: try Data(contentsOf: Self.golden.appendingPathComponent("store-\(version).txt")), as: UTF8.self)
    #expect(description(stored.call { $0.fork() }) == text)
    try stored.close()
  }

  @Test(arguments: [1]) func snapshotOfFormat(_ format: Int) throws {
    let file = Self.golden.appendingPathComponent("snapshot-\(format).bin")
    if Self.writes {
      var engine = try MonitorEngine(name: "golden", options: MonitorOptions(delivery: .first, conditionLimit: 5))
      for call in Drive.calls(43, count: 120) { _ = try? call(&engine) }
      try Data(engine.snapshot()).write(to: file)
      try Data(description(engine.fork()).utf8).write(to: Self.golden.appendingPathComponent("snapshot-\(format).txt"))
    }
    let bytes = [UInt8](try Data(contentsOf: file))
    let engine = try MonitorEngine(restoring: bytes)
    let text = String(
      decoding: try Data(contentsOf: Self.golden.appendingPathComponent("snapshot-\(format).txt")), as: UTF8.self)
    #expect(description(engine) == text)
    #expect(engine.snapshot() == bytes)
  }
}
