import FencepostKernel

extension Shape {
  /// The probability that the shape contains the true position of a fix, whose accuracy may be infinite.
  @inline(never)
  func probability(at coordinate: Coordinate, accuracy: Double, confidence: Double) -> Double {
    // All accuracies beyond the greatest ellipse have the same result.
    probability(at: coordinate, .accuracy(min(accuracy, 1e9), confidence: confidence))
  }

  /// The probability that the true position is inside, for a valid measured position with a valid error.
  func probability(at coordinate: Coordinate, _ error: PositionError) -> Double {
    let place = SurfacePoint(coordinate)
    guard let ellipse = error.ellipse else {
      return measure(coordinate, at: place.vector, margins: (0, 0)).isInside ? 1 : 0
    }
    switch self {
    case .circle(let circle):
      let centre = SurfacePoint(latitude: circle.latitude, longitude: circle.longitude, vector: circle.centre)
      return ellipse.probability(at: place, inCircleAround: centre, radius: circle.radius)
    case .polygon(let area), .corridor(let area), .line(let area):
      return area.shape.probability(at: place, ellipse)
    }
  }
}
