/// Bounds of the probability that the true position is in a circle, for an error that is the same in all directions. They
/// cost a hundredth of the integral.
public enum CircleBound {
  /// A longer radius has no bound here: the boundary counts as a circle of the plane around the position.
  private static let greatestRadius = 100_000.0
  /// More than the error of ``quantile(_:)`` and of the plane.
  private static let guardWidth = 2e-3

  /// Whether the probability is certainly less than a limit, for a position in the circle.
  ///
  /// The circle is convex, so it lies on one side of the tangent at the nearest point of its boundary. The probability is
  /// at most that of this half-plane, Φ(depth / sigma).
  ///
  /// - Parameters:
  ///   - limit: From 0.5 to 0.99999.
  ///   - depth: The distance to the boundary in metres, at least 0.
  ///   - sigma: The standard deviation in metres, above 0.
  public static func isLess(than limit: Double, depth: Double, radius: Double, sigma: Double) -> Bool {
    radius <= greatestRadius && depth < (quantile(1 - limit) - guardWidth) * sigma
  }

  /// Whether the probability is certainly greater than a limit, for a position outside of the circle.
  ///
  /// At the distance y from the nearest point, along the tangent, the boundary lies at most y² / radius behind the tangent.
  /// The tail Φ(−x) of the normal distribution is convex for x ≥ 0, so the probability is at least
  /// Φ(−(distance + mean of y² / radius) / sigma); the mean is sigma² / radius. The parts that this ignores, beside and
  /// behind the circle, have a probability below 1e-10 if the radius is at least ``ErrorEllipse/farthest`` × sigma.
  ///
  /// - Parameters:
  ///   - limit: From 0.00001 to 0.5.
  ///   - distance: From the boundary, in metres, at least 0.
  ///   - sigma: The standard deviation in metres, above 0.
  public static func isGreater(than limit: Double, distance: Double, radius: Double, sigma: Double) -> Bool {
    radius <= greatestRadius && radius >= ErrorEllipse.farthest * sigma
      && distance + sigma * sigma / radius < (quantile(limit) - guardWidth) * sigma
  }

  /// The x for which Φ(−x) = `tail`, within 4.5e-4.
  ///
  /// Source: Abramowitz and Stegun, Handbook of Mathematical Functions, 26.2.23.
  ///
  /// - Parameter tail: Above 0, at most 0.5.
  static func quantile(_ tail: Double) -> Double {
    let t = (-2 * Exponential.logarithm(tail)).squareRoot()
    return t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)))
  }
}
