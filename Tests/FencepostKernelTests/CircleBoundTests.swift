import FencepostKernel
import Testing

/// The bounds of probabilities in circles agree with the integral, and decide all but a narrow range of distances.
@Suite struct CircleBoundTests {
  private struct World {
    var random = SystemRandomNumberGenerator()
    let sigma: Double
    let radius: Double
    let error: ErrorEllipse
    let place: SurfacePoint

    init() {
      sigma = 0.01 * Double.random(in: 1...1e6, using: &random).squareRoot() * .random(in: 1...100, using: &random)
      // From circles that the error hides to those beyond the greatest radius of the bounds.
      radius = sigma * .random(in: 0.1...200, using: &random)
      error = ErrorEllipse(major: sigma, minor: sigma, orientation: 0)
      let latitude = [0, 47, -89.9, 60.0].randomElement(using: &random)!
      place = SurfacePoint(latitude: latitude, longitude: .random(in: -180...180, using: &random))
    }

    /// The probability at a distance from the boundary, in metres; negative inside.
    mutating func probability(at distance: Double) -> Double? {
      guard radius + distance >= 0 else { return nil }
      let azimuth = Double.random(in: 0...360, using: &random)
      let centre = GeodesicDirect.solve(
        latitude: place.latitude, longitude: place.longitude, azimuth: azimuth, distance: radius + distance)
      return error.probability(
        at: place, inCircleAround: SurfacePoint(latitude: centre.latitude, longitude: centre.longitude), radius: radius)
    }
  }

  @Test func theBoundsAreRight() {
    var decided = (less: 0, greater: 0)
    for _ in 0..<3_000 {
      var world = World()
      let limit = [0.5001, 0.75, 0.9, 0.99, 0.99999].randomElement()!
      let depth = world.sigma * .random(in: 0...5)
      if CircleBound.isLess(than: limit, depth: depth, radius: world.radius, sigma: world.sigma),
        let probability = world.probability(at: -depth)
      {
        #expect(probability < limit, "\(world.radius) m, sigma \(world.sigma), \(depth) m deep")
        decided.less += 1
      }
      if CircleBound.isGreater(than: 1 - limit, distance: depth, radius: world.radius, sigma: world.sigma),
        let probability = world.probability(at: depth)
      {
        #expect(probability > 1 - limit, "\(world.radius) m, sigma \(world.sigma), \(depth) m outside")
        decided.greater += 1
      }
    }
    #expect(decided.less > 300 && decided.greater > 300)
  }

  /// For a large circle, the bounds decide all distances but those within 0.02 standard deviations of the limit.
  @Test func theBoundsAreNarrow() {
    for (limit, quantile) in [(0.9, 1.281552), (0.75, 0.674490), (0.999, 3.090232)] {
      #expect(CircleBound.isLess(than: limit, depth: 10 * (quantile - 0.02), radius: 50_000, sigma: 10))
      #expect(CircleBound.isGreater(than: 1 - limit, distance: 10 * (quantile - 0.02), radius: 50_000, sigma: 10))
      #expect(!CircleBound.isLess(than: limit, depth: 10 * quantile, radius: 50_000, sigma: 10))
      #expect(!CircleBound.isGreater(than: 1 - limit, distance: 10 * quantile, radius: 50_000, sigma: 10))
    }
  }
}
