import FencepostKernel
import Testing

@testable import Fencepost
@testable import FencepostCore

/// Tests that a row of a shape or rule can be read back, and that any other bytes are either refused or read as a valid definition.
@Suite struct DefinitionRowTests {
  private func row(_ condition: any Condition) throws -> [UInt8] {
    var engine = try MonitorEngine(options: MonitorOptions(path: LineTests.path))
    try engine.add(condition, identifier: "s")
    var writer = ByteWriter(reserving: 64)
    DefinitionRow.encode(0, of: engine.table, to: &writer)
    return Array(writer.bytes)
  }

  private func read(_ bytes: [UInt8]) throws(Damage) -> DefinitionRow {
    try bytes.withRawBytes { raw throws(Damage) in
      var reader = ByteReader(raw)
      return try DefinitionRow(reading: &reader)
    }
  }

  private let conditions: [any Condition] = [
    square(), square(0.01, holes: [ring(0.001)], buffer: 2.5),
    MultiPolygonalGeographicCondition(parts: [
      .init(exterior: ring(0.01), holes: [ring(0.002)]), .init(exterior: ring(0.001)),
    ]),
    CorridorGeographicCondition(path: ring(0.01), radius: 12, edges: .planar),
    CorridorGeographicCondition(paths: [ring(0.01), ring(0.02)], radius: 12),
    LineGeographicCondition(paths: [ring(0.01), ring(0.02)], edges: .planar),
    Rule.atLeast(2, of: ["a", "bc", "déf"]), Rule.none(["a"]),
  ]

  @Test func whatIsWrittenComesBack() throws {
    for condition in conditions {
      let bytes = try row(condition)
      let again = try read(bytes)
      var engine = try MonitorEngine(options: MonitorOptions(path: LineTests.path))
      try engine.add(again.definition.subject.condition, identifier: "s")
      var writer = ByteWriter(reserving: 64)
      DefinitionRow.encode(0, of: engine.table, to: &writer)
      #expect(Array(writer.bytes) == bytes)
    }
  }

  /// The last bytes are the vertices of the closed ring: little-endian, longitude first.
  @Test func theVerticesAreWellKnownBinary() throws {
    let wkb = try row(square()).suffix(9 + 4 + 5 * 16)
    let start = wkb.startIndex
    #expect(Array(wkb[start..<start + 13]) == [1, 3, 0, 0, 0, 1, 0, 0, 0, 5, 0, 0, 0])
    #expect(Array(wkb[(start + 13)..<start + 29]) == Array(wkb.suffix(16)))
  }

  /// Tests how a damaged row without a checksum is read: one byte is changed, the end is missing, or bytes are added.
  @Test func hostileBytesAreRefusedOrSound() throws {
    var random = SeededGenerator("hostile rows of shapes")
    var refused = 0
    var taken = 0
    for condition in conditions {
      let bytes = try row(condition)
      for length in bytes.indices { #expect(throws: Damage.self) { try read(Array(bytes[..<length])) } }
      #expect(throws: Damage.self) { try read(bytes + [0]) }
      for index in bytes.indices {
        for _ in 0..<2 {
          var damaged = bytes
          damaged[index] = UInt8(random.integer(0...255))
          if random.chance(0.3) {
            damaged[random.integer(0...(bytes.count - 1))] = [0, 1, 127, 128, 255][random.integer(0...4)]
          }
          do {
            let found = try read(damaged)
            taken += 1
            switch found.definition.subject {
            case .polygon(let shape), .corridor(let shape):
              #expect(shape.depth > 0 && shape.depth.isFinite)
            case .line(let shape): #expect(shape.depth == 0)
            case .rule(let rule):
              #expect(1...rule.partCount ~= Int(rule.count))
            case .circle, .beacon: break
            }
          } catch { refused += 1 }
        }
      }
    }
    #expect(refused > taken && taken > 0)
  }

  /// Longitudes that are not reduced to one turn are refused, because reading them would give different vertices.
  @Test func verticesThatAreNotReducedAreRefused() throws {
    let bytes = try row(square())
    var turned = bytes
    // Replaces the longitude of the second vertex, 0.0009, by 360.0009, which is the same meridian.
    let place = bytes.count - 4 * 16
    withUnsafeBytes(of: (0.000_9 + 360).bitPattern.littleEndian) { turned.replaceSubrange(place..<place + 8, with: $0) }
    #expect(throws: Damage.self) { try read(turned) }
  }

  /// Stores of version 0.1 contain only circles and beacons.
  @Test func theFirstFormatHasNoShapes() throws {
    var row = ByteWriter(reserving: 256)
    row.put(3 as UInt8)
    row.put(1 as UInt16)
    row.put(UInt8(ascii: "s"))
    row.put(0 as UInt64)
    for _ in 0..<2 { row.put(0 as Int64) }
    for _ in 0..<4 { row.put(0.0) }
    row.put(0 as UInt8)
    row.put(7 as UInt8)
    row.put(0 as UInt8)
    row.put(0 as UInt8)
    row.put(0 as UInt16)
    row.put(0 as UInt8)
    row.put(Int64.min)
    row.put(false)
    var reader = ByteReader(row.bytes)
    do {
      _ = try FirstFormat.readCondition(1, &reader) { _ in 0 }
      Issue.record("it was read")
    } catch {
      #expect(error.reason == "kind is 3, which format 1 does not have")
    }
  }

  @Test func aDepthThatIsNoneIsRefused() throws {
    for condition in conditions {
      let bytes = try row(condition)
      let given = try GivenCondition(condition).subject()
      guard case .polygon(let shape) = given else { continue }
      let pattern = withUnsafeBytes(of: shape.depth.bitPattern.littleEndian) { Array($0) }
      let place = try #require(bytes.indices.dropLast(7).first { Array(bytes[$0..<$0 + 8]) == pattern })
      for depth in [0, -1, .nan, .infinity, shape.depth * 1.1, 1e300] {
        var damaged = bytes
        withUnsafeBytes(of: depth.bitPattern.littleEndian) { damaged.replaceSubrange(place..<place + 8, with: $0) }
        #expect(throws: Damage.self) { try read(damaged) }
      }
    }
  }
}
