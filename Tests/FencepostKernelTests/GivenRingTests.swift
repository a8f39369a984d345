import Testing

@testable import FencepostKernel

/// Tests how rings and lines are prepared: which vertices remain, and to which original edge each point belongs.
@Suite struct GivenRingTests {
  private func made(
    _ corners: [Corner], isRing: Bool = true, _ reading: EdgeReading = .geodesic, part: Int = 0, ring: Int = 0,
    room: Int = ShapeVertices.most
  ) throws(ShapeDefect) -> GivenRing {
    var room = room
    return try GivenRing(
      corners.map { ShapeVertices.Vertex(latitude: $0.latitude, longitude: $0.longitude) }, part: part, ring: ring,
      isRing: isRing, reading: reading, room: &room)
  }

  private func refusal(
    _ corners: [Corner], isRing: Bool = true, _ reading: EdgeReading = .geodesic, room: Int = ShapeVertices.most
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

  /// Repeated vertices and the closing vertex are dropped. Each edge keeps the original number of its start vertex.
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

  /// The points that divide a planar edge lie on the edge, are so close together that the geodesics between them follow
  /// the edge, and are the same in both directions of the edge.
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

  /// All longitudes at a pole are the same point. The planar edges of a ring may reach a pole along one meridian and
  /// leave it along another.
  @Test func aPoleIsOnePlace() throws {
    let cap: [Corner] = [(80, 0), (80, 90), (90, 90), (90, 0)]
    let geodesic = try made(cap)
    #expect(geodesic.points.count == 3 && geodesic.edges == [0, 1, 2])
    let planar = try made(cap, .planar)
    #expect(planar.points.filter { $0.latitude == 90 }.count == 1)
    let meridians = Set(planar.points.filter { $0.latitude > 80 && $0.latitude < 90 }.map(\.longitude))
    #expect(meridians.isSubset(of: [0, 90]), "\(meridians)")
  }

  /// A side of a box that reaches from pole to pole, or around the Earth, gets extra vertices, because its two ends
  /// alone do not determine its course.
  @Test func boxesAtThePolesAndAroundTheEarth() throws {
    func box(_ west: Double, _ south: Double, _ east: Double, _ north: Double) -> [Corner] {
      [(south, west), (south, east), (north, east), (north, west)]
    }
    let strip = try made(box(10, -90, 20, 90), .planar)
    #expect(strip.points.count == 4 && strip.points.contains(SurfacePoint(latitude: 0, longitude: 20)))
    #expect(strip.edges == [0, 1, 2, 3] && strip.isDrawnLeft == nil)
    for box in [box(-180, -90, 180, -60), box(-100, -90, 260, -60), box(0, -90, 360, -60)] {
      let cap = try made(box, .planar)
      #expect(cap.isDrawnLeft == true)
      #expect(try made(box.reversed(), .planar).isDrawnLeft == false)
      let shape = try GeodesicShape.reading(
        ShapeDefinition(.polygon(buffer: 0, isOriented: false), vertices(box), edges: .planar))
      let again = try readAgain(shape)
      for longitude in stride(from: -180.0, to: 180, by: 50) {
        for latitude in [-89.9, -75, -60.01, -59.99, 0, 89] {
          let point = SurfacePoint(latitude: latitude, longitude: longitude)
          #expect(shape.contains(point) == (latitude < -60), "\(point)")
          #expect(again.boundaryDistance(of: point) == shape.boundaryDistance(of: point))
        }
        // The point is on the boundary as drawn, within a decimetre.
        let edge = SurfacePoint(latitude: -60, longitude: longitude)
        #expect(shape.boundaryDistance(of: edge).magnitude < 0.11)
      }
    }
    let band = try GeodesicShape.reading(
      ShapeDefinition(.polygon(buffer: 0, isOriented: false), vertices(box(-180, -10, 180, 10)), edges: .planar))
    #expect(band.contains(SurfacePoint(latitude: 9.99, longitude: 179.9)))
    #expect(!band.contains(SurfacePoint(latitude: 10.01, longitude: -179.9)))
    // A ring around more than half of the Earth is not inverted.
    let wide = vertices(box(-180, -90, 180, 10))
    #expect(throws: ShapeDefect.self) {
      try GeodesicShape.reading(ShapeDefinition(.polygon(buffer: 0, isOriented: false), wide, edges: .planar))
    }
    let oriented = try GeodesicShape.reading(
      ShapeDefinition(.polygon(buffer: 0, isOriented: true), wide, edges: .planar))
    #expect(oriented.contains(SurfacePoint(latitude: 9, longitude: 0)))
    #expect(!oriented.contains(SurfacePoint(latitude: 11, longitude: 0)))
    // A geodesic edge cannot follow a whole parallel, so this ring is refused if its edges are geodesic.
    #expect(refusal(box(-180, -90, 180, -60))?.reason == .tooFewVertices)
  }

  /// All meridians meet at the poles, so edges along different meridians do not count as crossing at a pole.
  @Test(arguments: [EdgeReading.geodesic, .planar])
  func stripsFromPoleToPole(_ reading: EdgeReading) throws {
    let strips: [[Corner]] = [
      [(-90, 10), (0, 10), (90, 10), (0, 20)], [(-90, 10), (0, 10), (90, 10), (90, 20), (0, 20), (-90, 20)],
      [(-90, 20), (0, 20), (90, 20), (90, 10), (0, 10), (-90, 10)],
      [(-90, 20), (-30, 20), (30, 20), (90, 20), (90, 10), (0, 10), (-90, 10)],
    ]
    for (number, strip) in strips.enumerated() where number > 0 || reading == .geodesic {
      let shape = try GeodesicShape.reading(
        ShapeDefinition(.polygon(buffer: 0, isOriented: false), vertices(strip), edges: reading))
      for latitude in [-80.0, -1, 0, 45, 89] {
        for (longitude, isInside) in [
          (9.9, false), (10.1, true), (15, true), (19.9, true), (20.1, false), (-165, false),
        ] {
          let point = SurfacePoint(latitude: latitude, longitude: longitude)
          #expect(shape.contains(point) == isInside, "\(number) \(point)")
        }
      }
    }
    // Edges that really cross are still refused.
    #expect(throws: ShapeDefect.self) {
      try GeodesicShape.reading(
        ShapeDefinition(
          .polygon(buffer: 0, isOriented: false), vertices([(-60, 10), (60, 20), (60, 10), (-60, 20)]), edges: reading))
    }
  }

  /// Planar edges follow their longitudes as written, however long: a box of 340 degrees is not a box of 20 degrees.
  @Test func planarEdgesRunAsTheyAreWritten() throws {
    func shape(_ ring: [Corner], isOriented: Bool = false) throws(ShapeDefect) -> GeodesicShape {
      try GeodesicShape.reading(
        ShapeDefinition(.polygon(buffer: 0, isOriented: isOriented), vertices(ring), edges: .planar))
    }
    func box(_ west: Double, _ south: Double, _ east: Double, _ north: Double) -> [Corner] {
      [(south, west), (south, east), (north, east), (north, west)]
    }
    for (west, east) in [(-170.0, 170.0), (-100, 80), (-90, 100), (-360, -10), (10, 360), (170, 190), (-190, -170)] {
      for ring in [box(west, -20, east, 20), box(west, -20, east, 20).reversed()] {
        let found = try shape(ring)
        let again = try readAgain(found)
        for longitude in stride(from: -359.3, through: 360, by: 7) {
          // None of these longitudes is on the antimeridian or on a seam, where vertices are added.
          let isInside = [longitude - 360, longitude, longitude + 360].contains { $0 > west && $0 < east }
          for latitude in [-20.01, -19.99, 0.5, 19.99, 20.01] {
            let point = SurfacePoint(latitude: latitude, longitude: GivenRing.reduced(longitude))
            #expect(found.contains(point) == (isInside && latitude.magnitude < 20), "\(west) \(east) \(point)")
            #expect(again.boundaryDistance(of: point) == found.boundaryDistance(of: point))
          }
        }
      }
    }
    // Without `oriented`, a polygon that covers more than half of the Earth is refused; it is not turned inside out.
    let most = box(-175, -80, 175, 80)
    #expect(throws: ShapeDefect.self) { try shape(most) }
    #expect(try shape(most, isOriented: true).contains(SurfacePoint(latitude: 0, longitude: 0)))
    // More vertices do not change this: the polygon is also refused if each of its edges spans at most 120 degrees of
    // longitude.
    let dense = [-175.0, -60, 60, 175].map { (-80.0, $0) } + [175.0, 60, -60, -175].map { (80.0, $0) }
    #expect(throws: ShapeDefect.self) { try shape(dense) }
    // A line with edges of more than 180 degrees of longitude is accepted as written.
    let line = try GeodesicShape.reading(
      ShapeDefinition(.corridor(radius: 1000), ShapeVertices(lines: [[(0, 170), (0, -170)]]), edges: .planar))
    #expect(line.contains(SurfacePoint(latitude: 0, longitude: 0)))
    #expect(!line.contains(SurfacePoint(latitude: 0, longitude: 180)))
    _ = try readAgain(line)
    let short = try GeodesicShape.reading(
      ShapeDefinition(.corridor(radius: 1000), ShapeVertices(lines: [[(0, 170), (0, 190)]]), edges: .planar))
    #expect(short.contains(SurfacePoint(latitude: 0, longitude: 180)))
    _ = try readAgain(short)
  }

  /// A definition describes the same shape after a store has read it back, and after a caller has read it and passed it
  /// again.
  private func readAgain(_ shape: GeodesicShape) throws -> GeodesicShape {
    let kept = try GeodesicShape.reading(shape.definition, depth: shape.depth)
    #expect(kept.definition == shape.definition)
    let given = try GeodesicShape.reading(shape.definition.written)
    for latitude in stride(from: -85.0, through: 85, by: 17) {
      for longitude in stride(from: -180.0, to: 180, by: 23) {
        let point = SurfacePoint(latitude: latitude, longitude: longitude)
        #expect(given.contains(point) == shape.contains(point), "\(shape.definition.written.vertices.parts)")
      }
    }
    #expect(given.vertexCount == shape.vertexCount)
    return kept
  }

  private func vertices(_ ring: [Corner]) -> ShapeVertices { ShapeVertices(parts: [[ring]]) }

  @Test func aLineOfOnePlaceIsAPoint() throws {
    let point = try made([(5, 6)], isRing: false)
    #expect(point.points.count == 1 && point.edges == [0])
    #expect(try made([(5, 6), (5, 6), (5, -354)], isRing: false).points.count == 1)
    #expect(try made([(0, 0), (0, 1), (0, 0)], isRing: false).points.count == 3, "a line may come back")
  }

  @Test func defectsNameThePlace() {
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
    #expect(refusal([(0, 0), (0, 1), (1, 1), (1, 0)], room: 2)?.reason == .tooManyVertices)
    #expect(refusal([(60, 0), (60, 100), (70, 50)], .planar, room: 100)?.reason == .tooManyVertices)
  }

  /// An edge between vertices that are a nanometre apart has no direction; a ring of only such vertices has no area.
  @Test func whatIsNearerThanFiveNanometresIsOne() throws {
    let tiny = 1e-14
    let ring = try made([(0, 0), (0, tiny), (0, 1), (1, 1)])
    #expect(ring.points.count == 3 && ring.edges == [0, 2, 3])
    #expect(refusal([(0, 0), (0, tiny), (tiny, 0)])?.reason == .noArea)
  }
}
