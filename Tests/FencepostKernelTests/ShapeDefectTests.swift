import Testing

@testable import FencepostKernel

/// Tests which defects are reported for invalid shapes, and at which places.
@Suite struct ShapeDefectTests {
  struct Refused: Sendable, CustomTestStringConvertible {
    var name: String
    var parts: [[[[Double]]]]
    var reason: ShapeDefect.Reason
    var place: [Int]?
    var planar = false
    var oriented = false
    var buffer = 0.0

    init(
      _ name: String, _ parts: [[[[Double]]]], _ reason: ShapeDefect.Reason, at place: [Int]? = nil,
      planar: Bool = false,
      oriented: Bool = false, buffer: Double = 0
    ) {
      self.name = name
      self.parts = parts
      self.reason = reason
      self.place = place
      self.planar = planar
      self.oriented = oriented
      self.buffer = buffer
    }

    var testDescription: String { name }
  }

  private static let box: [[Double]] = [[0, 0], [0, 1], [1, 1], [1, 0]]
  private static func moved(_ ring: [[Double]], _ north: Double, _ east: Double, by scale: Double = 1) -> [[Double]] {
    ring.map { [$0[0] * scale + north, $0[1] * scale + east] }
  }

  static let refused: [Refused] = [
    // Coordinates.
    Refused("latitude above 90", [[[[0, 0], [90.1, 1], [1, 1]]]], .coordinate, at: [0, 0, 1]),
    Refused("latitude below −90", [[[[0, 0], [1, 1], [-90.000001, 1]]]], .coordinate, at: [0, 0, 2]),
    Refused("longitude above 360", [[[[0, 360.5], [0, 1], [1, 1]]]], .coordinate, at: [0, 0, 0]),
    Refused("longitude below −360", [[[[0, 0], [0, -361], [1, 1]]]], .coordinate, at: [0, 0, 1]),
    Refused("NaN", [[[[.nan, 0], [0, 1], [1, 1]]]], .coordinate, at: [0, 0, 0]),
    Refused("infinity", [[[[0, 0], [0, .infinity], [1, 1]]]], .coordinate, at: [0, 0, 1]),
    Refused("NaN in a hole", [[box, [[0.1, 0.1], [0.2, .nan], [0.2, 0.2]]]], .coordinate, at: [0, 1, 1]),
    Refused(
      "metres of a projection", [[[[5_820_000, 392_000], [5_820_100, 392_000], [5_820_000, 392_100]]]], .coordinate),
    Refused(
      "infinity in the second part", [[box], [[[-.infinity, 0], [0, 1], [1, 1]]]], .coordinate, at: [1, 0, 0]),
    // Empty shapes.
    Refused("no part", [], .empty),
    Refused("no ring", [[]], .empty, at: [0, 0, 0]),
    Refused("no vertex", [[[]]], .empty, at: [0, 0, 0]),
    // Too few vertices.
    Refused("one vertex", [[[[1, 1]]]], .tooFewVertices),
    Refused("two vertices", [[[[0, 0], [1, 1]]]], .tooFewVertices),
    Refused("two vertices, closed", [[[[0, 0], [1, 1], [0, 0]]]], .tooFewVertices),
    Refused("one place many times", [[[[1, 1], [1, 1], [1, 1], [1, 1]]]], .tooFewVertices),
    Refused("three vertices, two of them equal", [[[[0, 0], [0, 0], [1, 1]]]], .tooFewVertices),
    Refused("one place by two longitudes", [[[[0, 180], [0, -180], [1, 180]]]], .tooFewVertices),
    Refused("all at the pole", [[[[90, 0], [90, 90], [90, 180]]]], .tooFewVertices),
    Refused("a hole of two vertices", [[box, [[0.1, 0.1], [0.2, 0.2]]]], .tooFewVertices, at: [0, 1, 0]),
    // Edges.
    Refused("an edge to the antipode", [[[[0, 0], [0, 179.9], [10, 90]]]], .edgeTooLong, at: [0, 0, 0]),
    Refused("from pole to pole", [[[[90, 0], [-90, 0], [0, 90]]]], .edgeTooLong, at: [0, 0, 0]),
    Refused(
      "planar, more than half of the Earth", [[[[-80, -175], [-80, 175], [80, 175], [80, -175]]]], .whichSide,
      at: [0, 0, 0], planar: true),
    // No area.
    Refused("there and back along a meridian", [[[[0, 0], [1, 0], [2, 0]]]], .noArea),
    Refused("there and back along the equator", [[[[0, 0], [0, 10], [0, 20]]]], .noArea),
    Refused("a sliver of a tenth of a micrometre", [[[[0, 0], [0, 0.01], [1e-12, 0.005]]]], .noArea),
    Refused("there and back, oriented", [[[[0, 0], [1, 0], [2, 0]]]], .noArea, oriented: true),
    Refused(
      "all but a tenth of a micrometre", [[[[1e-12, 1e-12], [0, 1e-12], [0, 0]]]], .noArea, planar: true,
      oriented: true),
    // For each of these rings, either side could be the inside.
    Refused("the equator", [[[[0, 0], [0, 120], [0, -120]]]], .whichSide),
    Refused(
      "a meridian all around", [[[[0, 0], [60, 0], [60, 180], [0, 180], [-60, 180], [-60, 0]]]], .whichSide),
    // Crossings.
    Refused("a bow tie", [[[[0, 0], [1, 1], [1, 0], [0, 1]]]], .crossing, at: [0, 0, 0]),
    Refused("a bow tie over the antimeridian", [[[[0, 179], [1, -179], [1, 179], [0, -179]]]], .crossing),
    Refused("a bow tie of a metre", [[moved([[0, 0], [1, 1], [1, 0], [0, 1]], 50, 7, by: 1e-5)]], .crossing),
    Refused("a bow tie at the pole", [[[[89, 0], [89, 180], [89, 90], [89, -90]]]], .crossing),
    Refused("a pentagram", [[[[0, 0], [2, 1], [0, 2], [1.5, -0.5], [1.5, 2.5]]]], .crossing),
    Refused("a hole that sticks out", [[box, [[0.5, 0.5], [0.5, 1.5], [0.6, 1.5], [0.6, 0.5]]]], .crossing),
    Refused("holes that cross", [[box, moved(box, 0.2, 0.2, by: 0.3), moved(box, 0.3, 0.3, by: 0.3)]], .crossing),
    Refused("parts that cross", [[box], [moved(box, 0.5, 0.5)]], .crossing),
    Refused(
      "parts that cross in a common vertex",
      [[[[0, 0], [0, 2], [2, 2], [2, 0]]], [[[0, 0], [1, 3], [3, 1], [-1, -1], [-1, 1]]]], .crossing),
    Refused("an eight through one vertex", [[[[0, 0], [1, 1], [1, -1], [0, 0], [-1, 1], [-1, -1]]]], .crossing),
    Refused(
      "a vertex that pokes through an edge",
      [[[[0, 0], [0, 1], [1, 1], [0.5, -1e-4], [1, 0]]]], .crossing),
    Refused(
      "a vertex ten micrometres through an edge", [[[[0, 0], [0, 1], [1, 1], [-1e-10, 0.5], [1, 0]]]], .crossing),
    Refused("planar edges that cross", [[[[50, 0], [51, 10], [51, 0], [50, 10]]]], .crossing, planar: true),
    Refused("edges of thousands of kilometres that cross", [[[[0, 0], [40, 80], [40, 0], [0, 80]]]], .crossing),
    // Overlaps.
    Refused("a part twice", [[box], [box]], .overlap),
    Refused("a hole twice", [[box, moved(box, 0.2, 0.2, by: 0.2), moved(box, 0.2, 0.2, by: 0.2)]], .overlap),
    Refused("a vertex on the way back", [[[[0, 0], [0, 2], [0, 1], [1, 1]]]], .overlap),
    Refused(
      "parts that share a piece of an edge", [[box], [[[0.25, 1], [0.25, 2], [0.75, 2], [0.75, 1]]]], .overlap),
    Refused(
      "a hole along a piece of its ring", [[box, [[0.25, 0], [0.25, 0.5], [0.75, 0.5], [0.75, 0]]]], .overlap),
    Refused(
      "three parts with one edge",
      [[box], [[[0, 1], [0, 2], [1, 2], [1, 1]]], [[[0, 1], [0, 1.5], [1, 1.5], [1, 1]]]],
      .overlap),
    // Holes and parts.
    Refused("a hole outside", [[box, moved(box, 5, 5, by: 0.1)]], .holeOutside, at: [0, 1, 0]),
    Refused("a hole around its ring", [[box, moved(box, -1, -1, by: 3)]], .holeOutside, at: [0, 1, 0]),
    Refused("a hole in another part", [[box, moved(box, 10.4, 10.4, by: 0.1)], [moved(box, 10, 10)]], .holeOutside),
    Refused("a hole in a hole", [[box, moved(box, 0.2, 0.2, by: 0.5), moved(box, 0.3, 0.3, by: 0.1)]], .holesOverlap),
    Refused(
      "a hole around a hole", [[box, moved(box, 0.3, 0.3, by: 0.1), moved(box, 0.2, 0.2, by: 0.5)]], .holesOverlap),
    Refused("a part in a part", [[box], [moved(box, 0.2, 0.2, by: 0.2)]], .partsOverlap),
    Refused("a part around a part", [[moved(box, 0.2, 0.2, by: 0.2)], [box]], .partsOverlap),
    Refused(
      "a part in a part, far away",
      [[moved(box, 60, 170, by: 20)], [moved(box, 65, 175, by: 2)]], .partsOverlap),
    // No boundary.
    Refused("a hole as large as its ring", [[box, box]], .noLine),
    // Buffers.
    Refused("a NaN buffer", [[box]], .buffer, buffer: .nan),
    Refused("an infinite buffer", [[box]], .buffer, buffer: .infinity),
  ]

  @Test(arguments: refused) func isRefused(_ shape: Refused) {
    do {
      _ = try GeodesicShape.reading(
        polygon: shape.parts.map { $0.map { $0.map { ($0[0], $0[1]) } } }, reading: shape.planar ? .planar : .geodesic,
        isOriented: shape.oriented, buffer: shape.buffer)
      Issue.record("accepted")
    } catch {
      #expect(error.reason == shape.reason, "\(error)")
      if let place = shape.place { #expect(error.place.map { [$0.part, $0.ring, $0.edge] } == place, "\(error)") }
    }
  }

  static let accepted: [Refused] = [
    Refused(
      "a ring that touches itself in a vertex", [[[[0, 0], [-1, 1], [-1, -1], [0, 0], [1, -1], [1, 1]]]], .crossing),
    Refused("a hole that touches its ring in a vertex", [[box, [[0, 0], [0.3, 0.5], [0.5, 0.3]]]], .crossing),
    Refused(
      "a hole that touches its ring with a vertex on an edge", [[box, [[0, 0.5], [0.3, 0.6], [0.3, 0.4]]]], .crossing),
    Refused("parts that touch in a vertex", [[box], [moved(box, 1, 1)]], .crossing),
    Refused("parts that share an edge", [[box], [moved(box, 0, 1)]], .overlap),
    Refused(
      "parts that share half of their edges", [[box], [moved(box, 0, 1)], [moved(box, 1, 0)], [moved(box, 1, 1)]],
      .overlap),
    Refused(
      "a part in a hole", [[box, moved(box, 0.2, 0.2, by: 0.6)], [moved(box, 0.4, 0.4, by: 0.2)]], .partsOverlap),
    Refused(
      "a part that fills a hole", [[box, moved(box, 0.2, 0.2, by: 0.6)], [moved(box, 0.2, 0.2, by: 0.6)]], .overlap),
    Refused(
      "a spur of no width", [[[[0, 0], [0, 1], [0.5, 1], [0.5, 1.5], [0.5, 1], [1, 1], [1, 0]]]], .overlap),
    Refused(
      "vertices twice", [[[[0, 0], [0, 0], [0, 1], [0, 1], [1, 1], [1, 0], [1, 0], [0, 0]]]], .tooFewVertices),
    Refused("longitudes from 0 to 360", [[[[0, 359], [0, 361 - 360], [1, 1], [1, 359]]]], .coordinate),
    Refused("longitudes beyond 180", [[[[0, 179], [0, 181], [1, 181], [1, 179]]]], .coordinate),
    Refused(
      "a vertex half a micrometre through an edge", [[[[0, 0], [0, 1], [1, 1], [-4e-12, 0.5], [1, 0]]]], .crossing),
    Refused("an edge of 19 890 km", [[[[0, 0], [0, 178.6], [80, 90]]]], .edgeTooLong),
    Refused("most of the Earth", [[moved(box, 0, 0).reversed()]], .whichSide, oriented: true),
    Refused("a triangle with a corner at the pole", [[[[80, 0], [80, 90], [90, 17]]]], .tooFewVertices),
    Refused("a sliver of a hole", [[box, [[0.4, 0.5], [0.6, 0.5], [0.5, 0.5]]]], .noArea),
    Refused(
      "a sliver of a hole, oriented", [[box, [[0.4, 0.5], [0.5, 0.5], [0.6, 0.5]]]], .noArea, oriented: true),
    Refused("an empty hole and an empty part", [[box, []], [[]], []], .empty),
    Refused("a sliver of a part", [[box], [[[5, 5], [5, 6], [5, 7]]]], .noArea),
    Refused("a millimetre", [[moved(box, 52.5, 13.4, by: 1e-8)]], .noArea),
  ]

  @Test(arguments: accepted) func isAccepted(_ shape: Refused) throws {
    _ = try GeodesicShape.reading(
      polygon: shape.parts.map { $0.map { $0.map { ($0[0], $0[1]) } } }, isOriented: shape.oriented,
      buffer: shape.buffer)
  }

  /// Edges that cross at two vertices that are not equal, but less than a micrometre apart.
  @Test(arguments: [0, 2.4e-14, 1e-13, 1e-12, 4e-12]) func crossingsInVerticesThatAreNearlyOne(_ apart: Double) {
    let planar: [Corner] = [(0, 0), (1, 1), (0, 1), (1 + apart, 0)]
    let geodesic: [Corner] = [(0, 0), (0.5, 0.5), (1, 1), (0, 1), (0.5 + apart, 0.5), (1, 0)]
    for (ring, reading) in [(planar, EdgeReading.planar), (geodesic, .geodesic)] {
      for isOriented in [false, true] {
        do throws(ShapeDefect) {
          _ = try GeodesicShape.reading(polygon: [[ring]], reading: reading, isOriented: isOriented)
          Issue.record("accepted \(ring)")
        } catch {
          #expect(error.reason == .crossing, "\(error.message)")
        }
      }
    }
  }

  /// If edges cross each other, the error contains the position at which they cross.
  @Test func crossingsAreNamedWhereTheyAre() {
    for size in [1e-4, 1, 40] {
      do throws(ShapeDefect) {
        let tie = [(-size, 10 - size), (size, 10 + size), (size, 10 - size), (-size, 10 + size)]
        _ = try GeodesicShape.reading(polygon: [[tie]])
        Issue.record("accepted")
      } catch {
        #expect(error.reason == .crossing)
        #expect(error.latitude!.magnitude < 1e-7 && (error.longitude! - 10).magnitude < 1e-7, "\(error)")
      }
    }
  }

  @Test func thereAreSixty() {
    #expect(Self.refused.count >= 60)
    // Each reason for refusing a polygon has a row, except the one that needs a million vertices.
    let met = Set(Self.refused.map(\.reason.rawValue))
    #expect(Set(ShapeDefect.Reason.allCases.map(\.rawValue)).subtracting(met) == ["too_many_vertices", "radius"])
  }

  @Test func tooManyVerticesAreRefusedEarly() {
    // The planar edges of this ring are far in the north, so each edge is cut into thousands of pieces.
    var ring: [Corner] = []
    for number in 0..<1_000 {
      let longitude = Double(number % 170)
      ring.append((latitude: 60, longitude: longitude))
      ring.append((latitude: 85, longitude: -0.9 * longitude - 3))
    }
    var reason: ShapeDefect.Reason?
    do throws(ShapeDefect) { _ = try GeodesicShape.reading(polygon: [[ring]], reading: .planar) } catch {
      reason = error.reason
    }
    #expect(reason == .tooManyVertices)
  }
}
