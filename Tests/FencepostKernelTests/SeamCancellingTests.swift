import Testing

@testable import FencepostKernel

/// Edges that occur in both directions are removed, and the remaining edges are connected.
@Suite struct SeamCancellingTests {
  /// Cancels the seams of rings, and returns the remaining chains as points in degrees: the starts of the edges of each
  /// chain, and "…" at the end of an open chain.
  private func chains(_ rings: [[Corner]]) throws -> [[String]] {
    let made = try rings.enumerated().map { number, corners in
      var room = ShapeVertices.most
      return try GivenRing(
        corners.map { ShapeVertices.Vertex(latitude: $0.latitude, longitude: $0.longitude) }, part: number, ring: 0,
        isRing: true, reading: .geodesic, room: &room)
    }
    return SeamCancelling(made).chains.map { chain in
      for (edge, next) in zip(chain, chain.dropFirst()) { #expect(edge.end.isSamePlace(as: next.start)) }
      let starts = chain.map { name($0.start) }
      return chain[chain.count - 1].end.isSamePlace(as: chain[0].start) ? starts : starts + ["…"]
    }
  }

  private func name(_ point: SurfacePoint) -> String { "\(Int(point.latitude)) \(Int(point.longitude))" }

  @Test func ringsWithoutASeamStayAsTheyAre() throws {
    let found = try chains([square(0, 0, 1), square(0, 5, 1)])
    #expect(found == [["0 0", "0 1", "1 1", "1 0"], ["0 5", "0 6", "1 6", "1 5"]])
  }

  @Test func ringsWithACommonEdgeBecomeOne() throws {
    let found = try chains([square(0, 0, 1), square(0, 1, 1)])
    #expect(found.count == 1)
    #expect(Set(found[0]) == ["0 0", "0 1", "0 2", "1 2", "1 1", "1 0"] && found[0].count == 6)
  }

  /// If four squares share a corner, all edges between them are removed.
  @Test func theCornerOfFourIsGone() throws {
    let found = try chains([square(0, 0, 1), square(0, 1, 1), square(1, 0, 1), square(1, 1, 1)])
    #expect(found.count == 1 && found[0].count == 8 && !found[0].contains("1 1"))
  }

  /// An edge that occurs twice in the same direction is not a seam.
  @Test func whatIsWalkedTwiceOneWayStays() throws {
    let found = try chains([square(0, 0, 1), square(0, 0, 1)])
    #expect(found == [["0 0", "0 1", "1 1", "1 0"], ["0 0", "0 1", "1 1", "1 0"]])
  }

  @Test func aRingAndItsOppositeLeaveNothing() throws {
    let ring = square(0, 0, 1)
    #expect(try chains([ring, ring.reversed()]).isEmpty)
    // One of three equal edges must remain.
    #expect(try chains([ring, ring.reversed(), ring]).map(\.count) == [4])
  }

  @Test func theAntimeridianIsASeam() throws {
    let west: [Corner] = [(0, 170), (0, 180), (10, 180), (10, 170)]
    let east: [Corner] = [(0, -180), (0, -170), (10, -170), (10, -180)]
    let found = try chains([west, east])
    #expect(found.count == 1)
    #expect(Set(found[0]) == ["0 170", "0 -180", "0 -170", "10 -170", "10 -180", "10 170"] && found[0].count == 6)
  }

  /// Where two edges overlap in opposite directions, the overlap is removed from both edges, even if they have no
  /// common vertex; the rest of the ring is unchanged.
  @Test func stretchesOfTheAntimeridianCancelWhereTheyOverlap() throws {
    let west: [Corner] = [(0, 170), (0, 180), (5, 180), (10, 180), (10, 170)]
    let east: [Corner] = [(0, -180), (0, -170), (20, -170), (20, -180)]
    let found = try chains([west, east])
    #expect(found.count == 1)
    #expect(
      found[0].count == 7
        && Set(found[0]) == ["0 170", "0 -180", "0 -170", "20 -170", "20 -180", "10 -180", "10 170"])
    let start = try #require(found[0].firstIndex(of: "20 -180"))
    #expect(found[0][(start + 1) % 7] == "10 -180", "eastern Earth lies left of a line that runs south")
  }

  /// If a ring around a pole follows the antimeridian to the pole and back, its edges along the antimeridian are
  /// removed.
  @Test func theWayToAPoleIsGone() throws {
    let cap: [Corner] = [(80, -180), (80, -90), (80, 0), (80, 90), (80, 180), (90, 180), (90, -180)]
    let found = try chains([cap])
    #expect(found.count == 1 && found[0].count == 4 && !found[0].contains { $0.hasPrefix("90") })
  }

  /// A piece of an edge that is shorter than a micrometre is dropped. Such a short piece is left over if two vertices
  /// were meant to be equal but differ slightly.
  @Test func aSpeckOfTheAntimeridianIsNone() throws {
    let west: [Corner] = [(0, 170), (0, 180), (10, 180), (10, 170)]
    let east: [Corner] = [(0, -180), (0, -170), (10, -170), (10 + 1e-12, -180)]
    let found = try chains([west, east])
    for chain in found { #expect(!zip(chain, chain.dropFirst()).contains { $0 == $1 }) }
    #expect(found.reduce(0) { $0 + $1.filter { $0 != "…" }.count } == 6)
  }
}
