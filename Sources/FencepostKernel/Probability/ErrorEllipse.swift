/// The error of a measured position: a normal distribution with mean 0 in the azimuthal equidistant plane around the
/// position.
public struct ErrorEllipse: Sendable, Equatable {
  /// The standard deviations along the major and along the minor axis, in metres.
  public let major, minor: Double
  /// The direction of the major axis, as a unit vector (east, north).
  let axis: SIMD2<Double>

  /// A shorter semi-axis counts as this many metres: distances are exact to 15 nm only.
  public static var leastAxis: Double { 0.01 }
  /// The probability is defined up to this length of the major semi-axis, in metres.
  public static var greatestAxis: Double { 10_000 }
  /// The probability of a true position farther away than this multiple of the major semi-axis is at most 7e-10 and
  /// counts as 0.
  public static var farthest: Double { 6.5 }

  /// - Parameters:
  ///   - major: The one-sigma semi-axis in metres, at least `minor`.
  ///   - minor: The other semi-axis in metres.
  ///   - orientation: The direction of the major axis, in degrees clockwise from north; any finite value.
  public init(major: Double, minor: Double, orientation: Double) {
    // Products of longer axes might overflow. All axes beyond `greatestAxis` have the same result.
    self.minor = min(max(minor, ErrorEllipse.leastAxis), 1e9)
    self.major = min(max(major, self.minor), 1e9)
    let (sine, cosine) = Trigonometry.sincosDegrees(orientation)
    axis = SIMD2(sine, cosine)
  }

  /// An error that is the same in all directions.
  ///
  /// - Parameters:
  ///   - accuracy: The radius in metres, above 0, of the circle that holds the true position with a probability.
  ///   - confidence: That probability, above 0 and below 1. By the Rayleigh distribution, the standard deviation is the
  ///     radius divided by √(−2 ln(1 − confidence)).
  public init(accuracy: Double, confidence: Double) {
    let sigma = accuracy / (-2 * Exponential.logarithm(1 - confidence)).squareRoot()
    self.init(major: sigma, minor: sigma, orientation: 0)
  }

  /// No true position with a probability that counts is farther away, in metres.
  var reach: Double { ErrorEllipse.farthest * major }
}
