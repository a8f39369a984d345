import Testing
import TestSupport

@testable import FencepostKernel

/// If the cached edges near a position give a distance, a search of the whole line gives the same distance.
@Suite struct NearEdgesTests {
  /// Checks points at growing distances from the place where the edges were collected. The exact distance must lie
  /// within the bounds, and the distance computed from the few cached edges must equal, bit for bit, the distance
  /// computed from all edges.
  ///
  /// - Returns: the number of points decided by the edges.
  private func check(
    _ shape: GeodesicShape, from start: SurfacePoint, _ points: [SurfacePoint], _ note: String
  ) -> Int {
    var near = NearEdges(of: shape, around: start.vector)
    var told = 0
    for point in points {
      // The order of the edges decides where the search starts, but it must not affect the result.
      guard let found = shape.bounds(at: point.vector, among: &near) else { continue }
      told += 1
      let exact = shape.boundaryDistance(of: point)
      #expect(
        found.least - 1e-6 <= exact && exact <= found.most + 1e-6,
        "\(note): \(exact) is not within \(found.least)…\(found.most), at \(point)")
      let few = shape.boundaryDistance(of: point, near: found)
      #expect(few.bitPattern == exact.bitPattern, "\(note): \(few) is not \(exact), at \(point)")
    }
    return told
  }

  /// Checks that a way that counts as clear is on one side.
  ///
  /// - Returns: 1 if the way counts as clear; otherwise 0.
  private func checkWay(
    _ random: inout SeededGenerator, _ shape: GeodesicShape, _ near: inout NearEdges, around place: Place, step: Double,
    _ note: String
  ) -> Int {
    let (start, end) = (
      place.moved(azimuth: random.uniform(0...360), distance: step * random.logarithmic(1e-3, 2)),
      place.moved(azimuth: random.uniform(0...360), distance: step * random.logarithmic(1e-3, 2))
    )
    let way = point(start).path(to: point(end))
    let isInside = shape.boundaryDistance(of: point(place)) <= 0
    // The way is at most 800 m long, so its sagitta is less than this.
    let sag = way.distance * way.distance / (8 * 6.3e6) + 1e-6
    let (from, to) = (point(start).vector, point(end).vector)
    #expect(
      !near.staysOnSide(of: shape, from: from, to: to, sag: sag, isInside: !isInside), "\(note): the other side")
    guard near.staysOnSide(of: shape, from: from, to: to, sag: sag, isInside: isInside) else { return 0 }
    for share in 0...20 {
      let on = point(start.moved(azimuth: way.azimuth1, distance: way.distance * Double(share) / 20))
      let exact = shape.boundaryDistance(of: on)
      #expect((exact <= 0) == isInside, "\(note): \(exact) at \(on), between \(start) and \(end)")
    }
    return 1
  }

  /// Checks the bounds that come from the last answer alone, at points around it, and the answers at points that count
  /// as the same point.
  ///
  /// - Returns: The numbers of last answers, of moves after which they sufficed, and of clear ways.
  private func checkMoves(
    _ random: inout SeededGenerator, _ shape: GeodesicShape, from start: Place, step: Double, _ note: String
  ) -> (answers: Int, moves: Int, ways: Int) {
    var near = NearEdges(of: shape, around: point(start).vector)
    var (answers, moves, ways) = (0, 0, 0)
    for _ in 0..<8 {
      let place = start.moved(azimuth: random.uniform(0...360), distance: 2 * step * random.uniform(0...1))
      guard shape.bounds(at: point(place).vector, among: &near) != nil else { continue }
      answers += 1
      for _ in 0..<12 {
        let moved = point(place.moved(azimuth: random.uniform(0...360), distance: step * random.logarithmic(1e-3, 2)))
        guard let found = shape.boundsAfterMove(to: moved.vector, among: &near) else { continue }
        moves += 1
        let exact = shape.boundaryDistance(of: moved)
        #expect(
          found.least <= exact && exact <= found.most,
          "\(note): \(exact) is not within \(found.least)…\(found.most), at \(moved) after \(place)")
      }
      ways += checkWay(&random, shape, &near, around: place, step: step, note)
      let beside = point(place.moved(azimuth: random.uniform(0...360), distance: 1e-6))
      guard let found = shape.bounds(at: beside.vector, among: &near) else { continue }
      let exact = shape.boundaryDistance(of: beside)
      #expect(found.least <= exact && exact <= found.most, "\(note): \(exact), beside \(place)")
      let few = shape.boundaryDistance(of: beside, near: found)
      #expect(few.bitPattern == exact.bitPattern, "\(note): \(few) is not \(exact), beside \(place)")
    }
    return (answers, moves, ways)
  }

  /// Tests that the bounds after a move are right, next to edges of 3 m to 30 km, and next to corners.
  @Test func boundsAfterAMoveAreRight() throws {
    var random = SeededGenerator("bounds after a move")
    var (answers, moves, ways) = (0, 0, 0)
    for turn in 0..<300 {
      let middle = random.place()
      let radius = random.logarithmic(30, 1e5)
      let ring = star(&random, around: middle, radius: radius, least: turn % 3 == 0 ? 0.97 : 0.3)
      let buffer = turn % 7 == 0 ? 0.02 * radius : 0
      guard let shape = try? GeodesicShape.reading(polygon: [[ring]], buffer: buffer) else { continue }
      let index = random.integer(0...ring.count - 1)
      let (corner, next) = (ring[index], ring[(index + 1) % ring.count])
      let edge = GeodesicInverse.solve(
        latitude1: corner.latitude, longitude1: corner.longitude, latitude2: next.latitude, longitude2: next.longitude)
      for share in [0, 0.1, 0.5] {
        let start = Place(latitude: corner.latitude, longitude: corner.longitude)
          .moved(azimuth: edge.azimuth1, distance: share * edge.distance)
        for step in [1e-6, 0.3, 20, 200] {
          let told = checkMoves(&random, shape, from: start, step: step, "turn \(turn)")
          answers += told.answers
          moves += told.moves
          ways += told.ways
        }
      }
    }
    #expect(answers > 10_000 && moves > 2 * answers && ways > answers / 10, "\(answers), \(moves), \(ways)")
  }

  private func point(_ place: Place) -> SurfacePoint {
    SurfacePoint(latitude: place.latitude, longitude: place.longitude)
  }

  private func walk(_ random: inout SeededGenerator, from start: Place, reach: Double, _ count: Int) -> [SurfacePoint] {
    (0..<count).map { _ in
      point(start.moved(azimuth: random.uniform(0...360), distance: reach * random.uniform(0...1)))
    }
  }

  /// Tests that the answers agree with a search through all edges, for star-shaped polygons with 3 to 400 corners and
  /// sizes of 30 m to 300 km. The polygons are at random places, around poles, and across the antimeridian.
  @Test(arguments: 0..<6) func randomPolygonsAgreeWithAllEdges(_ number: Int) throws {
    var random = SeededGenerator("near edges", salt: UInt64(number))
    let middles: [Corner] = [(90, 0), (-90, 30), (89.99, 120), (0, 180), (-65, 179.9), (12, -179.999)]
    var (told, asked) = (0, 0)
    for turn in 0..<40 {
      let middle =
        turn % 2 == 0 ? Place(latitude: middles[number].latitude, longitude: middles[number].longitude) : random.place()
      let radius = random.logarithmic(30, 3e5)
      let ring = star(&random, around: middle, radius: radius, least: turn % 5 == 0 ? 0.97 : 0.3)
      let buffer = turn % 7 == 0 ? 0.05 * radius : 0
      guard let shape = try? GeodesicShape.reading(polygon: [[ring]], buffer: buffer) else { continue }
      for _ in 0..<4 {
        // The point is next to a corner, next to an edge, or at a random place.
        let corner = ring[random.integer(0...ring.count - 1)]
        let from = Place(latitude: corner.latitude, longitude: corner.longitude)
        let points =
          walk(&random, from: from, reach: radius * random.logarithmic(1e-4, 1), 12)
          + walk(&random, from: from, reach: radius, 4) + [point(from)] + walk(&random, from: from, reach: 1e-3, 3)
        asked += points.count
        told += check(shape, from: points[0], points, "turn \(turn)")
      }
    }
    // The cache must decide more than a third of the points.
    #expect(told > asked / 3, "\(told) of \(asked)")
  }

  /// Tests the cached edges of corridors, and of polygons with holes and buffers.
  @Test func randomShapesAgreeWithAllEdges() throws {
    var random = SeededGenerator("near edges of shapes")
    var told = 0
    for turn in 0..<150 {
      let (shape, centre, size) = ShapeDepthTests.random(&random)
      for _ in 0..<3 {
        let from = centre.moved(azimuth: random.uniform(0...360), distance: size * random.uniform(0...1.2))
        let points = walk(&random, from: from, reach: size * random.logarithmic(1e-3, 1), 12)
        told += check(shape, from: points[0], points, "turn \(turn)")
      }
    }
    #expect(told > 1_500, "\(told)")
  }

  /// Tests that the answer is right or missing for shapes for which the side of a point is hardest to determine:
  /// needles, slits, corners that are almost straight, vertices that are almost equal, edges of hundreds of kilometres,
  /// and rings that touch themselves.
  @Test func narrowOrLongShapesAreAnsweredRightOrNotAtAll() throws {
    var random = SeededGenerator("narrow and long")
    let metre = 1 / 111_320.0
    var shapes: [(String, [[[Corner]]])] = []
    for width in [1e-3, 0.01, 1, 30] {
      // The shapes are a polygon with a needle, and a polygon with a slit cut into it.
      shapes.append(
        (
          "needle",
          [[[(0, 0), (0, 0.01), (0.004, 0.01), (0.005, 0.03), (0.004 + width * metre, 0.01), (0.01, 0.01), (0.01, 0)]]]
        ))
      shapes.append(
        (
          "slit",
          [
            [
              [
                (0, 0), (0, 0.01), (0.005 - width * metre, 0.01), (0.005, 0.001), (0.005, 0.01), (0.01, 0.01),
                (0.01, 0),
              ]
            ]
          ]
        ))
    }
    for offset in [1e-6, 1e-3, 0.1, 5] {
      shapes.append(
        ("straight", [[[(0, 0), (-offset * metre, 0.005), (0, 0.01), (0.01, 0.005 + offset * metre), (0.01, 0)]]]))
      shapes.append(
        (
          "nearly one",
          [
            [
              [
                (0, 0), (0, 0.01), (offset * metre, 0.01 + offset * metre), (0.01, 0.01), (0.01, 0),
                (0.01 - offset * metre, -offset * metre),
              ]
            ]
          ]
        ))
    }
    shapes.append(("long", [[[(10, 0), (10, 5), (12, 5), (12, 0)]]]))
    shapes.append(("longest", [[[(-40, -70), (-40, 70), (60, 70), (60, -70)]]]))
    shapes.append(("touching", [[square(0, 0, 0.01)], [square(0.01, 0.01, 0.01)]]))
    shapes.append(("hole", [[square(0, 0, 0.01), [(0.002, 0.002), (0.002, 0.006), (0.01, 0.01), (0.006, 0.002)]]]))
    var told = 0
    for (name, parts) in shapes {
      guard let shape = try? GeodesicShape.reading(polygon: parts) else { continue }
      for corner in parts.joined().joined() {
        let from = Place(latitude: corner.latitude, longitude: corner.longitude)
        for scale in [0.001, 0.05, 0.3, 2, 50, 2_000] {
          let points = walk(&random, from: from, reach: scale, 25)
          told += check(shape, from: points[0], points, name)
        }
      }
    }
    #expect(told > 3_000, "\(told)")
  }
}
