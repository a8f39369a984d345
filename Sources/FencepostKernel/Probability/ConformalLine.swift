/// A circle of the conformal plane, or a straight line: the points with F(X) = A |X|² + B·X + C = 0, where B² − 4AC = 1.
/// The area that it bounds has F ≥ 0 and lies to its left.
struct ConformalLine {
  /// A, |B|, B / |B| and C.
  let bend: Double
  let slope: Double
  let direction: SIMD2<Double>
  let level: Double
  /// The line as an arc, with the point that is nearest to the position as its origin.
  let arc: ConformalArc

  init(bend: Double, slope: Double, direction: SIMD2<Double>, level: Double) {
    self.bend = bend
    self.slope = slope
    self.direction = direction
    self.level = level
    let nearest = 2 * level / (slope + 1)
    arc = ConformalArc(
      origin: direction * -nearest, tangent: SIMD2(direction.y, -direction.x), curvature: -2 * bend)
  }

  /// The points of the sphere at which x·axis ≥ `sine`, for a unit vector with a horizontal and an upward part.
  ///
  /// - Parameter level: The upward part minus `sine`, computed without a loss of digits.
  init(_ flat: SIMD2<Double>, up: Double, sine: Double, level: Double, _ plane: ErrorPlane) {
    let slope = ErrorPlane.dot(flat, flat).squareRoot()
    let scale = 1 / max(1 - sine * sine, 0).squareRoot()
    self.init(
      bend: -(up + sine) * scale / (4 * plane.radius), slope: slope * scale,
      direction: slope > 0 ? flat / slope : SIMD2(0, 1), level: level * plane.radius * scale)
  }

  /// A circle on the sphere; `nil` if it is so large that the sphere and the ellipsoid differ too much.
  ///
  /// - Parameters:
  ///   - length: The distance of the centre in metres.
  ///   - direction: The direction to the centre.
  init?(circleAt length: Double, _ direction: SIMD2<Double>, radius: Double, _ plane: ErrorPlane) {
    guard plane.isFaithful(length) else { return nil }
    let (sineLength, cosineLength) = Trigonometry.sincos(length / plane.radius)
    let (sineRadius, cosineRadius) = Trigonometry.sincos(radius / plane.radius)
    let sum = Trigonometry.sincos((length + radius) / (2 * plane.radius)).sine
    let difference = Trigonometry.sincos((length - radius) / (2 * plane.radius)).sine
    guard sineRadius > 0 else { return nil }
    self.init(
      bend: -(cosineLength + cosineRadius) / (4 * plane.radius * sineRadius), slope: sineLength / sineRadius,
      direction: direction, level: -2 * plane.radius * sum * difference / sineRadius)
  }

  /// The length from the origin of the arc in either direction to the end of the window, or half of the circle; `nil` if
  /// the window does not contain any point of the line.
  ///
  /// - Parameter reach: The radius of the window in metres.
  func half(within reach: Double, _ plane: ErrorPlane) -> Double? {
    let window = plane.conformal(SIMD2(reach, 0)).x * 1.01
    let nearest = ErrorPlane.dot(arc.origin, direction)
    let rest = window * window - nearest * nearest
    guard rest >= 0 else { return nil }
    // |X(w)|² = nearest² + w² (1 + nearest κ) / (1 + κ²w²/4), with w = 2 tan(κt/2) / κ.
    let grow = 1 + nearest * arc.curvature - 0.25 * arc.curvature * arc.curvature * rest
    let turn = 0.5 * arc.curvature.magnitude
    let whole = turn > 0 ? 1.5707963267948966 / turn : .infinity
    guard grow > 0 else { return whole < .infinity ? whole : nil }
    return min(length(ofHalfTangent: (rest / grow).squareRoot()), whole)
  }

  /// The length t along the arc for w = 2 tan(κt/2) / κ.
  func length(ofHalfTangent w: Double) -> Double {
    let half = 0.5 * arc.curvature * w
    let square = half * half
    if square < 1e-4 { return w * (1 - square * ((1 / 3.0) - square * ((1 / 5.0) - square * (1 / 7.0)))) }
    return Trigonometry.atan2(half, 1) * 2 / arc.curvature
  }

  func value(_ point: SIMD2<Double>) -> Double {
    bend * ErrorPlane.dot(point, point) + slope * ErrorPlane.dot(direction, point) + level
  }
}

extension ErrorPlane {
  /// Whether circles with their centres at a distance, in metres, are exact enough on the sphere; see `ErrorPlane`.
  func isFaithful(_ distance: Double) -> Bool {
    let ratio = distance / radius
    return ratio < 0.4 && 0.02 * ratio * ratio * (error.major / radius) * (error.major / error.minor) < 1e-6
  }
}
