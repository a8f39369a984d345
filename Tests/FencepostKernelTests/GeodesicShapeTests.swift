import Foundation
import Testing

@testable import FencepostKernel

@Suite struct GeodesicShapeTests {
  private func distance(_ polygon: GeodesicShape, _ latitude: Double, _ longitude: Double) -> Double {
    polygon.boundaryDistance(of: SurfacePoint(latitude: latitude, longitude: longitude))
  }

  @Test(arguments: [false, true]) func windingMeansNothing(_ isReversed: Bool) throws {
    let outer = isReversed ? square(0, 0, 1).reversed() : square(0, 0, 1)
    let hole = isReversed ? square(0.4, 0.4, 0.2) : square(0.4, 0.4, 0.2).reversed()
    for ring in [outer, outer + [outer[0]], [outer[0]] + outer] {
      let polygon = try GeodesicShape.reading(polygon: [[ring, hole]])
      #expect(distance(polygon, 0.5, 0.1) < 0 && distance(polygon, 0.5, 0.5) > 0 && distance(polygon, 2, 2) > 0)
      #expect(distance(polygon, 0, 0.5) == 0 && distance(polygon, 0, 0) == 0)
      // The distance is about a tenth of a degree of longitude on the equator.
      #expect((distance(polygon, 0.5, 0.1) + 11_131.9).magnitude < 5)
    }
  }

  @Test func orientedPolygonsMayBeMostOfTheEarth() throws {
    let rest = try GeodesicShape.reading(polygon: [[square(0, 0, 1).reversed()]], isOriented: true)
    #expect(distance(rest, 0.5, 0.5) > 0 && distance(rest, -45, 170) < 0)
    let inside = try GeodesicShape.reading(polygon: [[square(0, 0, 1)]], isOriented: true)
    #expect(distance(inside, 0.5, 0.5) < 0)
  }

  /// An area that is cut at the antimeridian, extended to the pole, or split into parts with a common edge has the
  /// boundary of the uncut area.
  @Test func seamsAreNoLine() throws {
    let whole = try GeodesicShape.reading(polygon: [[square(10, 175, 10)]])
    let cut = try GeodesicShape.reading(
      polygon: [
        [[(10, 175), (10, 180), (20, 180), (20, 175)]], [[(10, -180), (10, -175), (20, -175), (20, -180)]],
      ], reading: .planar)
    let planar = try GeodesicShape.reading(polygon: [[square(10, 175, 10)]], reading: .planar)
    for (latitude, longitude) in [(15.0, 180.0), (15, -180), (15, 179.999), (12, -178), (19.9, 179), (15, 170)] {
      let expected = distance(planar, latitude, longitude)
      // Half of an edge is divided at other points than the whole edge, but either division stays within 0.1 m of the
      // drawn line.
      #expect((distance(cut, latitude, longitude) - expected).magnitude < 0.25)
      #expect((distance(whole, latitude, longitude) < 0) == (expected < 0))
    }
    let cap = try GeodesicShape.reading(
      polygon: [[[(-80, -180), (-80, -60), (-80, 60), (-80, 180), (-90, 180), (-90, -180)]]], reading: .planar)
    #expect(
      (distance(cap, -90, 12) + 1_116_828).magnitude < 10 && distance(cap, -85, 180) < 0 && distance(cap, -79, 0) > 0)
    let shared = try GeodesicShape.reading(polygon: [[square(0, 0, 1)], [square(0, 1, 1)]])
    #expect((distance(shared, 0.5, 1) + 55_287).magnitude < 10)
    // The two parts of this polygon have different vertices along the antimeridian.
    let stepped = try GeodesicShape.reading(
      polygon: [[[(0, 179), (0, 180), (1, 180), (1, 179)]], [[(-1, -180), (-1, -179), (2, -179), (2, -180)]]],
      reading: .planar)
    #expect(distance(stepped, 0.5, 180) < 0 && distance(stepped, 1.5, 180) == 0 && distance(stepped, 1.5, 179.9) > 0)
  }

  @Test func aRingAroundAPoleHoldsThePole() throws {
    let ring: [Corner] = (0..<12).map { (70, Double($0) * 30 - 170) }
    let polygon = try GeodesicShape.reading(polygon: [[ring]])
    #expect(distance(polygon, 90, 0) < -2_000_000 && distance(polygon, 60, 0) > 0)
    let south = try GeodesicShape.reading(polygon: [[ring.map { (-$0.latitude, $0.longitude) }]])
    #expect(distance(south, -90, 0) == distance(polygon, 90, 0))
  }

  /// Planar edges reach a pole along the meridians of the vertices that are listed at the pole, also when the shape is
  /// rebuilt from its stored definition.
  @Test func planarEdgesKeepTheirMeridiansAtAPole() throws {
    for ring: [Corner] in [
      [(-89.9, 0), (-90, 0), (-90, 90), (-89.9, 90)], [(-90, 90), (-89.9, 90), (-89.9, 0), (-90, 0)],
      [(-90, 90), (-89.9, 90), (-89.9, 0), (-90, 0), (-90, 90)],
    ] {
      let shape = try GeodesicShape.reading(polygon: [[ring]], reading: .planar)
      let d = distance(shape, -89.9340397104344, 59.132570461362036)
      #expect((d + 3779.852117698706).magnitude < 1e-6, "\(d)")
      let again = try GeodesicShape.reading(shape.definition)
      #expect(again.definition == shape.definition)
      #expect(distance(again, -89.9340397104344, 59.132570461362036) == d)
      let bytes = WellKnownBinary.encode(shape.definition)
      let vertices = try WellKnownBinary.decode(bytes).vertices
      let read = try GeodesicShape.reading(ShapeDefinition(shape.definition.kind, vertices, edges: .planar))
      #expect(read.definition == shape.definition)
    }
  }

  @Test func buffersMoveTheLine() throws {
    let wide = try GeodesicShape.reading(polygon: [[square(0, 0, 1)]], buffer: 1_000)
    let narrow = try GeodesicShape.reading(polygon: [[square(0, 0, 1)]], buffer: -1_000)
    let exact = try GeodesicShape.reading(polygon: [[square(0, 0, 1)]])
    let d = distance(exact, 0.001, 0.5)
    #expect(distance(wide, 0.001, 0.5) == d - 1_000 && distance(narrow, 0.001, 0.5) == d + 1_000)
  }

  /// Planar edges are divided finely enough that the geodesics are within 0.1 m of the line on the map.
  @Test func planarEdgesAreWithinTenCentimetres() throws {
    for (south, west, size) in [(50.0, 5.0, 10.0), (-75, 100, 12), (1, 179, 30), (80, 0, 9)] {
      let polygon = try GeodesicShape.reading(polygon: [[square(south, west, size)]], reading: .planar)
      for step in 0...200 {
        let part = Double(step) / 200 * size
        for (latitude, longitude) in [(south, west + part), (south + size, west + part), (south + part, west)] {
          #expect(distance(polygon, latitude, longitude).magnitude <= 0.1, "\(south) \(west) \(step)")
        }
      }
    }
  }

  /// For small rings of random corners, most of which cross themselves, the library finds crossings in the same rings
  /// as a test of every pair of edges in the plane.
  @Test func crossingsAreThoseOfTheFlatMap() throws {
    var random = SeededGenerator("flat crossings")
    var (valid, crossing) = (0, 0)
    for _ in 0..<3_000 {
      let corners = Int.random(in: 3...8, using: &random)
      let ring: [Corner] = (0..<corners).map { _ in (random.uniform(-1e-3...1e-3), random.uniform(-1e-3...1e-3)) }
      func turn(_ a: Corner, _ b: Corner, _ c: Corner) -> Double {
        (b.longitude - a.longitude) * (c.latitude - a.latitude) - (b.latitude - a.latitude)
          * (c.longitude - a.longitude)
      }
      var crosses = false
      for i in 0..<corners {
        for j in i + 1..<corners where (j + 1) % corners != i && j != (i + 1) % corners {
          let (a, b, c, d) = (ring[i], ring[(i + 1) % corners], ring[j], ring[(j + 1) % corners])
          crosses = crosses || (turn(a, b, c) * turn(a, b, d) < 0 && turn(c, d, a) * turn(c, d, b) < 0)
        }
      }
      do {
        let polygon = try GeodesicShape.reading(polygon: [[ring]])
        #expect(!crosses, "\(ring)")
        valid += 1
        // Compares the result with the even-odd rule on the flat map.
        for _ in 0..<4 {
          let p: Corner = (random.uniform(-1e-3...1e-3), random.uniform(-1e-3...1e-3))
          var inside = false
          for i in 0..<corners {
            let (a, b) = (ring[i], ring[(i + 1) % corners])
            if (a.latitude > p.latitude) != (b.latitude > p.latitude),
              p.longitude < a.longitude + (p.latitude - a.latitude) / (b.latitude - a.latitude)
                * (b.longitude - a.longitude)
            {
              inside.toggle()
            }
          }
          let d = distance(polygon, p.latitude, p.longitude)
          if d.magnitude > 1e-4 { #expect((d < 0) == inside, "\(ring) \(p)") }
        }
      } catch {
        #expect(crosses && error.reason == .crossing, "\(ring) \(error)")
        crossing += 1
      }
    }
    #expect(valid > 300 && crossing > 1_000)
  }

  /// The signed distance from a hole is the negative of the signed distance from a part with the same ring. Neither the
  /// order of parts and holes nor the first vertex of a ring affects distances or depth.
  @Test(arguments: 0..<4) func holesArePartsInsideOut(_ number: Int) throws {
    var random = SeededGenerator("holes and parts", salt: UInt64(number))
    for _ in 0..<25 {
      let centre = random.place()
      let size = random.logarithmic(5, 3e5)
      func ring(_ scale: Double, at azimuth: Double, _ way: Double) -> [Corner] {
        let middle = centre.moved(azimuth: azimuth, distance: way * size)
        let corners = random.integer(3...30)
        return (0..<corners).map {
          let place = middle.moved(
            azimuth: -360 * (Double($0) + random.uniform(0...0.5)) / Double(corners),
            distance: scale * size * random.uniform(0.6...1))
          return (place.latitude, place.longitude)
        }
      }
      let (first, second) = (ring(0.4, at: 30, 0.5), ring(0.4, at: 210, 0.5))
      let outer = (0..<8).map { centre.moved(azimuth: -45 * Double($0), distance: 2.5 * size) }.map {
        ($0.latitude, $0.longitude)
      }
      guard let parts = try? GeodesicShape.reading(polygon: [[first], [second]]),
        let holes = try? GeodesicShape.reading(polygon: [[outer, first, second]]),
        let frame = try? GeodesicShape.reading(polygon: [[outer]]),
        let rest = try? GeodesicShape.reading(polygon: [[first.reversed()], [second.reversed()]], isOriented: true)
      else { continue }
      func turned(_ ring: [Corner]) -> [Corner] {
        let start = random.integer(0...ring.count - 1)
        return Array(ring[start...] + ring[..<start])
      }
      let otherParts = try GeodesicShape.reading(polygon: [[turned(second)], [turned(first).reversed()]])
      let otherHoles = try GeodesicShape.reading(polygon: [[turned(outer), turned(second).reversed(), turned(first)]])
      for (shape, other) in [(parts, otherParts), (holes, otherHoles)] {
        // Each computed depth is at most 1 % below the true depth.
        #expect((shape.depth - other.depth).magnitude <= 0.01 * max(shape.depth, other.depth), "\(shape.definition)")
      }
      for _ in 0..<40 {
        let place = centre.moved(azimuth: random.uniform(0...360), distance: 3 * size * random.uniform(0...1))
        let point = SurfacePoint(latitude: place.latitude, longitude: place.longitude)
        let d = parts.boundaryDistance(of: point)
        // With both rings reversed, the polygon is the rest of the Earth.
        #expect((rest.boundaryDistance(of: point) + d).magnitude < 30e-9, "\(parts.definition) \(place)")
        let around = frame.boundaryDistance(of: point)
        #expect(
          (holes.boundaryDistance(of: point) - max(around, -d)).magnitude < 30e-9, "\(holes.definition) \(place)")
        #expect((otherParts.boundaryDistance(of: point) - d).magnitude < 30e-9, "\(parts.definition) \(place)")
        #expect(
          (otherHoles.boundaryDistance(of: point) - holes.boundaryDistance(of: point)).magnitude < 30e-9,
          "\(holes.definition) \(place)")
      }
    }
  }
}
