import Foundation
import Testing

@testable import FencepostKernel

/// Tests depth, caps, bounds and clearance, on which the detectors and the planner rely.
@Suite struct ShapeDepthTests {
  /// Returns a random corridor or star-shaped polygon, which may have a hole, together with its centre and its size.
  static func random(_ random: inout SeededGenerator) -> (shape: GeodesicShape, centre: Place, size: Double) {
    while true {
      let centre = random.place()
      let size = random.logarithmic(1, 2e6)
      let corners = random.integer(3...40)
      var parts = [[[Corner]]]()
      for (scale, isHole) in [(1.0, false), (0.3, true)] where !isHole || random.chance(0.4) {
        let ring: [Corner] = (0..<corners).map { number in
          let place = centre.moved(
            azimuth: 360 * (Double(number) + random.uniform(0...0.6)) / Double(corners),
            distance: size * scale * random.uniform(0.4...1))
          return (place.latitude, place.longitude)
        }
        if isHole { parts[0].append(ring) } else { parts = [[ring]] }
      }
      let kind = random.integer(0...3)
      if kind == 0 {
        let lines = parts[0]
        if let shape = try? GeodesicShape.reading(corridor: lines, radius: size * random.logarithmic(0.001, 1)) {
          return (shape, centre, size)
        }
      } else {
        let buffer = kind == 1 ? size * random.uniform(-0.05...0.5) : 0
        if let shape = try? GeodesicShape.reading(polygon: parts, buffer: buffer) { return (shape, centre, size) }
      }
    }
  }

  private func point(_ place: Place) -> SurfacePoint {
    SurfacePoint(latitude: place.latitude, longitude: place.longitude)
  }

  /// If the position moves, the signed distance D changes by at most the distance moved. No point lies deeper inside
  /// the shape than 1.01 times the depth. Bounds contain D. Every point inside the shape is in both enclosing caps. The
  /// clearance from a point to a level is at most the distance from the point to any other point whose D equals the
  /// level.
  @Test(arguments: 0..<8) func everythingRestsOnTheDistance(_ number: Int) throws {
    var random = SeededGenerator("shapes", salt: UInt64(number))
    for _ in 0..<40 {
      let (shape, centre, size) = Self.random(&random)
      #expect(shape.depth > 0 && shape.depth <= max(shape.offset, GeodesicShape.greatestDepth))
      let middle = shape.boundaryDistance(of: shape.deepest)
      #expect((middle + shape.depth).magnitude < 20e-9 || (middle < -1e5 && shape.depth == 1e5))
      let circle = shape.boundingCircle
      for _ in 0..<20 {
        let place = centre.moved(
          azimuth: random.uniform(0...360),
          distance: random.chance(0.2) ? random.logarithmic(1, 1.9e7) : size * random.uniform(0...2))
        let point = point(place)
        let d = shape.boundaryDistance(of: point)
        #expect(-d <= shape.depth * 1.01 || shape.depth == 1e5, "\(shape.definition) \(place)")
        let bounds = shape.bounds(at: point.vector)
        #expect(bounds.least <= d && d <= bounds.most, "\(shape.definition) \(place) \(d) \(bounds)")
        if d <= 0 {
          #expect(shape.boundingCap.centre.squaredChord(to: point.vector).squareRoot() <= shape.boundingCap.reach)
          #expect(circle.centre.path(to: point).distance <= circle.radius)
        }
        let way = random.logarithmic(1e-3, size)
        let next = self.point(place.moved(azimuth: random.uniform(0...360), distance: way))
        let moved = point.path(to: next).distance
        let other = shape.boundaryDistance(of: next)
        #expect((other - d).magnitude <= moved + 4e-8, "\(shape.definition) \(place) \(next)")
        // The clearance must also be a lower bound for points above or below the surface.
        let height = random.chance(0.5) ? 0 : random.uniform(-100...100)
        let above = point.vector * (1 + height / 6.4e6)
        let clearance = shape.clearance(from: above, to: other)
        #expect(clearance <= above.squaredChord(to: next.vector).squareRoot(), "\(shape.definition) \(place) \(next)")
      }
    }
  }

  /// The nearest boundary point of a polygon without a buffer is at the distance D; for a shape with a buffer or a
  /// radius, the path to the nearest boundary point has the length D.
  @Test func nearestBoundaryPoints() throws {
    var random = SeededGenerator("boundary points")
    for _ in 0..<60 {
      let (shape, centre, size) = Self.random(&random)
      for _ in 0..<5 {
        let point = point(centre.moved(azimuth: random.uniform(0...360), distance: size * random.uniform(0...1.3)))
        let d = shape.boundaryDistance(of: point)
        let nearest = shape.nearestBoundaryPoint(of: point)
        guard d.magnitude < 9e6 else { continue }
        // `nearest` may be nil where another edge hides the boundary point. This happens only for a shape with a
        // buffer or a radius, and at a point outside only if the buffer is negative.
        guard let nearest else {
          #expect(shape.offset != 0 && (d <= 0 || shape.offset < 0), "\(shape.definition) \(point)")
          continue
        }
        #expect((point.path(to: nearest).distance - d.magnitude).magnitude < 1e-6, "\(shape.definition) \(point)")
        #expect(shape.boundaryDistance(of: nearest).magnitude < 1e-6, "\(shape.definition) \(point)")
      }
    }
  }

  /// Tests the depth of shapes whose depth has a closed form.
  @Test func depthsThatAreKnown() throws {
    // In metres, a square of a thousandth of a degree on the equator is wider than it is high, so its depth is half of
    // its height.
    let small = try GeodesicShape.reading(polygon: [[square(0, 0, 1e-3)]])
    #expect(small.depth <= 55.2872 && small.depth > 55.2872 * 0.99)
    // A circle with many corners.
    let centre = Place(latitude: 48, longitude: 11)
    let ring: [Corner] = (0..<360).map { number in
      let place = centre.moved(azimuth: Double(number), distance: 5_000)
      return (place.latitude, place.longitude)
    }
    let round = try GeodesicShape.reading(polygon: [[ring]])
    #expect(round.depth <= 5_000 && round.depth > 5_000 * 0.99)
    // The oblong hole leaves a strip to the south and one to the north.
    let strips = try GeodesicShape.reading(polygon: [
      [square(0, 0, 1), [(0.2, 0.001), (0.2, 0.999), (0.8, 0.999), (0.8, 0.001)]]
    ])
    #expect(strips.depth < 12_000 && strips.depth > 11_000)
    // At most 100 km.
    #expect(try GeodesicShape.reading(polygon: [[square(0, 0, 20)]]).depth == 100_000)
    #expect(try GeodesicShape.reading(polygon: [[square(0, 0, 1).reversed()]], isOriented: true).depth == 100_000)
    // The depth of a corridor equals its radius, however large the radius is.
    #expect(try GeodesicShape.reading(corridor: [[(0, 0), (1, 1)]], radius: 250_000).depth == 250_000)
  }

  /// Two vertices whose coordinates differ by almost nothing are the same point on the Earth, so no circle can touch
  /// the edge between them.
  @Test func placesThatAreNearlyOneHaveADepth() throws {
    for apart in [1e-267, 1e-20, 1e-13, 4e-12] {
      let ring: [Corner] = [(0, -6), (0, apart), (0, 0), (1, -7)]
      let shape = try GeodesicShape.reading(polygon: [[ring]], buffer: 0)
      let plain = try GeodesicShape.reading(polygon: [[[(0, -6), (0, 0), (1, -7)]]])
      #expect((shape.depth - plain.depth).magnitude < 1e-2 * plain.depth, "\(apart): \(shape.depth) \(plain.depth)")
      for (latitude, longitude) in [(0.0, 0.0), (-1e-3, 1e-3), (0.1, 0.5), (0.1, -1), (0, -3), (45, 90)] {
        let point = SurfacePoint(latitude: latitude, longitude: longitude)
        let (d, bounds) = (shape.boundaryDistance(of: point), shape.bounds(at: point.vector))
        #expect((d - plain.boundaryDistance(of: point)).magnitude < 1e-6, "\(apart) \(point) \(d)")
        #expect(bounds.least <= d && d <= bounds.most, "\(apart) \(point) \(d) \(bounds)")
      }
    }
  }

  /// Tests a line that consists of edges of less than a micrometre each.
  @Test func ringsOfTinyEdgesHaveADepth() throws {
    for (latitude, longitude, radius) in [(0.0, 0.0, 1e-5), (1e-3, 1e-3, 1e-4)] {
      let metre = 1 / 111_000.0
      let ring: [Corner] = (0..<1_000).map { number in
        let angle = 2 * Double.pi * Double(number) / 1_000
        return (latitude + radius * metre * sin(angle), longitude + radius * metre * cos(angle))
      }
      for (ring, isOriented) in [(ring, false), (ring.reversed(), false), (ring, true)] {
        let depth = try GeodesicShape.reading(polygon: [[ring]], isOriented: isOriented).depth
        #expect(depth > radius * 0.95 && depth < radius * 1.05, "\(depth) \(radius)")
      }
      #expect(try GeodesicShape.reading(polygon: [[ring.reversed()]], isOriented: true).depth == 100_000)
      // With two distant vertices, the polygon contains a large triangle, so it is deep.
      let tail = try GeodesicShape.reading(polygon: [
        [ring + [(latitude - 1, longitude + 3), (latitude + 1, longitude + 3)]]
      ])
      #expect(tail.depth > 50_000, "\(tail.depth)")
    }
  }

  /// In a cross of five squares, the largest circle inside touches the four inner corners, but no edge.
  @Test func theDepthOfPartsThatMeetIsThatOfTheWhole() throws {
    let size = 0.01
    let squares = [(0.0, 0.0), (1, 0), (-1, 0), (0, 1), (0, -1)].map { [square($0.0 * size, $0.1 * size, size)] }
    let cross = try GeodesicShape.reading(polygon: squares)
    // The expected depth is half of the diagonal of the middle square. One degree of latitude is 110 574 m, and one
    // degree of longitude is 111 320 m.
    let expected = size / 2 * (110_574.0 * 110_574 + 111_320.0 * 111_320).squareRoot()
    #expect(cross.depth > expected * 0.99 && cross.depth < expected * 1.0001, "\(cross.depth) \(expected)")
    #expect(cross.line.vertices.count == 13)
  }

  /// The search for the deepest place of a smooth outline opens nodes in proportion to the number of vertices, not to
  /// the square of that number. Without `InscribedCircle.descend`, the search opens 11 nodes (stadium) to 42 nodes
  /// (degrees) for each vertex. For an outline with four times as many vertices, the search without `descend` opens 40
  /// to 112 nodes for each vertex.
  @Test(arguments: ["degrees", "ground", "oval", "stadium", "ring"])
  func smoothOutlinesAreNoMoreWork(_ kind: String) throws {
    let count = 4_000
    func outline(_ count: Int, _ size: Double) -> [Corner] {
      (0..<count).map { number in
        let angle = 2 * Double.pi * Double(number) / Double(count)
        let (north, east) = (0.5 * size * sin(angle), 0.5 * size * cos(angle))
        switch kind {
        case "ground": return (48 + north, 8 + east / cos(48 * Double.pi / 180))
        case "oval": return (48 + north, 8 + 3 * east)
        case "stadium": return (48 + north, 8 + east + (east > 0 ? 1 : -1))
        default: return (48 + north, 8 + east)
        }
      }
    }
    let rings = kind == "ring" ? [outline(count / 2, 1), outline(count / 2, 0.3)] : [outline(count, 1)]
    let shape = try GeodesicShape.reading(polygon: [rings])
    let found = try #require(DeepestPlace.find(shape.line, buffer: 0))
    #expect(found.opened < 8 * count, "\(kind): \(found.opened)")
    #expect(found.depth == shape.depth)
  }

  /// Tests holes with a corner on the surrounding edge. In earlier versions, the search for the deepest place tried
  /// circles around these corners, and the circles reached outside the polygon. That search opened 2 500 nodes for each
  /// vertex, took minutes for a polygon with a thousand holes, and found a depth that was up to 2.3 % too small.
  @Test(arguments: [20, 100, 400]) func holesThatTouchTheEdgeAreNoMoreWork(_ holes: Int) throws {
    let width = 1 / Double(holes)
    let diamonds = (0..<holes).map { hole -> [Corner] in
      let middle = (Double(hole) + 0.5) * width
      return [
        (0, middle), (0.4 * width, middle - 0.3 * width), (0.8 * width, middle), (0.4 * width, middle + 0.3 * width),
      ]
    }
    for reading in [EdgeReading.planar, .geodesic] {
      // Geodesic edges along the equator coincide with the parallel.
      let shape = try GeodesicShape.reading(polygon: [[square(0, 0, 1)] + diamonds], reading: reading)
      let found = try #require(DeepestPlace.find(shape.line, buffer: 0))
      #expect(found.opened < 40 * shape.line.vertices.count, "\(found.opened) for \(shape.line.vertices.count)")
      #expect(found.depth == shape.depth)
      var deepest = 0.0
      for north in 0..<50 {
        for east in 0..<50 {
          let point = SurfacePoint(latitude: Double(north) / 50, longitude: Double(east) / 50)
          deepest = max(deepest, -shape.boundaryDistance(of: point))
        }
      }
      #expect(deepest <= shape.depth * 1.01, "\(deepest) \(shape.depth)")
    }
  }

  @Test func buffersMustLeaveSomething() throws {
    let box = square(0, 0, 0.01)
    let plain = try GeodesicShape.reading(polygon: [[box]])
    for part in [0.5, 0.9, 0.99] {
      let buffer = -plain.depth * part
      let shape = try GeodesicShape.reading(polygon: [[box]], buffer: buffer)
      // The depth is the radius of the largest circle in the box plus the negative buffer, or at most 2 % less.
      #expect(shape.depth > 0 && shape.depth < 555 + buffer && shape.depth > (552.87 + buffer) * 0.98, "\(part)")
    }
    for buffer in [-553.0, -1_000, -1e300] {
      #expect(throws: ShapeDefect(.buffer)) { try GeodesicShape.reading(polygon: [[box]], buffer: buffer) }
    }
    let wide = try GeodesicShape.reading(polygon: [[box]], buffer: 1_000)
    #expect(wide.depth > plain.depth + 999 && wide.depth < plain.depth * 1.01 + 1_000)
    #expect(try GeodesicShape.reading(polygon: [[box]], buffer: 1e300).boundingCircle.radius >= 2e7)
  }

  @Test func corridorsOfOnePlaceAreCircles() throws {
    var random = SeededGenerator("circles")
    for _ in 0..<100 {
      let centre = random.place()
      let radius = random.logarithmic(1, 1e7)
      let shape = try GeodesicShape.reading(corridor: [[(centre.latitude, centre.longitude)]], radius: radius)
      let place = random.chance(0.5) ? random.place() : centre.moved(azimuth: 77, distance: random.logarithmic(1, 1e6))
      let d = centre.distance(to: place) - radius
      #expect((shape.boundaryDistance(of: point(place)) - d).magnitude < 15e-9)
    }
    // Both the ends and the bends of a corridor are round.
    let bent = try GeodesicShape.reading(corridor: [[(0, 0), (0, 1), (1, 1)]], radius: 1_000)
    #expect((bent.boundaryDistance(of: SurfacePoint(latitude: 0, longitude: -1)) - 110_319.49).magnitude < 0.01)
    #expect(bent.boundaryDistance(of: SurfacePoint(latitude: 0, longitude: 0.5)) == -1_000)
    for (lines, radius, reason) in [
      ([[(0.0, 0.0), (0, 1)]], 0.0, ShapeDefect.Reason.radius), ([[(0, 0), (0, 1)]], -1, .radius),
      ([[(0, 0), (0, 1)]], .nan, .radius), ([[(0, 0), (0, 1)]], .infinity, .radius), ([], 1, .empty),
      ([[]], 1, .empty), ([[(0, 0), (91, 0)]], 1, .coordinate),
      ([[(0, 0), (0, 179.9)]], 1, .edgeTooLong),
    ] as [([[Corner]], Double, ShapeDefect.Reason)] {
      do throws(ShapeDefect) {
        _ = try GeodesicShape.reading(corridor: lines, radius: radius)
        Issue.record("accepted \(lines) \(radius)")
      } catch {
        #expect(error.reason == reason, "\(error)")
        #expect(error.message.hasPrefix(reason.rawValue))
      }
    }
    // One of the lines crosses itself, and the other goes back along itself.
    _ = try GeodesicShape.reading(corridor: [[(0, 0), (1, 1), (1, 0), (0, 1)], [(0, 0), (0, 1), (0, 0)]], radius: 1)
  }

  /// Tests how far planar edges depart from the geodesics between their ends: not at all on the equator and on
  /// meridians, and by kilometres for long edges in the north.
  @Test func departures() throws {
    func departure(_ ring: [Corner]) -> (metres: Double, place: ShapeDefect.Place)? {
      ShapeDefinition(.polygon(buffer: 0, isOriented: false), ShapeVertices(parts: [[ring]])).planarDeparture
    }
    #expect(departure([(0, 0), (0, 10), (10, 10)])?.place.edge == 2)
    #expect(departure(square(52, 13, 0.01)) == nil)
    let canada = try #require(departure([(49, -123), (49, -95), (60, -95), (60, -123)]))
    #expect(canada.place == ShapeDefect.Place(part: 0, ring: 0, edge: 2) || canada.metres > 70_000, "\(canada)")
    #expect(departure([(.nan, 0), (0, 1000), (1, 1)]) == nil)
  }

  @Test func nearlyEqualDefinitions() {
    let given = ShapeDefinition(.polygon(buffer: 1, isOriented: false), ShapeVertices(parts: [[square(0, 179, 1)]]))
    func changed(_ change: (inout ShapeDefinition) -> Void) -> Bool {
      var other = given
      change(&other)
      return given.isNearlyEqual(to: other) && other.isNearlyEqual(to: given)
    }
    #expect(changed { _ in })
    #expect(changed { $0.kind = .polygon(buffer: 1.5, isOriented: false) })
    #expect(!changed { $0.kind = .polygon(buffer: 1.51, isOriented: false) })
    #expect(!changed { $0.kind = .polygon(buffer: 1, isOriented: true) })
    #expect(!changed { $0.kind = .corridor(radius: 1) })
    #expect(!changed { $0.edges = .planar })
    #expect(changed { $0.vertices = ShapeVertices(parts: [[square(0.9e-7, 179, 1)]]) })
    #expect(!changed { $0.vertices = ShapeVertices(parts: [[square(1.1e-7, 179, 1)]]) })
    #expect(changed { $0.vertices = ShapeVertices(parts: [[[(0, 179), (0, -179.999_999_95), (1, -180), (1, 179)]]]) })
    #expect(!changed { $0.vertices = ShapeVertices(parts: [[square(0, 179, 1)], []]) })
    #expect(!changed { $0.vertices = ShapeVertices(parts: [[square(0, 179, 1) + [(0, 179)]]]) })
  }

  /// Next to a corner that bends inwards, another edge may be nearer than the edge from which the search starts.
  @Test func theNearestPlaceOfTheBoundaryLiesOnIt() throws {
    // The shape is an L whose legs are 200 m wide; inside the corner, the shortest way out of one leg ends inside the
    // other leg.
    let bend = try GeodesicShape.reading(corridor: [[(0, 0), (0, 0.01), (0.01, 0.01)]], radius: 100)
    var found = 0
    var missing = 0
    func look(_ shape: GeodesicShape, _ point: SurfacePoint) {
      guard let place = shape.nearestBoundaryPoint(of: point) else {
        missing += 1
        return
      }
      found += 1
      #expect(shape.boundaryDistance(of: place).magnitude < 1e-6, "from \(point)")
    }
    for north in 0..<30 {
      for east in 0..<30 {
        look(bend, SurfacePoint(latitude: Double(north) * 1e-4 - 5e-4, longitude: 0.0075 + Double(east) * 1e-4))
      }
    }
    #expect(found > 300 && missing > 10, "\(found) and \(missing)")
    var random = SeededGenerator("nearest places")
    for _ in 0..<300 {
      let (shape, centre, size) = Self.random(&random)
      for _ in 0..<10 {
        let place = centre.moved(azimuth: random.uniform(0...360), distance: size * random.uniform(0...2))
        look(shape, SurfacePoint(latitude: place.latitude, longitude: place.longitude))
      }
    }
    #expect(found > 2_000, "\(found) and \(missing)")
  }
}
