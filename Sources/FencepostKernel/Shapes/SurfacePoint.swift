/// A position on the ellipsoid in two forms: in degrees, exactly as passed, and as a vector.
@frozen public struct SurfacePoint: Sendable, Equatable {
  /// Degrees in [−90, 90].
  public var latitude: Double
  /// The longitude in degrees; may be any finite value.
  public var longitude: Double
  /// The position as a vector, in metres.
  public var vector: EarthVector

  @inlinable
  public init(latitude: Double, longitude: Double) {
    self.latitude = latitude
    self.longitude = longitude
    vector = EarthVector(latitude: latitude, longitude: longitude)
  }

  /// Creates a position from coordinates and a vector that are both already known.
  @inlinable @inline(__always)
  public init(latitude: Double, longitude: Double, vector: EarthVector) {
    self.latitude = latitude
    self.longitude = longitude
    self.vector = vector
  }

  /// Creates a point of the surface from its vector.
  init(_ vector: EarthVector) {
    (latitude, longitude) = vector.position
    self.vector = vector
  }

  /// The geodesic to another point, with its distance and directions.
  func path(to other: SurfacePoint) -> GeodesicInverse {
    GeodesicInverse.solve(
      latitude1: latitude, longitude1: longitude, latitude2: other.latitude, longitude2: other.longitude)
  }
}
