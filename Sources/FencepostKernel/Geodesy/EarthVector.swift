/// A point of the ellipsoid's surface as an Earth-centred, Earth-fixed vector in metres.
///
/// The x axis meets the equator at longitude 0, the y axis meets it at longitude 90°, and the z axis is the axis of
/// rotation. The straight chord between two points of the surface gives bounds for their geodesic distance; see
/// `DistanceBounds`.
@frozen public struct EarthVector: Sendable, Equatable {
  /// Metres, |x|, |y| ≤ 6 378 137, |z| ≤ 6 356 752.4.
  public var x: Double
  public var y: Double
  public var z: Double

  @inlinable @inline(__always)
  public init(x: Double, y: Double, z: Double) {
    self.x = x
    self.y = y
    self.z = z
  }

  /// The surface point at a geographic position: x = N cos φ cos λ, y = N cos φ sin λ, z = N (1 − e²) sin φ with
  /// N = a / √(1 − e² sin² φ) (Torge and Müller, "Geodesy", 4th edition, 2012, equations 4.11 and 4.12).
  ///
  /// The rounding error is below 3 nm in every direction.
  ///
  /// - Parameters:
  ///   - latitude: Degrees in [−90, 90]; for values beyond this range, the meridian is followed over the pole.
  ///   - longitude: In degrees; any finite value.
  @inlinable @inline(__always)
  public init(latitude: Double, longitude: Double) {
    let (sineLatitude, cosineLatitude) = Trigonometry.sincosDegrees(latitude)
    let (sineLongitude, cosineLongitude) = Trigonometry.sincosDegrees(longitude)
    let rest = 1 - Ellipsoid.eccentricitySquared * (sineLatitude * sineLatitude)
    let primeVertical = Ellipsoid.equatorialRadius / rest.squareRoot()
    let axial = primeVertical * cosineLatitude
    self.init(
      x: axial * cosineLongitude,
      y: axial * sineLongitude,
      z: primeVertical * Ellipsoid.axisRatioSquared * sineLatitude)
  }

  /// The square of the length of the straight line between two points, in square metres; for exact vectors, the
  /// relative error is below 1e-15.
  @inlinable @inline(__always)
  public func squaredChord(to other: EarthVector) -> Double {
    let dx = x - other.x
    let dy = y - other.y
    let dz = z - other.z
    return dx * dx + dy * dy + dz * dz
  }
}
