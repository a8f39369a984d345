import Foundation
import Testing

@testable import FencepostKernel

@Suite struct ShapeLineTests {
  /// A counterclockwise ring around a place, with corners in increasing directions at random distances.
  private func ring(around centre: Place, size: Double, corners: Int, _ random: inout SeededGenerator) -> [Place] {
    let turns = (0..<corners).map { _ in random.uniform(0...360) }.sorted(by: >)
    // No gap between neighbouring corners reaches half a turn, so the centre is inside.
    return (turns + [turns[0] - 120, turns[0] - 240]).sorted(by: >).map {
      centre.moved(azimuth: $0, distance: size * random.uniform(0.2...1))
    }
  }

  private func line(_ rings: [[Place]]) -> ShapeLine {
    ShapeLine(
      chains: rings.map { ring in
        (ring + [ring[0]]).map { SurfacePoint(latitude: $0.latitude, longitude: $0.longitude) }
      })
  }

  /// Returns how many times the rings go around a point: adds up the turns of the direction from the point to a
  /// place that moves along each ring.
  ///
  /// Each edge is cut into 64 pieces. The count is wrong for a point that is so close to an edge that one of these 64
  /// pieces spans half a turn or more.
  private func winding(_ rings: [[Place]], around point: Place) -> Int {
    var turned = 0.0
    for ring in rings {
      for (start, end) in zip(ring, ring.dropFirst() + [ring[0]]) {
        let edge = start.inverse(to: end)
        var before = point.inverse(to: start).azimuth1
        for step in 1...64 {
          let place = start.moved(azimuth: edge.azimuth1, distance: edge.distance * Double(step) / 64)
          let azimuth = point.inverse(to: place).azimuth1
          turned += (before - azimuth).remainder(dividingBy: 360)
          before = azimuth
        }
      }
    }
    return Int((turned / 360).rounded())
  }

  @Test(arguments: 0..<12) func nearestAndSideAreThoseOfAllEdges(_ number: Int) {
    var random = SeededGenerator("rings", salt: UInt64(number))
    for _ in 0..<10 {
      let centre = random.place()
      let size = random.logarithmic(1, 3e6)
      let outer = ring(around: centre, size: size, corners: Int.random(in: 1...60, using: &random), &random)
      // The hole is a clockwise ring whose corners are at most a fifth of `size` away from the centre.
      let hole = ring(around: centre, size: size * 0.1, corners: 5, &random)
      let rings = Bool.random(using: &random) ? [outer] : [outer, hole.reversed()]
      let line = self.line(rings)
      for _ in 0..<6 {
        let reach = Bool.random(using: &random) ? size * 1.5 : random.logarithmic(size * 0.01, 8e6)
        let place = centre.moved(azimuth: random.uniform(0...360), distance: reach * random.uniform(0...1))
        let point = SurfacePoint(latitude: place.latitude, longitude: place.longitude)
        let found = line.nearest(to: point)
        var least = Double.infinity
        for ring in rings {
          for (start, end) in zip(ring, ring.dropFirst() + [ring[0]]) {
            let edge = GeodesicSegment(
              from: SurfacePoint(latitude: start.latitude, longitude: start.longitude),
              to: SurfacePoint(latitude: end.latitude, longitude: end.longitude))
            least = min(least, edge.foot(of: point).distance)
          }
        }
        // The line stores vectors, which are accurate to a nanometre.
        #expect((found.distance - least).magnitude <= 5e-9, "\(rings) \(place)")
        let chords = line.chordBounds(to: point.vector)
        #expect(chords.least <= least && GeodesicShape.most(ofChord: chords.most) >= least)
        if least > size * 1e-3 {
          #expect((found.side > 0) == (winding(rings, around: place) > 0), "\(rings) \(place) \(found)")
        }
      }
    }
  }

  /// Two parts may touch at a corner, and a hole may touch the outer ring at a corner. The direction from that corner
  /// to a point then decides on which side the point lies.
  @Test func cornersWhereMoreThanTwoEdgesMeet() {
    let touching = line([
      [Place(latitude: 0, longitude: 0), Place(latitude: 0, longitude: 1), Place(latitude: 1, longitude: 1)],
      [Place(latitude: 0, longitude: 0), Place(latitude: 0, longitude: -1), Place(latitude: -1, longitude: -1)],
    ])
    #expect(touching.nearest(to: SurfacePoint(latitude: 0.3, longitude: -0.1)).side < 0)
    #expect(touching.nearest(to: SurfacePoint(latitude: -0.3, longitude: 0.1)).side < 0)
    #expect(touching.nearest(to: SurfacePoint(latitude: 0.1, longitude: 0.3)).side > 0)
    #expect(touching.nearest(to: SurfacePoint(latitude: -0.1, longitude: -0.3)).side > 0)
    // A wedge is cut out of the polygon at the origin: points next to the corner are inside, and points in the wedge
    // are outside.
    let cut = line([
      [
        Place(latitude: 0, longitude: 0), Place(latitude: 0.1, longitude: 1), Place(latitude: 1, longitude: 1),
        Place(latitude: 1, longitude: -1), Place(latitude: -1, longitude: -1), Place(latitude: -1, longitude: 1),
        Place(latitude: -0.1, longitude: 1),
      ]
    ])
    let beside = cut.nearest(to: SurfacePoint(latitude: 0, longitude: -0.2))
    #expect(beside.side > 0 && !beside.isInner && beside.place == SurfacePoint(latitude: 0, longitude: 0))
    #expect(cut.nearest(to: SurfacePoint(latitude: 0, longitude: 0.2)).side < 0)
  }

  @Test(arguments: [90.0, -90.0]) func aPoleIsOneCorner(_ pole: Double) {
    // The triangle has a corner at the pole; that corner has a different longitude for each of the two edges that meet
    // there.
    let sign = pole / 90
    let corners = [(sign * 80, 0.0), (sign * 80, sign * 60.0), (pole, 123.0)]
    let line = self.line([corners.map { Place(latitude: $0.0, longitude: $0.1) }])
    for step in 0..<36 {
      let point = SurfacePoint(latitude: sign * 89.5, longitude: Double(step) * 10 + 5)
      let inside = (0.0...60).contains((sign * point.longitude + 360).truncatingRemainder(dividingBy: 360))
      #expect((line.nearest(to: point).side > 0) == inside, "\(point)")
    }
    #expect(line.nearest(to: SurfacePoint(latitude: pole, longitude: -7)).side == 0)
  }

  /// Rotating the world about the Earth's axis does not change distances; mirroring it changes only the side.
  @Test func turnedAndMirrored() {
    var random = SeededGenerator("turned")
    for _ in 0..<200 {
      let centre = random.place()
      let size = random.logarithmic(10, 1e6)
      let ring = ring(around: centre, size: size, corners: 12, &random)
      let place = centre.moved(azimuth: random.uniform(0...360), distance: size * random.uniform(0...1.5))
      let found = line([ring]).nearest(to: SurfacePoint(latitude: place.latitude, longitude: place.longitude))
      let mirrored = line([ring.reversed().map { Place(latitude: -$0.latitude, longitude: $0.longitude) }])
        .nearest(to: SurfacePoint(latitude: -place.latitude, longitude: place.longitude))
      #expect((mirrored.distance - found.distance).magnitude <= 15e-9)
      #expect((mirrored.side > 0) == (found.side > 0) || found.distance < 35e-9)
      // Adding 90 degrees to all longitudes must not change distances or sides.
      let turned = line([ring.map { Place(latitude: $0.latitude, longitude: $0.longitude + 90) }])
        .nearest(to: SurfacePoint(latitude: place.latitude, longitude: place.longitude + 90))
      #expect((turned.distance - found.distance).magnitude <= 15e-9)
      #expect((turned.side > 0) == (found.side > 0) || found.distance < 35e-9)
    }
  }
}

/// Tests the nearest edge of lines that have very few or very many points.
extension ShapeLineTests {
  @Test func linesOfAnySize() {
    for count in [2, 3, 8, 9, 10, 64, 65, 66, 513, 5_000] {
      let meridian = (0..<count).map { SurfacePoint(latitude: Double($0) / 100, longitude: 10) }
      let line = ShapeLine(chains: [meridian])
      for number in Swift.stride(from: 0, to: count - 1, by: max(count / 7, 1)) {
        let found = line.nearest(to: SurfacePoint(latitude: (Double(number) + 0.5) / 100, longitude: 10.001))
        #expect(found.edge == number && found.isInner && found.side < 0)
        // The distance along the parallel is 111 m times the cosine of the latitude; the geodesic is slightly shorter.
        let expected = 111.32 * cos((Double(number) + 0.5) / 100 * .pi / 180)
        #expect((found.distance - expected).magnitude < 0.5)
      }
    }
    // Chains are not joined: no edge connects two chains.
    let apart = ShapeLine(
      chains: [0.0, 20.0].map { longitude in
        [SurfacePoint(latitude: 0, longitude: longitude), SurfacePoint(latitude: 0, longitude: longitude + 1)]
      })
    let found = apart.nearest(to: SurfacePoint(latitude: 0, longitude: 10))
    #expect(found.edge == 0 && !found.isInner && (found.distance - 1_001_875.417).magnitude < 1e-3)
    #expect(ShapeLine(chains: []).nearest(to: SurfacePoint(latitude: 0, longitude: 0)).distance == .infinity)
  }

  /// For any coordinates, the answer is a number or NaN, and the call does not trap.
  @Test func hostileNumbersDoNotTrap() {
    let numbers = [0, -0.0, 90, -90, 180, -180, 360, 1e-300, .leastNonzeroMagnitude, 89.99999999999999, 45.5]
    for a in numbers {
      for b in numbers {
        for c in numbers {
          let ends = [
            SurfacePoint(latitude: min(max(a, -90), 90), longitude: b), SurfacePoint(latitude: 1, longitude: c),
          ]
          let line = ShapeLine(chains: [ends])
          let found = line.nearest(to: SurfacePoint(latitude: min(max(c, -90), 90), longitude: a))
          #expect(found.distance >= 0 && found.distance <= DistanceBounds.largestDistance, "\(a) \(b) \(c)")
        }
      }
    }
  }
}
