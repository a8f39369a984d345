import Testing

@testable import FencepostKernel

/// Rings and lines made ready: what is left of the vertices, and which given edge each point belongs to.
@Suite struct GivenRingTests {
  private func made(
    _ corners: [Corner], isRing: Bool = true, _ reading: EdgeReading = .geodesic, part: Int = 0, ring: Int = 0,
    room: Int = GivenRing.most
  ) throws(ShapeDefect) -> GivenRing {
    var room = room
    return try GivenRing(
      corners.map { ShapeVertices.Vertex(latitude: $0.latitude, longitude: $0.longitude) }, part: part, ring: ring,
      isRing: isRing, reading: reading, room: &room)
  }

  private func refusal(
    _ corners: [Corner], isRing: Bool = true, _ reading: EdgeReading = .geodesic, room: Int = GivenRing.most
  ) -> ShapeDefect? {
    do throws(ShapeDefect) {
      _ = try made(corners, isRing: isRing, reading, part: 3, ring: 2, room: room)
      return nil
    } catch { return error }
  }

  @Test func longitudesAreReduced() throws {
    let ring = try made([(0, 190), (0, 180), (1, -0.0), (-0.0, -190)])
    #expect(ring.points.map(\.longitude) == [-170, -180, 0, 170])
    for point in ring.points {
      #expect(point.longitude != 0 || point.longitude.sign == .plus)
      #expect(point.latitude != 0 || point.latitude.sign == .plus)
    }
    #expect([180, -180, 360, -360, 179.5, -180.5].map { GivenRing.reduced($0) } == [-180, -180, 0, 0, 179.5, 179.5])
  }

  /// Repeated vertices go, the closing one too; edges keep the number of the vertex that they start at as it was given.
  @Test func repeatedVerticesGoAndEdgesKeepTheirNumbers() throws {
    let ring = try made([(0, 0), (0, 0), (0, 1), (0, -359), (1, 1), (0, 0), (0, 0)])
    #expect(ring.points.map(\.longitude) == [0, 1, 1] && ring.points.map(\.latitude) == [0, 0, 1])
    #expect(ring.edges == [0, 2, 4])
    #expect(ring.vertices == ring.points)
    #expect(ring.pairs(isRing: true).map(\.1) == [1, 2, 0])
    #expect(ring.pairs(isRing: false).map(\.1) == [1, 2])
    #expect(ring.place(4) == ShapeDefect.Place(part: 0, ring: 0, edge: 4))
  }

  @Test func reversedEachEdgeKeepsItsNumber() throws {
    let ring = try made([(0, 0), (0, 1), (0, 1), (1, 1), (1, 0)])
    var reversed = ring
    reversed.reverse()
    func edges(_ ring: GivenRing) -> [Set<String>] {
      ring.pairs(isRing: true).map { start, end in
        ["\(ring.points[start])", "\(ring.points[end])", "edge \(ring.edges[start])"]
      }
    }
    #expect(Set(edges(ring)) == Set(edges(reversed)) && edges(ring) != edges(reversed))
    reversed.reverse()
    #expect(reversed.points == ring.points && reversed.edges == ring.edges)
  }

  /// The points of a planar edge are on it, near enough for the geodesics between them, and the same both ways.
  @Test func planarEdgesAreCut() throws {
    let ring = try made([(50, 0), (50, 8), (55, 4)], .planar)
    let first = ring.points.indices.filter { ring.edges[$0] == 0 }
    #expect(first.count > 50 && ring.vertices.count == 3 && ring.edges.count == ring.points.count)
    #expect(first.allSatisfy { ring.points[$0].latitude == 50 })
    #expect(ring.edges == ring.edges.sorted())
    for (start, end) in ring.pairs(isRing: true) where ring.edges[start] == 0 {
      let (from, to) = (ring.points[start], ring.points[end])
      let segment = GeodesicSegment(from: from, to: to)
      let drawn = SurfacePoint(latitude: 50, longitude: (from.longitude + to.longitude) / 2)
      #expect(segment.foot(of: drawn).distance <= 0.1)
    }
    let back = try made([(55, 4), (50, 8), (50, 0)], .planar)
    #expect(Set(back.points.map { "\($0)" }) == Set(ring.points.map { "\($0)" }))
    #expect(try made([(50, 0), (50, 8), (55, 4)]).points.count == 3, "geodesic edges are not")
  }

  /// At a pole all longitudes are one place; a planar edge arrives on one meridian and leaves on another.
  @Test func aPoleIsOnePlace() throws {
    let cap: [Corner] = [(80, 0), (80, 90), (90, 90), (90, 0)]
    let geodesic = try made(cap)
    #expect(geodesic.points.count == 3 && geodesic.edges == [0, 1, 2])
    let planar = try made(cap, .planar)
    #expect(planar.points.filter { $0.latitude == 90 }.count == 1)
    let meridians = Set(planar.points.filter { $0.latitude > 80 && $0.latitude < 90 }.map(\.longitude))
    #expect(meridians.isSubset(of: [0, 90]), "\(meridians)")
  }

  @Test func aLineOfOnePlaceIsAPoint() throws {
    let point = try made([(5, 6)], isRing: false)
    #expect(point.points.count == 1 && point.edges == [0])
    #expect(refusal([(5, 6), (5, 6)], isRing: false)?.reason == .tooFewVertices)
    #expect(try made([(0, 0), (0, 1), (0, 0)], isRing: false).points.count == 3, "a line may come back")
  }

  @Test func whatIsWrongIsToldWithItsPlace() {
    func place(_ edge: Int) -> ShapeDefect.Place { ShapeDefect.Place(part: 3, ring: 2, edge: edge) }
    let good: [Corner] = [(0, 0), (0, 1), (1, 1)]
    for bad in [(Double.nan, 0), (0, .infinity), (90.000_001, 0), (0, -360.000_001)] as [Corner] {
      let found = refusal(good + [bad])
      #expect(found?.reason == .coordinate && found?.place == place(3))
    }
    #expect(refusal([])?.reason == .empty)
    #expect(refusal([(0, 0), (0, 1), (0, 0)])?.reason == .tooFewVertices)
    #expect(refusal([(90, 0), (-90, 0), (90, 5)])?.reason == .tooFewVertices)
    let long = refusal([(0, 0), (0, 1), (0, 179.9)])
    #expect(long?.reason == .edgeTooLong)
    #expect(refusal([(0, 0), (0, 179.9)], isRing: false)?.place == place(0))
    #expect(refusal([(10, 0), (10, 180), (20, 90)], .planar)?.reason == .edgeTooLong)
    #expect(refusal([(0, 0), (0, 1), (1, 1), (1, 0)], room: 2)?.reason == .tooManyVertices)
    #expect(refusal([(60, 0), (60, 100), (70, 50)], .planar, room: 100)?.reason == .tooManyVertices)
  }

  /// Vertices a nanometre apart make no edge with a direction; a ring of nothing else has no area.
  @Test func whatIsNearerThanFiveNanometresIsOne() throws {
    let tiny = 1e-14
    let ring = try made([(0, 0), (0, tiny), (0, 1), (1, 1)])
    #expect(ring.points.count == 3 && ring.edges == [0, 2, 3])
    #expect(refusal([(0, 0), (0, tiny), (tiny, 0)])?.reason == .noArea)
  }
}
