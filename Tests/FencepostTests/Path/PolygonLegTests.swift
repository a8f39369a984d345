import FencepostKernel
import TestSupport
import Testing

@testable import Fencepost
@testable import FencepostCore

/// Tests the instant at which a short leg crosses the boundary of a polygon. The instant that is computed from the
/// edges near the leg must be the same microsecond as the instant that is found by measuring the distance in steps.
@Suite struct PolygonLegTests {
  @Test(arguments: 0..<6) func crossingsAreThoseOfMeasuredDistances(_ number: UInt64) throws {
    var random = SeededGenerator("polygon legs", salt: number)
    var (passages, others) = (0, 0)
    for round in 0..<150 {
      let middle = Coordinate(latitude: random.uniform(-89.9...89.9), longitude: random.uniform(-180...180))
      let size = random.logarithmic(1, 20_000)
      guard let definition = polygon(around: middle, size, &random)?.definition,
        let shape = try? GeodesicShape.reading(definition)
      else { continue }
      let area = Area(shape, bounds: Area.bounds(of: shape))
      for _ in 0..<6 {
        // The leg starts near the boundary and is at most as long as the polygon is large. The speed is between that of
        // a snail and that of a plane.
        let foot = shape.nearestBoundaryPoint(
          of: SurfacePoint(moved(middle, random.uniform(0...360), size * random.uniform(0...1.2))))
        let length = min(299, random.logarithmic(1e-2, 1) * size)
        let place = foot.map { Coordinate($0) } ?? middle
        let begin = moved(place, random.uniform(0...360), length * [0, 1e-7, 0.5][random.integer(0...2)])
        let end = moved(begin, random.uniform(0...360), length)
        let duration = max(3, Int64(length / random.logarithmic(1e-4, 300) * 1e6))
        var search = PassageSearch(
          Leg(
            from: Fix(coordinate: begin, accuracy: 0, time: Timestamp(microseconds: 0)),
            to: Fix(coordinate: end, accuracy: 0, time: Timestamp(microseconds: duration))))
        for passage in [PathThreshold.Passage.inwards, .outwards, .beyond] {
          let threshold = PathThreshold(passage: passage, level: 0, margins: (0, 0))
          let (first, last) = (Int64(random.integer(0...1)), duration - Int64(random.integer(0...1)))
          let found = search.first(threshold, of: .polygon(area), from: first, through: last)
          let measured = search.march(threshold, of: .polygon(area), from: first, through: last)
          // A measured distance may be wrong by some nanometres, and a device slower than 0.1 m/s takes microseconds
          // for that distance.
          let isFast = length / Double(duration) > 1e-7
          let apart = Double((found ?? 0) - (measured ?? 0)) * length / Double(duration)
          try #require(
            isFast ? found == measured : (found == nil) == (measured == nil) && apart.magnitude < 1e-7,
            "round \(round): \(length) m in \(duration) µs, \(size) m: \(found ?? -1) is not \(measured ?? -1)")
          if found.map({ $0 > first }) ?? false { passages += 1 } else { others += 1 }
        }
      }
    }
    #expect(passages > 100 && others > 100, "\(passages), \(others)")
  }

  private func polygon(
    around middle: Coordinate, _ size: Double, _ random: inout SeededGenerator
  ) -> MultiPolygonalGeographicCondition? {
    let shape = random.shape(around: middle, radius: size)
    return shape as? MultiPolygonalGeographicCondition ?? (shape as? PolygonalGeographicCondition)?.multiple
  }
}
