import FencepostKernel
import TestSupport
import Testing

@testable import Fencepost
@testable import FencepostCore

/// Tests that the search finds the same nearest shapes other than circles, with bit-identical distances, as a search
/// that computes every distance. For many shapes the search computes only a bound of the distance.
@Suite struct NearestShapesTests {
  private typealias Ranked = (generation: UInt64, distance: Double)

  /// All shapes except circles, sorted by distance.
  private func ranked(_ engine: MonitorEngine, _ point: Coordinate) -> [Ranked] {
    let table = engine.table
    var all: [Ranked] = []
    for slot in table.order.live {
      guard let area = table.shape(of: slot).area else { continue }
      all.append((table.generation(of: slot), area.shape.boundaryDistance(of: SurfacePoint(point))))
    }
    return all.sorted {
      abs($0.distance) != abs($1.distance) ? abs($0.distance) < abs($1.distance) : $0.generation < $1.generation
    }
  }

  private func expectRanked(_ engine: MonitorEngine, _ points: [Coordinate], _ what: String) throws {
    for point in points {
      let all = ranked(engine, point)
      for count in [1, 2, 5, all.count] {
        let found = try engine.nearest(latitude: point.latitude, longitude: point.longitude, count: count)
        #expect(
          found.map(\.generation) == all.prefix(count).map(\.generation)
            && found.map(\.boundaryDistance) == all.prefix(count).map(\.distance), "\(what), \(count) of \(point)")
      }
    }
  }

  /// Tests that the nearest shapes agree with the distances of all shapes: for overlapping and for scattered shapes,
  /// and for points inside a shape, beside it, at a vertex or far away.
  @Test(arguments: 0..<24) func agreesWithAllDistances(_ number: Int) throws {
    var random = SeededGenerator("nearest shapes", salt: UInt64(number))
    var engine = try MonitorEngine()
    let isPole = number % 6 == 0
    let home = Coordinate(
      latitude: isPole ? 89.99 : random.uniform(-85...85),
      longitude: random.chance(0.3) ? 179.99 : random.uniform(-180...180))
    let spread = random.logarithmic(100, 8e6)
    var corners: [Coordinate] = []
    for index in 0..<60 {
      let middle = random.place(home, random.uniform(0...360), spread * random.uniform(0...1))
      // If the sizes are small, few shapes are near a point; if they are large, many shapes surround each point.
      let size = random.logarithmic(max(spread * 0.003, 5), min(spread, 3e6))
      let shape: any Condition =
        random.chance(0.15)
        ? LineGeographicCondition(path: [middle, random.place(middle, random.uniform(0...360), size)])
        : random.shape(around: middle, radius: size)
      guard (try? engine.add(shape, identifier: "\(index)")) != nil else { continue }
      if let polygon = shape as? PolygonalGeographicCondition { corners += polygon.exterior.prefix(1) }
    }
    var points = [Coordinate(latitude: 90, longitude: 0), home] + corners.prefix(4)
    for _ in 0..<25 {
      points.append(random.place(home, random.uniform(0...360), spread * random.uniform(0...1.3)))
    }
    try expectRanked(engine, points, "world \(number)")
  }

  /// The lower and upper bounds, which are computed without trigonometry, enclose the true distance, from a micrometre
  /// to the other side of the Earth. The search skips a shape only if the shape is farther away than the limit.
  @Test(arguments: 0..<12) func boundsHoldTheDistance(_ number: Int) throws {
    var random = SeededGenerator("slack bounds", salt: UInt64(number))
    for _ in 0..<40 {
      let middle = Coordinate(latitude: random.uniform(-89...89), longitude: random.uniform(-180...180))
      let size = random.logarithmic(1, 3e6)
      var engine = try MonitorEngine()
      guard (try? engine.add(random.shape(around: middle, radius: size), identifier: "a")) != nil,
        let slot = engine.table.order.live.first(where: { _ in true }), let area = engine.table.shape(of: slot).area
      else { continue }
      for _ in 0..<20 {
        let far = random.chance(0.2) ? random.logarithmic(1e-6, 2e7) : size * random.uniform(0...2.5)
        let point = random.place(middle, random.uniform(0...360), far)
        let position = EarthVector(latitude: point.latitude, longitude: point.longitude)
        let distance = abs(area.shape.boundaryDistance(of: SurfacePoint(point)))
        let (least, most) = try #require(area.shape.slackBounds(at: position, limit: .infinity))
        #expect(least <= distance && distance <= most, "\(point) \(engine.table.shape(of: slot))")
        for limit in [distance, distance * 1.5, distance + 1] {
          let within = try #require(area.shape.slackBounds(at: position, limit: limit))
          #expect(within.least <= distance && distance <= within.most)
        }
        if let (least, _) = area.shape.slackBounds(at: position, limit: distance * 0.5) { #expect(least <= distance) }
        // Checks the bound that the enclosing circle gives.
        let chord = area.bounds.centre.squaredChord(to: position).squareRoot() - area.bounds.reach
        if chord > 0, let bounds = area.slackBounds(at: position, chord, limit: .infinity) {
          #expect(bounds.least <= distance && distance <= bounds.most, "\(point) \(engine.table.shape(of: slot))")
        }
      }
    }
  }

  /// If a circle and a polygon are at the same distance, or if two polygons are identical, the condition that was added
  /// first is listed first.
  @Test func ofEqualOnesTheFirstComesFirst() throws {
    var engine = try MonitorEngine()
    let square = PolygonalGeographicCondition(exterior: [
      .init(latitude: 1, longitude: 1), .init(latitude: 1, longitude: 1.01), .init(latitude: 1.01, longitude: 1.01),
      .init(latitude: 1.01, longitude: 1),
    ])
    for name in ["a", "b", "c", "d"] { try engine.add(square, identifier: name) }
    engine.remove("b")
    try engine.add(square, identifier: "e")
    for point in [Coordinate(latitude: 1.02, longitude: 1), Coordinate(latitude: 1.005, longitude: 1.001)] {
      let names = try engine.nearest(latitude: point.latitude, longitude: point.longitude, count: 3).map(\.identifier)
      #expect(names == ["a", "c", "d"])
    }
  }
}
