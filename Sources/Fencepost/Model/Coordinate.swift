/// A position on the WGS84 ellipsoid, in degrees.
@frozen
public struct Coordinate: Sendable, Hashable {
  /// Degrees north, −90 … 90.
  public var latitude: Double
  /// Degrees east, −180 … 180.
  public var longitude: Double

  @inlinable
  public init(latitude: Double, longitude: Double) {
    self.latitude = latitude
    self.longitude = longitude
  }

  /// Whether both values are finite and in range.
  @inlinable
  public var isValid: Bool {
    latitude >= -90 && latitude <= 90 && longitude >= -180 && longitude <= 180
  }
}
