import Testing
import TestSupport

@testable import FencepostKernel

/// Tests that the side of a point is exact even near a tip so sharp that both of its edges are equally near.
@Suite struct ShapeNeedlesTests {
  private func point(_ place: Place) -> SurfacePoint {
    SurfacePoint(latitude: place.latitude, longitude: place.longitude)
  }

  /// The triangle's tip is 3.7e-9 radians wide, and its distance from the point is 999.964042524719 m according to
  /// geographiclib.
  @Test func aPointBesideASharpTriangleIsOutside() throws {
    let shape = try GeodesicShape.reading(
      polygon: [[[(-33, 7), (-32.9, 7.2), (-32.93003377, 7.14004728)]]], buffer: 0)
    let distance = shape.boundaryDistance(of: SurfacePoint(latitude: -32.99223885, longitude: 6.99455404))
    #expect((distance - 999.963997524676).magnitude < 1e-6)
  }

  /// A point that is at least 10 cm away from a needle narrower than 1 cm is outside.
  @Test func pointsBesideRandomNeedlesAreOutside() throws {
    var random = SeededGenerator("needles")
    var looked = 0
    for turn in 0..<300 {
      let tip = random.place()
      let azimuth = random.uniform(0...360)
      let (first, second) = (random.uniform(200...40_000), random.uniform(200...40_000))
      let width = random.logarithmic(1e-5, 1e-2)
      let angle = (turn % 2 == 0 ? 57.3 : -57.3) * width / min(first, second)
      let (one, other) = (
        tip.moved(azimuth: azimuth, distance: first), tip.moved(azimuth: azimuth + angle, distance: second)
      )
      let ring: [Corner] = [tip, one, other].map { ($0.latitude, $0.longitude) }
      guard let shape = try? GeodesicShape.reading(polygon: [[ring]], buffer: 0) else { continue }
      for _ in 0..<20 {
        let along = tip.moved(azimuth: azimuth, distance: random.uniform(-1...1))
        let aside = along.moved(
          azimuth: azimuth + (random.uniform(0...1) < 0.5 ? 90 : -90), distance: random.uniform(0.1...1_000))
        looked += 1
        #expect(
          shape.boundaryDistance(of: point(aside)) > 0, "tip \(tip), legs \(first) m and \(second) m, \(width) m wide")
      }
    }
    #expect(looked > 5_000)
  }
}
