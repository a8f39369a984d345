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
    let options = engine.options
    let statistics = engine.statistics
    var lines = [
      "name \(engine.name ?? "none"), delivery \(options.delivery.rawValue), limit \(options.conditionLimit ?? 0)",
      "inputs \(statistics.inputCount), fixes \(statistics.acceptedFixes), sightings \(statistics.acceptedSightings)",
      "clock \(statistics.clock?.description ?? "unset"), handed out \(statistics.handedOutEvents)",
      "pending \(statistics.pendingEvents)",
    ]
    for identifier in engine.identifiers {
      guard let record = engine.record(for: identifier) else { continue }
      lines.append("\(identifier): \(text(record.condition)), exit dwell \(record.policy.exitDwellMicroseconds)")
      lines.append("  \(record.lastEvent.json)")
      lines.append("  reason \(engine.explain(identifier)?.reason.rawValue ?? 0)")
    }
    while let event = engine.nextEvent() { lines.append(event.json) }
    try? engine.advance(to: Timestamp(microseconds: (engine.currentTime?.microseconds ?? 0) + 100_000_000))
    while let event = engine.nextEvent() { lines.append(event.json) }
    return lines.joined(separator: "\n") + "\n"
  }

  private func text(_ condition: any Condition) -> String {
    switch condition {
    case let circle as CircularGeographicCondition:
      "\(circle.center.latitude) \(circle.center.longitude) \(circle.radius)"
    case let beacon as BeaconIdentityCondition: "\(beacon.uuid) \(beacon.major ?? 0) \(beacon.minor ?? 0)"
    default: "of no kind"
    }
  }

  @Test(arguments: [1, 2]) func storeOfVersion(_ version: Int) throws {
    let file = Self.golden.appendingPathComponent("store-\(version).fencepost")
    let folder = try Folder()
    if Self.writes, version == 2 {
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
    let text = String(
      decoding: try Data(contentsOf: Self.golden.appendingPathComponent("store-\(version).txt")), as: UTF8.self)
    #expect(description(stored.call { $0.fork() }) == text)
    try stored.close()
  }

  /// What 0.1 left behind when it was killed: a file whose last changes stand in the log, and the snapshot that 0.1 made
  /// of the same moment.
  @Test func storeOfVersion1WithItsLog() throws {
    let folder = try Folder()
    for (name, file) in [("store-1-killed.fencepost", "m.fencepost"), ("store-1-killed.wal", "m.fencepost-wal")] {
      let bytes = try Data(contentsOf: Self.golden.appendingPathComponent(name))
      try folder.write([UInt8](bytes), to: file)
    }
    let bytes = [UInt8](try Data(contentsOf: Self.golden.appendingPathComponent("store-1-killed.snapshot")))
    var stored = try StoredEngine(name: "m", options: Drive.options, directory: folder.path)
    let snapshot = try MonitorEngine(restoring: bytes).snapshot()
    #expect(stored.call { $0.snapshot() } == snapshot)
    try stored.close()
    #expect(folder.names == ["m.fencepost"])
    #expect(try folder.bytes("m.fencepost")[63] == 2)
    var again = try StoredEngine(name: "m", options: Drive.options, directory: folder.path)
    #expect(again.call { $0.snapshot() } == snapshot)
  }

  @Test(arguments: [1, 2]) func snapshotOfFormat(_ format: Int) throws {
    let file = Self.golden.appendingPathComponent("snapshot-\(format).bin")
    if Self.writes, format == 2 {
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
    if format == 2 { #expect(engine.snapshot() == bytes) }
    #expect(description(try MonitorEngine(restoring: engine.snapshot())) == text)
  }
}
