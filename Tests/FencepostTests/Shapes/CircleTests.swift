import FencepostKernel
import Testing

@testable import Fencepost
@testable import FencepostCore

@Suite struct CircleTests {
  private static let radii = [0.001, 1, 50, 5_000, 200_000, 5_000_000, 15_000_000, 19_999_999, 2e7, 1e12]

  private func place(_ circle: Circle, _ azimuth: Double, _ distance: Double) -> (Coordinate, EarthVector) {
    let end = GeodesicDirect.solve(
      latitude: circle.latitude, longitude: circle.longitude, azimuth: azimuth, distance: distance)
    return (
      Coordinate(latitude: end.latitude, longitude: end.longitude),
      EarthVector(latitude: end.latitude, longitude: end.longitude)
    )
  }

  /// The quick answers equal those of the full solution, or are undecided. Most test points are near the boundary.
  @Test(arguments: radii) func quickAnswersAreTheFullOnes(radius: Double) {
    var random = SeededGenerator("CircleTests", salt: radius.bitPattern)
    for _ in 0..<200 {
      let circle = Circle(
        latitude: random.uniform(-90...90), longitude: random.uniform(-180...180), radius: radius)
      let beyond = [0, 1e-9, 1e-6, 1e-3, 1, 100].randomElement(using: &random)! * random.uniform(-1...1)
      let distance = min(max(0, random.chance(0.7) ? radius + beyond : random.uniform(0...2e7)), 1.99e7)
      let (coordinate, position) = place(circle, random.uniform(0...360), distance)
      let full = circle.distance(to: coordinate)
      let margins = (inner: random.uniform(0...10), outer: random.uniform(0...10))
      let quick = circle.distance(to: coordinate, at: position, margins: margins)
      #expect((quick - full).magnitude < 1e-7, "\(circle) \(coordinate)")
      #expect((quick <= radius) == (full <= radius))
      #expect((quick <= radius - margins.inner) == (full <= radius - margins.inner))
      #expect((quick >= radius + margins.outer) == (full >= radius + margins.outer))
      if circle.isSurelyInside(position) { #expect(full <= radius) }
      let away = random.uniform(0...1_000)
      if circle.isFarther(than: away, position) { #expect(full > radius + away) }
      if let slack = circle.slack(at: coordinate, position, limit: .infinity), radius < 2e7 {
        #expect((slack.slack - (full - radius).magnitude).magnitude < 1e-6 && slack.isInside == (full <= radius))
        if circle.slack(at: coordinate, position, limit: away) == nil { #expect(slack.slack > away) }
      }
    }
  }

  /// A watch acts when its level is reached or shortly before that, but never later.
  @Test(arguments: radii.dropLast(3)) func watchesActInTime(radius: Double) {
    var random = SeededGenerator("CircleTests watches", salt: radius.bitPattern)
    for _ in 0..<100 {
      let circle = Circle(
        latitude: random.uniform(-90...90), longitude: random.uniform(-180...180), radius: radius)
      let level = random.uniform(-radius / 2...min(radius, 1_000))
      let azimuth = random.uniform(0...360)
      let (_, at) = place(circle, azimuth, radius + level)
      #expect(circle.watch(0, .outwards(level)).slack(at: at) <= 0)
      #expect(circle.watch(0, .inwards(level)).slack(at: at) <= 0)
      let (_, within) = place(circle, azimuth, (radius + level) * 0.9)
      #expect(circle.watch(0, .outwards(level)).slack(at: within) > 0)
    }
  }

  @Test func theNearestPlaceOfTheLineIsOnIt() throws {
    var random = SeededGenerator("CircleTests nearest")
    for radius in Self.radii.dropLast(4) {
      let circle = Circle(
        latitude: random.uniform(-89...89), longitude: random.uniform(-180...180), radius: radius)
      let (coordinate, _) = place(circle, 77, radius * 0.3)
      let nearest = try #require(circle.nearestBoundaryPoint(to: coordinate))
      #expect((circle.distance(to: nearest) - radius).magnitude < 2e-8)
      let there = Circle(latitude: nearest.latitude, longitude: nearest.longitude, radius: 1)
      #expect((there.distance(to: coordinate) - radius * 0.7).magnitude < 2e-8 + radius * 1e-12)
    }
    let centre = Circle(latitude: 10, longitude: 20, radius: 1_000)
    let north = try #require(centre.nearestBoundaryPoint(to: Coordinate(latitude: 10, longitude: 20)))
    #expect(north.latitude > 10 && (north.longitude - 20).magnitude < 1e-12, "from the centre, the one to the north")
    let earth = Circle(latitude: 10, longitude: 20, radius: 1e12)
    #expect(earth.nearestBoundaryPoint(to: Coordinate(latitude: 0, longitude: 0)) == nil)
    let here = EarthVector(latitude: 0, longitude: 0)
    #expect(earth.slack(at: Coordinate(latitude: 0, longitude: 0), here, limit: 1) == nil)
    #expect(earth.slack(at: Coordinate(latitude: 0, longitude: 0), here, limit: .infinity)?.isInside == true)
  }

  @Test func containsWhatIsWithinTheRadiusAndNothingInvalid() {
    let circle = circle(100)
    #expect(circle.contains(Coordinate(latitude: 0, longitude: 0)))
    #expect(!circle.contains(Coordinate(latitude: 0, longitude: 0.01)))
    #expect(!circle.contains(Coordinate(latitude: .nan, longitude: 0)))
    #expect(!circle.contains(Coordinate(latitude: 0, longitude: 181)))
    #expect(
      !CircularGeographicCondition(center: Coordinate(latitude: 0, longitude: 0), radius: .nan)
        .contains(Coordinate(latitude: 0, longitude: 0)))
  }
}
