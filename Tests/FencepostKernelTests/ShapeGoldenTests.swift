import Foundation
import Testing

@testable import FencepostKernel

/// Compares signed distances of random shapes with Tests/Golden/shapes.tsv, which was computed by other methods with 20
/// digits.
@Suite struct ShapeGoldenTests {
  /// Reads vertices in the form `longitude latitude`. `,` separates vertices, `/` separates rings, and `;` separates
  /// parts or lines.
  private func parts(_ text: String) -> [[[Corner]]] {
    text.split(separator: ";").map { part in
      part.split(separator: "/").map { ring in
        ring.split(separator: ",").map { vertex in
          let numbers = vertex.split(separator: " ").compactMap { Double($0) }
          return (numbers[1], numbers[0])
        }
      }
    }
  }

  private func shape(_ row: [String]) throws(ShapeDefect) -> GeodesicShape {
    let parts = parts(row[6])
    let reading: EdgeReading = row[2] == "planar" ? .planar : .geodesic
    let amount = Double(row[4])!
    return row[0] == "polygon"
      ? try GeodesicShape.reading(polygon: parts, reading: reading, isOriented: row[3] == "1", buffer: amount)
      : try GeodesicShape.reading(corridor: parts.map { $0[0] }, radius: amount, reading: reading)
  }

  /// Distances are accurate to 15 nm (rule 9), and the side is correct for points that are more than 35 nm from the
  /// boundary. The computed depth is at most 1 % smaller than the true depth (rule 11).
  @Test func distancesAndDepthsAreThoseOfTheReference() throws {
    var current: GeodesicShape?
    var family = ""
    var worst: [String: Double] = [:]
    var (shapes, places, depths) = (0, 0, 0)
    for row in try Golden.rows("shapes.tsv") {
      guard row[0] == "at" else {
        family = row[1]
        do throws(ShapeDefect) {
          current = try shape(row)
          shapes += 1
        } catch {
          current = nil
          Issue.record("\(error.message): \(row)")
        }
        if let current, let depth = Double(row[5]) {
          // The reference depth may itself be up to half a percent too small.
          let ratio = current.depth / depth
          #expect(ratio > 0.99 && ratio < 1.006, "\(ratio) \(row)")
          depths += 1
        }
        continue
      }
      guard let current else { continue }
      let point = SurfacePoint(latitude: Double(row[1])!, longitude: Double(row[2])!)
      let (d, expected) = (current.boundaryDistance(of: point), Double(row[3])!)
      let error = (d - expected).magnitude
      #expect(error <= 15e-9 || (d == 0 && expected.magnitude <= 35e-9), "\(family) \(row) gave \(d)")
      let bounds = current.bounds(at: point.vector)
      #expect(bounds.least <= d && d <= bounds.most, "\(family) \(row) \(bounds)")
      if d != 0 { worst[family] = max(worst[family] ?? 0, error) }
      places += 1
    }
    #expect(shapes > 1_000 && places > 3_000 && depths > 150)
    for (family, error) in worst.sorted(by: { $0.key < $1.key }) { print("shapes, \(family): worst \(error * 1e9) nm") }
  }
}

/// Checks the shapes of Tests/Golden/invalid-shapes.json: invalid shapes, each with the reason and the position of its
/// defect, and similar valid shapes.
@Suite struct InvalidShapeTests {
  struct Row: Sendable, CustomTestStringConvertible {
    var name: String
    var definition: ShapeDefinition
    var reason: String?
    var place: [String: Int]
    var testDescription: String { name }
  }

  static let rows: [Row] = {
    let url = packageRoot.appending(path: "Tests/Golden/invalid-shapes.json")
    guard let data = try? Data(contentsOf: url),
      let rows = try? JSONSerialization.jsonObject(with: data) as? [[String: Any]]
    else { return [] }
    return rows.compactMap { row in
      let polygon = row["polygon"] as? [String: Any]
      // This test skips rows with other notations or unknown words; the tests of the language bindings cover such rows.
      guard let shape = polygon ?? row["corridor"] as? [String: Any], let coordinates = shape["coordinates"],
        let parts = parts(coordinates, isPolygon: polygon != nil),
        let edges = ["geodesic": EdgeReading.geodesic, "planar": .planar][shape["edges"] as? String ?? "geodesic"]
      else { return nil }
      let kind: ShapeDefinition.Kind =
        polygon != nil
        ? .polygon(buffer: number(shape["buffer"] ?? 0.0), isOriented: shape["oriented"] as? Bool ?? false)
        : .corridor(radius: number(shape["radius"] ?? 0.0))
      return Row(
        name: row["name"] as? String ?? "",
        definition: ShapeDefinition(kind, ShapeVertices(parts: parts), edges: edges),
        reason: row["reason"] as? String, place: row["at"] as? [String: Int] ?? [:])
    }
  }()

  private static func number(_ value: Any) -> Double {
    switch value as? String {
    case "nan": .nan
    case "inf": .infinity
    case "-inf": -.infinity
    default: (value as? NSNumber)?.doubleValue ?? .nan
    }
  }

  /// Converts arrays of numbers, nested to any depth, to the rings of parts; returns `nil` for any other value.
  private static func parts(_ coordinates: Any, isPolygon: Bool) -> [[[Corner]]]? {
    func vertices(_ ring: Any) -> [Corner]? {
      guard let ring = ring as? [[Any]] else { return nil }
      if ring.contains(where: { $0.count < 2 || $0[0] is [Any] }) { return nil }
      return ring.map { (number($0[1]), number($0[0])) }
    }
    func lines(_ rings: Any) -> [[Corner]]? {
      guard let rings = rings as? [Any] else { return nil }
      let made = rings.map(vertices)
      return made.contains { $0 == nil } ? nil : made.map { $0! }
    }
    guard let list = coordinates as? [Any] else { return nil }
    if list.isEmpty { return [] }
    if !isPolygon { return vertices(list).map { [[$0]] } ?? lines(list).map { [$0] } }
    if let one = lines(list), !one.contains(where: \.isEmpty) || !(list.first is [[[Any]]]) { return [one] }
    let made = list.map(lines)
    return made.contains { $0 == nil } ? nil : made.map { $0! }
  }

  @Test(arguments: rows) func isDistinguished(_ row: Row) {
    do throws(ShapeDefect) {
      _ = try GeodesicShape.reading(row.definition)
      #expect(row.reason == nil)
    } catch {
      #expect(error.reason.rawValue == row.reason, "\(error.message)")
      guard !row.place.isEmpty else { return }
      let told = [error.place, error.other].compactMap { $0 }
      #expect(
        told.contains { place in
          row.place.allSatisfy { $0.value == ["part": place.part, "ring": place.ring, "edge": place.edge][$0.key] }
        }, "\(error.message), expected \(row.place)")
    }
  }

  @Test func thereAreManyRows() {
    #expect(Self.rows.count > 110)
  }
}
