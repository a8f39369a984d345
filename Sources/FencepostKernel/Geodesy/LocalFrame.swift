/// Positions near an origin, computed by the addition theorems from the origin's sines and cosines, without reducing
/// latitude and longitude.
///
/// A position is within 30 nm of `EarthVector(latitude:longitude:)` (21 nm measured over 200 000 positions); callers
/// allow for an error of a micrometre. Use these positions only for screening; decisions use `EarthVector`.
@frozen public struct LocalFrame: Sendable {
  @usableFromInline var latitude = Double.infinity
  @usableFromInline var longitude = Double.infinity
  @usableFromInline var sineLatitude = 0.0
  @usableFromInline var cosineLatitude = 0.0
  @usableFromInline var sineLongitude = 0.0
  @usableFromInline var cosineLongitude = 0.0
  /// The radius of curvature in the prime vertical, in metres.
  @usableFromInline var normal = 0.0
  /// e² / (1 − e² sin² φ).
  @usableFromInline var bend = 0.0

  /// A frame without an origin; every position is out of its range.
  @inlinable
  public init() {}

  /// - Parameters:
  ///   - latitude: The latitude in degrees, in [−90, 90]; for values beyond this range, the meridian is followed over
  ///     the pole.
  ///   - longitude: The longitude in degrees; any finite value. If the latitude or longitude is NaN or infinite, every
  ///     position is out of range.
  @inlinable
  public init(latitude: Double, longitude: Double) {
    self.latitude = latitude
    self.longitude = longitude
    (sineLatitude, cosineLatitude) = Trigonometry.sincosDegrees(latitude)
    (sineLongitude, cosineLongitude) = Trigonometry.sincosDegrees(longitude)
    let rest = 1 - Ellipsoid.eccentricitySquared * sineLatitude * sineLatitude
    normal = Ellipsoid.equatorialRadius / rest.squareRoot()
    bend = Ellipsoid.eccentricitySquared / rest
  }

  /// The surface point at a geographic position, or `nil` where an angle differs from the origin's by 0.01 radians
  /// or more. Longitudes are compared as numbers: across the antimeridian, −179.9 is far from 179.9, but 180.1 is near
  /// it.
  @inlinable @inline(__always)
  public func position(latitude: Double, longitude: Double) -> EarthVector? {
    let u = (latitude - self.latitude) * Trigonometry.radiansPerDegree
    let v = (longitude - self.longitude) * Trigonometry.radiansPerDegree
    guard u.magnitude < 0.01, v.magnitude < 0.01 else { return nil }
    // The sines and cosines are Taylor series; the omitted terms are below 1.4e-15 of the Earth's radius.
    let uu = u * u
    let vv = v * v
    let sineU = u * (1 - uu * (1.0 / 6 - uu * (1.0 / 120)))
    let cosineU = 1 - uu * (0.5 - uu * (1.0 / 24))
    let sineV = v * (1 - vv * (1.0 / 6 - vv * (1.0 / 120)))
    let cosineV = 1 - vv * (0.5 - vv * (1.0 / 24))
    let sineLatitude = self.sineLatitude * cosineU + self.cosineLatitude * sineU
    let cosineLatitude = self.cosineLatitude * cosineU - self.sineLatitude * sineU
    let sineLongitude = self.sineLongitude * cosineV + self.cosineLongitude * sineV
    let cosineLongitude = self.cosineLongitude * cosineV - self.sineLongitude * sineV
    // The radius of curvature in the prime vertical, as a series in the change of the argument of its square root
    // (below 1.4e-4).
    let change = bend * (sineLatitude * sineLatitude - self.sineLatitude * self.sineLatitude)
    let normal = self.normal * (1 + change * (0.5 + change * (0.375 + change * 0.3125)))
    let toAxis = normal * cosineLatitude
    return EarthVector(
      x: toAxis * cosineLongitude, y: toAxis * sineLongitude,
      z: normal * Ellipsoid.axisRatioSquared * sineLatitude)
  }
}
