import Testing

@testable import FencepostKernel

/// Tests which edges cross, which overlap, and which only touch.
@Suite struct CrossingCheckTests {
  /// Runs the crossing check, which assumes that the polygon is to the left of each ring.
  private func check(_ rings: [[Corner]]) throws(ShapeDefect) -> CrossingCheck {
    var places = ContiguousArray<ShapeDefect.Place>()
    let chains = rings.enumerated().map { number, ring in
      for edge in 0...ring.count {
        places.append(ShapeDefect.Place(part: 0, ring: number, edge: edge % ring.count))
      }
      return (ring + [ring[0]]).map { SurfacePoint(latitude: $0.latitude, longitude: $0.longitude) }
    }
    return try CrossingCheck.run(ShapeLine(chains: chains), places)
  }

  private func defect(_ rings: [[Corner]]) -> ShapeDefect? {
    do throws(ShapeDefect) {
      _ = try check(rings)
      return nil
    } catch { return error }
  }

  private func place(_ ring: Int, _ edge: Int) -> ShapeDefect.Place {
    ShapeDefect.Place(part: 0, ring: ring, edge: edge)
  }

  @Test func aPlainRingTouchesNothing() throws {
    let found = try check([square(0, 0, 1)])
    #expect(!found.touchesItself && found.suspect == nil)
    let apart = try check([square(0, 0, 1), square(0, 1.001, 1)])
    #expect(!apart.touchesItself && apart.suspect == nil)
  }

  /// A reported crossing lists the edge with the lower number first, and its coordinate is the point where the edges
  /// cross.
  @Test func aBowTieCrosses() throws {
    let found = try #require(defect([[(0, 0), (1, 1), (0, 1), (1, 0)]]))
    #expect(found.reason == .crossing && found.place == place(0, 0) && found.other == place(0, 2))
    let latitude = try #require(found.latitude)
    let longitude = try #require(found.longitude)
    #expect((latitude - 0.5).magnitude < 1e-4 && (longitude - 0.5).magnitude < 1e-4)
    #expect(defect([square(0, 0, 1), square(0.5, 0.5, 1)])?.reason == .crossing)
    #expect(defect([square(0, 0, 1), square(0.5, 0.5, 1)])?.place?.ring == 0)
  }

  /// Edges that overlap by up to a micrometre only touch. The test uses overlaps and gaps of 0.5, 0.9 and 10
  /// micrometres.
  @Test func aMicrometreIsContact() throws {
    let metre = 1 / 110_574.0
    func poked(_ depth: Double) -> [[Corner]] { [[(0, 0), (0, 1), (1, 1), (-depth * metre, 0.5), (1, 0)]] }
    for depth in [-0.9e-6, -0.5e-6, 0, 0.5e-6, 0.9e-6] {
      #expect(try check(poked(depth)).touchesItself, "\(depth)")
    }
    #expect(defect(poked(10e-6))?.reason == .crossing)
    #expect(try !check(poked(-10e-6)).touchesItself)
  }

  @Test func coincidentEdgesAreNamed() {
    let spike: [Corner] = [(0, 0), (0, 2), (0, 1), (1, 1)]
    #expect(defect([spike])?.reason == .overlap)
    // The two rings overlap along the equator, but their edges there start at different vertices.
    let beside: [[Corner]] = [square(0, 0, 1), [(0, 0.25), (0, 0.75), (-1, 0.5)]]
    let found = defect(beside)
    #expect(found?.reason == .overlap && found?.place == place(0, 0) && found?.other?.ring == 1)
  }

  /// If two rings share a vertex, and arriving and leaving edges alternate around it, the rings touch and do not cross.
  @Test func ringsMayTouchInAVertex() throws {
    let corners = try check([square(0, 0, 1), square(1, 1, 1)])
    #expect(corners.touchesItself && corners.suspect == nil)
    // The rings touch in the middle of an edge.
    let wedge: [Corner] = [(0, 0.5), (-1, 0.25), (-1, 0.75)]
    #expect(try check([square(0, 0, 1), wedge]).touchesItself)
  }

  /// The inner ring shares a vertex with the outer ring, but does not cross it. Nevertheless, the two rings cannot both
  /// have the polygon on their left.
  @Test func touchingFromWithinIsSuspect() throws {
    let inner: [Corner] = [(0, 0), (0.2, 0.5), (0.5, 0.2)]
    #expect(try check([square(0, 0, 1), inner]).suspect?.reason == .crossing)
    #expect(try check([square(0, 0, 1), inner.reversed()]).suspect == nil, "as a hole it does")
  }

  /// A ring that passes at a common vertex from the outside to the inside of another ring crosses that ring.
  @Test func crossingInAVertexIsFound() {
    let through: [Corner] = [(0, 0.5), (0.5, 0.6), (-0.5, 0.6)]
    var outer = square(0, 0, 1)
    outer.insert((0, 0.5), at: 1)
    #expect(defect([outer, through])?.reason == .crossing)
  }

  /// A hundred or more edges that are thousands of kilometres long are checked in pieces. This check must find the same
  /// crossings and contacts as the check of a few edges.
  @Test func manyLongEdgesAreFoundLikeFew() throws {
    for west in [0.0, 130, -179.9] {
      let ring = zigzag(60, west)
      let plain = try check([ring])
      #expect(!plain.touchesItself && plain.suspect == nil)
      // The check must examine each pair of close edges.
      let line = ShapeLine(
        chains: [(ring + [ring[0]]).map { SurfacePoint(latitude: $0.latitude, longitude: $0.longitude) }])
      let found = try #require(try line.nearPairsByPieces(within: 2e-6))
      let numbers = Set(found.map { $0.0 * 1_000 + $0.1 })
      #expect(numbers.count == found.count && found.count < 120 * 119 / 4)
      for one in stride(from: 0, to: 120, by: 9) {
        for other in one + 1..<120 where apart(line.segment(one), line.segment(other)) < 2e-6 {
          #expect(numbers.contains(one * 1_000 + other), "\(one) \(other)")
        }
      }
      // Move a vertex of the ring towards an earlier edge. If the vertex is within 0.4 µm of the edge, on either side,
      // it touches the edge; if it is 20 µm beyond the edge, it crosses the edge.
      let edge = GeodesicSegment(from: point(ring[5]), to: point(ring[6]))
      let (foot, azimuth) = edge.point(0.9 * edge.length)
      for (beyond, isCrossing) in [(-0.4e-6, false), (0.4e-6, false), (20e-6, true)] {
        var poked = ring
        let tip = Place(latitude: foot.latitude, longitude: foot.longitude)
          .moved(azimuth: azimuth + 90, distance: beyond)
        // Vertex 113 is on the boundary's return path, east of this edge.
        poked[113] = (tip.latitude, tip.longitude)
        if isCrossing {
          #expect(defect([poked])?.reason == .crossing, "\(west)")
        } else {
          #expect(try check([poked]).touchesItself, "\(west) \(beyond)")
        }
      }
    }
  }

  /// A ring that zigzags between two parallels; its way back lies ten degrees north of its way out.
  private func zigzag(_ count: Int, _ west: Double) -> [Corner] {
    let step = 100 / Double(count)
    var ring: [Corner] = []
    for number in 0..<count { ring.append((number % 2 == 0 ? -40 : 40, west + Double(number) * step)) }
    for number in (0..<count).reversed() {
      ring.append((number % 2 == 0 ? -30 : 50, west + Double(number) * step))
    }
    return ring
  }

  private func point(_ corner: Corner) -> SurfacePoint {
    SurfacePoint(latitude: corner.latitude, longitude: corner.longitude)
  }

  /// The shortest distance from an end of one of two edges to the other edge.
  private func apart(_ one: GeodesicSegment, _ other: GeodesicSegment) -> Double {
    let first = min(other.foot(of: one.start).distance, other.foot(of: one.end).distance)
    return min(first, one.foot(of: other.start).distance, one.foot(of: other.end).distance)
  }
}
