import Testing

@testable import FencepostKernel

/// Tests the check that holes lie within their outer rings and that parts lie next to each other.
@Suite struct RingNestingTests {
  /// Returns the defects in the nesting of rings. The outer rings are given counterclockwise. Holes are reversed, so
  /// that the polygon is on the left of every ring.
  private func defect(_ parts: [[[Corner]]]) throws -> ShapeDefect? {
    var rings: [GivenRing] = []
    for (part, corners) in parts.enumerated() {
      for (number, ring) in corners.enumerated() {
        var room = ShapeVertices.most
        var made = try GivenRing(
          ring.map { ShapeVertices.Vertex(latitude: $0.latitude, longitude: $0.longitude) }, part: part, ring: number,
          isRing: true, reading: .geodesic, room: &room)
        if number > 0 { made.reverse() }
        rings.append(made)
      }
    }
    do throws(ShapeDefect) {
      try RingNesting.check(rings)
      return nil
    } catch { return error }
  }

  private func place(_ part: Int, _ ring: Int) -> ShapeDefect.Place {
    ShapeDefect.Place(part: part, ring: ring, edge: 0)
  }

  @Test func holesLieWithin() throws {
    #expect(try defect([[square(0, 0, 10)]]) == nil)
    #expect(try defect([[square(0, 0, 10), square(1, 1, 2), square(5, 5, 2)]]) == nil)
    #expect(try defect([[square(0, 0, 10), square(0, 0, 2), square(2, 2, 2)]]) == nil, "they may touch in vertices")
  }

  @Test func aHoleOutsideIsRefused() throws {
    for hole in [square(20, 20, 2), square(-5, -5, 30)] {
      let found = try #require(try defect([[square(0, 0, 10), square(1, 1, 2), hole]]))
      #expect(found.reason == .holeOutside && found.place == place(0, 2))
      #expect(found.latitude != nil && found.longitude != nil)
    }
  }

  @Test func aHoleInAHoleIsRefused() throws {
    for pair in [[square(1, 1, 6), square(2, 2, 2)], [square(2, 2, 2), square(1, 1, 6)]] {
      let found = try #require(try defect([[square(0, 0, 10)] + pair]))
      #expect(found.reason == .holesOverlap && found.place == place(0, 2) && found.other == place(0, 1))
    }
  }

  @Test func partsLieBesideEachOther() throws {
    #expect(try defect([[square(0, 0, 1)], [square(0, 1, 1)], [square(50, 50, 1)]]) == nil)
    for pair in [[square(0, 0, 10), square(1, 1, 2)], [square(1, 1, 2), square(0, 0, 10)]] {
      let found = try #require(try defect(pair.map { [$0] }))
      #expect(found.reason == .partsOverlap && found.place == place(1, 0) && found.other == place(0, 0))
    }
  }

  /// An island in a lake does not overlap the land around the lake, even if the island fills the lake; a part that lies
  /// on the land does overlap it.
  @Test func aPartMayLieInAHole() throws {
    let land = [square(0, 0, 10), square(2, 2, 4)]
    #expect(try defect([land, [square(3, 3, 1)]]) == nil)
    #expect(try defect([[square(3, 3, 1)], land]) == nil)
    #expect(try defect([land, [square(2, 2, 4)]]) == nil)
    #expect(try defect([land, [square(7, 7, 1)]])?.reason == .partsOverlap)
  }

  /// Nesting works at the poles and the antimeridian as elsewhere.
  @Test func nestingKnowsNoEdgeOfTheMap() throws {
    let cap: [Corner] = [(80, 0), (80, 90), (80, 180), (80, -90)]
    let inner: [Corner] = [(85, 0), (85, 120), (85, -120)]
    #expect(try defect([[cap, inner]]) == nil)
    #expect(try defect([[inner, cap]])?.reason == .holeOutside)
    #expect(try defect([[square(0, 175, 10), square(1, 179, 2)]]) == nil)
  }
}
