import Fencepost
import FencepostStore
import Foundation
import Testing

/// Tests a file and a snapshot of each released version, with their contents. All later versions must be able to open
/// these files.
///
/// `FENCEPOST_WRITE_GOLDEN=1 swift test --filter GoldenTests` writes the files of a new version.
@Suite struct GoldenTests {
  private static let golden = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Golden")
  private static let writes = ProcessInfo.processInfo.environment["FENCEPOST_WRITE_GOLDEN"] == "1"

  /// Returns a text that describes everything in a monitor that a caller can see, including events.
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
    case let polygon as PolygonalGeographicCondition:
      "\(polygon.exterior.map(text)) without \(polygon.holes.map { $0.map(text) }), buffer \(polygon.buffer), "
        + "edges \(polygon.edges.rawValue), oriented \(polygon.isOriented)"
    case let polygons as MultiPolygonalGeographicCondition:
      "\(polygons.parts.map { "\($0.exterior.map(text)) without \($0.holes.map { $0.map(text) })" }), "
        + "buffer \(polygons.buffer), edges \(polygons.edges.rawValue), oriented \(polygons.isOriented)"
    case let corridor as CorridorGeographicCondition:
      "\(corridor.paths.map { $0.map(text) }) \(corridor.radius), edges \(corridor.edges.rawValue)"
    default: "of no kind"
    }
  }

  private func text(_ place: Coordinate) -> String { "\(place.latitude) \(place.longitude)" }

  /// Adds polygons and corridors with every option to an engine, and feeds fixes that bring the conditions into every
  /// state.
  private func liveAmongShapes(_ engine: inout MonitorEngine) throws {
    func ring(_ half: Double, turn: Double = 0) -> [Coordinate] {
      [(1.0, 1.0), (1.0, -1.0), (-1.0, -1.0), (-1.0, 1.0)].map {
        Coordinate(latitude: $0.0 * half, longitude: $0.1 * half + turn)
      }
    }
    try engine.add(PolygonalGeographicCondition(exterior: ring(0.001)), identifier: "square")
    try engine.add(
      PolygonalGeographicCondition(
        exterior: ring(0.002), holes: [ring(0.000_5).reversed()], edges: .planar, isOriented: true, buffer: 12.5),
      identifier: "frame", policy: .coreLocation, tag: 7)
    try engine.add(
      MultiPolygonalGeographicCondition(
        parts: [
          .init(exterior: ring(0.001)), .init(exterior: ring(0.001, turn: 0.003), holes: [ring(0.000_4, turn: 0.003)]),
        ],
        buffer: -3), identifier: "two", policy: .exact)
    try engine.add(
      CorridorGeographicCondition(path: ring(0.001), radius: 40.25), identifier: "way", assuming: .unsatisfied)
    try engine.add(
      CorridorGeographicCondition(
        paths: [
          ring(0.002),
          [Coordinate(latitude: 0.01, longitude: 179.999), Coordinate(latitude: 0.01, longitude: 180.001)],
        ],
        radius: 5, edges: .planar), identifier: "ways", policy: TransitionPolicy(dwellPolicy: .evidence))
    try engine.add(
      PolygonalGeographicCondition(
        exterior: [
          Coordinate(latitude: 80, longitude: 0), Coordinate(latitude: 80, longitude: 120),
          Coordinate(latitude: 80, longitude: -120),
        ]), identifier: "pole")
    for second in stride(from: 0, to: 400, by: 20) as StrideTo<Int64> {
      try engine.feed(fix(second, Double(second % 180) * 2.5))
    }
    engine.remove("two")
    try engine.add(
      MultiPolygonalGeographicCondition(parts: [.init(exterior: ring(0.003)), .init(exterior: ring(0.001, turn: 0.02))]
      ),
      identifier: "two")
    try engine.feed(fix(405, 30))
  }

  @Test func storeWithShapes() throws {
    let file = Self.golden.appendingPathComponent("store-2-shapes.fencepost")
    let textFile = Self.golden.appendingPathComponent("store-2-shapes.txt")
    let folder = try Folder()
    if Self.writes {
      var stored = try StoredEngine(name: "m", options: Drive.options, directory: folder.path)
      try stored.call { engine in try liveAmongShapes(&engine) }
      try stored.close()
      try? FileManager.default.removeItem(at: file)
      try FileManager.default.copyItem(atPath: folder.file("m.fencepost"), toPath: file.path)
      try Data(description(stored.call { $0.fork() }).utf8).write(to: textFile)
    }
    try? FileManager.default.removeItem(atPath: folder.file("m.fencepost"))
    try FileManager.default.copyItem(atPath: file.path, toPath: folder.file("m.fencepost"))
    var stored = try StoredEngine(name: "m", options: Drive.options, directory: folder.path)
    #expect(description(stored.call { $0.fork() }) == String(decoding: try Data(contentsOf: textFile), as: UTF8.self))
    try stored.close()
  }

  @Test func snapshotWithShapes() throws {
    let file = Self.golden.appendingPathComponent("snapshot-2-shapes.bin")
    let textFile = Self.golden.appendingPathComponent("snapshot-2-shapes.txt")
    if Self.writes {
      var engine = try MonitorEngine(name: "golden", options: MonitorOptions(delivery: .first, conditionLimit: 5))
      try liveAmongShapes(&engine)
      try Data(engine.snapshot()).write(to: file)
      try Data(description(engine.fork()).utf8).write(to: textFile)
    }
    let bytes = [UInt8](try Data(contentsOf: file))
    let engine = try MonitorEngine(restoring: bytes)
    #expect(description(engine) == String(decoding: try Data(contentsOf: textFile), as: UTF8.self))
    #expect(engine.snapshot() == bytes)
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

  /// Tests the files of a killed process of version 0.1: a store whose last changes are in the log, and the snapshot
  /// that 0.1 made at the same moment.
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
