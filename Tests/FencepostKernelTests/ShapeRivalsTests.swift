import TestSupport
import Testing

@testable import FencepostKernel

/// Vertices that touch an edge between its ends, or poke through it by less than a micrometre, are accepted. Near a
/// vertex that pokes through an edge, the side according to the nearest edge is valid only within the distance by which
/// the vertex pokes through.
@Suite struct ShapeRivalsTests {
  /// Polygons with a vertex that touches an edge between its ends.
  private enum Kind: CaseIterable {
    /// A polygon with a notch whose tip touches the opposite edge.
    case notch
    /// A polygon with a hole that has a corner on the outer ring.
    case hole
    /// A polygon with two holes; a corner of one hole lies on an edge of the other.
    case holes
    /// A polygon with two parts; a corner of one part lies on an edge of the other.
    case parts
    /// A polygon with two notches whose tips touch the opposite edge.
    case notches

    /// - Parameters:
    ///   - base: the start and the end of the edge.
    ///   - place: returns the place `along` metres along the edge and `left` metres to its left.
    ///   - poke: how far the corner is to the left of the edge, in metres.
    func rings(
      _ length: Double, _ height: Double, _ poke: Double, _ place: (_ along: Double, _ left: Double) -> Corner
    ) -> [[[Corner]]] {
      let (start, end) = (place(0, 0), place(length, 0))
      let tip = place(0.5 * length, poke)
      let (left, right) = (place(0.1 * length, height), place(0.9 * length, height))
      let (farLeft, farRight) = (place(0, 2 * height), place(length, 2 * height))
      switch self {
      case .notch: return [[[start, end, right, tip, left]]]
      case .notches:
        return [[[start, end, right, place(0.7 * length, poke), place(0.6 * length, height), tip, left]]]
      case .hole: return [[[start, end, farRight, farLeft], [tip, left, right]]]
      case .holes:
        // The edge belongs to a hole; the hole is to the right of the edge.
        let around = [
          place(-length, -2 * height), place(2 * length, -2 * height), place(2 * length, 3 * height),
          place(-length, 3 * height),
        ]
        return [[around, [start, end, place(0.4 * length, -height)], [tip, left, right]]]
      case .parts: return [[[start, end, place(0.4 * length, -height)]], [[tip, right, left]]]
      }
    }
  }

  private func check(
    _ kind: Kind, from start: Place, azimuth: Double, length: Double, height: Double, poke: Double,
    _ random: inout SeededGenerator
  ) throws {
    func place(_ along: Double, _ left: Double) -> Corner {
      let foot = start.moved(azimuth: azimuth, distance: along)
      guard along != 0 || left != 0 else { return (start.latitude, start.longitude) }
      let ahead = along == 0 ? azimuth : foot.inverse(to: start).azimuth1 + (along > 0 ? 180 : 0)
      let found = foot.moved(azimuth: ahead - 90, distance: left)
      return (found.latitude, found.longitude)
    }
    let note = "\(kind) from \(start) towards \(azimuth), \(length) by \(height), poke \(poke)"
    let apart = 0.01 * height
    let shape = try GeodesicShape.reading(polygon: kind.rings(length, height, poke, place))
    // This shape differs from the first shape only in its tip, which keeps a clear distance from the edge.
    let clear = try GeodesicShape.reading(polygon: kind.rings(length, height, apart, place))
    for turn in 0..<40 {
      let away = random.logarithmic(4 * apart, 2 * height) * (turn % 2 == 0 ? 1 : -1)
      let wedge = (2 * poke.magnitude * away.magnitude).squareRoot()
      let beside = [0, wedge * random.uniform(-1...1), random.uniform(-0.5...0.5) * length][turn % 3]
      let found = place(0.5 * length + beside, away)
      let point = SurfacePoint(latitude: found.latitude, longitude: found.longitude)
      let (distance, expected) = (shape.boundaryDistance(of: point), clear.boundaryDistance(of: point))
      guard expected.magnitude > 2 * apart else { continue }
      #expect((distance - expected).magnitude <= 1.1 * apart, "\(note): \(distance), not \(expected) at \(point)")
      let bounds = shape.bounds(at: point.vector)
      #expect(bounds.least <= distance + 1e-6 && distance <= bounds.most + 1e-6, "\(note): \(bounds) at \(point)")
    }
  }

  @Test(arguments: 0..<6) func whatLiesBehindATipIsOnTheSideOfTheEdge(_ number: Int) throws {
    let starts = [
      Place(latitude: 0, longitude: 0), Place(latitude: 47.3, longitude: 8.5),
      Place(latitude: 12, longitude: 179.999_999),
      Place(latitude: 89.999, longitude: 40), Place(latitude: -89.9999, longitude: -100),
      Place(latitude: -66, longitude: -180),
    ]
    var random = SeededGenerator("rivals", salt: UInt64(number))
    for kind in Kind.allCases {
      for poke in [-0.6e-6, -20e-9, 0, 20e-9, 0.6e-6] {
        let length = random.logarithmic(20, 3e5)
        // A notch may also open at an angle of only 0.001 radians; its edges then cross at that angle.
        for slope in [0.4, 0.001] {
          try check(
            kind, from: starts[number], azimuth: random.uniform(0...360), length: length,
            height: max(slope * length, 0.2), poke: poke, &random)
        }
      }
    }
  }

  /// Tests the case that revealed the defect: a corner 11 nm beyond the equator, and a point 110 km behind that corner.
  @Test func aCornerBeyondTheEquator() throws {
    let corner: Corner = (-1e-13, 0.5)
    let shape = try GeodesicShape.reading(polygon: [[[(0, 0), (0, 1), (1, 1), corner, (1, 0)]]])
    #expect(
      (shape.boundaryDistance(of: SurfacePoint(latitude: -1, longitude: 0.5)) - 110_574.388_557_8).magnitude < 1e-6)
    #expect(shape.boundaryDistance(of: SurfacePoint(latitude: 0.5, longitude: 0.5)) > 0)
    #expect(shape.boundaryDistance(of: SurfacePoint(latitude: 0.2, longitude: 0.1)) < 0)
  }
}
